package views

import (
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// Direct returns a view for one iterator, without a snapshot.
func (vs *Views) Direct() (*View, error) {
	v := &View{Engine: vs.engine, Clock: vs.clock.Load()}
	v.users.Store(1)
	v.out = 1
	vs.engine.Iterators.Add(1)
	it, err := v.open(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return nil, err
	}
	vs.engine.Iterators.Add(-1) // an idle iterator is not counted
	v.out = 0
	v.idle = append(v.oneIdle[:0], it)
	// The iterator was opened first: if a new catalog has moved the cells since, the iterator
	// still sees them in the old place, and a holder of that catalog sees that the iterator is
	// older.
	v.Catalog = vs.NewestCatalog()
	return v, nil
}

// releaseDirect ends a use of a view without a snapshot.
func (v *View) releaseDirect() error {
	if v.users.Add(-1) > 0 {
		return nil
	}
	return v.dispose()
}

// NewIter opens an iterator of the snapshot, or of the newest state without one. The caller closes it.
func (v *View) NewIter(o *pebble.IterOptions) (*pebble.Iterator, error) {
	if v.snap == nil {
		return v.Engine.DB.NewIter(o)
	}
	return v.snap.NewIter(o)
}

// closeSnapshot closes the snapshot, if there is one.
func (v *View) closeSnapshot() error {
	if v.snap == nil {
		return nil
	}
	return v.snap.Close()
}

// Get returns a record as of the view, or pebble.ErrNotFound.
func (v *View) Get(key []byte) ([]byte, io.Closer, error) { return v.snap.Get(key) }
