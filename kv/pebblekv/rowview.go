package pebblekv

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
)

// A statement that changes one row reads it first, under the row's lock. A
// snapshot for that would serve nobody else: its own commit is the next one. So
// it reads the newest state of the row in the lookup view, as long as that is as
// good as the newest, which spares it the iterator too; and where the row has
// been written since, as a counter that all writers want, in an iterator without
// a snapshot.

// scanView is the view that a scan reads, to be released as a reader's: that of
// the transaction, or one of the row that is locked where no other is read.
func (t *txn) scanView(tables []*kv.Table, s *kv.Scan) (*view, error) {
	// Slices of time take an iterator each, which must be of one moment.
	if t.store.tuning.rowViews && s.At == nil && len(tables) == 1 && tables[0] == t.last && tables[0].Partitioning.Slices() == nil && t.mayLook() {
		if r := s.Ranges; len(r) == 1 && withinRow(&r[0]) && t.store.hash.Row(t.lastNS, r[0].Start.Row) == t.lastRow {
			return t.rowView()
		}
	}
	return t.ownView()
}

// mayLook reports whether the row locked last may be looked at without a
// snapshot.
func (t *txn) mayLook() bool {
	return t.view == nil && t.late() && t.lastOK && t.looks < t.store.tuning.looks
}

// ownView takes the snapshot where that has not been done.
func (t *txn) ownView() (*view, error) {
	if t.snapshot(); t.stuck != nil {
		return nil, t.stuck
	}
	t.view.retain()
	return t.view, nil
}

// rowView is a view of the newest state of the row locked last.
func (t *txn) rowView() (*view, error) {
	t.looks++
	v, err := t.store.views.upToDate(t.lastRow)
	if v == nil && err == nil {
		v, err = t.store.views.direct()
	}
	if err != nil {
		return nil, err
	}
	if v.catalog == t.keyed {
		return v, nil
	}
	if err := t.store.views.release(v, reader); err != nil {
		return nil, err
	}
	return t.ownView() // which finds that the catalog is another
}

// columnView is the view in which the versions of a column are found, of the row
// that has just been locked.
func (t *txn) columnView(table *kv.Table) (*view, error) {
	if table == t.last && t.mayLook() {
		return t.rowView()
	}
	return t.ownView()
}

// direct is a view for one iterator, without a snapshot.
func (vs *views) direct() (*view, error) {
	v := &view{store: vs.store, clock: vs.clock.Load()}
	v.users.Store(1)
	vs.store.iterators.Add(1)
	it, err := v.open(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return nil, err
	}
	vs.store.iterators.Add(-1) // it is idle
	v.idle = append(v.oneIdle[:0], it)
	// The iterator came before: where a new catalog has moved the cells since, it
	// still sees where they were, and whoever has that catalog sees that it is not his.
	v.catalog = vs.newestCatalog()
	return v, nil
}

// releaseDirect ends a use of a view without a snapshot.
func (v *view) releaseDirect() error {
	if v.users.Add(-1) > 0 {
		return nil
	}
	return v.dispose()
}

// newIter opens an iterator of the snapshot, or of what is newest.
func (v *view) newIter(o *pebble.IterOptions) (*pebble.Iterator, error) {
	if v.snap == nil {
		return v.store.db.NewIter(o)
	}
	return v.snap.NewIter(o)
}

// closeSnapshot disposes of the snapshot, where there is one.
func (v *view) closeSnapshot() error {
	if v.snap == nil {
		return nil
	}
	return v.snap.Close()
}
