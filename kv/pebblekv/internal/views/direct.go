package views

import (
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// Direct is a view for one iterator, without a snapshot.
func (vs *Views) Direct() (*View, error) {
	v := &View{Engine: vs.engine, Clock: vs.clock.Load()}
	v.users.Store(1)
	v.out = 1
	vs.engine.Iterators.Add(1)
	it, err := v.open(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return nil, err
	}
	vs.engine.Iterators.Add(-1) // it is idle
	v.out = 0
	v.idle = append(v.oneIdle[:0], it)
	// The iterator came before: where a new catalog has moved the cells since, it still sees where
	// they were, and a holder of that catalog sees that the iterator is older.
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

// NewIter opens an iterator of the snapshot, or of what is newest, which the caller closes.
func (v *View) NewIter(o *pebble.IterOptions) (*pebble.Iterator, error) {
	if v.snap == nil {
		return v.Engine.DB.NewIter(o)
	}
	return v.snap.NewIter(o)
}

// closeSnapshot disposes of the snapshot, where there is one.
func (v *View) closeSnapshot() error {
	if v.snap == nil {
		return nil
	}
	return v.snap.Close()
}

// Get is a record as the view has it; it fails with pebble.ErrNotFound.
func (v *View) Get(key []byte) ([]byte, io.Closer, error) { return v.snap.Get(key) }
