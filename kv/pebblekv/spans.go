package pebblekv

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// span is a stretch of keys [lower, upper) of one key space.
type span struct {
	lower, upper []byte
	// oneRow tells that all its keys are of one row.
	oneRow bool
}

func newSpan(lower, upper []byte) span {
	n := rowLen(lower)
	oneRow := n > 0 && len(upper) >= n && bytes.Equal(lower[:n-1], upper[:n-1]) && upper[n-1] <= behindByte
	return span{lower, upper, oneRow}
}

// partSpans are the spans of a scan in one partition, ascending.
type partSpans struct {
	partition int
	spans     []span
}

// scanPartitions is the spans of the scan in each partition that it touches,
// by partition. All tables of the scan are partitioned as t is; the spans are
// for t's key spaces.
func scanPartitions(t *kv.Table, s *kv.Scan) []partSpans {
	if s.Ranges == nil {
		return wholeTable(t, s)
	}
	var out []partSpans
	at := map[int]int{}
	for _, r := range s.Ranges {
		for _, p := range t.Partitioning.Prune([]partition.RowRange{rowRange(r)}) {
			if !wanted(s, p) {
				continue
			}
			sp, ok := rangeSpan(t, p, r)
			if !ok {
				continue
			}
			i, ok := at[p]
			if !ok {
				i = len(out)
				at[p] = i
				out = append(out, partSpans{partition: p})
			}
			out[i].spans = append(out[i].spans, sp)
		}
	}
	slices.SortFunc(out, func(a, b partSpans) int { return a.partition - b.partition })
	return out
}

func wholeTable(t *kv.Table, s *kv.Scan) []partSpans {
	out := make([]partSpans, 0, t.Partitioning.Len())
	for p := range t.Partitioning.Len() {
		if !wanted(s, p) {
			continue
		}
		if sp, ok := rangeSpan(t, p, kv.Range{}); ok {
			out = append(out, partSpans{p, []span{sp}})
		}
	}
	return out
}

func wanted(s *kv.Scan, p int) bool {
	if s.Partitions == nil {
		return true
	}
	_, ok := slices.BinarySearch(s.Partitions, p)
	return ok
}

// rowRange is the rows that a range touches.
func rowRange(r kv.Range) partition.RowRange {
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

// rangeSpan is the keys of the range in the partition, which may share its
// key space with others; false where there are none.
func rangeSpan(t *kv.Table, p int, r kv.Range) (span, bool) {
	id := t.Spaces[p]
	size := 2*spaceLen + len(r.Start.Row) + len(r.Start.Qualifier) + len(r.End.Row) + len(r.End.Qualifier) + 32
	buf := make([]byte, 0, size)
	buf, lower := grow(buf, func(dst []byte) []byte { return appendPosition(dst, id, r.Start, false) })
	_, upper := grow(buf, func(dst []byte) []byte { return appendPosition(dst, id, r.End, true) })
	bounds := t.Partitioning.Bounds(p)
	if bounds.Start != nil {
		lower = later(lower, appendRowKey(nil, id, bounds.Start))
	}
	if bounds.End != nil {
		upper = earlier(upper, appendRowKey(nil, id, bounds.End))
	}
	return newSpan(lower, upper), bytes.Compare(lower, upper) < 0
}

func later(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return b
	}
	return a
}

func earlier(a, b []byte) []byte {
	if bytes.Compare(a, b) > 0 {
		return b
	}
	return a
}
