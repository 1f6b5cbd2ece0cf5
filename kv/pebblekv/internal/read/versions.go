package read

import (
	"bytes"
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// Versions finds the versions of columns, in a view with own writes on top. The first column is
// sought by its row; those behind it, in their order, are most often found by steps from the ones
// before. (Benchmark DeleteColumns.)
//
// No step goes beyond the column: deleted cells behind it, own ones or others that are still in
// the store, are not passed. A reader would have to pass them, so that a transaction that
// deletes columns in descending order would take the square of their number.
type Versions struct {
	view *views.View
	own  *overlay.Writes // nil for none
	// ownIter stands at the first own write at or behind the last column, where ownOK is set.
	ownIter *overlay.Iter
	ownOK   bool

	stored stored
	opened bool // there is an iterator, which is parked between columns
	// stamp tells whether others have had the iterator since it was parked.
	stamp uint64
	// key is the stored key at which the iterator stands, nil for none. Where goesOn is set it
	// can be stepped on from there, beyond the row.
	key    []byte
	goesOn bool
	last   []byte // the column
	end    []byte // the first key behind it
	far    int    // how many columns have come that few steps did not lead to
}

const (
	fewSteps = 8
	// Behind farColumns columns that steps did not lead to they are sought by their rows, up to
	// the one by this number.
	farColumns, farAgain = 4, 64
)

// VersionsIn finds versions in a view. The writes are released by Close.
func VersionsIn(v *views.View, own *overlay.Writes) *Versions {
	s := &Versions{view: v, own: own}
	if own != nil {
		s.ownIter, s.ownOK = own.Iter(), true
	}
	return s
}

// IsBefore reports whether a column is behind the last one.
func (s *Versions) IsBefore(column []byte) bool { return bytes.Compare(s.last, column) < 0 }

// Each calls fn with the keys of the versions of a column, which is behind the last one. It sees
// own writes as they were for VersionsIn; fn may delete what it is given.
func (s *Versions) Each(ctx context.Context, column []byte, fn func(key []byte) error) error {
	if err := s.take(); err != nil {
		return err
	}
	s.goTo(column)
	var err error
	for n := 1; err == nil; n++ {
		key, deleted := s.nearest(column)
		if key == nil {
			break
		}
		if n%checkEvery == 0 {
			err = ctx.Err()
		}
		if err == nil && !deleted {
			err = fn(key)
		}
		s.pass(key)
	}
	if s.own != nil {
		err = errors.Join(err, s.ownIter.Err())
	}
	if err = errors.Join(err, s.stored.err()); err != nil {
		s.opened = false
		return errors.Join(err, s.view.Put(s.stored.it, true))
	}
	s.stamp, err = s.view.Park(s.stored.it)
	return err
}

// take takes the iterator where it was left, or another one.
func (s *Versions) take() error {
	if s.opened && s.view.Unpark(s.stored.it, s.stamp) {
		return nil
	}
	it, err := s.view.Take()
	if s.opened = err == nil; s.opened {
		s.stored.it, s.last = it, s.last[:0]
	}
	if r := &s.view.Engine.Rewritten; r.Any.Load() {
		s.stored.rewritten = r
	}
	return err
}

// nearest is the next key of the column, stored or own, nil for none.
func (s *Versions) nearest(column []byte) (key []byte, deleted bool) {
	if bytes.HasPrefix(s.key, column) {
		key = s.key
	}
	if s.ownOK {
		w := s.ownIter.Write()
		if bytes.HasPrefix(w.Key, column) && (key == nil || bytes.Compare(w.Key, key) <= 0) {
			return w.Key, w.Deleted
		}
	}
	return key, key != nil && s.own != nil && overlay.SpanOver(s.own.Deleted(), key) != nil
}

// pass steps off a key.
func (s *Versions) pass(key []byte) {
	atOwn := s.ownOK && bytes.Equal(s.ownIter.Write().Key, key)
	if bytes.Equal(s.key, key) { // which is that of the iterator
		s.step()
	}
	if atOwn {
		s.ownOK = s.ownIter.Next()
	}
}

// step goes to the next stored key before the end of the column, past the values that were written
// over.
func (s *Versions) step() {
	r := s.stored.rewritten
	switch {
	case !s.goesOn:
		s.key = s.stored.next()
	case r != nil && s.key != nil && r.Often(s.key):
		s.at(s.stored.it.SeekGEWithLimit(s.stored.behind(), s.end))
	default:
		s.at(s.stored.it.NextWithLimit(s.end))
	}
}

func (s *Versions) at(state pebble.IterValidityState) {
	if s.key, s.goesOn = nil, state != pebble.IterExhausted; state == pebble.IterValid {
		s.key = s.stored.it.Key()
	}
}

// goTo goes to the first key of a column.
func (s *Versions) goTo(column []byte) {
	ahead := len(s.last) > 0 && s.IsBefore(column)
	s.last = append(s.last[:0], column...)
	s.end = cellkey.MakeBehind(append(s.end[:0], column...))
	if s.ownOK {
		s.ownOK = s.ownIter.Seek(column)
	}
	switch {
	case ahead && s.far <= farColumns && s.stepTo(column):
		s.far = 0
	case ahead && s.far < farColumns:
		s.far++
		s.at(s.stored.it.SeekGEWithLimit(column, s.end))
	default: // of these no deleted cell behind the row is passed
		s.far = (s.far + 1) % farAgain
		s.goesOn, s.key = false, s.stored.seekGE(column, true)
	}
}

// stepTo reports whether few steps lead to the first key of a column, or to its end where it has
// none.
func (s *Versions) stepTo(column []byte) bool {
	for range fewSteps {
		switch {
		case bytes.Compare(s.key, column) >= 0:
			return true
		case s.key == nil && !s.goesOn:
			return false
		}
		if s.step(); s.key == nil && s.goesOn {
			return true
		}
	}
	return bytes.Compare(s.key, column) >= 0
}

// Close gives up the writes.
func (s *Versions) Close() {
	if s.own != nil {
		s.ownIter.Close()
		s.own.Release()
	}
}
