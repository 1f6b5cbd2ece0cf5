package read

import (
	"bytes"
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// In reverse the older versions of a column come first, and perhaps only the newest
// are wanted. backward is the state of a stream for that.
type backward struct {
	// buffered means that the current cell is a copy, and that the iterator is
	// already at the cell before its column, or, if end is set, at its end.
	buffered bool
	end      bool
	// ring has copies of the last cells of a column that were met going back. The one
	// at index at is current, and left are still to be returned.
	ring          []views.Entry
	ringOfOne     [1]views.Entry
	met, at, left int
	// chosen are the keys of the column that are still to be returned, newest first;
	// then what is before from comes next.
	chosen [][]byte
	from   []byte
	jump   bool
}

// leaveBackward steps off the current cell.
func (s *stream) leaveBackward() bool {
	b := &s.back
	b.chosen, b.left = nil, 0
	switch {
	case b.buffered:
		b.buffered = false
		return !b.end
	case b.jump:
		b.jump = false
		return s.seek(b.from)
	}
	return s.advance()
}

// settle is called at a cell that passes the filters, and finds the one to return:
// the cell itself, or the oldest of those versions of its column that MaxVersions
// allows.
func (s *stream) settle() bool {
	switch n := s.newest; {
	case n == 0:
		return true
	case s.firstSpan() == s.at:
		return s.newestOfColumn(n)
	}
	return s.newestVersions()
}

// firstSpan returns the index of the first span that has keys of the current column.
func (s *stream) firstSpan() int {
	i := s.at
	for i > 0 && bytes.Compare(s.spans[i-1].Upper, s.column) > 0 {
		i--
	}
	return i
}

// maxRing bounds the cells of a column that are copied.
const maxRing = 32

// newestOfColumn is called at the oldest wanted version of a column and moves to the
// oldest of the newest n: one of the last met going back or, if there are many more,
// one that a seek finds.
func (s *stream) newestOfColumn(n int) bool {
	b, k := &s.back, &s.skips[skipColumn]
	steps := k.budget
	if n > 1 && s.c.tuning.SeekSteps > 0 {
		steps = min(max(steps, 1)+n-1, maxRing)
	}
	if b.ring == nil {
		b.ring = slices.Grow(b.ringOfOne[:0], min(n, maxRing))[:min(n, maxRing)]
	}
	for b.met = 0; b.met < steps; {
		if !s.bufferCell(&b.ring[b.met%len(b.ring)]) {
			return false
		}
		b.met++
		b.end = !s.advance()
		if b.end || s.pastColumn(s.pos) {
			k.succeeded(s.c.tuning)
			b.buffered, b.left = true, min(b.met, n)
			return s.nextBuffered()
		}
	}
	k.failed(s.c.tuning)
	return s.newestVersions()
}

// nextBuffered goes to the oldest copy that has not been returned.
func (s *stream) nextBuffered() bool {
	b := &s.back
	b.at = (b.met - b.left) % len(b.ring)
	b.left--
	return s.standAt(b.ring[b.at].Key)
}

// pastColumn reports whether a key met going back is before the wanted part of the
// current column.
func (s *stream) pastColumn(key []byte) bool {
	return !bytes.HasPrefix(key, s.column) || bytes.Compare(key, s.within.Lower) < 0 ||
		s.time.Bounded && cellkey.Timestamp(key) > s.time.Max
}

func (s *stream) bufferCell(to *views.Entry) bool {
	to.Key = append(to.Key[:0], s.pos...)
	if !s.c.scan.NeedValue {
		return true
	}
	value, err := s.it.value()
	if err != nil {
		s.c.fail(err)
		return false
	}
	to.Value = append(to.Value[:0], value...)
	return true
}

// standAt decodes a key of the current column.
func (s *stream) standAt(key []byte) bool {
	s.key = key
	s.cell.MoveRow(key)
	s.cell.MoveColumn(key)
	return true
}

// newestVersions chooses the newest versions of the column, going forward over the
// spans that have it, and moves to the oldest of them.
func (s *stream) newestVersions() bool {
	b := &s.back
	last := s.at
	s.at = s.firstSpan()
	b.chosen = b.chosen[:0]
	for i := s.at; i <= last; i++ {
		if !s.choose(s.spans[i]) {
			return false
		}
	}
	s.within = s.spans[s.at]
	b.from, b.jump = append(b.from[:0], cellkey.Later(s.column, s.within.Lower)...), true
	return s.nextChosen()
}

// choose adds the keys of the column in the span to the chosen ones while they are
// among the newest.
func (s *stream) choose(within cellkey.Span) bool {
	b := &s.back
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	if t := s.time; t.Bounded {
		lo, hi = t.Min, t.Max
	}
	s.target = cellkey.AppendTimestamp(append(s.target[:0], s.column...), hi)
	key := s.it.seekGE(cellkey.Later(s.target, within.Lower), false)
	for ; key != nil && len(b.chosen) < s.newest; key = s.it.next() {
		if !bytes.HasPrefix(key, s.column) || bytes.Compare(key, within.Upper) >= 0 || cellkey.Timestamp(key) < lo {
			break
		}
		if s.c.interrupted() {
			return false
		}
		b.chosen = append(b.chosen, slices.Clone(key))
	}
	return s.it.err() == nil
}

// nextChosen goes to the oldest chosen version that has not been returned.
func (s *stream) nextChosen() bool {
	b := &s.back
	n := len(b.chosen) - 1
	if n < 0 {
		return false
	}
	key := b.chosen[n]
	b.chosen = b.chosen[:n]
	s.pos = s.it.seekGE(key, false)
	s.started = s.pos != nil && s.standAt(s.pos)
	return s.started
}
