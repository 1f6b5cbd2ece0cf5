package txn

import (
	"bytes"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// A statement that changes one row reads it first, under the row's lock. A
// snapshot for that would serve nobody else: its own commit is the next one. So
// it reads the newest state of the row in the lookup view, as long as that is as
// good as the newest, which spares it the iterator too; and where the row has
// been written since, as a counter that all writers want, in an iterator without
// a snapshot.

// scanView is the view that a scan of a transaction without one reads, to be released as a
// reader's: one of the row that is locked where no other is read, else that which it takes now.
func (t *Txn) scanView(tables []*kv.Table, s *kv.Scan) (*views.View, error) {
	// Slices of time take an iterator each, which must be of one moment.
	if t.m.engine.Tuning.RowViews && s.At == nil && len(tables) == 1 && tables[0] == t.last &&
		tables[0].Partitioning.Slices() == nil && t.mayLook() {
		if r := s.Ranges; len(r) == 1 && read.WithinRow(&r[0]) && t.m.engine.Hash.Row(t.lastNS, r[0].Start.Row) == t.lastRow {
			return t.rowView()
		}
	}
	return t.ownView()
}

// mayLook reports whether the row locked last may be looked at without a
// snapshot. What its table keeps depends on the snapshot's moment.
func (t *Txn) mayLook() bool {
	return t.view == nil && t.late && t.lastOK && t.looks < t.m.engine.Tuning.Looks &&
		t.last.Retention == (kv.Retention{})
}

// ownView takes the snapshot where that has not been done.
func (t *Txn) ownView() (*views.View, error) {
	if t.snapshot(); t.stuck != nil {
		return nil, t.stuck
	}
	t.view.Retain()
	return t.view, nil
}

// rowView is a view of the newest state of the row locked last.
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
	return t.ownView() // which finds that the catalog is another
}

// columnView is the view in which the versions of a column are found, of the row
// that has just been locked.
func (t *Txn) columnView(table *kv.Table) (*views.View, error) {
	if table == t.last && t.mayLook() {
		return t.rowView()
	}
	return t.ownView()
}

// look reports whether the key, of the row that has just been locked, is stored at
// present; ok is false where the catalog is no longer the one whose layout the
// key has.
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

// absent reports whether the key, of the row locked last, is surely not stored, see
// [views.Engine.Absent]. It looks at the present, in which the row is as in the view: its
// lock keeps others from writing it, and where the catalog is the same, its cells have
// not been moved. Only what a table no longer retains may have gone.
func (t *Txn) absent(key []byte, end *[]byte) (sure bool, err error) {
	if !t.m.engine.Tuning.FileLooks {
		return false, nil
	}
	sure, err = t.m.engine.Absent(key, end)
	return sure && t.m.engine.Views.NewestCatalog() == t.keyLayout, err
}
