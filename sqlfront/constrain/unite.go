package constrain

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
)

// uniteRanges is the union of the scan ranges. It overwrites the slice.
func uniteRanges(ranges []scanRange) scanRange {
	exact := true
	kept := ranges[:0]
	for _, b := range ranges {
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

// uniteKept unites two or more scan ranges that are not empty; the result is exact if nothing was lost.
func uniteKept(ranges []scanRange) scanRange {
	d := differ(ranges)
	if d.count() > 1 {
		ranges = apart(ranges)
		d = differ(ranges)
	}
	if d.count() > 1 && !d.families {
		if flat, ok := flattenAll(ranges, d); ok {
			ranges, d = flat, differ(flat)
		}
	}
	out := ranges[0]
	if d.spans {
		out.spans = uniteBy(ranges, func(b *scanRange) interval.Places { return b.spans })
	}
	if d.quals {
		out.quals = uniteBy(ranges, func(b *scanRange) interval.Texts { return b.quals })
	}
	if d.times {
		out.times = uniteBy(ranges, func(b *scanRange) interval.Moments { return b.times })
	}
	if d.families {
		out.families = uniteFamilies(ranges)
	}
	out.exact = d.count() <= 1
	return out
}

// apart unites the scan ranges that restrict key spans only, and removes their spans from the others,
// which leaves fewer of those to convert to spans.
func apart(ranges []scanRange) []scanRange {
	var whole []interval.Places
	var rest []scanRange
	for _, b := range ranges {
		if b.quals.All() && b.times.All() && b.families == nil {
			whole = append(whole, b.spans)
		} else {
			rest = append(rest, b)
		}
	}
	if whole == nil {
		return ranges
	}
	out := []scanRange{{spans: interval.Unite(whole...), exact: true}}
	others := out[0].spans.Complement()
	for _, b := range rest {
		if b = b.intersect(scanRange{spans: others, exact: true}); !b.empty() {
			out = append(out, b)
		}
	}
	return out
}

func uniteBy[C interval.Cut[C]](ranges []scanRange, dimension func(*scanRange) interval.Set[C]) interval.Set[C] {
	sets := make([]interval.Set[C], len(ranges))
	for i := range ranges {
		sets[i] = dimension(&ranges[i])
	}
	return interval.Unite(sets...)
}

func uniteFamilies(ranges []scanRange) []bool {
	out := ranges[0].families
	for _, b := range ranges[1:] {
		if out == nil || b.families == nil {
			return nil
		}
		out = combineFamilies(out, b.families, func(x, y bool) bool { return x || y })
	}
	return out
}

// differences says in which dimensions scan ranges differ.
type differences struct{ spans, quals, times, families bool }

func differ(ranges []scanRange) differences {
	var d differences
	first := &ranges[0]
	for i := range ranges[1:] {
		b := &ranges[i+1]
		d.spans = d.spans || !b.spans.Equal(first.spans)
		d.quals = d.quals || !b.quals.Equal(first.quals)
		d.times = d.times || !b.times.Equal(first.times)
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
