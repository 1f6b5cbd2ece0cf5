package rowmem

// Slab allocates items, several at a time. It does not refer to allocated items: the garbage
// collector frees a group of them once none is referenced. Items must not refer to earlier ones, or
// none would be freed. The zero Slab is ready to use.
type Slab[T any] struct {
	free []T
	made int // groups of the size last requested that were allocated at once
}

// slabMost is the greatest number of items that are allocated at once.
const slabMost = 64

// Next allocates one item.
func (s *Slab[T]) Next() *T { return &s.Cut(1)[0] }

// Cut allocates n adjacent items.
func (s *Slab[T]) Cut(n int) []T {
	if len(s.free) < n {
		s.made = min(max(1, 4*s.made), slabMost)
		s.free = make([]T, s.made*n)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}
