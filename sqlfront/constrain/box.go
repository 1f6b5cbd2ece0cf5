package constrain

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// maxSpans is how many spans the dimensions of a box may be multiplied into;
// past it a looser box and the filter do the work.
const maxSpans = 16384

// box holds at least the rows for which a condition is true: those that are in
// all four dimensions. It is exact where it holds no others.
type box struct {
	spans    set[place]
	quals    set[text]
	times    set[moment]
	families []bool // by ordinal; nil is all
	exact    bool
}

// everything is the box of a condition that is always true.
func everything() box { return box{exact: true} }

// unknown is the box of a condition that only the filter can decide.
func unknown() box { return box{} }

// nothing is the box of a condition that is never true.
func nothing() box { return box{spans: none[place](), exact: true} }

// always is everything or nothing.
func always(truth bool) box {
	if truth {
		return everything()
	}
	return nothing()
}

func (b *box) empty() bool {
	return b.spans.empty() || b.quals.empty() || b.times.empty() ||
		b.families != nil && !slices.Contains(b.families, true)
}

func (b *box) unrestricted() bool {
	return b.spans.all() && b.quals.all() && b.times.all() && b.families == nil
}

// intersect is exact where both boxes are, or where nothing is left.
func (b box) intersect(o box) box {
	out := box{
		spans:    b.spans.intersect(o.spans),
		quals:    b.quals.intersect(o.quals),
		times:    b.times.intersect(o.times),
		families: combineFamilies(b.families, o.families, func(x, y bool) bool { return x && y }),
		exact:    b.exact && o.exact,
	}
	if out.empty() {
		return nothing()
	}
	return out
}

func combineFamilies(a, b []bool, op func(x, y bool) bool) []bool {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := make([]bool, len(a))
	for i := range a {
		out[i] = op(a[i], b[i])
	}
	return out
}

// uniteBoxes is the rows of any of the boxes. It takes the slice over.
func uniteBoxes(boxes []box) box {
	exact := true
	kept := boxes[:0]
	for _, b := range boxes {
		if b.exact && b.unrestricted() {
			return b
		}
		if !b.empty() {
			exact = exact && b.exact
			kept = append(kept, b)
		}
	}
	switch len(kept) {
	case 0:
		return nothing()
	case 1:
		return kept[0]
	}
	out := uniteKept(kept)
	out.exact = out.exact && exact
	return out
}

// uniteKept unites two or more boxes that are not empty; its box is exact where
// uniting them lost nothing.
func uniteKept(boxes []box) box {
	d := differ(boxes)
	if d.count() > 1 {
		boxes = apart(boxes)
		d = differ(boxes)
	}
	if d.count() > 1 && !d.families {
		if flat, ok := flattenAll(boxes, d); ok {
			boxes, d = flat, differ(flat)
		}
	}
	out := boxes[0]
	if d.spans {
		out.spans = uniteBy(boxes, func(b *box) set[place] { return b.spans })
	}
	if d.quals {
		out.quals = uniteBy(boxes, func(b *box) set[text] { return b.quals })
	}
	if d.times {
		out.times = uniteBy(boxes, func(b *box) set[moment] { return b.times })
	}
	if d.families {
		out.families = uniteFamilies(boxes)
	}
	out.exact = d.count() <= 1
	return out
}

// apart takes together the boxes that are key spans alone, and takes their
// spans out of the others, which leaves fewer of those to write as spans.
func apart(boxes []box) []box {
	var whole []set[place]
	var rest []box
	for _, b := range boxes {
		if b.quals.all() && b.times.all() && b.families == nil {
			whole = append(whole, b.spans)
		} else {
			rest = append(rest, b)
		}
	}
	if whole == nil {
		return boxes
	}
	out := []box{{spans: unite(whole...), exact: true}}
	others := out[0].spans.complement()
	for _, b := range rest {
		if b = b.intersect(box{spans: others, exact: true}); !b.empty() {
			out = append(out, b)
		}
	}
	return out
}

func uniteBy[C cut[C]](boxes []box, dimension func(*box) set[C]) set[C] {
	sets := make([]set[C], len(boxes))
	for i := range boxes {
		sets[i] = dimension(&boxes[i])
	}
	return unite(sets...)
}

func uniteFamilies(boxes []box) []bool {
	out := boxes[0].families
	for _, b := range boxes[1:] {
		if out == nil || b.families == nil {
			return nil
		}
		out = combineFamilies(out, b.families, func(x, y bool) bool { return x || y })
	}
	return out
}

// differences says in which dimensions boxes are not all alike.
type differences struct{ spans, quals, times, families bool }

func differ(boxes []box) differences {
	var d differences
	first := &boxes[0]
	for i := range boxes[1:] {
		b := &boxes[i+1]
		d.spans = d.spans || !b.spans.equal(first.spans)
		d.quals = d.quals || !b.quals.equal(first.quals)
		d.times = d.times || !b.times.equal(first.times)
		d.families = d.families || (b.families == nil) != (first.families == nil) || !slices.Equal(b.families, first.families)
	}
	return d
}

func (d differences) count() int {
	n := 0
	for _, differs := range []bool{d.spans, d.quals, d.times, d.families} {
		if differs {
			n++
		}
	}
	return n
}

// flattenAll writes the dimensions in which the boxes differ as key spans. ok
// is false where one of them cannot be.
func flattenAll(boxes []box, d differences) ([]box, bool) {
	out := make([]box, len(boxes))
	budget := maxSpans
	for i := range boxes {
		budget += len(boxes[i].spans)
	}
	for i, b := range boxes {
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
func (b box) flattenQualifiers(budget int) (box, bool) {
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
func (b box) flattenTimes(budget int) (box, bool) {
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
func (b box) flatten(budget int) (box, bool) {
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

// complement is the rows that are not in an exact box.
func (b box) complement() box {
	if !b.exact {
		return unknown()
	}
	if b.restricted() > 1 {
		flat, ok := b.flatten(maxSpans)
		if !ok || flat.families != nil {
			return unknown()
		}
		b = flat
	}
	switch {
	case b.empty():
		return everything()
	case !b.quals.all():
		return box{quals: b.quals.complement(), exact: true}
	case !b.times.all():
		return box{times: b.times.complement(), exact: true}
	case b.families != nil:
		out := slices.Clone(b.families)
		for i := range out {
			out[i] = !out[i]
		}
		return box{families: out, exact: true}
	}
	return box{spans: b.spans.complement(), exact: true}
}

// restricted is the number of dimensions that hold anything back.
func (b *box) restricted() int {
	return differences{!b.spans.all(), !b.quals.all(), !b.times.all(), b.families != nil}.count()
}

// within reports whether each dimension of b is within o's; families of b are
// exact always.
func (b *box) within(o *box) bool {
	return b.spans.within(o.spans) && b.quals.within(o.quals) && b.times.within(o.times) &&
		familiesWithin(b.families, o.families)
}

func familiesWithin(a, b []bool) bool {
	for i := range b {
		if !b[i] && (a == nil || a[i]) {
			return false
		}
	}
	return true
}
