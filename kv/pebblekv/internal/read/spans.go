package read

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
	"github.com/hbasekv/hbasekv/partition"
)

// partSpans are the spans of a scan in one partition, ascending.
type partSpans struct {
	partition int
	spans     []cellkey.Span
}

// spanArena is memory for the spans of a scan.
type spanArena struct {
	parts []partSpans        // that the next call takes again
	spans []cellkey.Span     // free ones, for the first of a partition each
	keys  []byte             // to which the spans' bytes are appended
	slice int                // of time, in whose key spaces the spans are
	rows  partition.RowRange // to which they are restricted
}

// scanPartitions are the spans of the scan in each partition that it touches,
// by partition. The slice is good until the next call with the same arena.
func scanPartitions(arena *spanArena, t *kv.Table, s *kv.Scan) []partSpans {
	if s.Ranges == nil {
		return wholeTable(arena, t, s)
	}
	at := partIndex{out: arena.parts[:0], arena: arena}
	for i := range s.Ranges {
		r := &s.Ranges[i]
		if p, ok, single := rowPartition(t, r); single {
			if ok {
				at.add(t, s, p, r)
			}
			continue
		}
		touched := t.Partitioning.Prune([]partition.RowRange{rowRange(r)})
		at.reserve(len(touched))
		for _, p := range touched {
			at.add(t, s, p, r)
		}
	}
	slices.SortFunc(at.out, func(a, b partSpans) int { return a.partition - b.partition })
	return at.out
}

// rowPartition is the partition of a range within a single row; ok is false
// where no partition holds the row.
func rowPartition(t *kv.Table, r *kv.Range) (p int, ok, single bool) {
	if !WithinRow(r) {
		return 0, false, false
	}
	p, ok = t.Partitioning.Locate(r.Start.Row)
	return p, ok, true
}

// WithinRow reports whether the range is within its start's row.
func WithinRow(r *kv.Range) bool {
	return r.Start.Depth != kv.DepthNone && r.End.Depth != kv.DepthNone && bytes.Equal(r.Start.Row, r.End.Row)
}

// partIndex collects spans by partition.
type partIndex struct {
	out []partSpans
	// index is made with the first partition that does not come in order.
	index map[int]int
	arena *spanArena
}

// reserve makes room for one span in each of so many partitions.
func (x *partIndex) reserve(partitions int) {
	if partitions > 1 && len(x.out) == 0 {
		x.out = slices.Grow(x.out, partitions)
		x.arena.spans = make([]cellkey.Span, partitions)
	}
}

func (x *partIndex) add(t *kv.Table, s *kv.Scan, p int, r *kv.Range) {
	if !wanted(s, p) {
		return
	}
	sp, ok := x.arena.span(t, p, r)
	if !ok {
		return
	}
	i := x.find(p)
	x.out[i].spans = append(x.out[i].spans, sp)
}

// find is the place of a partition's spans.
func (x *partIndex) find(p int) int {
	n := len(x.out)
	switch {
	case x.index == nil && (n == 0 || x.out[n-1].partition < p):
		return x.new(p)
	case x.out[n-1].partition == p:
		return n - 1
	case x.index == nil:
		x.index = make(map[int]int, n)
		for i := range x.out {
			x.index[x.out[i].partition] = i
		}
	}
	if i, ok := x.index[p]; ok {
		return i
	}
	x.index[p] = n
	return x.new(p)
}

func (x *partIndex) new(p int) int {
	ps := partSpans{partition: p}
	if free := x.arena.spans; len(free) > 0 {
		ps.spans, x.arena.spans = free[:0:1], free[1:]
	}
	x.out = append(x.out, ps)
	return len(x.out) - 1
}

func wholeTable(arena *spanArena, t *kv.Table, s *kv.Scan) []partSpans {
	out := slices.Grow(arena.parts[:0], t.Partitioning.Len())
	spans := make([]cellkey.Span, 0, t.Partitioning.Len())
	for p := range t.Partitioning.Len() {
		if !wanted(s, p) {
			continue
		}
		if sp, ok := arena.span(t, p, &kv.Range{}); ok {
			spans = append(spans, sp)
			n := len(spans)
			out = append(out, partSpans{p, spans[n-1 : n : n]})
		}
	}
	return out
}

func wanted(s *kv.Scan, p int) bool {
	if s.Partitions == nil {
		return true
	}
	return containsOrdinal(s.Partitions, p)
}

func containsOrdinal(ascending []int, i int) bool {
	_, ok := slices.BinarySearch(ascending, i)
	return ok
}

// rowRange is the rows that a range touches.
func rowRange(r *kv.Range) partition.RowRange {
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

// nextRow is the first row after this one.
func nextRow(row []byte) []byte {
	return append(append(make([]byte, 0, len(row)+1), row...), 0)
}

// span is the keys of the range in the partition, which may share its key space
// with others; false where there are none.
func (m *spanArena) span(t *kv.Table, p int, r *kv.Range) (cellkey.Span, bool) {
	id := keyspace.Space(t, p, m.slice)
	size := cellkey.PositionLen(r.Start) + cellkey.PositionLen(r.End)
	if cap(m.keys)-len(m.keys) < size {
		m.keys = make([]byte, 0, max(size, 2*cap(m.keys))) // the spans so far keep the old one
	}
	var lower, upper []byte
	m.keys, lower = views.Grow(m.keys, func(dst []byte) []byte { return cellkey.AppendPosition(dst, id, r.Start, false) })
	m.keys, upper = views.Grow(m.keys, func(dst []byte) []byte { return cellkey.AppendPosition(dst, id, r.End, true) })
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

// SpansOf are the spans of a scan in the key spaces of a table, in no order.
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
