package read

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// countedRun is the state of a cursor that counts cells.
type countedRun struct {
	begun bool
	row   []byte // the rows' first bytes
	head  []byte // the beginning of the keys of these rows
}

// maxRun is the most cells that one call counts, so that the caller can divide the rest.
const maxRun = 4096

// CountRun implements kv.RunCounter.
func (c *cursor) CountRun(n int) ([]byte, int64) {
	if !c.run.begun {
		c.run.begun = true
		c.Next()
	}
	if c.over || c.current == nil || c.stopped() {
		return nil, 0
	}
	row := c.current.cell.Row
	c.run.row = append(c.run.row[:0], row[:min(n, len(row))]...)
	if c.countsKeys() {
		return c.run.row, c.countStream(n)
	}
	return c.run.row, c.countCells(n)
}

// countsKeys reports whether cells can be counted by comparing keys: if they are in one span.
func (c *cursor) countsKeys() bool {
	s := c.scan
	return c.tuning.KeyCounts && len(c.merge.heap) == 1 && len(c.current.spans) == 1 && !c.current.within.OneRow &&
		!s.Reverse && s.Qualifiers == nil && !s.FirstPerRow
}

// countCells counts the cells one by one.
func (c *cursor) countCells(n int) (cells int64) {
	for cells = 1; c.Next() && cells < maxRun; cells++ {
		row := c.current.cell.Row
		if !bytes.Equal(row[:min(n, len(row))], c.run.row) {
			break
		}
	}
	if c.err != nil {
		return 0
	}
	return cells
}

// countStream counts the cells of the only stream.
func (c *cursor) countStream(n int) int64 {
	s := c.current
	space, _ := cellkey.Space(s.key)
	c.run.head = cellkey.AppendRowHead(c.run.head[:0], space, c.run.row, len(c.run.row) < n)
	cells, ok := s.countRun(c.run.head)
	if !ok {
		c.current = c.merge.drop(s)
	}
	if !c.arrive() && c.err != nil {
		return 0
	}
	return cells
}

// countRun counts the wanted cells from the current one on while their keys begin with
// head, and steps to the first cell after them; ok is false if there is none.
func (s *stream) countRun(head []byte) (cells int64, ok bool) {
	newest := s.newest
	for cells = 1; cells%checkEvery != 0 || !s.c.checkpoint(); cells++ {
		if !s.countOn(newest) {
			break
		}
		if newest > 0 {
			if same := s.sameColumn(s.pos); same && s.versions < newest && !s.beyond() && !s.outOfTime(s.pos) {
				s.versions++
				continue
			} else if !s.leaveColumn(same) {
				break
			}
		}
		if s.time.Bounded && !s.passTimes(head) {
			break
		}
		if cells >= maxRun || s.beyond() || !bytes.HasPrefix(s.pos, head) {
			return cells, s.continueAt()
		}
		if newest > 0 {
			s.column, s.versions = append(s.column[:0], cellkey.Column(s.pos)...), 1
		}
	}
	s.probed, s.ended = false, true
	return cells, false
}

// passTimes skips cells outside the time range while keys begin with head, and reports
// whether a key follows.
func (s *stream) passTimes(head []byte) bool {
	for s.outOfTime(s.pos) && !s.beyond() && bytes.HasPrefix(s.pos, head) {
		if s.key = s.pos; s.c.interrupted() || !s.pass(s.judgeTime(s.key)) {
			return false
		}
	}
	return true
}

// countOn steps to the next version, or off a column whose wanted versions have all been counted.
func (s *stream) countOn(newest int) bool {
	if newest > 0 && s.versions >= newest {
		return s.leaveVersions()
	}
	return s.advance()
}

// sameColumn reports whether a key is of the column counted last.
func (s *stream) sameColumn(key []byte) bool {
	return cellkey.IsOfColumn(key, s.column)
}

// leaveColumn skips the remaining versions of the column counted last and reports whether a
// key follows. same means that the source is still in that column.
func (s *stream) leaveColumn(same bool) bool {
	if same {
		s.key = s.pos
		return !s.c.interrupted() && s.pass(passColumn)
	}
	if s.probed {
		s.foundShort()
	}
	return true
}

// continueAt continues at the first wanted cell from the source's key on, which is of
// another column than those counted.
func (s *stream) continueAt() bool {
	s.probed = false
	s.row = s.row[:0]
	s.ended = !s.onward(true)
	return !s.ended
}
