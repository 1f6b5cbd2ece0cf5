package partition

import "slices"

// AddingSlices returns the scheme with more slices after its last one. The
// Outer field of more is ignored.
func (s *Scheme) AddingSlices(more *Slices) (*Scheme, error) {
	by := s.Slices()
	switch {
	case by == nil:
		return nil, ErrNotSliced
	case by.Max && len(more.Names) > 0:
		return nil, ErrMaxValue
	}
	return s.Sliced(&Slices{
		Names: slices.Concat(by.Names, more.Names), Upper: slices.Concat(by.Upper, more.Upper),
		Max: by.Max || more.Max, Outer: by.Outer,
	})
}

// DroppingSlices returns the scheme without the slices with the given numbers.
// The next one above each takes over its times.
func (s *Scheme) DroppingSlices(which []int) (*Scheme, error) {
	by := s.Slices()
	if by == nil {
		return nil, ErrNotSliced
	}
	next := Slices{Outer: by.Outer}
	for i, name := range by.Names {
		switch {
		case slices.Contains(which, i):
			continue
		case i < len(by.Upper):
			next.Upper = append(next.Upper, by.Upper[i])
		default:
			next.Max = true
		}
		next.Names = append(next.Names, name)
	}
	if len(next.Names) == 0 {
		return nil, ErrLastPartition
	}
	return s.Sliced(&next)
}

// ReorganizingSlices returns the scheme whose slices from first to last are
// replaced by others that cover the same times. If last is the last slice, they
// may reach further. The Outer field of into is ignored.
func (s *Scheme) ReorganizingSlices(first, last int, into *Slices) (*Scheme, error) {
	by := s.Slices()
	switch {
	case by == nil:
		return nil, ErrNotSliced
	case first < 0 || first > last || last >= len(by.Names):
		return nil, ErrNotNeighbours
	case len(into.Names) == 0:
		return nil, ErrNoPartitions
	}
	if err := into.check(); err != nil {
		return nil, err
	}
	if !by.mayEnd(last, into) {
		return nil, ErrOutside
	}
	end := min(last+1, len(by.Upper))
	return s.Sliced(&Slices{
		Names: slices.Concat(by.Names[:first], into.Names, by.Names[last+1:]),
		Upper: slices.Concat(by.Upper[:first], into.Upper, by.Upper[end:]),
		Max:   into.Max || by.Max, Outer: by.Outer,
	})
}

// mayEnd reports whether the new slices of a reorganization of the slices up to
// last may end where they do.
func (by *Slices) mayEnd(last int, into *Slices) bool {
	atEnd := last == len(by.Names)-1
	switch {
	case last == len(by.Upper): // open
		return into.Max
	case into.Max:
		return atEnd
	case atEnd:
		return into.Upper[len(into.Upper)-1] >= by.Upper[last]
	}
	return into.Upper[len(into.Upper)-1] == by.Upper[last]
}

// with returns the scheme rows with the slices of s.
func (s *Scheme) with(rows *Scheme, err error) (*Scheme, error) {
	if err != nil || s.slices == nil {
		return rows, err
	}
	return rows.Sliced(s.slices)
}
