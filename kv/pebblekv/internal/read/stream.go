package read

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
	"github.com/hbasekv/hbasekv/kv/sample"
)

// stream reads the cells of one table in one partition, in order, with the scan's filters.
type stream struct {
	c      *cursor
	family int
	// partition is the ordinal of the partition.
	partition int
	spans     []cellkey.Span
	oneRow    bool // each of them is within a row
	reading
	retained *retained // if versions are counted
	slices   *sliceMerge
	reverse  bool
	it       iterator // nil while it is not read
	layers   layers   // below it, once it is opened
	pooled   bool
	passing  bool         // Pebble skips what is not wanted, or never will
	filter   *skipFilter  // by which Pebble skips cells, nil for none
	inPlain  bool         // cells have been returned unchecked since the last fill
	longRuns bool         // there are long runs of unwanted cells
	pos      []byte       // the iterator's key, nil for none
	at       int          // index of the span that is read
	within   cellkey.Span // and the span itself
	check    bool         // its end must be checked: the iterator's bounds are wider

	key     []byte // key of the current cell
	cell    cellkey.Decoded
	part    bool // only the cell's time and the column of its key are known
	started bool // a cell has been returned, and must be stepped off
	ended   bool // there was no cell to return, or an error
	rows    int  // rows met so far
	given   int  // the row, by this count, of the cell returned last

	row      []byte // key up to the end of the row that is read
	column   []byte // key up to the end of the column that is read
	versions int    // versions of the column that were returned
	qual     int    // the qualifier range that is next
	target   []byte // buffer of seek keys
	skips    [numSkips]skip
	back     backward
	// probed means that the source has made the first step off a column of which no more
	// versions are wanted.
	probed bool
	// probe is what is known of the column's qualifier, or nil.
	probe *uint8
	// behind means that nothing has been passed since the last cell but versions of its column.
	behind bool
	left   kv.Gap // what is known of the gap behind the last cell
}

// skip learns whether to skip cells by steps or by a seek, and how many steps to try first: at
// most Tuning.SeekSteps.
type skip struct{ budget int }

const (
	skipColumn = iota
	skipRow
	skipQualifier
	skipTime
	numSkips
)

func (k *skip) failed(t *views.Tuning) {
	if t.LearnSteps {
		k.budget /= 4
	}
}

func (k *skip) succeeded(t *views.Tuning) { k.budget = min(k.budget*2+1, t.SeekSteps) }

// start prepares the stream for reading.
func (s *stream) start() error {
	c := s.c
	for i := range s.skips {
		s.skips[i].budget = c.tuning.SeekSteps
	}
	s.at, s.reverse, s.passing = -1, c.scan.Reverse, c.tuning.PassSteps == 0
	if s.reverse {
		s.at = len(s.spans)
	}
	s.check = c.own != nil || len(s.spans) > 1
	if c.slices != nil {
		s.startSlices()
		return nil
	}
	c.stats.Partitions++
	if s.it != nil || s.newest == 1 && s.startHot() {
		return nil
	}
	return s.open()
}

// open takes an iterator for the stream.
func (s *stream) open() (err error) {
	c := s.c
	var it *pebble.Iterator
	if s.filter = nil; !s.oneRow {
		s.filter = s.skipFilter()
	}
	if it, s.pooled, err = c.takeIterator(s.oneRow, &s.reading, s.filter); err != nil {
		return err
	}
	if s.it = s.layers.open(it, c.own, &c.view.Engine.Rewritten); s.retained != nil {
		s.retain(s.it)
	}
	if !s.oneRow || s.reverse {
		s.layers.setBounds(s.lowest(), s.spans[len(s.spans)-1].Upper)
	} else {
		s.check = true
	}
	return nil
}

// stop gives the iterators back.
func (s *stream) stop() error {
	if s.it == nil {
		return nil
	}
	if s.c.reads != nil {
		s.noteReads()
	}
	cells := s.count(&s.c.stats)
	defer func() { s.it, s.pos = nil, nil }()
	if m := s.slices; m != nil {
		s.slices = nil
		return s.stopSlices(m)
	}
	t := s.c.tables[s.family]
	leaf := t.Partitioning.Leaf(s.partition, s.c.slice)
	// A lookup that finds nothing is a read too.
	if due := sample.Count(&s.c.view.Engine.Loads.Of(t)[leaf].Reads, max(cells, 1)); due != 0 {
		s.tellSample(t, leaf, due)
	}
	if s.c.hot.whole {
		s.stopHot()
	}
	if s.layers.stored.it == nil {
		return nil
	}
	if s.passing && !s.pooled {
		s.layers.stored.it.ResetStats() // skipped cells are not dead
	}
	err := s.it.err()
	s.layers.closeOwn()
	if closed := s.c.view.Put(s.layers.stored.it, s.pooled); err == nil {
		err = closed
	}
	s.layers.stored.it = nil
	return err
}

// tellSample reports what the stream has read in a leaf as a sample that represents that many cells.
func (s *stream) tellSample(t *kv.Table, leaf int, cells int64) {
	tell := s.c.view.Engine.Loads.Told()
	if tell == nil {
		return
	}
	var buf, last []byte // for rows with zero bytes
	lower, upper := s.spans[0].Lower, s.spans[len(s.spans)-1].Upper
	told := sample.Sample{Table: t, Leaf: leaf, From: cellkey.RowHead(&buf, lower), Reads: cells}
	switch {
	case s.oneRow && len(s.spans) == 1:
		told.To = told.From
	case cellkey.SameSpace(lower, upper):
		told.To = cellkey.RowHead(&last, upper)
	}
	tell(s.c.ctx, told)
}

// count adds the stream's figures to those of its scan, and returns the number of cells.
func (s *stream) count(to *kv.ScanStats) (cells int64) {
	if s.it != nil {
		var seeks int64
		cells, seeks = s.it.counted()
		to.Cells += cells
		to.Seeks += seeks
	}
	return cells
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
	if s.reverse && s.started && !s.c.scan.FirstPerRow {
		switch b := &s.back; {
		case b.left > 0:
			return s.nextBuffered()
		case len(b.chosen) > 0:
			return s.nextChosen()
		}
	}
	return s.onward(s.started && s.leave())
}

// advance steps on, in the direction of the scan.
func (s *stream) advance() bool {
	if s.reverse {
		s.pos = s.it.prev()
	} else {
		s.pos = s.it.next()
	}
	return s.pos != nil
}

// seek goes to the first key at or after the target or, in reverse, to the last one before it.
func (s *stream) seek(target []byte) bool {
	if s.reverse {
		s.pos = s.it.seekLT(target)
	} else {
		s.pos = s.it.seekGE(target, s.within.OneRow)
	}
	return s.pos != nil
}

// reached reports whether the iterator's key is where a seek to the target leads, or further.
func (s *stream) reached(target []byte) bool {
	return bytes.Compare(s.pos, target) >= 0 != s.reverse
}

// onward moves to the first cell that the scan wants; ok means that the iterator is at a key.
func (s *stream) onward(ok bool) bool {
	for {
		if !ok || s.beyond() {
			passed := s.at >= 0 && !s.within.OneRow && !s.reverse && s.slices == nil
			if s.it.err() != nil || !s.nextSpan() || passed && !s.passSpans() {
				return false
			}
			begin := s.within.Lower
			if s.reverse {
				begin = s.within.Upper
			}
			ok = passed && s.reached(begin) || s.seek(begin)
			s.probed, s.behind = false, false
			continue
		}
		if s.c.interrupted() {
			return false
		}
		verdict := s.judge(s.pos)
		if s.probed && verdict != passColumn {
			s.foundShort()
			s.left = kv.NoOlder
		}
		if verdict == take {
			if s.behind && s.filter == nil {
				s.left |= kv.NoOthers
			}
			s.started = !s.reverse || s.settle()
			s.given = s.rows
			return s.started
		}
		ok = s.pass(verdict)
		s.probed, s.behind = false, s.behind && verdict == passColumn
	}
}

// leave steps off the current cell.
func (s *stream) leave() bool {
	s.started = false
	scan := s.c.scan
	switch {
	case s.reverse:
		return s.leaveBackward()
	case scan.FirstPerRow:
		return s.pass(passRow)
	case s.newest > 0 && s.versions >= s.newest:
		return !s.inLastColumn() && s.leaveVersions()
	}
	return !s.atLastVersion() && s.advance()
}

// inLastColumn reports whether the current cell is in the column with which the span ends. It
// only checks spans within rows.
func (s *stream) inLastColumn() bool {
	return s.c.tuning.SpanEnds && s.within.OneRow && cellkey.IsBehindColumn(s.within.Upper, s.key)
}

// atLastVersion reports whether the span ends after the current version. It only checks spans
// within rows.
func (s *stream) atLastVersion() bool {
	return s.c.tuning.SpanEnds && s.within.OneRow && cellkey.IsBehindVersion(s.within.Upper, s.key)
}

// beyond reports whether the iterator's key is beyond the span, in the scan's direction.
func (s *stream) beyond() bool {
	switch {
	case !s.check:
		return false
	case s.reverse:
		return bytes.Compare(s.pos, s.within.Lower) < 0
	}
	return bytes.Compare(s.pos, s.within.Upper) >= 0
}

func (s *stream) nextSpan() bool {
	next := s.at + 1
	if s.reverse {
		next = s.at - 1
	}
	if next < 0 || next >= len(s.spans) {
		return false
	}
	s.at, s.within = next, s.spans[next]
	return true
}

// passSpans skips the spans that end before the iterator's key, which is the first after a
// span of several rows: they are empty, and need no seek. It returns false if no span or no
// key is left.
func (s *stream) passSpans() bool {
	if s.pos == nil {
		return false
	}
	for bytes.Compare(s.pos, s.within.Upper) >= 0 {
		if !s.nextSpan() {
			return false
		}
	}
	return true
}
