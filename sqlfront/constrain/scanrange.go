package constrain

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
)

// scanRange has all rows for which a condition is true: those that are in its sets of all four dimensions. It
// is exact if it has no other rows.
type scanRange struct {
	spans    interval.Places
	quals    interval.Texts
	times    interval.Moments
	families []bool // by ordinal; nil is all
	exact    bool
}

// everything is the scan range of a condition that is always true.
func everything() scanRange { return scanRange{exact: true} }

// unknown is the scan range of a condition that only the filter can decide.
func unknown() scanRange { return scanRange{} }

// nothing is the scan range of a condition that is never true.
func nothing() scanRange { return scanRange{spans: interval.None[interval.Place](), exact: true} }

// always is everything for true, else nothing.
func always(truth bool) scanRange {
	if truth {
		return everything()
	}
	return nothing()
}

func (b *scanRange) empty() bool {
	return b.spans.Empty() || b.quals.Empty() || b.times.Empty() ||
		b.families != nil && !slices.Contains(b.families, true)
}

func (b *scanRange) unrestricted() bool {
	return b.spans.All() && b.quals.All() && b.times.All() && b.families == nil
}

// intersect is exact if both scan ranges are, or if nothing is left.
func (b scanRange) intersect(o scanRange) scanRange {
	out := scanRange{
		spans:    b.spans.Intersect(o.spans),
		quals:    b.quals.Intersect(o.quals),
		times:    b.times.Intersect(o.times),
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

// complement has the rows that are not in an exact scan range.
func (b scanRange) complement() scanRange {
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
	case !b.quals.All():
		return scanRange{quals: b.quals.Complement(), exact: true}
	case !b.times.All():
		return scanRange{times: b.times.Complement(), exact: true}
	case b.families != nil:
		out := slices.Clone(b.families)
		for i := range out {
			out[i] = !out[i]
		}
		return scanRange{families: out, exact: true}
	}
	return scanRange{spans: b.spans.Complement(), exact: true}
}

// restricted is the number of dimensions with a restriction.
func (b *scanRange) restricted() int {
	return differences{!b.spans.All(), !b.quals.All(), !b.times.All(), b.families != nil}.count()
}

// within reports whether each dimension of b is within that of o; families are always exact in b.
func (b *scanRange) within(o *scanRange) bool {
	return b.spans.Within(o.spans) && b.quals.Within(o.quals) && b.times.Within(o.times) &&
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
