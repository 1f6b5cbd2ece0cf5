package interval

import "slices"

// Cut is a place in an ordered dimension that lies between its points. The zero cut is before all points.
type Cut[C any] interface {
	Compare(C) int
	// last is the cut after all points.
	last() C
}

// Span is the points between two cuts.
type Span[C Cut[C]] struct{ Lo, Hi C }

// Set is sorted, disjoint, non-empty spans that do not touch each other; nil is all points, and an empty set
// that is not nil has none.
type Set[C Cut[C]] []Span[C]

// None is the set without points.
func None[C Cut[C]]() Set[C] { return Set[C]{} }

// Between is the points between two cuts.
func Between[C Cut[C]](lo, hi C) Set[C] {
	switch {
	case lo.Compare(hi) >= 0:
		return None[C]()
	case isAll(Span[C]{lo, hi}):
		return nil
	}
	return Set[C]{{lo, hi}}
}

// Below is the points before the cut.
func Below[C Cut[C]](c C) Set[C] {
	var first C
	return Between(first, c)
}

// Above is the points after the cut.
func Above[C Cut[C]](c C) Set[C] { return Between(c, c.last()) }

func isAll[C Cut[C]](s Span[C]) bool {
	var first C
	return s.Lo.Compare(first) <= 0 && s.Hi.Compare(first.last()) >= 0
}

// All reports whether the set has all points.
func (s Set[C]) All() bool { return s == nil }

// Empty reports whether the set has no point.
func (s Set[C]) Empty() bool { return s != nil && len(s) == 0 }

// Normalize makes a set of any spans; it takes ownership of the slice.
func Normalize[C Cut[C]](spans []Span[C]) Set[C] {
	spans = slices.DeleteFunc(spans, func(s Span[C]) bool { return s.Lo.Compare(s.Hi) >= 0 })
	byLow := func(a, b Span[C]) int { return a.Lo.Compare(b.Lo) }
	if !slices.IsSortedFunc(spans, byLow) {
		slices.SortFunc(spans, byLow)
	}
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.Lo.Compare(out[n-1].Hi) <= 0 {
			out[n-1].Hi = Later(out[n-1].Hi, s.Hi)
			continue
		}
		out = append(out, s)
	}
	switch {
	case len(out) == 0:
		return None[C]()
	case isAll(out[0]):
		return nil
	}
	return out
}

// Later is the greater one of two cuts.
func Later[C Cut[C]](a, b C) C {
	if a.Compare(b) >= 0 {
		return a
	}
	return b
}

// Earlier is the smaller one of two cuts.
func Earlier[C Cut[C]](a, b C) C {
	if a.Compare(b) <= 0 {
		return a
	}
	return b
}

// Intersect is the points that are in both sets.
func (s Set[C]) Intersect(o Set[C]) Set[C] {
	switch {
	case s == nil:
		return o
	case o == nil:
		return s
	}
	out := make(Set[C], 0, max(len(s), len(o)))
	for len(s) > 0 && len(o) > 0 {
		lo, hi := Later(s[0].Lo, o[0].Lo), Earlier(s[0].Hi, o[0].Hi)
		if lo.Compare(hi) < 0 {
			out = append(out, Span[C]{lo, hi})
		}
		if s[0].Hi.Compare(o[0].Hi) <= 0 {
			s = s[1:]
		} else {
			o = o[1:]
		}
	}
	return out
}

// Unite is the points of any of the sets.
func Unite[C Cut[C]](sets ...Set[C]) Set[C] {
	n := 0
	for _, s := range sets {
		if s == nil {
			return nil
		}
		n += len(s)
	}
	spans := make([]Span[C], 0, n)
	for _, s := range sets {
		spans = append(spans, s...)
	}
	return Normalize(spans)
}

// Complement is the points that are not in the set.
func (s Set[C]) Complement() Set[C] {
	if s == nil {
		return None[C]()
	}
	var from C
	out := make(Set[C], 0, len(s)+1)
	for _, each := range s {
		if from.Compare(each.Lo) < 0 {
			out = append(out, Span[C]{from, each.Lo})
		}
		from = each.Hi
	}
	if end := from.last(); from.Compare(end) < 0 {
		out = append(out, Span[C]{from, end})
	}
	if len(s) == 0 {
		return nil
	}
	return out
}

// Within reports whether all points of s are in o.
func (s Set[C]) Within(o Set[C]) bool {
	switch {
	case o == nil:
		return true
	case s == nil:
		return false
	}
	for _, each := range s {
		for len(o) > 0 && o[0].Hi.Compare(each.Hi) < 0 {
			o = o[1:]
		}
		if len(o) == 0 || o[0].Lo.Compare(each.Lo) > 0 {
			return false
		}
	}
	return true
}

// Equal reports whether both sets have the same points.
func (s Set[C]) Equal(o Set[C]) bool {
	return (s == nil) == (o == nil) && slices.EqualFunc(s, o, func(a, b Span[C]) bool {
		return a.Lo.Compare(b.Lo) == 0 && a.Hi.Compare(b.Hi) == 0
	})
}

// Hull is the smallest span that contains the set, which must not be empty.
func (s Set[C]) Hull() Set[C] {
	if len(s) < 2 {
		return s
	}
	return Between(s[0].Lo, s[len(s)-1].Hi)
}
