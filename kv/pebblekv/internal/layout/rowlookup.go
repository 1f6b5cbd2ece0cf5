package layout

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// rowLookup finds rows of one partition in several families. After an error its
// results are invalid.
type rowLookup struct {
	view   *views.View
	spaces []keyspace.ID
	its    []*pebble.Iterator
	err    error
}

// openRows opens a lookup in partition i as of now. It must be closed.
func (r *Regions) openRows(i int) (*rowLookup, error) {
	l := &rowLookup{view: r.engine.Views.Acquire(views.Reader)}
	for _, t := range r.families {
		it, err := l.view.Take()
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		it.SetBounds(cellkey.Extent(keyspace.ExtentOf(t, i)))
		l.spaces, l.its = append(l.spaces, keyspace.Of(t).Spaces[i]), append(l.its, it)
	}
	return l, nil
}

// first returns the first row, or nil.
func (l *rowLookup) first() []byte {
	return l.extreme((*pebble.Iterator).First, func(a, b []byte) bool { return bytes.Compare(a, b) < 0 })
}

// last returns the last row, or nil.
func (l *rowLookup) last() []byte {
	return l.extreme((*pebble.Iterator).Last, func(a, b []byte) bool { return bytes.Compare(a, b) > 0 })
}

// from returns the first row at or after a row, or nil.
func (l *rowLookup) from(row []byte) []byte {
	n := 0
	return l.extreme(func(it *pebble.Iterator) bool {
		n++
		return it.SeekGE(cellkey.AppendRow(nil, l.spaces[n-1], row))
	}, func(a, b []byte) bool { return bytes.Compare(a, b) < 0 })
}

// extreme positions each family's iterator, and returns the row that is before
// all others.
func (l *rowLookup) extreme(place func(*pebble.Iterator) bool, before func(a, b []byte) bool) (best []byte) {
	for _, it := range l.its {
		if !place(it) {
			l.err = errors.Join(l.err, faultfs.DiskError(it.Error()))
			continue
		}
		row, err := cellkey.RowOf(it.Key())
		l.err = errors.Join(l.err, err)
		if best == nil || before(row, best) {
			best = row
		}
	}
	return best
}

func (l *rowLookup) close() error {
	err := l.err
	for _, it := range l.its {
		err = errors.Join(err, l.view.Put(it, true))
	}
	return errors.Join(err, l.view.Release(views.Reader))
}
