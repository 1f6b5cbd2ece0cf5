package txn

import (
	"bytes"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// A statement that changes one row reads it first, under the row's lock. A snapshot for that
// would be of no use to others: the statement's own commit is the next one. So it reads the
// newest state of the row in the lookup view while that is up to date for the row, which also
// saves the iterator. If the row has been written since, such as a counter that all writers
// change, it reads with an iterator without a snapshot.

// scanView returns the view for a scan of a transaction without one, to be released as a
// reader's: a view of the locked row if only that is read, else the snapshot, which it takes
// now.
func (t *Txn) scanView(tables []*kv.Table, s *kv.Scan) (*views.View, error) {
	// Each slice of time takes an iterator, and these must see the same moment.
	if t.m.engine.Tuning.RowViews && s.At == nil && len(tables) == 1 && tables[0] == t.last &&
		tables[0].Partitioning.Slices() == nil && t.mayLook() {
		if r := s.Ranges; len(r) == 1 && r[0].Within() != kv.DepthNone && t.m.engine.Hash.Row(t.lastNS, r[0].Start.Row) == t.lastRow {
			return t.rowView()
		}
	}
	return t.ownView()
}

// mayLook reports whether the row locked last may be read without a snapshot. The retention of
// a table depends on the snapshot's moment.
func (t *Txn) mayLook() bool {
	return t.view == nil && t.late && t.lastOK && t.looks < t.m.engine.Tuning.Looks &&
		t.last.Retention == (kv.Retention{})
}

// ownView returns the snapshot, which it takes if that has not been done.
func (t *Txn) ownView() (*views.View, error) {
	if t.snapshot(); t.stuck != nil {
		return nil, t.stuck
	}
	t.view.Retain()
	return t.view, nil
}

// rowView returns a view of the newest state of the row locked last.
func (t *Txn) rowView() (*views.View, error) {
	t.looks++
	v, err := t.m.engine.Views.UpToDate(t.lastRow)
	if v == nil && err == nil {
		v, err = t.m.engine.Views.Direct()
	}
	if err != nil {
		return nil, err
	}
	if v.Catalog == t.keyLayout {
		return v, nil
	}
	if err := v.Release(views.Reader); err != nil {
		return nil, err
	}
	return t.ownView() // which finds that the catalog has changed
}

// columnView returns the view in which to find the versions of a column of the row that has
// just been locked.
func (t *Txn) columnView(table *kv.Table) (*views.View, error) {
	if table == t.last && t.mayLook() {
		return t.rowView()
	}
	return t.ownView()
}

// look reports whether the key, of the row that has just been locked, is stored now; ok is
// false if the key has the layout of an older catalog.
func (t *Txn) look(key []byte) (found, ok bool, err error) {
	t.looks++
	if absent, err := t.absent(key, nil); absent || err != nil {
		return false, true, err
	}
	vs := &t.m.engine.Views
	v, err := vs.UpToDate(t.lastRow)
	if err != nil {
		return false, false, err
	}
	if v == nil {
		found, err = t.m.engine.Has(key)
		return found, vs.NewestCatalog() == t.keyLayout, err // as it was before the look
	}
	if v.Catalog != t.keyLayout {
		return false, false, v.Release(views.Reader)
	}
	it, err := v.Take()
	if err != nil {
		return false, false, errors.Join(err, v.Release(views.Reader))
	}
	found = it.SeekPrefixGE(key) && bytes.Equal(it.Key(), key)
	err = faultfs.DiskError(it.Error())
	return found, true, errors.Join(err, v.Put(it, true), v.Release(views.Reader))
}

// absent reports whether the key, of the row locked last, is certainly not stored, see
// [views.Engine.Absent]. It reads the present state, in which the row is as in the view: its
// lock keeps others from writing it, and its cells have not been moved if the catalog is the
// same. Only versions that the table no longer retains may be gone.
func (t *Txn) absent(key []byte, end *[]byte) (sure bool, err error) {
	if !t.m.engine.Tuning.FileLooks {
		return false, nil
	}
	sure, err = t.m.engine.Absent(key, end)
	return sure && t.m.engine.Views.NewestCatalog() == t.keyLayout, err
}
