package rowmem

// Slab gives room for things of which there may be many, made for several at a time. It
// keeps none of what it has given: the collector frees these when nobody has any of them.
// Such things must not refer to others made before them, or all would stay.
// The zero Slab is ready.
type Slab[T any] struct {
	free []T
	made int // at a time, of what was asked for last
}

// slabMost is for how many things room is made at once.
const slabMost = 64

// Next is room for one.
func (s *Slab[T]) Next() *T { return &s.Cut(1)[0] }

// Cut is room for n side by side.
func (s *Slab[T]) Cut(n int) []T {
	if len(s.free) < n {
		s.made = min(max(1, 4*s.made), slabMost)
		s.free = make([]T, s.made*n)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}
