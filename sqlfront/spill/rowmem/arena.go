package rowmem

import (
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Sizes of an arena's slabs, in values and in bytes.
const (
	slabValues = 1024
	slabBytes  = 64 << 10
)

// Arena keeps copies of rows in few allocations. A copy stays valid until Reset; its slab is freed
// when no copy in it is referenced any more.
type Arena struct {
	values slabs[value.Value]
	bytes  slabs[byte]
}

// slabs are pieces of memory from which items are allocated.
type slabs[T any] struct {
	all   [][]T // all but the last are used up
	now   int
	taken int // room in all of them
}

// cut allocates n items, which are not cleared.
func (s *slabs[T]) cut(n, most int) []T {
	for s.now < len(s.all) && cap(s.all[s.now])-len(s.all[s.now]) < n {
		s.now++
	}
	if s.now == len(s.all) {
		size := 64
		if s.now > 0 {
			size = 4 * cap(s.all[s.now-1])
		}
		size = max(n, min(most, size))
		s.all, s.taken = append(s.all, make([]T, 0, size)), s.taken+size
	}
	slab := &s.all[s.now]
	start := len(*slab)
	*slab = (*slab)[:start+n]
	return (*slab)[start : start : start+n]
}

func (s *slabs[T]) reset() {
	for i := range s.all {
		clear(s.all[i]) // drops references to large values
		s.all[i] = s.all[i][:0]
	}
	s.now = 0
}

// Clone copies a row and its bytes.
func (a *Arena) Clone(row []value.Value) []value.Value {
	out := a.values.cut(len(row), slabValues)
	for _, v := range row {
		out = append(out, a.keep(v))
	}
	return out
}

// keep copies one value's bytes.
func (a *Arena) keep(v value.Value) value.Value {
	n := len(v.Raw())
	if n == 0 {
		return v
	}
	if n > slabBytes/4 {
		return v.Clone()
	}
	v, _ = v.AppendClone(a.bytes.cut(n, slabBytes))
	return v
}

// Size is the memory of the arena, in bytes, without that of large values.
func (a *Arena) Size() int { return a.values.taken*int(unsafe.Sizeof(value.Value{})) + a.bytes.taken }

// Reset drops all copies and reuses their memory.
func (a *Arena) Reset() {
	a.values.reset()
	a.bytes.reset()
}
