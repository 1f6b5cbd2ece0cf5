package pebblekv

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
)

// source steps over stored keys with a transaction's own writes on top. The
// key is valid until the next step.
type source struct {
	base *pebble.Iterator
	key  []byte
	// rewritten is set where keys of the base may have many values to step over.
	rewritten *rewritten
	inRow     bool // the base was sought by its row
	layered   bool // there are own writes, slices, or cells read ahead

	// With own writes the two sides are merged; both then stand at their
	// first key not passed in the direction of the last step.
	ownOK    bool
	baseOK   bool
	atOwn    bool // key is an own write's
	backward bool
	own      *overlay.Iter
	// slices, where it is not nil, stands in for both sides.
	slices *sliceMerge
	// ahead, where it is not nil, stands in for the base, which is nil.
	ahead   *ahead
	cells   int64 // keys met
	seeks   int64
	seekBuf []byte
}

func (s *source) init(base *pebble.Iterator, own *overlay.Writes, r *rewritten) {
	s.base = base
	if r.any.Load() {
		s.rewritten = r
	}
	if own != nil {
		s.own, s.layered = own.Iter(), true
	}
}

// merged makes the source one of slices of time.
func (s *source) merged(m *sliceMerge) { s.slices, s.layered = m, true }

// seekGE goes to the first key at or behind target; in prefix mode only to
// one of the target's row.
func (s *source) seekGE(target []byte, prefix bool) bool {
	if !s.layered {
		return s.atBase(s.seekBase(target, prefix))
	}
	switch {
	case s.slices != nil:
		return s.atSlice(s.slices.seekGE(target, prefix))
	case s.ahead != nil:
		return s.seekAhead(target, prefix)
	}
	s.backward, s.baseOK = false, s.seekBase(target, prefix)
	s.ownOK = s.own.Seek(target)
	return s.settle()
}

func (s *source) seekBase(target []byte, prefix bool) bool {
	s.seeks++
	s.inRow = prefix
	if prefix {
		return s.base.SeekPrefixGE(target)
	}
	return s.base.SeekGE(target)
}

// nextBase steps off the base's key, past the values that were written over.
func (s *source) nextBase() bool {
	if s.rewritten == nil || !s.rewritten.often(s.base.Key()) {
		return s.base.Next()
	}
	s.seekBuf = append(append(s.seekBuf[:0], s.base.Key()...), 0)
	return s.seekBase(s.seekBuf, s.inRow)
}

// seekLT goes to the last key before target.
func (s *source) seekLT(target []byte) bool {
	if s.slices != nil {
		return s.atSlice(s.slices.seekLT(target))
	}
	s.seeks++
	ok := s.base.SeekLT(target)
	if !s.layered {
		return s.atBase(ok)
	}
	s.backward, s.baseOK = true, ok
	s.ownOK = s.own.SeekLT(target)
	return s.settle()
}

func (s *source) next() bool {
	if !s.layered {
		return s.atBase(s.nextBase())
	}
	return s.nextLayered()
}

func (s *source) nextLayered() bool {
	switch {
	case s.slices != nil:
		return s.atSlice(s.slices.next())
	case s.ahead != nil:
		return s.nextAhead()
	}
	if s.backward {
		s.seekBuf = append(append(s.seekBuf[:0], s.key...), 0)
		return s.seekGE(s.seekBuf, false)
	}
	s.advance()
	return s.settle()
}

func (s *source) prev() bool {
	if !s.layered {
		return s.atBase(s.base.Prev())
	}
	return s.prevLayered()
}

func (s *source) prevLayered() bool {
	if s.slices != nil {
		return s.atSlice(s.slices.prev())
	}
	if !s.backward {
		s.seekBuf = append(s.seekBuf[:0], s.key...)
		return s.seekLT(s.seekBuf)
	}
	s.advance()
	return s.settle()
}

func (s *source) atBase(ok bool) bool {
	if ok {
		s.cells++
		s.key = s.base.Key()
	}
	return ok
}

func (s *source) atSlice(ok bool) bool {
	s.cells, s.seeks = s.slices.cells, s.slices.seeks
	if ok {
		s.key = s.slices.key
	}
	return ok
}

// advance moves the sides that stand at the current key.
func (s *source) advance() {
	if s.atOwn {
		key := s.own.Key()
		s.stepOwn()
		if s.baseOK && bytes.Equal(s.base.Key(), key) {
			s.stepBase()
		}
		return
	}
	s.stepBase()
}

func (s *source) stepOwn() {
	if s.backward {
		s.ownOK = s.own.Prev()
	} else {
		s.ownOK = s.own.Next()
	}
}

func (s *source) stepBase() {
	if s.backward {
		s.baseOK = s.base.Prev()
	} else {
		s.baseOK = s.nextBase()
	}
}

// settle makes the nearer side current, passing over own deletions.
func (s *source) settle() bool {
	for {
		if s.atOwn = s.ownFirst(); !s.atOwn {
			return s.atBase(s.baseOK)
		}
		if !s.own.Deleted() {
			s.cells++
			s.key = s.own.Key()
			return true
		}
		s.advance()
	}
}

// ownFirst reports whether the own side is nearer or at the same key.
func (s *source) ownFirst() bool {
	if !s.ownOK || !s.baseOK {
		return s.ownOK
	}
	c := bytes.Compare(s.own.Key(), s.base.Key())
	if s.backward {
		c = -c
	}
	return c <= 0
}

// value is the stored value at the current key, valid until the next step.
func (s *source) value() ([]byte, error) {
	if s.layered {
		switch {
		case s.slices != nil:
			return s.slices.heap[0].value()
		case s.ahead != nil:
			return s.ahead.cells[s.ahead.at].value, nil
		case s.atOwn:
			return s.own.Value(), nil
		}
	}
	v, err := s.base.ValueAndErr()
	if err != nil {
		return nil, faultfs.DiskError(err)
	}
	return v, nil
}

func (s *source) err() error {
	switch {
	case s.slices != nil:
		return s.slices.failed
	case s.ahead != nil:
		return s.ahead.err
	}
	if err := s.base.Error(); err != nil {
		return faultfs.DiskError(err)
	}
	return nil
}
