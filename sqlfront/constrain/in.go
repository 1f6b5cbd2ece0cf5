package constrain

import (
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxHoles is the longest list of NOT IN that becomes spans: a span costs a seek in each partition, and only
// saves reading and filtering the cells of one item.
const maxHoles = 1000

// in is the scan range of X IN (..), or of X NOT IN (..) if want is false.
func (d *deriver) in(n *expr.In, want bool) scanRange {
	if x, ok := n.X.(*expr.Tuple); ok {
		return d.inTuples(x, n.List, want)
	}
	if k, ok := d.key(n.X); ok {
		switch {
		case k.dimension == dimensionT:
			return inList(d, k, n.List, want, d.timeItem, func(s interval.Moments) scanRange { return ofTime(k, s) })
		case k.loose && !want:
			return unknown()
		}
		most := max(1, 8*maxSpellings/len(n.List))
		item := func(spans []interval.TextSpan, k key, v value.Value, n expr.Node) ([]interval.TextSpan, bool) {
			return d.textItem(spans, &k, v, n, min(most, maxSpellings))
		}
		return inList(d, k, n.List, want, item, func(s interval.Texts) scanRange { return ofText(&k, s) })
	}
	return d.leaf(&expr.In{X: n.X, List: n.List}, want)
}

// inList is the scan range of `key IN (list)`. item appends the spans of the keys that equal a constant,
// scanOf makes a scan range of a set.
func inList[C interval.Cut[C]](d *deriver, k key, list []expr.Node, want bool,
	item func(spans []interval.Span[C], k key, v value.Value, n expr.Node) ([]interval.Span[C], bool),
	scanOf func(interval.Set[C]) scanRange) scanRange {
	spans := make([]interval.Span[C], 0, len(list))
	nulls, others := 0, 0
	for _, n := range list {
		if !d.steps() {
			return unknown()
		}
		v, ok := d.constant(n)
		if ok && v.IsNull() {
			nulls++
			continue
		}
		if ok {
			spans, ok = item(spans, k, v, n)
		}
		if !ok {
			others++
		}
	}
	d.nulls += nulls
	if !sortLong(d, spans, func(a, b interval.Span[C]) int { return a.Lo.Compare(b.Lo) }) {
		return unknown()
	}
	switch {
	case want && others > 0:
		return unknown()
	case want:
		return scanOf(interval.Normalize(spans))
	case nulls > 0:
		// NOT IN of a list with a NULL is never true.
		return nothing()
	case len(spans) > maxHoles:
		return unknown()
	}
	b := scanOf(interval.Normalize(spans).Complement())
	b.exact = others == 0
	return b
}

// textItem appends the spans of the strings that equal one item of a list.
func (d *deriver) textItem(
	out []interval.TextSpan, k *key, v value.Value, n expr.Node, spellings int,
) ([]interval.TextSpan, bool) {
	if k.plain() {
		if !v.IsString() {
			return out, false
		}
		lo, hi := textCuts(v.Raw())
		return append(out, interval.TextSpan{Lo: lo, Hi: hi}), true
	}
	s, ok := d.strings(expr.Eq, k, v, n, spellings)
	if !ok || s.All() || len(out)+len(s) > maxSpans {
		return out, false
	}
	return append(out, s...), true
}

func (d *deriver) timeItem(out []interval.MomentSpan, k key, v value.Value, n expr.Node) ([]interval.MomentSpan, bool) {
	lo, hi, ok := d.timeCuts(k.node, v, n)
	if !ok {
		return out, false
	}
	return append(out, interval.MomentSpan{Lo: lo, Hi: hi}), true
}

func (d *deriver) inTuples(x *expr.Tuple, list []expr.Node, want bool) scanRange {
	before := d.nulls
	ranges := make([]scanRange, len(list))
	for i, item := range list {
		if !d.steps() {
			return unknown()
		}
		ranges[i] = d.compareTuples(expr.Eq, x, item, true)
	}
	if !sortLong(d, ranges, compareRanges) {
		return unknown()
	}
	b := uniteRanges(ranges)
	switch {
	case want:
		return b
	case d.nulls == before && len(list) <= maxHoles:
		return b.complement()
	}
	return unknown()
}

// compareRanges orders scan ranges by their beginnings, so that their union needs no further sorting.
func compareRanges(a, b scanRange) int {
	return cmp.Or(compareStarts(a.spans, b.spans), compareStarts(a.quals, b.quals), compareStarts(a.times, b.times))
}

func compareStarts[C interval.Cut[C]](a, b interval.Set[C]) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) - len(b)
	}
	return a[0].Lo.Compare(b[0].Lo)
}

// between is the scan range of X BETWEEN Lo AND Hi, or of NOT BETWEEN if want is false.
func (d *deriver) between(n *expr.Between, want bool) scanRange {
	whole := &expr.Between{X: n.X, Lo: n.Lo, Hi: n.Hi}
	k, ok := d.key(n.X)
	if !ok {
		return d.leaf(whole, want)
	}
	lo, loOK := d.constant(n.Lo)
	hi, hiOK := d.constant(n.Hi)
	if !loOK || !hiOK || !natural(&k, lo, hi) || k.dimension != dimensionT && k.number == nil &&
		(n.Lo.Type().Kind.IsNumber() || n.Hi.Type().Kind.IsNumber()) {
		return d.leaf(whole, want)
	}
	if k.text && lo.IsString() && hi.IsString() && lo.Kind() != hi.Kind() {
		k.text = false // all three are compared as binary strings
	}
	if k.number != nil && want && !lo.IsNull() && !hi.IsNull() {
		return d.numbersBetween(&k, n, lo, hi)
	}
	ends := []scanRange{
		d.compareValue(expr.Ge, k, lo, n.Lo, want),
		d.compareValue(expr.Le, k, hi, n.Hi, want),
	}
	if want {
		return ends[0].intersect(ends[1])
	}
	return uniteRanges(ends)
}

// natural reports whether both ends are compared with the key column as values of the column's own kind.
// BETWEEN compares all three operands in one kind, so an end of another kind changes the meaning of the other
// end. Text, and doubles with integral values, count as integers only if both ends do.
func natural(k *key, lo, hi value.Value) bool {
	switch {
	case k.number != nil && k.number.whole:
		return integral(lo) && integral(hi)
	case k.number != nil:
		return numeric(lo) && numeric(hi)
	case k.dimension != dimensionT:
		return textual(lo) && textual(hi)
	}
	return whole(lo) && whole(hi) || exactNumber(lo) && exactNumber(hi)
}

func textual(v value.Value) bool { return v.IsString() || v.IsNull() }

func integral(v value.Value) bool {
	return slices.Contains([]value.Kind{value.Int, value.Uint, value.Null}, v.Kind())
}

func numeric(v value.Value) bool { return v.Kind().IsNumber() || v.IsNull() }

func whole(v value.Value) bool {
	_, ok := value.ExactInt(v)
	return ok
}

func exactNumber(v value.Value) bool {
	return slices.Contains([]value.Kind{value.Int, value.Uint, value.Decimal, value.Null}, v.Kind())
}
