package temporary

import (
	"math"
	"slices"
	"sort"

	"github.com/hbasekv/hbasekv/kv"
)

// span is the cells from lo inclusive to hi exclusive, or to the table's end.
type span struct {
	lo, hi entry
	open   bool // no hi
}

func (s *span) ends(e *entry) bool { return !s.open && compare(e, &s.hi) >= 0 }

// successor returns the first string after one.
func successor(b []byte) []byte { return append(slices.Clip(b), 0) }

// place returns the first possible cell after a position.
func place(p *kv.Position) entry {
	e := entry{row: p.Row, timestamp: firstTimestamp}
	switch {
	case p.Depth == kv.DepthRow && p.After:
		e.row = successor(p.Row)
	case p.Depth == kv.DepthColumn:
		e.qualifier = p.Qualifier
		if p.After {
			e.qualifier = successor(p.Qualifier)
		}
	case p.Depth == kv.DepthCell:
		e.qualifier, e.timestamp = p.Qualifier, p.Timestamp
		if p.After && p.Timestamp == math.MinInt64 {
			e.qualifier, e.timestamp = successor(p.Qualifier), firstTimestamp
		} else if p.After {
			e.timestamp--
		}
	}
	return e
}

// spansOf returns the ranges of a scan within its rows.
func spansOf(s *kv.Scan) []span {
	if s.Partitions != nil && !slices.Contains(s.Partitions, 0) {
		return nil
	}
	ranges := s.Ranges
	if ranges == nil {
		ranges = []kv.Range{{}}
	}
	rows := span{lo: entry{row: s.Rows.Start, timestamp: firstTimestamp}, hi: entry{row: s.Rows.End, timestamp: firstTimestamp},
		open: s.Rows.End == nil}
	out := make([]span, 0, len(ranges))
	for i := range ranges {
		each := rows.within(&ranges[i])
		if each.open || less(each.lo, each.hi) {
			out = append(out, each)
		}
	}
	return out
}

// within returns the part of a range that is in the span.
func (s span) within(r *kv.Range) span {
	if r.Start.Depth != kv.DepthNone {
		if lo := place(&r.Start); less(s.lo, lo) {
			s.lo = lo
		}
	}
	if r.End.Depth != kv.DepthNone {
		if hi := place(&r.End); s.open || less(hi, s.hi) {
			s.hi, s.open = hi, false
		}
	}
	return s
}

// inSpans reports whether a cell is in one of the spans.
func inSpans(spans []span, e *entry) bool {
	i := sort.Search(len(spans), func(i int) bool { return !spans[i].ends(e) })
	return i < len(spans) && compare(&spans[i].lo, e) <= 0
}
