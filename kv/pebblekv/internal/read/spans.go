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
		if WithinRow(r) {
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

// WithinRow reports whether the range is within its start's row.
func WithinRow(r *kv.Range) bool {
	return r.Start.Depth != kv.DepthNone && r.End.Depth != kv.DepthNone && bytes.Equal(r.Start.Row, r.End.Row)
}

// withinColumn reports whether ranges is a single one within its start's column.
func withinColumn(ranges []kv.Range) bool {
	if len(ranges) != 1 || !WithinRow(&ranges[0]) {
		return false
	}
	start, end := &ranges[0].Start, &ranges[0].End
	return start.Depth >= kv.DepthColumn && end.Depth >= kv.DepthColumn && bytes.Equal(start.Qualifier, end.Qualifier)
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
	size := cellkey.PositionLen(r.Start) + cellkey.PositionLen(r.End)
	if cap(m.keys)-len(m.keys) < size {
		m.keys = make([]byte, 0, max(size, 2*cap(m.keys))) // the spans so far keep the old one
	}
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
