package constrain

import "slices"

// cut is a place in an ordered dimension that lies between its points. The
// zero cut is before all points.
type cut[C any] interface {
	compare(C) int
	// last is the cut behind all points.
	last() C
}

// span is the points between two cuts.
type span[C cut[C]] struct{ lo, hi C }

// set is sorted, disjoint, non-empty spans that do not touch each other; nil
// is all points, and an empty set that is not nil has none.
type set[C cut[C]] []span[C]

func none[C cut[C]]() set[C] { return set[C]{} }

// between is the points between two cuts.
func between[C cut[C]](lo, hi C) set[C] {
	switch {
	case lo.compare(hi) >= 0:
		return none[C]()
	case isAll(span[C]{lo, hi}):
		return nil
	}
	return set[C]{{lo, hi}}
}

// below is the points before the cut.
func below[C cut[C]](c C) set[C] {
	var first C
	return between(first, c)
}

// above is the points behind the cut.
func above[C cut[C]](c C) set[C] { return between(c, c.last()) }

func isAll[C cut[C]](s span[C]) bool {
	var first C
	return s.lo.compare(first) <= 0 && s.hi.compare(first.last()) >= 0
}

func (s set[C]) all() bool { return s == nil }

func (s set[C]) empty() bool { return s != nil && len(s) == 0 }

// normalize makes a set of any spans; it takes the slice over.
func normalize[C cut[C]](spans []span[C]) set[C] {
	spans = slices.DeleteFunc(spans, func(s span[C]) bool { return s.lo.compare(s.hi) >= 0 })
	byLow := func(a, b span[C]) int { return a.lo.compare(b.lo) }
	if !slices.IsSortedFunc(spans, byLow) {
		slices.SortFunc(spans, byLow)
	}
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.lo.compare(out[n-1].hi) <= 0 {
			out[n-1].hi = later(out[n-1].hi, s.hi)
			continue
		}
		out = append(out, s)
	}
	switch {
	case len(out) == 0:
		return none[C]()
	case isAll(out[0]):
		return nil
	}
	return out
}

func later[C cut[C]](a, b C) C {
	if a.compare(b) >= 0 {
		return a
	}
	return b
}

func earlier[C cut[C]](a, b C) C {
	if a.compare(b) <= 0 {
		return a
	}
	return b
}

func (s set[C]) intersect(o set[C]) set[C] {
	switch {
	case s == nil:
		return o
	case o == nil:
		return s
	}
	out := make(set[C], 0, max(len(s), len(o)))
	for len(s) > 0 && len(o) > 0 {
		lo, hi := later(s[0].lo, o[0].lo), earlier(s[0].hi, o[0].hi)
		if lo.compare(hi) < 0 {
			out = append(out, span[C]{lo, hi})
		}
		if s[0].hi.compare(o[0].hi) <= 0 {
			s = s[1:]
		} else {
			o = o[1:]
		}
	}
	return out
}

// unite is the points of any of the sets.
func unite[C cut[C]](sets ...set[C]) set[C] {
	n := 0
	for _, s := range sets {
		if s == nil {
			return nil
		}
		n += len(s)
	}
	spans := make([]span[C], 0, n)
	for _, s := range sets {
		spans = append(spans, s...)
	}
	return normalize(spans)
}

// complement is the points that are not in the set.
func (s set[C]) complement() set[C] {
	if s == nil {
		return none[C]()
	}
	var from C
	out := make(set[C], 0, len(s)+1)
	for _, each := range s {
		if from.compare(each.lo) < 0 {
			out = append(out, span[C]{from, each.lo})
		}
		from = each.hi
	}
	if end := from.last(); from.compare(end) < 0 {
		out = append(out, span[C]{from, end})
	}
	if len(s) == 0 {
		return nil
	}
	return out
}

// within reports whether all points of s are in o.
func (s set[C]) within(o set[C]) bool {
	switch {
	case o == nil:
		return true
	case s == nil:
		return false
	}
	for _, each := range s {
		for len(o) > 0 && o[0].hi.compare(each.hi) < 0 {
			o = o[1:]
		}
		if len(o) == 0 || o[0].lo.compare(each.lo) > 0 {
			return false
		}
	}
	return true
}

// equal reports whether both sets have the same points.
func (s set[C]) equal(o set[C]) bool {
	return (s == nil) == (o == nil) && slices.EqualFunc(s, o, func(a, b span[C]) bool {
		return a.lo.compare(b.lo) == 0 && a.hi.compare(b.hi) == 0
	})
}

// hull is the smallest span that holds the set, which is not empty.
func (s set[C]) hull() set[C] {
	if len(s) < 2 {
		return s
	}
	return between(s[0].lo, s[len(s)-1].hi)
}
