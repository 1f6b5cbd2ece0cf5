package read

import (
	"bytes"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// keyParts are the parts for which a cell's key is decoded.
const keyParts = kv.PartRow | kv.PartQualifier

// plainFill copies cells of a plain stream while they are adjacent in what is stored and none
// must be skipped, so that the checks of nextPlain are made once for all of these.
type plainFill struct {
	s      *stream
	b      *kv.Batch
	it     *pebble.Iterator
	oldest int64       // the oldest wanted time
	width  uint64      // of the wanted times: latest minus oldest
	newest bool        // only the newest version of each column is wanted
	values bool        // values are wanted
	length bool        // only the length of values is wanted
	filter *skipFilter // it may show cells that must not be copied; nil for none
}

// misses reports whether the filter judges, and shows the current cell only as a place to
// continue from.
func (f *plainFill) misses() bool { return f.filter != nil && f.filter.found == none }

// outOfTime reports whether a timestamp is not wanted.
func (f *plainFill) outOfTime(t int64) bool { return uint64(t-f.oldest) > f.width }

// fillStored steps on, and copies the cells that it passes. It ends at one that is not copied and
// not decoded, or at the end. It returns false if it has not stepped.
func (s *stream) fillStored(it *stored, b *kv.Batch, n int) bool {
	if s.newest > 1 || !b.Shares {
		return false
	}
	f := plainFill{s: s, b: b, it: it.it, oldest: math.MinInt64, width: math.MaxUint64, newest: s.newest > 0,
		values: s.c.scan.NeedValue && b.Unread&kv.PartValue == 0, length: b.Unread&kv.PartValueBytes != 0}
	if s.time.Bounded {
		f.oldest, f.width = s.time.Min, uint64(s.time.Max-s.time.Min) // there are some: a cell has been returned
	}
	if s.filter != nil && !s.filter.hinted {
		f.filter = s.filter
	}
	before := b.Cells()
	if b.Unread&keyParts == keyParts {
		s.pos = f.copyTimes(n)
	} else if s.part || len(s.row) == 0 || s.c.copied != s || s.c.copiedRow != s.rows {
		return false
	} else if b.HasColumns() && s.filter.judgesQualifiers() {
		s.pos = f.copyRows(s.filter, n)
	} else {
		s.pos = f.copyKeys(n)
	}
	if it.cells += int64(b.Cells() - before); s.pos != nil {
		it.cells++
	}
	return true
}

// copyKeys copies cells with parts of their keys, and returns the key at which it ends. It is one
// loop on purpose: a call for each cell is slower.
func (f *plainFill) copyKeys(n int) (key []byte) {
	s, b := f.s, f.b
	before, qualifier := b.Cells(), f.remember(s.cell.Qualifier) // of the cell copied last
	for {
		if key = nil; !f.it.Next() {
			break
		}
		if key = f.it.Key(); b.Len()+1 >= n || b.Full() || s.longRuns || f.misses() {
			break
		}
		end, escaped, sameRow := len(s.row), false, cellkey.IsOfRow(key, s.row)
		if !sameRow {
			if end, escaped = cellkey.RowEnd(key); end < 0 {
				break
			}
		}
		q, t := s.cell.QualifierOf(key, end), cellkey.Timestamp(key)
		if q == nil || f.outOfTime(t) || sameRow && f.newest && bytes.Equal(q, qualifier) {
			break
		}
		value, ok := f.value()
		if !ok {
			break
		}
		if b.NoteGaps {
			b.SetGap(s.gap())
		}
		if sameRow {
			b.AddInRow(q, t, value)
		} else {
			f.startRow(key[:end], escaped)
			b.Add(s.family, s.cell.Row, q, t, value)
		}
		qualifier = f.remember(q)
	}
	if b.Cells() > before {
		s.column = cellkey.AppendPart(append(s.column[:0], s.row...), qualifier)
		s.cell.KeepQualifier(qualifier)
		s.c.copiedRow = s.rows
	}
	return key
}

// startRow makes a key's row the one that is read.
func (f *plainFill) startRow(row []byte, escaped bool) {
	s := f.s
	s.row = append(s.row[:0], row...)
	s.rows++
	s.given, s.qual = s.rows, 0
	s.cell.SetRow(s.row, escaped)
}

// copyRows copies cells into rows, and returns the key at which it ends. The filter tells the
// column of a cell, so that its qualifier is not decoded.
func (f *plainFill) copyRows(filter *skipFilter, n int) (key []byte) {
	s, b := f.s, f.b
	var columns [maxFiltered]int
	for i := range filter.wanted {
		columns[i] = b.ColumnOf(filter.wanted[i].qualifier)
	}
	before, qualifier := b.Cells(), f.remember(s.cell.Qualifier)
	for {
		if key = nil; !f.it.Next() {
			break
		}
		key = f.it.Key()
		t := cellkey.Timestamp(key)
		if b.Len()+1 >= n || b.Full() || s.longRuns || f.outOfTime(t) {
			break
		}
		at, end, escaped := filter.found, len(s.row), false
		sameRow := cellkey.IsOfRow(key, s.row)
		if !sameRow {
			end, escaped = cellkey.RowEnd(key)
		}
		q := filter.qualifier(at, key, end)
		if q == nil || sameRow && (at < 0 || bytes.Equal(q, qualifier)) {
			break
		}
		value, ok := f.value()
		if !ok {
			break
		}
		if !sameRow {
			f.startRow(key[:end], escaped)
			b.AddRow(s.family, s.cell.Row)
		}
		if qualifier = q; at < 0 {
			qualifier = f.remember(q)
			b.AddToColumn(none, t, nil)
		} else {
			b.AddToColumn(columns[at], t, value)
		}
	}
	if b.Cells() > before {
		s.column = cellkey.AppendPart(append(s.column[:0], s.row...), qualifier)
		s.cell.KeepQualifier(qualifier)
		s.c.copiedRow = s.rows
	}
	return key
}

// none stands for no column.
const none = -1

// remember returns the qualifier of the cell copied last, in memory that the next step does not
// overwrite.
func (f *plainFill) remember(q []byte) []byte {
	if f.b.HasQualifiers() {
		return f.b.LastQualifier()
	}
	f.s.target = append(f.s.target[:0], q...)
	return f.s.target
}

// copyTimes copies cells without parts of their keys, and returns the key at which it ends.
func (f *plainFill) copyTimes(n int) []byte {
	s, b := f.s, f.b
	for s.part = true; f.it.Next(); {
		key := f.it.Key()
		t := cellkey.Timestamp(key)
		if b.Len()+1 >= n || b.Full() || s.longRuns || f.misses() || f.outOfTime(t) ||
			f.newest && cellkey.IsOfColumn(key, s.column) {
			return key
		}
		value, ok := f.value()
		if !ok {
			return key
		}
		if f.newest {
			s.column = append(s.column[:0], cellkey.Column(key)...)
		}
		b.Add(s.family, nil, nil, t, value)
	}
	return nil
}

// value returns the value of the current cell if it is wanted. If only its length is wanted and
// the length of the stored form tells it, the bytes are not touched, which avoids a miss of the
// processor's cache.
func (f *plainFill) value() ([]byte, bool) {
	if !f.values {
		return nil, true
	}
	if f.length {
		v := f.it.LazyValue()
		if blank := kv.Blank(cellkey.ValueLen(v.Len())); blank != nil {
			return blank, true
		}
	}
	v, err := f.it.ValueAndErr()
	if err != nil {
		return nil, false
	}
	v, err = cellkey.DecodeValue(v)
	return v, err == nil
}
