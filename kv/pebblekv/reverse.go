package pebblekv

import (
	"bytes"
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// backward is what a stream needs besides to read in the opposite order.
type backward struct {
	started bool // spans are read from the last one on
	// buffered tells that the cell given out is the copy here, and that the
	// source already stands at the cell before it, or with end at its end.
	buffered   bool
	end        bool
	key, value []byte
	// chosen are the keys of the column that are still to be given out, the
	// newest first; then what is before from comes next.
	chosen [][]byte
	from   []byte
	jump   bool
}

// prev steps to the next cell in the opposite order.
func (s *stream) prev() bool {
	ok := s.leaveBackward()
	if s.started {
		return true
	}
	for {
		if !ok || s.before() {
			if s.src.err() != nil || !s.prevSpan() {
				return false
			}
			ok = s.src.seekLT(s.within.Upper)
			continue
		}
		if s.c.interrupted() {
			return false
		}
		v := s.judgeBackward(s.src.key)
		if v == take {
			s.started = s.settle()
			s.given = s.rows
			return s.started
		}
		ok = s.passBackward(v)
	}
}

func (s *stream) before() bool {
	return s.check && bytes.Compare(s.src.key, s.within.Lower) < 0
}

func (s *stream) prevSpan() bool {
	if !s.back.started {
		s.back.started, s.at = true, len(s.spans)
	}
	if s.at <= 0 {
		return false
	}
	s.at--
	s.within = s.spans[s.at]
	return true
}

// leaveBackward steps off the cell given out last, and to the next chosen one
// where there is one, which leaves the stream started.
func (s *stream) leaveBackward() bool {
	if !s.started {
		return false
	}
	b := &s.back
	if s.c.scan.FirstPerRow {
		b.chosen = nil
	}
	if len(b.chosen) > 0 {
		s.started = s.nextChosen()
		return s.started
	}
	s.started = false
	switch {
	case b.buffered:
		b.buffered = false
		return !b.end
	case b.jump:
		b.jump = false
		return s.src.seekLT(b.from)
	}
	return s.src.prev()
}

// judgeBackward is judge for a key that is reached from behind.
func (s *stream) judgeBackward(key []byte) verdict {
	s.key = key
	sameColumn, err := s.decode(key)
	if err != nil {
		s.c.fail(err)
		return damaged
	}
	scan := s.c.scan
	if scan.FirstPerRow && s.given == s.rows {
		return passRow
	}
	if !sameColumn && scan.Qualifiers != nil {
		if v := s.judgeQualifierBackward(); v != take {
			s.column = s.column[:0] // another span of the column is judged anew
			return v
		}
	}
	if scan.Time.Bounded {
		if s.cell.Timestamp > scan.Time.Max {
			return passColumn
		}
		if s.cell.Timestamp < scan.Time.Min {
			s.target = cellkey.AppendTimestamp(append(s.target[:0], cellkey.Column(key)...), scan.Time.Min)
			s.target = append(s.target, 0) // the first key behind that version
			return passToTime
		}
	}
	return take
}

func (s *stream) judgeQualifierBackward() verdict {
	ranges := s.c.scan.Qualifiers
	q := s.cell.Qualifier
	for s.qual >= 0 && bytes.Compare(q, ranges[s.qual].Start) < 0 {
		s.qual--
	}
	if s.qual < 0 {
		return passRow
	}
	if end := ranges[s.qual].End; end != nil && bytes.Compare(q, end) >= 0 {
		s.target = cellkey.AppendPart(append(s.target[:0], s.row...), end)
		return passTo
	}
	return take
}

// passBackward goes to the last key before what the verdict leaves out.
func (s *stream) passBackward(v verdict) bool {
	switch v {
	case passColumn:
		s.target = append(s.target[:0], cellkey.Column(s.key)...)
		return s.passBefore(s.target, skipColumn)
	case passRow:
		s.target = append(s.target[:0], s.row...)
		return s.passBefore(s.target, skipRow)
	case passTo:
		return s.passBefore(s.target, skipQualifier)
	case passToTime:
		return s.passBefore(s.target, skipTime)
	}
	return false
}

func (s *stream) passBefore(target []byte, kind int) bool {
	k := &s.skips[kind]
	for range k.budget {
		if !s.src.prev() {
			return false
		}
		if bytes.Compare(s.src.key, target) < 0 {
			k.succeeded(s.c.tuning)
			return true
		}
	}
	k.failed(s.c.tuning)
	return s.src.seekLT(target)
}

// settle is called at a cell that passes the filters on cells, and finds the
// one to give out: the cell itself, or the oldest of those versions of its
// column that MaxVersions leaves.
func (s *stream) settle() bool {
	switch n := s.c.scan.MaxVersions; {
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
		s.back.end = !s.src.prev()
		if s.back.end || s.pastColumn(s.src.key) {
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
		s.c.scan.Time.Bounded && cellkey.Timestamp(key) > s.c.scan.Time.Max
}

func (s *stream) bufferCell() bool {
	b := &s.back
	b.key = append(b.key[:0], s.src.key...)
	if !s.c.scan.NeedValue {
		return true
	}
	value, err := s.src.value()
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

// choose adds the keys of the column in the span to the chosen ones, as far as
// MaxVersions allows.
func (s *stream) choose(within cellkey.Span) bool {
	b := &s.back
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	if t := s.c.scan.Time; t.Bounded {
		lo, hi = t.Min, t.Max
	}
	s.target = cellkey.AppendTimestamp(append(s.target[:0], s.column...), hi)
	ok := s.src.seekGE(cellkey.Later(s.target, within.Lower), false)
	for ; ok && len(b.chosen) < s.c.scan.MaxVersions; ok = s.src.next() {
		key := s.src.key
		if !bytes.HasPrefix(key, s.column) || bytes.Compare(key, within.Upper) >= 0 || cellkey.Timestamp(key) < lo {
			break
		}
		if s.c.interrupted() {
			return false
		}
		b.chosen = append(b.chosen, slices.Clone(key))
	}
	return s.src.err() == nil
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
	return s.src.seekGE(key, false) && s.standAt(s.src.key)
}
