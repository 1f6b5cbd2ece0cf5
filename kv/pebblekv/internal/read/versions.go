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
// sought by its row; later ones, in order, are usually found by steps from the ones before
// (benchmark DeleteColumns).
//
// No step goes beyond the column: deleted cells after it, own or stored ones, are not skipped. A
// reader would have to skip them, so that a transaction that deletes columns in descending order
// would take time quadratic in their number.
type Versions struct {
	view *views.View
	own  *overlay.Writes // nil for none
	// ownIter is at the first own write at or after the last column, if ownOK is set.
	ownIter *overlay.Iter
	ownOK   bool

	stored stored
	opened bool // there is an iterator, parked between columns
	// stamp tells whether others have used the iterator since it was parked.
	stamp uint64
	// key is the iterator's stored key, nil for none. If goesOn is set, the iterator can be
	// stepped on beyond the row.
	key    []byte
	goesOn bool
	last   []byte // the column
	end    []byte // the first key after it
	far    int    // how many columns were not reached by few steps
	// adjoins is true if there is no key, stored or own, between the last column and the one before.
	adjoins bool
}

const (
	fewSteps = 16
	// After farColumns columns that steps did not reach, columns are sought by their rows, up to
	// the one with the number farAgain.
	farColumns, farAgain = 4, 64
)

// VersionsIn returns a finder of versions in a view. Close releases the writes.
func VersionsIn(v *views.View, own *overlay.Writes) *Versions {
	s := &Versions{view: v, own: own}
	if own != nil {
		s.ownIter, s.ownOK = own.Iter(), true
	}
	return s
}

// IsBefore reports whether a column is after the last one.
func (s *Versions) IsBefore(column []byte) bool { return bytes.Compare(s.last, column) < 0 }

// Adjoins reports whether there is certainly no key, stored or own, between the last column and the
// one before.
func (s *Versions) Adjoins() bool { return s.adjoins }

// Each calls fn with the keys of the versions of a column, which must be after the last one. It
// sees own writes as of VersionsIn; fn may delete what it is given. The error is fn's, the
// context's or the disk's.
func (s *Versions) Each(ctx context.Context, column []byte, fn func(key []byte) error) error {
	return s.each(ctx, column, false, fn)
}

// EachAdjoining is Each if the column adjoins the last one. Otherwise it calls fn for nothing, and the
// Versions cannot be used for further columns.
func (s *Versions) EachAdjoining(ctx context.Context, column []byte, fn func(key []byte) error) error {
	return s.each(ctx, column, true, fn)
}

func (s *Versions) each(ctx context.Context, column []byte, adjoining bool, fn func(key []byte) error) error {
	if err := s.take(); err != nil {
		return err
	}
	s.goTo(column)
	var err error
	for n := 1; err == nil && (s.adjoins || !adjoining); n++ {
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

// take takes the iterator at its old position, or another one.
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

// nearest returns the next key of the column, stored or own, nil for none.
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
	if bytes.Equal(s.key, key) { // the iterator is at it
		s.step()
	}
	if atOwn {
		s.ownOK = s.ownIter.Next()
	}
}

// step goes to the next stored key before the end of the column, past overwritten values.
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
	passed := s.ownOK && (!ahead || bytes.Compare(s.ownIter.Write().Key, column) < 0) // by the column
	s.adjoins = ahead && !passed
	if passed {
		s.ownOK = s.ownIter.Seek(column)
	}
	switch {
	case ahead && s.far <= farColumns && s.stepTo(column):
		s.far = 0
	case ahead && s.far < farColumns:
		s.far++
		s.adjoins = false
		s.at(s.stored.it.SeekGEWithLimit(column, s.end))
	default: // here no deleted cell beyond the row is skipped
		s.far = (s.far + 1) % farAgain
		s.adjoins, s.goesOn, s.key = false, false, s.stored.seekGE(column, true)
	}
}

// stepTo reports whether few steps lead to the first key of a column, or to its end if it has none.
func (s *Versions) stepTo(column []byte) bool {
	for range fewSteps {
		switch {
		case bytes.Compare(s.key, column) >= 0:
			return true
		case s.key == nil && !s.goesOn:
			return false
		case s.key != nil:
			s.adjoins = false
		}
		if s.step(); s.key == nil && s.goesOn {
			return true
		}
	}
	return bytes.Compare(s.key, column) >= 0
}

// Close releases the writes.
func (s *Versions) Close() {
	if s.own != nil {
		s.ownIter.Close()
		s.own.Release()
	}
}
