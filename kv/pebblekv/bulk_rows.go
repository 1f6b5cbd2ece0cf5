package pebblekv

import (
	"cmp"
	"slices"
)

// rowSet is the rows of a bulk load: each of them while they are few, and then a
// table of bits that says of a row whether it may be one of them.
type rowSet struct {
	rows []rowID // sorted and without repetitions once settled
	bits []uint64
}

var (
	// maxExactRows bounds the rows that are known one by one.
	maxExactRows = 64 << 10
	// rowSetBits is a power of two: 8 MiB, in which one of seven rows that are
	// not in the load is taken for one of ten million that are.
	rowSetBits = 1 << 26
)

func (s *rowSet) add(id rowID) {
	if s.bits != nil {
		s.mark(id)
		return
	}
	s.rows = append(s.rows, id)
	if len(s.rows) > 2*maxExactRows {
		s.settle()
	}
}

// settle makes the set ready to be asked.
func (s *rowSet) settle() {
	if s.bits != nil {
		return
	}
	slices.SortFunc(s.rows, compareRowIDs)
	if s.rows = slices.Compact(s.rows); len(s.rows) <= maxExactRows {
		return
	}
	s.bits = make([]uint64, rowSetBits/64)
	for _, id := range s.rows {
		s.mark(id)
	}
	s.rows = nil
}

func compareRowIDs(a, b rowID) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

func (s *rowSet) mark(id rowID) {
	i := id[0] % uint64(rowSetBits)
	s.bits[i/64] |= 1 << (i % 64)
}

// exact reports whether rows are all of the set, and nothing else.
func (s *rowSet) exact() bool { return s.bits == nil }

// mayHold reports whether the row may be in the set, which is settled.
func (s *rowSet) mayHold(id rowID) bool {
	if s.bits != nil {
		i := id[0] % uint64(rowSetBits)
		return s.bits[i/64]&(1<<(i%64)) != 0
	}
	_, found := slices.BinarySearchFunc(s.rows, id, compareRowIDs)
	return found
}
