package constrain

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// maxSpans is how many spans the dimensions of a scan range may be multiplied into;
// past it a looser scan range and the filter do the work.
const maxSpans = 16384

// flattenAll writes the dimensions in which the scan ranges differ as key spans. ok
// is false where one of them cannot be.
func flattenAll(ranges []scanRange, d differences) ([]scanRange, bool) {
	out := make([]scanRange, len(ranges))
	budget := maxSpans
	for i := range ranges {
		budget += len(ranges[i].spans)
	}
	for i, b := range ranges {
		ok := true
		if d.quals || d.times {
			b, ok = b.flattenQualifiers(budget)
		}
		if ok && d.times {
			b, ok = b.flattenTimes(budget)
		}
		budget -= len(b.spans)
		if !ok || budget < 0 {
			return nil, false
		}
		out[i] = b
	}
	return out, true
}

// flattenQualifiers writes the qualifiers into the key spans, which works where
// each span is within one row, as long as there are no more than budget spans.
func (b scanRange) flattenQualifiers(budget int) (scanRange, bool) {
	if b.quals.all() {
		return b, true
	}
	if b.spans.all() || len(b.spans) > 1 && len(b.spans)*len(b.quals) > budget {
		return b, false
	}
	out := make(set[place], 0, len(b.spans)*len(b.quals))
	for _, s := range b.spans {
		row, ok := rowOf(s)
		if !ok {
			return b, false
		}
		for _, q := range b.quals {
			lo, hi := later(startOf(row, q), s.lo), earlier(endOf(row, q), s.hi)
			if lo.compare(hi) < 0 {
				out = append(out, span[place]{lo, hi})
			}
		}
	}
	b.spans, b.quals = out, nil
	return b, true
}

// flattenTimes writes the timestamps into the key spans, which works where each
// span is within one column.
func (b scanRange) flattenTimes(budget int) (scanRange, bool) {
	if b.times.all() {
		return b, true
	}
	if b.spans.all() || len(b.spans) > 1 && len(b.spans)*len(b.times) > budget {
		return b, false
	}
	out := make(set[place], 0, len(b.spans)*len(b.times))
	for _, s := range b.spans {
		row, qualifier, ok := columnOf(s)
		if !ok {
			return b, false
		}
		for _, t := range slices.Backward(b.times) {
			lo, hi := later(newestOf(row, qualifier, t), s.lo), earlier(oldestOf(row, qualifier, t), s.hi)
			if lo.compare(hi) < 0 {
				out = append(out, span[place]{lo, hi})
			}
		}
	}
	b.spans, b.times = out, nil
	return b, true
}

// flatten writes qualifiers and timestamps as key spans.
func (b scanRange) flatten(budget int) (scanRange, bool) {
	flat, ok := b.flattenQualifiers(budget)
	if ok {
		flat, ok = flat.flattenTimes(budget)
	}
	return flat, ok
}

// rowOf is the row that a span lies within.
func rowOf(s span[place]) ([]byte, bool) {
	lo, hi := s.lo, s.hi
	if lo.Depth < kv.DepthRow || hi.Depth < kv.DepthRow || lo.afterRow() {
		return nil, false
	}
	if hi.Depth == kv.DepthRow && !hi.After {
		// Before the next possible row is the end of this one.
		return lo.Row, isNext(lo.Row, hi.Row)
	}
	return lo.Row, slices.Equal(lo.Row, hi.Row)
}

// columnOf is the column that a span lies within.
func columnOf(s span[place]) (row, qualifier []byte, ok bool) {
	row, ok = rowOf(s)
	lo, hi := s.lo, s.hi
	if !ok || lo.afterColumn() || hi.Depth < kv.DepthColumn {
		return nil, nil, false
	}
	if hi.Depth == kv.DepthColumn && !hi.After {
		return row, lo.qualifier(), isNext(lo.qualifier(), hi.Qualifier)
	}
	return row, lo.qualifier(), slices.Equal(lo.qualifier(), hi.Qualifier)
}

func startOf(row []byte, q span[text]) place {
	if q.lo.b == nil {
		return beforeRow(row)
	}
	return place{Row: row, Qualifier: q.lo.b, Depth: kv.DepthColumn, After: q.lo.after}
}

func endOf(row []byte, q span[text]) place {
	if q.hi.end {
		return afterRow(row)
	}
	return place{Row: row, Qualifier: q.hi.b, Depth: kv.DepthColumn, After: q.hi.after}
}

func newestOf(row, qualifier []byte, t span[moment]) place {
	if t.hi.end {
		return place{Row: row, Qualifier: qualifier, Depth: kv.DepthColumn}
	}
	return place{Row: row, Qualifier: qualifier, Timestamp: t.hi.final(), Depth: kv.DepthCell}
}

func oldestOf(row, qualifier []byte, t span[moment]) place {
	if !t.lo.started {
		return place{Row: row, Qualifier: qualifier, Depth: kv.DepthColumn, After: true}
	}
	return place{Row: row, Qualifier: qualifier, Timestamp: t.lo.first(), Depth: kv.DepthCell, After: true}
}
