package read

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// maxSkipStreams is the most streams that SkipTo moves: each takes a seek.
const maxSkipStreams = 8

// SkipTo implements kv.Skipper.
func (c *cursor) SkipTo(row []byte) bool {
	if c.over || c.current == nil || c.scan.Reverse || len(c.merge.heap) > maxSkipStreams ||
		!c.scan.Ordered && !c.scan.ByPartition {
		return false
	}
	c.skipRow, c.skipping = append(c.skipRow[:0], row...), true
	return true
}

// skip goes to the first cell at or after skipRow.
func (c *cursor) skip() *stream {
	c.skipping = false
	ordinal, ok := c.scheme.Locate(c.skipRow)
	if !ok {
		ordinal = c.scheme.Len()
	}
	if c.current.partition < ordinal && len(c.runs) > 0 {
		for len(c.runs) > 0 && c.runs[0][0].partition < ordinal {
			c.runs = c.runs[1:]
		}
		c.current = nil
		if !c.nextRun() || c.current == nil || c.current.partition != ordinal {
			return c.current
		}
		return c.merge.skipTo(cellkey.AppendPart(nil, c.skipRow))
	}
	part := cellkey.AppendPart(nil, c.skipRow)
	if bytes.Compare(c.current.rowKey(), part) >= 0 || c.current.partition > ordinal && !c.scan.Ordered {
		return c.merge.next()
	}
	return c.merge.skipTo(part)
}

// skipTo moves the streams that are before a row, given as its part of a key.
func (m *merge) skipTo(part []byte) *stream {
	live := m.heap[:0]
	for _, s := range m.heap {
		switch {
		case bytes.Compare(s.rowKey(), part) >= 0 || s.skipTo(part):
			live = append(live, s)
		case s.it.err() != nil || s.c.err != nil:
			m.heap = m.heap[:0]
			return nil
		}
	}
	m.heap = live
	return m.order()
}

// skipTo goes to the stream's first cell at or after a row, which is after the
// current one.
func (s *stream) skipTo(part []byte) bool {
	s.started, s.c.hot.row = false, nil
	space, _ := cellkey.Space(s.key)
	s.target = append(cellkey.AppendSpace(s.target[:0], space), part...)
	for bytes.Compare(s.within.Upper, s.target) <= 0 {
		if !s.nextSpan() {
			s.ended = true
			return false
		}
	}
	ok := s.seek(cellkey.Later(s.target, s.within.Lower))
	s.ended = !s.onward(ok)
	return !s.ended
}
