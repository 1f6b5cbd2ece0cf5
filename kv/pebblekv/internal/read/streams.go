package read

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// plan makes the streams. A partition's families are merged, and so are the
// partitions if an order is asked for that they do not have by themselves.
func (c *cursor) plan(tables []*kv.Table) {
	if c.readsNothing() {
		return
	}
	c.single = len(tables) == 1 && c.scan.MaxVersions == 1 && withinColumn(c.scan.Ranges)
	if tables[0].Partitioning.Slices() != nil && !c.planSlices(tables) {
		return
	}
	c.runs, c.merge.heap = c.oneRun[:0], c.oneHeap[:0]
	c.arena.parts, c.arena.spans = c.onePart[:0], c.oneSpan[:]
	c.arena.slice, c.arena.rows = c.slice, c.scan.Rows
	room := c.oneStream[:0] // room of the first run
	merged := c.scan.Ordered && !tables[0].Partitioning.Ordered()
	for family, t := range tables {
		// All are partitioned alike, so that run i is partition i of each.
		parts := scanPartitions(&c.arena, t, c.scan)
		if c.wantSlices != nil && c.scan.Leaves != nil {
			parts = c.withLeaves(t, parts)
		}
		if len(parts) > 1 || family > 0 {
			c.reserve(len(parts))
		}
		if merged && len(parts) > 1 {
			c.mergeAll(family, parts)
			continue
		}
		for i, p := range parts {
			if family == 0 {
				c.runs, room = append(c.runs, room), nil
			}
			c.runs[i] = append(c.runs[i], c.newStream(family, p))
		}
	}
	if c.scan.Reverse {
		slices.Reverse(c.runs)
	}
}

// planSlices finds the slices of time to read; false if there are none.
func (c *cursor) planSlices(tables []*kv.Table) bool {
	all := slicesRead(tables[0], c.scan, timesRead(c.scan, c.scan.Time))
	c.wantSlices = all
	retained := func(t *kv.Table) bool { return !t.Retention.IsZero() }
	if len(all) > 0 && !c.moment.All && slices.ContainsFunc(tables, retained) {
		all = c.slicesRetained(tables)
	}
	if !slices.ContainsFunc(all, func(slice int) bool { return containsOrdinal(c.wantSlices, slice) }) {
		return false
	}
	c.slice = all[0]
	if len(all) > 1 {
		c.slices = all
	}
	return true
}

// mergeAll adds all partitions to one run.
func (c *cursor) mergeAll(family int, parts []partSpans) {
	if family == 0 {
		c.runs = append(c.runs, make([]*stream, 0, len(parts)))
	}
	for _, p := range parts {
		c.runs[0] = append(c.runs[0], c.newStream(family, p))
	}
}

// Streams are made with room for this many bytes of row, column and seek key.
const (
	keyBytes    = 64
	streamBytes = 3 * keyBytes
)

// reserve allocates n streams together. The first is part of the cursor.
func (c *cursor) reserve(n int) {
	if c.one.c == nil {
		n--
	}
	if n <= 0 {
		return
	}
	if n > len(c.streams) || c.taken {
		c.streams, c.streamBuf = make([]stream, n), make([]byte, n*streamBytes)
	}
	c.free, c.freeBuf, c.taken = c.streams[:n], c.streamBuf, true
}

func (c *cursor) newStream(family int, p partSpans) *stream {
	s, buf := &c.one, c.oneBuf[:]
	if s.c != nil {
		s, buf = &c.free[0], c.freeBuf[:streamBytes]
		c.free, c.freeBuf = c.free[1:], c.freeBuf[streamBytes:]
	}
	s.row = buf[:0:keyBytes]
	s.column = buf[keyBytes : keyBytes : 2*keyBytes]
	s.target = buf[2*keyBytes : 2*keyBytes : streamBytes]
	s.c, s.family, s.partition, s.spans, s.oneRow = c, family, p.partition, p.spans, p.oneRow
	s.time, s.newest = c.scan.Time, c.scan.MaxVersions
	if t := c.tables[family]; t.Retention != (kv.Retention{}) && (!c.moment.All || t.Retention.CellTTL) {
		s.restrict(t)
		c.columns = c.columns || s.newest > 0
	}
	return s
}

func (c *cursor) readsNothing() bool {
	s := c.scan
	return s.Ranges != nil && len(s.Ranges) == 0 || s.Qualifiers != nil && len(s.Qualifiers) == 0 ||
		s.Time.Bounded && s.Time.Min > s.Time.Max || s.Partitions != nil && len(s.Partitions) == 0
}
