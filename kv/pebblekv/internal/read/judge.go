package read

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// verdict is what to do with a key.
type verdict uint8

const (
	take       verdict = iota
	passColumn         // skip the rest of the column
	passRow            // skip the rest of the row
	passTo             // skip everything before target: a qualifier
	passToTime         // the same: a version of the column
	damaged
)

// judge decodes the key and applies the scan's filters to it.
func (s *stream) judge(key []byte) verdict {
	s.key = key
	sameColumn, err := s.decode(key)
	if err != nil {
		s.c.fail(err)
		return damaged
	}
	scan := s.c.scan
	if scan.FirstPerRow && s.given == s.rows {
		return passRow // another span of the row
	}
	if sameColumn && s.newest > 0 && s.versions >= s.newest && !s.reverse {
		return passColumn // another span of the column
	}
	if !sameColumn {
		s.versions = 0
	}
	ranges := scan.Qualifiers
	if scan.Wanted != nil && s.given == s.rows && s.hinted() {
		ranges = scan.Wanted
	}
	if ranges != nil && (!sameColumn || scan.Qualifiers == nil) {
		if v := s.judgeQualifier(ranges); v != take {
			s.column = s.column[:0] // the next span of the column is judged again
			return v
		}
	}
	if s.outOfTime(key) {
		return s.judgeTime(key)
	}
	s.versions++
	return take
}

// outOfTime reports whether a key's timestamp is not wanted.
func (r *reading) outOfTime(key []byte) bool {
	if !r.time.Bounded {
		return false
	}
	t := cellkey.Timestamp(key)
	return t < r.time.Min || t > r.time.Max
}

// judgeTime judges an unwanted timestamp: newer versions come first, except in reverse.
func (s *stream) judgeTime(key []byte) verdict {
	wanted := s.time
	if cellkey.Timestamp(key) < wanted.Min != s.reverse {
		return passColumn
	}
	s.target = append(s.target[:0], cellkey.Column(key)...)
	if s.reverse {
		s.target = append(cellkey.AppendTimestamp(s.target, wanted.Min), 0) // the first key after that version
	} else {
		s.target = cellkey.AppendTimestamp(s.target, wanted.Max)
	}
	return passToTime
}

// decode is judge's first part: parts shared with the last key are not decoded again.
func (s *stream) decode(key []byte) (sameColumn bool, err error) {
	if n := len(s.row); s.part || n == 0 || len(key) < n || !bytes.Equal(key[:n], s.row) {
		sameColumn = s.part && s.c.columns && cellkey.IsOfColumn(key, s.column)
		s.part = false
		s.rows++
		if err := s.cell.Decode(key); err != nil {
			return false, err
		}
		s.row = append(s.row[:0], key[:s.cell.RowEnd]...)
		s.qual = 0
		if s.c.scan.Reverse {
			s.qual = len(s.c.scan.Qualifiers) - 1
		}
	} else {
		s.cell.MoveRow(key)
		if s.c.columns && s.cell.SharesColumn(key, s.column) {
			s.cell.MoveColumn(key)
			return true, nil
		}
		if err := s.cell.DecodeColumn(key); err != nil {
			return false, err
		}
	}
	if s.c.columns {
		s.rememberColumn(key)
	}
	return sameColumn, nil
}

func (s *stream) rememberColumn(key []byte) {
	s.column = append(s.column[:0], cellkey.Column(key)...)
}

// hinted reports whether the scan's Wanted allows cells to be left out.
func (s *stream) hinted() bool {
	return s.c.scan.Wanted != nil && s.c.scan.Qualifiers == nil && !s.reverse && !s.within.OneRow
}

// judgeQualifier judges a qualifier that is new in its row.
func (s *stream) judgeQualifier(ranges []kv.QualifierRange) verdict {
	if s.reverse {
		return s.judgeQualifierBackward()
	}
	q := s.cell.Qualifier
	for s.qual < len(ranges) && ranges[s.qual].End != nil && bytes.Compare(q, ranges[s.qual].End) >= 0 {
		s.qual++
	}
	if s.qual == len(ranges) {
		return passRow
	}
	if start := ranges[s.qual].Start; bytes.Compare(q, start) < 0 {
		return s.passToQualifier(start)
	}
	return take
}

func (s *stream) judgeQualifierBackward() verdict {
	ranges, q := s.c.scan.Qualifiers, s.cell.Qualifier
	for s.qual >= 0 && bytes.Compare(q, ranges[s.qual].Start) < 0 {
		s.qual--
	}
	if s.qual < 0 {
		return passRow
	}
	if end := ranges[s.qual].End; end != nil && bytes.Compare(q, end) >= 0 {
		return s.passToQualifier(end)
	}
	return take
}

func (s *stream) passToQualifier(q []byte) verdict {
	s.target = cellkey.AppendPart(append(s.target[:0], s.row...), q)
	return passTo
}

// pass moves to the first key that the verdict does not skip.
func (s *stream) pass(v verdict) bool {
	switch v {
	case passColumn:
		return s.passTo(s.farEnd(cellkey.Column(s.key)), skipColumn)
	case passRow:
		if s.within.OneRow {
			return false
		}
		return s.passTo(s.farEnd(s.row), skipRow)
	case passTo:
		return s.passTo(s.target, skipQualifier)
	case passToTime:
		return s.passTo(s.target, skipTime)
	}
	return false
}

// farEnd returns where the rest of a row or a column ends, whose keys begin with part.
func (s *stream) farEnd(part []byte) []byte {
	s.target = append(s.target[:0], part...)
	if s.reverse {
		return s.target
	}
	return cellkey.MakeBehind(s.target)
}

// passTo moves to where a seek to the target leads: by steps if that has been
// enough lately, else by the seek.
func (s *stream) passTo(target []byte, kind int) bool {
	k, untimely := &s.skips[kind], s.outOfTime(s.key)
	s.c.untimely = s.c.untimely || untimely
	budget := k.budget
	if kind != skipColumn || !s.probed {
		budget = max(budget, min(1, s.c.tuning.SeekSteps)) // else it never notices that steps are enough
	}
	for range budget {
		if !s.advance() {
			return false
		}
		if s.reached(target) {
			k.succeeded(s.c.tuning)
			return kind == skipColumn && !untimely || s.steppedOver()
		}
	}
	k.failed(s.c.tuning)
	if untimely {
		s.c.soughtPast()
	}
	if kind == skipColumn && !s.reverse {
		s.c.long.sought(target)
	}
	return s.seek(target)
}

// value returns the value of the current cell.
func (s *stream) value() ([]byte, error) {
	if s.back.buffered {
		return cellkey.DecodeValue(s.back.ring[s.back.at].Value)
	}
	stored, err := s.it.value()
	if err != nil {
		return nil, err
	}
	return cellkey.DecodeValue(stored)
}

// rowKey returns the sort key of the current cell's row.
func (s *stream) rowKey() []byte { return s.cell.RowPart(s.key) }
