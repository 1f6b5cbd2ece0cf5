package read

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// NextBatch implements kv.Batcher.
func (c *cursor) NextBatch(b *kv.Batch, n int) bool {
	b.Reset()
	if !c.Next() || !c.copyTo(b) {
		return false
	}
	for b.Len() < n && !b.Full() {
		if !c.fill(b, n) || !c.copyTo(b) {
			break // the end follows these cells
		}
	}
	if c.batched += b.Len(); c.batched >= checkEvery {
		c.batched = 0
		c.tell()
	}
	return c.scan.Budget == nil || c.affords()
}

// fill steps on, and copies the cells that it passes if the current stream is the only one. It
// ends at a cell that is not copied.
func (c *cursor) fill(b *kv.Batch, n int) bool {
	if len(c.merge.heap) != 1 || c.skipping || c.single {
		return c.step()
	}
	s := c.current
	if s.inPlain = s.plain(); s.inPlain && s.fillPlain(b, n) || !s.inPlain && s.fill(b, n) {
		return true
	}
	if c.over {
		return false
	}
	c.current = c.merge.drop(s)
	return c.arrive()
}

// fill is the cursor's fill for its only stream. It returns false at the end.
func (s *stream) fill(b *kv.Batch, n int) bool {
	for s.nextNoting(b) {
		if b.Len()+1 >= n || b.Full() {
			return true
		}
		if !s.c.copyTo(b) {
			return false
		}
	}
	return false
}

// plain reports whether the stream returns, forwards, all cells of its spans that Pebble does not
// skip, or the newest of each column.
func (s *stream) plain() bool {
	scan := s.c.scan
	return s.c.tuning.PlainBatches && s.c.own == nil && s.started &&
		(scan.Qualifiers == nil && scan.Wanted == nil || s.filter.judgesQualifiers() && !s.longRuns) && !scan.Reverse && !scan.FirstPerRow && s.c.hot.row == nil
}

// fillPlain does in one loop what next does for a plain stream in many calls.
func (s *stream) fillPlain(b *kv.Batch, n int) bool {
	for {
		if !s.nextPlain(b, n) {
			return false
		}
		if b.Len()+1 >= n || b.Full() || s.longRuns {
			return s.decodeWhole()
		}
		if !s.c.copyTo(b) {
			return false
		}
	}
}

// nextPlain is next for a plain stream, after the cells that it copies to a batch of up to n: the
// next cell is usually wanted. It may omit the parts that nobody reads.
func (s *stream) nextPlain(b *kv.Batch, n int) bool {
	full := s.newest > 0 && s.versions >= s.newest
	if full && (s.newest > 1 || s.c.long.any || s.skips[skipColumn].budget < s.c.tuning.SeekSteps) {
		return s.decodeWhole() && s.nextNoting(b) // it learns how columns are left
	}
	switch it, is := s.it.(*stored); {
	case !is || it.rewritten != nil:
		s.advance()
	case s.check || !s.fillStored(it, b, n):
		if s.pos = nil; it.it.Next() {
			it.cells++
			s.pos = it.it.Key()
		}
	}
	if s.pos == nil || s.beyond() {
		s.started = false
		s.ended = !s.onward(false)
		return !s.ended
	}
	s.key = s.pos
	if s.filter.misses(s.key) { // it must be judged and skipped
		b.SetGap(kv.NoOlder)
		s.started = false
		s.ended = !s.onward(true)
		return !s.ended
	}
	same, err := s.decodeParts(s.key, b.Unread)
	if err != nil {
		s.c.fail(err)
		return false
	}
	switch {
	case !same:
		s.versions = 0
		b.SetGap(s.gap())
	case full:
		s.probed, s.probe = true, nil
		ok := s.decodeWhole() && s.pass(passColumn)
		s.probed, s.left, s.behind = false, 0, true
		s.ended = !s.onward(ok)
		b.SetGap(s.left)
		return !s.ended
	}
	if s.outOfTime(s.key) {
		s.ended = !s.onward(s.decodeWhole() && s.pass(s.judgeTime(s.key)))
		return !s.ended
	}
	s.versions++
	s.given = s.rows
	return true
}

// decodeParts is decode without the work for parts that nobody reads. decodeWhole must be called
// before those parts are used.
func (s *stream) decodeParts(key []byte, unread kv.Parts) (sameColumn bool, err error) {
	if s.c.columns && cellkey.IsOfColumn(key, s.column) {
		if s.part {
			s.cell.Timestamp = cellkey.Timestamp(key)
			return true, nil
		}
		return s.decode(key)
	}
	if unread&keyParts != keyParts {
		return s.decode(key)
	}
	s.part, s.cell.Timestamp = true, cellkey.Timestamp(key)
	if s.c.columns {
		s.rememberColumn(key)
	}
	return false, nil
}

// decodeWhole decodes the current cell completely if decodeParts has not. It fails like a step.
func (s *stream) decodeWhole() bool {
	if s.part {
		if _, err := s.decode(s.key); err != nil {
			s.c.fail(err)
			return false
		}
	}
	return true
}

// copyTo adds the current cell to the batch. It fails like a step.
func (c *cursor) copyTo(b *kv.Batch) bool {
	s := c.current
	sameRow := b.Shares && b.Len() > 0 && c.copied == s && c.copiedRow == s.rows
	c.copied, c.copiedRow = s, s.rows
	var value []byte
	if c.scan.NeedValue && b.Unread&kv.PartValue == 0 {
		var err error
		if value, err = s.value(); err != nil {
			c.fail(err)
			c.finish()
			return false
		}
	}
	if sameRow {
		b.AddInRow(s.cell.Qualifier, s.cell.Timestamp, value)
		return true
	}
	b.Add(s.family, s.cell.Row, s.cell.Qualifier, s.cell.Timestamp, value)
	return true
}
