package pebblekv

import (
	"bytes"
	"math"
)

// backward is what a stream needs besides to read in the opposite order.
type backward struct {
	// buffered tells that the cell given out is the copy here, and that the
	// source already stands at the cell before it, or with end at its end.
	buffered   bool
	end        bool
	key, value []byte
	// left counts the versions of the column that are still to be given out,
	// chosen says that the source stands at one of them.
	left   int
	chosen bool
	// row is where the row begins whose first cell has been given out.
	row, rowEnd []byte
	hasRow      bool
	started     bool // spans are read from the last one on
}

// prev steps to the next cell in the opposite order.
func (s *stream) prev() bool {
	ok := s.leaveBackward()
	for {
		if !ok || s.before() {
			if s.src.err() != nil || !s.prevSpan() {
				return false
			}
			ok = s.src.seekLT(s.within.upper)
			continue
		}
		if s.c.interrupted() {
			return false
		}
		switch v := s.judgeBackward(s.src.key); v {
		case take:
			var found bool
			if found, ok = s.settleBackward(); found {
				s.started = true
				return true
			}
		default:
			ok = s.passBackward(v)
		}
		if s.c.err != nil {
			return false
		}
	}
}

func (s *stream) before() bool {
	return s.check && bytes.Compare(s.src.key, s.within.lower) < 0
}

func (s *stream) prevSpan() bool {
	if !s.back.started {
		s.back.started, s.at = true, len(s.spans)
	}
	s.at--
	if s.at < 0 {
		s.at = 0
		s.spans = nil
		return false
	}
	s.within = s.spans[s.at]
	s.row, s.column = s.row[:0], s.column[:0]
	return true
}

// leaveBackward steps off the cell given out last.
func (s *stream) leaveBackward() bool {
	if !s.started {
		return false
	}
	s.started = false
	b := &s.back
	switch {
	case b.buffered:
		b.buffered = false
		return !b.end
	case b.hasRow:
		b.hasRow = false
		return s.src.seekLT(b.row)
	case b.left > 0:
		b.left--
		b.chosen = true
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
	if scan.FirstPerRow || s.back.chosen {
		return take
	}
	if !sameColumn && scan.Qualifiers != nil {
		if v := s.judgeQualifierBackward(); v != take {
			return v
		}
	}
	if scan.Time.Bounded {
		if s.cell.timestamp > scan.Time.Max {
			return passColumn
		}
		if s.cell.timestamp < scan.Time.Min {
			s.target = appendTimestamp(append(s.target[:0], columnPart(key)...), scan.Time.Min)
			s.target = append(s.target, 0) // the first key behind that version
			return passToTime
		}
	}
	return take
}

func (s *stream) judgeQualifierBackward() verdict {
	ranges := s.c.scan.Qualifiers
	q := s.cell.qualifier
	for s.qual >= 0 && bytes.Compare(q, ranges[s.qual].Start) < 0 {
		s.qual--
	}
	if s.qual < 0 {
		return passRow
	}
	if end := ranges[s.qual].End; end != nil && bytes.Compare(q, end) >= 0 {
		s.target = appendPart(append(s.target[:0], s.row...), end)
		return passTo
	}
	return take
}

// passBackward goes to the last key before what the verdict leaves out.
func (s *stream) passBackward(v verdict) bool {
	switch v {
	case passColumn:
		s.target = append(s.target[:0], columnPart(s.key)...)
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
			k.succeeded()
			return true
		}
	}
	k.failed()
	return s.src.seekLT(target)
}

// settleBackward is called at a cell that passes the filters on cells, and
// finds the one to give out: the cell itself, or the newest versions of its
// column, or the first cell of its row. Where it finds none, ok tells whether
// the source stands at a cell to go on with.
func (s *stream) settleBackward() (found, ok bool) {
	scan := s.c.scan
	switch {
	case scan.FirstPerRow:
		return s.firstOfRow()
	case s.back.chosen:
		s.back.chosen = false
	case scan.MaxVersions == 1:
		return s.newestOfColumn(), false
	case scan.MaxVersions > 1:
		return s.newestVersions(), false
	}
	return true, true
}

// firstOfRow goes to the start of the row and forward to its first wanted
// cell.
func (s *stream) firstOfRow() (found, ok bool) {
	b := &s.back
	b.row = append(b.row[:0], later(s.row, s.within.lower)...)
	b.rowEnd = append(b.rowEnd[:0], s.row...)
	end := earlier(makeBehind(b.rowEnd), s.within.upper)
	s.qual, s.column = 0, s.column[:0]
	for ok := s.src.seekGE(b.row, false); ok && bytes.Compare(s.src.key, end) < 0; {
		if s.c.interrupted() {
			return false, false
		}
		v := s.judge(s.src.key)
		if v == take {
			b.hasRow = true
			return true, true
		}
		if v == passRow || v == damaged {
			break
		}
		ok = s.pass(v)
	}
	s.row = s.row[:0]
	return false, s.c.err == nil && s.src.err() == nil && s.src.seekLT(b.row)
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
			k.succeeded()
			s.back.buffered = true
			return s.standAt(s.back.key)
		}
	}
	k.failed()
	return s.newestVersions()
}

// pastColumn reports whether a key met going back is before what is wanted of
// the column that is read.
func (s *stream) pastColumn(key []byte) bool {
	return !bytes.HasPrefix(key, s.column) || bytes.Compare(key, s.within.lower) < 0 ||
		s.c.scan.Time.Bounded && keyTimestamp(key) > s.c.scan.Time.Max
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
	s.cell.moveRow(key)
	s.cell.moveColumn(key)
	return true
}

// newestVersions goes to the newest version of the column and forward to the
// oldest of those that MaxVersions leaves; leaveBackward goes to the others.
func (s *stream) newestVersions() bool {
	b := &s.back
	least := int64(math.MinInt64)
	if s.c.scan.Time.Bounded {
		least = s.c.scan.Time.Min
	}
	found := 0
	ok := s.src.seekGE(s.newest(), false)
	for ; ok && s.wantedVersion(s.src.key, least); ok = s.src.next() {
		found++
		if found == s.c.scan.MaxVersions {
			b.left = found - 1
			return s.standAt(s.src.key)
		}
	}
	if s.src.err() != nil || found == 0 {
		return false
	}
	// One too far: back to the last wanted one.
	b.left = found - 1
	s.target = append(s.target[:0], s.within.upper...)
	if ok {
		s.target = append(s.target[:0], earlier(s.src.key, s.within.upper)...)
	}
	return s.src.seekLT(s.target) && s.standAt(s.src.key)
}

func (s *stream) wantedVersion(key []byte, least int64) bool {
	return bytes.HasPrefix(key, s.column) && bytes.Compare(key, s.within.upper) < 0 && keyTimestamp(key) >= least
}
