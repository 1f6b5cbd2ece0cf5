package constrain

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
)

// maxSpans bounds the spans that result from combining the dimensions of a scan range; beyond it a
// looser scan range and the filter are used.
const maxSpans = 16384

// flattenAll converts the dimensions in which the scan ranges differ to key spans. ok is false if that is not
// possible for one of them.
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

// flattenQualifiers combines the qualifiers with the key spans, which is possible if each span is within one
// row, and the result has at most budget spans.
func (b scanRange) flattenQualifiers(budget int) (scanRange, bool) {
	if b.quals.All() {
		return b, true
	}
	if b.spans.All() || len(b.spans) > 1 && len(b.spans)*len(b.quals) > budget {
		return b, false
	}
	out := make(interval.Places, 0, len(b.spans)*len(b.quals))
	for _, s := range b.spans {
		row, ok := rowOf(s)
		if !ok {
			return b, false
		}
		for _, q := range b.quals {
			lo, hi := interval.Later(startOf(row, q), s.Lo), interval.Earlier(endOf(row, q), s.Hi)
			if lo.Compare(hi) < 0 {
				out = append(out, interval.PlaceSpan{Lo: lo, Hi: hi})
			}
		}
	}
	b.spans, b.quals = out, nil
	return b, true
}

// flattenTimes combines the timestamps with the key spans, which is possible if each span is within one
// column.
func (b scanRange) flattenTimes(budget int) (scanRange, bool) {
	if b.times.All() {
		return b, true
	}
	if b.spans.All() || len(b.spans) > 1 && len(b.spans)*len(b.times) > budget {
		return b, false
	}
	out := make(interval.Places, 0, len(b.spans)*len(b.times))
	for _, s := range b.spans {
		row, qualifier, ok := columnOf(s)
		if !ok {
			return b, false
		}
		for _, t := range slices.Backward(b.times) {
			lo, hi := interval.Later(newestOf(row, qualifier, t), s.Lo), interval.Earlier(oldestOf(row, qualifier, t), s.Hi)
			if lo.Compare(hi) < 0 {
				out = append(out, interval.PlaceSpan{Lo: lo, Hi: hi})
			}
		}
	}
	b.spans, b.times = out, nil
	return b, true
}

// flatten combines qualifiers and timestamps with the key spans.
func (b scanRange) flatten(budget int) (scanRange, bool) {
	flat, ok := b.flattenQualifiers(budget)
	if ok {
		flat, ok = flat.flattenTimes(budget)
	}
	return flat, ok
}

// rowOf is the row that a span lies within.
func rowOf(s interval.PlaceSpan) ([]byte, bool) {
	lo, hi := s.Lo, s.Hi
	if lo.Depth < kv.DepthRow || hi.Depth < kv.DepthRow || lo.AfterRow() {
		return nil, false
	}
	if hi.Depth == kv.DepthRow && !hi.After {
		// The end of this row is the cut before the next possible row.
		return lo.Row, interval.IsNext(lo.Row, hi.Row)
	}
	return lo.Row, slices.Equal(lo.Row, hi.Row)
}

// columnOf is the column that a span lies within.
func columnOf(s interval.PlaceSpan) (row, qualifier []byte, ok bool) {
	row, ok = rowOf(s)
	lo, hi := s.Lo, s.Hi
	if !ok || lo.AfterColumn() || hi.Depth < kv.DepthColumn {
		return nil, nil, false
	}
	if hi.Depth == kv.DepthColumn && !hi.After {
		return row, lo.Column(), interval.IsNext(lo.Column(), hi.Qualifier)
	}
	return row, lo.Column(), slices.Equal(lo.Column(), hi.Qualifier)
}

func startOf(row []byte, q interval.TextSpan) interval.Place {
	if q.Lo.Bytes == nil {
		return interval.BeforeRow(row)
	}
	return interval.Place{Row: row, Qualifier: q.Lo.Bytes, Depth: kv.DepthColumn, After: q.Lo.After}
}

func endOf(row []byte, q interval.TextSpan) interval.Place {
	if q.Hi.End {
		return interval.AfterRow(row)
	}
	return interval.Place{Row: row, Qualifier: q.Hi.Bytes, Depth: kv.DepthColumn, After: q.Hi.After}
}

func newestOf(row, qualifier []byte, t interval.MomentSpan) interval.Place {
	if t.Hi.End {
		return interval.Place{Row: row, Qualifier: qualifier, Depth: kv.DepthColumn}
	}
	return interval.Place{Row: row, Qualifier: qualifier, Timestamp: t.Hi.Final(), Depth: kv.DepthCell}
}

func oldestOf(row, qualifier []byte, t interval.MomentSpan) interval.Place {
	if !t.Lo.Started {
		return interval.Place{Row: row, Qualifier: qualifier, Depth: kv.DepthColumn, After: true}
	}
	return interval.Place{Row: row, Qualifier: qualifier, Timestamp: t.Lo.First(), Depth: kv.DepthCell, After: true}
}
