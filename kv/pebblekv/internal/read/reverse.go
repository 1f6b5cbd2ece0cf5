package read

import (
	"bytes"
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// In reverse the older versions of a column come first, of which only the newest
// may be wanted. backward is what a stream needs for that.
type backward struct {
	// buffered tells that the cell given out is the copy here, and that the
	// iterator already stands at the cell before it, or with end at its end.
	buffered   bool
	end        bool
	key, value []byte
	// chosen are the keys of the column that are still to be given out, the
	// newest first; then what is before from comes next.
	chosen [][]byte
	from   []byte
	jump   bool
}

// leaveBackward steps off the cell given out last.
func (s *stream) leaveBackward() bool {
	b := &s.back
	b.chosen = nil
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

// settle is called at a cell that passes the filters on cells, and finds the
// one to give out: the cell itself, or the oldest of those versions of its
// column that MaxVersions leaves.
func (s *stream) settle() bool {
	switch n := s.newest; {
	case n == 0:
		return true
	case n == 1 && s.firstSpan() == s.at:
		return s.newestOfColumn()
	}
	return s.newestVersions()
}

// firstSpan is the index of the first span that holds keys of the column that
// is read.
func (s *stream) firstSpan() int {
	i := s.at
	for i > 0 && bytes.Compare(s.spans[i-1].Upper, s.column) > 0 {
		i--
	}
	return i
}

// newestOfColumn is called at the oldest wanted version of a column and gives
// out the newest: the last one met going back, or after some steps the one
// that a seek finds.
func (s *stream) newestOfColumn() bool {
	k := &s.skips[skipColumn]
	for range k.budget {
		if !s.bufferCell() {
			return false
		}
		s.back.end = !s.advance()
		if s.back.end || s.pastColumn(s.pos) {
			k.succeeded(s.c.tuning)
			s.back.buffered = true
			return s.standAt(s.back.key)
		}
	}
	k.failed(s.c.tuning)
	return s.newestVersions()
}

// pastColumn reports whether a key met going back is before what is wanted of
// the column that is read.
func (s *stream) pastColumn(key []byte) bool {
	return !bytes.HasPrefix(key, s.column) || bytes.Compare(key, s.within.Lower) < 0 ||
		s.time.Bounded && cellkey.Timestamp(key) > s.time.Max
}

func (s *stream) bufferCell() bool {
	b := &s.back
	b.key = append(b.key[:0], s.pos...)
	if !s.c.scan.NeedValue {
		return true
	}
	value, err := s.it.value()
	if err != nil {
		s.c.fail(err)
		return false
	}
	b.value = append(b.value[:0], value...)
	return true
}

// standAt takes apart a key of the column that is read.
func (s *stream) standAt(key []byte) bool {
	s.key = key
	s.cell.MoveRow(key)
	s.cell.MoveColumn(key)
	return true
}

// newestVersions chooses the newest versions of the column, going forward over
// the spans that hold it, and stands at the oldest of them.
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

// choose adds the keys of the column in the span to the chosen ones, as long as
// they are among the newest.
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

// nextChosen goes to the oldest chosen version that has not been given out.
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
