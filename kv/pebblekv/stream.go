package pebblekv

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// stream reads the cells of one table in one partition, in order, filtered as
// the scan says.
type stream struct {
	c      *cursor
	family int
	// partition is the ordinal of the partition.
	partition int
	spans     []cellkey.Span
	src       source
	pooled    bool
	at        int          // index of the span that is read
	within    cellkey.Span // and the span itself
	check     bool         // its far end must be looked for: the iterator's bounds are wider

	key     []byte // of the cell stood at
	cell    cellkey.Decoded
	started bool // a cell has been given out, and what follows is to be passed
	ended   bool // there was none to give out, or an error
	rows    int  // rows met so far
	given   int  // the row, by this count, of the cell given out last

	row      []byte // key up to the end of the row that is read
	column   []byte // key up to the end of the column that is read
	versions int    // of the column, given out
	qual     int    // the qualifier range that is next
	target   []byte // buffer of seek keys
	skips    [numSkips]skip
	back     backward
	// probed tells that the source has made the first step off a column of
	// which no more versions are wanted.
	probed bool
	// probe is what is known of the column's qualifier, or nil.
	probe *uint8
}

// skip learns whether to pass over cells by steps or by a seek, and how many
// steps to try first: at most tuning.seekSteps.
type skip struct{ budget int }

const (
	skipColumn = iota
	skipRow
	skipQualifier
	skipTime
	numSkips
)

func (k *skip) failed(t *tuning) {
	if t.learnSteps {
		k.budget /= 4
	}
}

func (k *skip) succeeded(t *tuning) { k.budget = min(k.budget*2+1, t.seekSteps) }

// start makes the stream ready to read.
func (s *stream) start() error {
	c := s.c
	for i := range s.skips {
		s.skips[i].budget = c.tuning.seekSteps
	}
	s.at = -1
	s.check = c.own != nil || len(s.spans) > 1
	if c.slices != nil {
		s.startSlices()
		return nil
	}
	c.stats.Partitions++
	if s.src.ahead != nil || s.startHot() {
		return nil
	}
	return s.open()
}

// open takes an iterator for the stream.
func (s *stream) open() (err error) {
	c, oneRow := s.c, s.allOneRow()
	var it *pebble.Iterator
	if it, s.pooled, err = c.takeIterator(oneRow); err != nil {
		return err
	}
	s.src.init(it, c.own, &c.view.store.rewritten)
	if !oneRow || c.scan.Reverse {
		it.SetBounds(s.spans[0].Lower, s.spans[len(s.spans)-1].Upper)
	} else {
		s.check = true
	}
	return nil
}

func (s *stream) allOneRow() bool {
	for i := range s.spans {
		if !s.spans[i].OneRow {
			return false
		}
	}
	return true
}

// stop gives the iterator back.
func (s *stream) stop() error {
	it := s.src.base
	if it == nil && s.src.slices != nil {
		return s.stopSlices()
	}
	if it == nil && s.src.ahead == nil {
		return nil
	}
	if s.c.reads != nil {
		s.noteReads()
	}
	if s.c.hot.whole {
		s.stopHot()
	}
	s.src.base, s.src.ahead = nil, nil
	s.countReads()
	s.c.stats.Cells += s.src.cells
	s.c.stats.Seeks += s.src.seeks
	if it == nil {
		return nil
	}
	err := faultfs.DiskError(it.Error())
	if closed := s.c.view.put(it, s.pooled); err == nil {
		err = closed
	}
	return err
}

// next steps to the next cell that the scan wants.
func (s *stream) next() bool {
	s.ended = !s.step()
	if s.c.hot.row != nil && !s.ended {
		s.c.hot.add(s)
	}
	return !s.ended
}

func (s *stream) step() bool {
	if s.c.scan.Reverse {
		return s.prev()
	}
	return s.onward(s.leave())
}

// onward goes on to the first cell that the scan wants, where ok says that the
// source stands at one.
func (s *stream) onward(ok bool) bool {
	for {
		if !ok || s.beyond() {
			if s.src.err() != nil || !s.nextSpan() {
				return false
			}
			ok = s.src.seekGE(s.within.Lower, s.within.OneRow)
			s.probed = false
			continue
		}
		if s.c.interrupted() {
			return false
		}
		verdict := s.judge(s.src.key)
		if s.probed && verdict != passColumn {
			s.foundShort()
		}
		if verdict == take {
			s.started, s.given = true, s.rows
			return true
		}
		ok = s.pass(verdict)
		s.probed = false
	}
}

// leave steps off the cell given out last.
func (s *stream) leave() bool {
	if !s.started {
		return false
	}
	s.started = false
	scan := s.c.scan
	switch {
	case scan.FirstPerRow:
		return s.pass(passRow)
	case scan.MaxVersions > 0 && s.versions >= scan.MaxVersions:
		return !s.inLastColumn() && s.leaveVersions()
	}
	return !s.atLastVersion() && s.src.next()
}

// inLastColumn reports whether the cell stood at is in the column with which
// the span ends. It is only looked for in rows.
func (s *stream) inLastColumn() bool {
	return s.c.tuning.spanEnds && s.within.OneRow && cellkey.IsBehindColumn(s.within.Upper, s.key)
}

// atLastVersion reports whether the span ends behind the version stood at. It is
// only looked for in rows.
func (s *stream) atLastVersion() bool {
	return s.c.tuning.spanEnds && s.within.OneRow && cellkey.IsBehindVersion(s.within.Upper, s.key)
}

func (s *stream) beyond() bool {
	return s.check && bytes.Compare(s.src.key, s.within.Upper) >= 0
}

func (s *stream) nextSpan() bool {
	s.at++
	if s.at >= len(s.spans) {
		return false
	}
	s.within = s.spans[s.at]
	return true
}

// verdict is what to do with a key.
type verdict uint8

const (
	take       verdict = iota
	passColumn         // the rest of the column is not wanted
	passRow            // the rest of the row is not wanted
	passTo             // nothing before target is wanted: a qualifier
	passToTime         // the same: a version of the column
	damaged
)

// judge takes the key apart and applies the scan's filters to it.
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
	if sameColumn && scan.MaxVersions > 0 && s.versions >= scan.MaxVersions {
		return passColumn // another span of the column
	}
	if !sameColumn {
		s.versions = 0
		if scan.Qualifiers != nil {
			if v := s.judgeQualifier(); v != take {
				s.column = s.column[:0] // another span of the column is judged anew
				return v
			}
		}
	}
	if scan.Time.Bounded {
		if s.cell.Timestamp > scan.Time.Max {
			s.target = cellkey.AppendTimestamp(append(s.target[:0], cellkey.Column(key)...), scan.Time.Max)
			return passToTime
		}
		if s.cell.Timestamp < scan.Time.Min {
			return passColumn
		}
	}
	s.versions++
	return take
}

// decode is judge's first part: what is shared with the last key is not read
// again.
func (s *stream) decode(key []byte) (sameColumn bool, err error) {
	n := len(s.row)
	if n == 0 || len(key) < n || !bytes.Equal(key[:n], s.row) {
		s.rows++
		if err := s.cell.Decode(key); err != nil {
			return false, err
		}
		s.row = append(s.row[:0], key[:s.cell.RowEnd]...)
		s.qual = 0
		if s.c.scan.Reverse {
			s.qual = len(s.c.scan.Qualifiers) - 1
		}
		s.rememberColumn(key)
		return false, nil
	}
	s.cell.MoveRow(key)
	if s.c.columns {
		if s.cell.SharesColumn(key, s.column) {
			s.cell.MoveColumn(key)
			return true, nil
		}
	}
	if err := s.cell.DecodeColumn(key); err != nil {
		return false, err
	}
	s.rememberColumn(key)
	return false, nil
}

func (s *stream) rememberColumn(key []byte) {
	if s.c.columns {
		s.column = append(s.column[:0], cellkey.Column(key)...)
	}
}

// judgeQualifier looks at a qualifier that is new in its row.
func (s *stream) judgeQualifier() verdict {
	ranges := s.c.scan.Qualifiers
	q := s.cell.Qualifier
	for s.qual < len(ranges) && ranges[s.qual].End != nil && bytes.Compare(q, ranges[s.qual].End) >= 0 {
		s.qual++
	}
	if s.qual == len(ranges) {
		return passRow
	}
	if bytes.Compare(q, ranges[s.qual].Start) < 0 {
		s.target = cellkey.AppendPart(append(s.target[:0], s.row...), ranges[s.qual].Start)
		return passTo
	}
	return take
}

// pass goes on to the first key that the verdict leaves.
func (s *stream) pass(v verdict) bool {
	switch v {
	case passColumn:
		s.target = append(s.target[:0], cellkey.Column(s.key)...)
		return s.passTo(cellkey.MakeBehind(s.target), skipColumn)
	case passRow:
		if s.within.OneRow {
			return false
		}
		s.target = append(s.target[:0], s.row...)
		return s.passTo(cellkey.MakeBehind(s.target), skipRow)
	case passTo:
		return s.passTo(s.target, skipQualifier)
	case passToTime:
		return s.passTo(s.target, skipTime)
	}
	return false
}

// passTo goes to the first key at or behind the target: by steps where that
// has been enough lately, else by a seek.
func (s *stream) passTo(target []byte, kind int) bool {
	k := &s.skips[kind]
	budget := k.budget
	if kind != skipColumn || !s.probed {
		budget = max(budget, min(1, s.c.tuning.seekSteps)) // else nothing would ever tell that steps are enough again
	}
	for range budget {
		if !s.src.next() {
			return false
		}
		if bytes.Compare(s.src.key, target) >= 0 {
			k.succeeded(s.c.tuning)
			return true
		}
	}
	k.failed(s.c.tuning)
	if kind == skipColumn {
		s.c.long.sought(target)
	}
	return s.src.seekGE(target, s.within.OneRow)
}

// value is the value of the cell stood at.
func (s *stream) value() ([]byte, error) {
	if s.back.buffered {
		return cellkey.DecodeValue(s.back.value)
	}
	stored, err := s.src.value()
	if err != nil {
		return nil, err
	}
	return cellkey.DecodeValue(stored)
}

// rowKey is the row of the cell stood at as it sorts.
func (s *stream) rowKey() []byte { return s.cell.RowPart(s.key) }
