package read

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/partition"
)

// partSpans are the spans of a scan in one partition, ascending.
type partSpans struct {
	partition int
	spans     []cellkey.Span
	oneRow    bool // each of them is within a row
}

// spanArena is memory for the spans of a scan.
type spanArena struct {
	parts []partSpans        // reused by the next call
	spans []cellkey.Span     // free ones, each for the first span of a partition
	keys  []byte             // to which the spans' bytes are appended
	slice int                // the slice of time in whose key spaces the spans are
	rows  partition.RowRange // the rows to which they are restricted
}

// scanPartitions returns the spans of the scan in each partition that it
// touches, by partition. The result is valid until the next call with the same
// arena.
func scanPartitions(arena *spanArena, t *kv.Table, s *kv.Scan) []partSpans {
	if s.Ranges == nil {
		return wholeTable(arena, t, s)
	}
	at := partIndex{out: arena.parts[:0], arena: arena}
	for i := range s.Ranges {
		r := &s.Ranges[i]
		if r.Within() != kv.DepthNone {
			if p, ok := t.Partitioning.Locate(r.Start.Row); ok { // else no partition holds the row
				at.add(t, s, p, r)
			}
			continue
		}
		touched := t.Partitioning.Prune([]partition.RowRange{RowRange(r)})
		at.reserve(len(touched))
		for _, p := range touched {
			at.add(t, s, p, r)
		}
	}
	slices.SortFunc(at.out, func(a, b partSpans) int { return a.partition - b.partition })
	return at.out
}

// partIndex collects spans by partition.
type partIndex struct {
	out []partSpans
	// index is made with the first partition that does not come in order.
	index map[int]int
	arena *spanArena
}

// reserve makes room for one span in each of the partitions.
func (x *partIndex) reserve(partitions int) {
	if partitions > 1 && len(x.out) == 0 {
		x.out = slices.Grow(x.out, partitions)
		x.arena.spans = make([]cellkey.Span, partitions)
	}
}

func (x *partIndex) add(t *kv.Table, s *kv.Scan, p int, r *kv.Range) {
	if s.Partitions != nil && !containsOrdinal(s.Partitions, p) {
		return
	}
	sp, ok := x.arena.span(t, p, r)
	if !ok {
		return
	}
	at := &x.out[x.find(p)]
	at.spans, at.oneRow = append(at.spans, sp), at.oneRow && sp.OneRow
}

// find returns the place of a partition's spans, a new one if it has none yet.
func (x *partIndex) find(p int) int {
	n := len(x.out)
	if n > 0 && x.out[n-1].partition == p {
		return n - 1
	}
	if x.index != nil || n > 0 && x.out[n-1].partition > p {
		if i, ok := x.lookUp(p); ok {
			return i
		}
	}
	ps := partSpans{partition: p, oneRow: true}
	if free := x.arena.spans; len(free) > 0 {
		ps.spans, x.arena.spans = free[:0:1], free[1:]
	}
	x.out = append(x.out, ps)
	return n
}

// lookUp returns the place of a partition's spans; if there is none, it
// registers the next one.
func (x *partIndex) lookUp(p int) (int, bool) {
	if x.index == nil {
		x.index = make(map[int]int, len(x.out))
		for i := range x.out {
			x.index[x.out[i].partition] = i
		}
	}
	i, ok := x.index[p]
	if !ok {
		x.index[p] = len(x.out)
	}
	return i, ok
}

func wholeTable(arena *spanArena, t *kv.Table, s *kv.Scan) []partSpans {
	out := slices.Grow(arena.parts[:0], t.Partitioning.Len())
	spans := make([]cellkey.Span, 0, t.Partitioning.Len())
	for p := range t.Partitioning.Len() {
		if s.Partitions != nil && !containsOrdinal(s.Partitions, p) {
			continue
		}
		if sp, ok := arena.span(t, p, &kv.Range{}); ok {
			spans = append(spans, sp)
			n := len(spans)
			out = append(out, partSpans{p, spans[n-1 : n : n], sp.OneRow})
		}
	}
	return out
}

func containsOrdinal(ascending []int, i int) bool {
	_, ok := slices.BinarySearch(ascending, i)
	return ok
}

// RowRange returns the rows that a range touches.
func RowRange(r *kv.Range) partition.RowRange {
	var out partition.RowRange
	if r.Start.Depth != kv.DepthNone {
		out.Start = r.Start.Row
		if r.Start.Depth == kv.DepthRow && r.Start.After {
			out.Start = nextRow(out.Start)
		}
	}
	if r.End.Depth == kv.DepthNone {
		return out
	}
	if r.End.Depth == kv.DepthRow && !r.End.After {
		out.End = append([]byte{}, r.End.Row...)
	} else {
		out.End = nextRow(r.End.Row)
	}
	return out
}

// nextRow returns the first row after this one.
func nextRow(row []byte) []byte {
	return append(append(make([]byte, 0, len(row)+1), row...), 0)
}

// span returns the keys of the range in the partition, which may share its key
// space with others; false if there are none.
func (m *spanArena) span(t *kv.Table, p int, r *kv.Range) (cellkey.Span, bool) {
	id := keyspace.Space(t, p, m.slice)
	from := len(m.keys)
	m.keys = cellkey.AppendPosition(m.keys, id, r.Start, false)
	lower, end := slices.Clip(m.keys[from:]), len(m.keys)
	m.keys = cellkey.AppendPosition(m.keys, id, r.End, true)
	upper := slices.Clip(m.keys[end:])
	for _, bounds := range [...]partition.RowRange{t.Partitioning.Bounds(p), m.rows} {
		if bounds.Start != nil {
			lower = cellkey.Later(lower, cellkey.AppendRow(nil, id, bounds.Start))
		}
		if bounds.End != nil {
			upper = cellkey.Earlier(upper, cellkey.AppendRow(nil, id, bounds.End))
		}
	}
	return cellkey.NewSpan(lower, upper), bytes.Compare(lower, upper) < 0
}

// SpansOf returns the spans of a scan in the key spaces of a table, in no
// particular order.
func SpansOf(t *kv.Table, s *kv.Scan) (out []cellkey.Span) {
	for slice := range t.Partitioning.NumSlices() {
		if s.Slices != nil && t.Partitioning.Slices() != nil && !containsOrdinal(s.Slices, slice) {
			continue
		}
		arena := spanArena{slice: slice, rows: s.Rows}
		for _, p := range scanPartitions(&arena, t, s) {
			out = append(out, p.spans...)
		}
	}
	return out
}

// plan makes the streams. A partition's families are merged, and so are the
// partitions if an order is asked for that they do not have by themselves.
func (c *cursor) plan(tables []*kv.Table) {
	s := c.scan
	if s.Qualifiers != nil && len(s.Qualifiers) == 0 || s.Time.Bounded && s.Time.Min > s.Time.Max {
		return
	}
	c.single = len(tables) == 1 && s.MaxVersions == 1 && len(s.Ranges) == 1 &&
		s.Ranges[0].Within() == kv.DepthColumn && !s.Reverse
	c.columns = !c.single && (s.MaxVersions > 0 || s.Qualifiers != nil || s.Wanted != nil)
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

// Streams are made with room for this many bytes of each of five keys, or parts of them: also for the entry
// of an index with a text of some 20 characters.
const (
	keyBytes    = 128
	streamBytes = 5 * keyBytes
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
	s.target = buf[2*keyBytes : 2*keyBytes : 3*keyBytes]
	s.cell.RowBuf = buf[3*keyBytes : 3*keyBytes : 4*keyBytes]
	s.cell.QualifierBuf = buf[4*keyBytes : 4*keyBytes : streamBytes]
	s.c, s.family, s.partition, s.spans, s.oneRow = c, family, p.partition, p.spans, p.oneRow
	s.time, s.newest = c.scan.Time, c.scan.MaxVersions
	if t := c.tables[family]; t.Retention != (kv.Retention{}) && (!c.moment.All || t.Retention.CellTTL) {
		s.restrict(t)
		c.columns = c.columns || s.newest > 0
	}
	return s
}
