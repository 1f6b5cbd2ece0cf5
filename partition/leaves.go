package partition

// TwoLevels reports whether the partitions have subpartitions: the table is
// partitioned both by row and by time.
func (s *Scheme) TwoLevels() bool { return s.Slices() != nil && s.Method() != None }

// Partitioned reports whether the table is partitioned at all, by row or by time.
func (s *Scheme) Partitioned() bool { return s.Slices() != nil || s.Method() != None }

// NumOuter returns the number of partitions of the first level, at least 1.
func (s *Scheme) NumOuter() int {
	if by := s.Slices(); by != nil && (by.Outer || s.Method() == None) {
		return len(by.Names)
	}
	return s.Len()
}

// OuterName returns the name of partition i of the first level.
func (s *Scheme) OuterName(i int) string {
	if by := s.Slices(); by != nil && (by.Outer || s.Method() == None) {
		return by.Names[i]
	}
	return s.Name(i)
}

// LocateLeaf returns the leaf of a cell. It returns false if no leaf can hold
// the cell.
func (s *Scheme) LocateLeaf(row []byte, ts int64) (int, bool) {
	i, ok := s.Locate(row)
	slice, in := s.Slice(ts)
	if !ok || !in {
		return 0, false
	}
	return s.Leaf(i, slice), true
}

// LeavesOf returns the leaves, ascending, of the first-level partition with this
// name, or the single leaf with this name. Names are case-insensitive.
func (s *Scheme) LeavesOf(name string) ([]int, bool) {
	at, ok := s.Ordinal, s.Method() != None
	if by := s.Slices(); by != nil && (by.Outer || !ok) {
		at, ok = s.SliceOrdinal, true
	}
	if !ok {
		return nil, false
	}
	each := s.NumLeaves() / s.NumOuter()
	if i, ok := at(name); ok {
		return run(i*each, each), true
	}
	if leaf, ok := s.LeafOrdinal(name); ok {
		return []int{leaf}, true
	}
	return nil, false
}

// LeavesBelow returns the leaves, ascending, that have this name in the second
// level, one in each partition of the first, or the single leaf with this name.
// Names are case-insensitive.
func (s *Scheme) LeavesBelow(name string) ([]int, bool) {
	if !s.TwoLevels() {
		return nil, false
	}
	if !s.slices.Outer {
		if slice, ok := s.SliceOrdinal(name); ok {
			return s.LeavesIn(slice), true
		}
	} else if row, ok := s.Ordinal(name); ok {
		var out []int
		for slice := range s.NumSlices() {
			out = append(out, s.Leaf(row, slice))
		}
		return out, true
	}
	if leaf, ok := s.LeafOrdinal(name); ok {
		return []int{leaf}, true
	}
	return nil, false
}

// LeavesIn returns the leaves of a slice, ascending.
func (s *Scheme) LeavesIn(slice int) []int {
	out := make([]int, s.Len())
	for row := range out {
		out[row] = s.Leaf(row, slice)
	}
	return out
}

func run(from, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = from + i
	}
	return out
}
