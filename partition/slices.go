package partition

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Slices partition a table by time, in addition to the partitioning by row: slice i holds the timestamps
// whose magnitude |t| is below its upper bound and not below that of the slice before it. A Scheme with
// slices is a matrix of leaves, one for each combination of a partition and a slice. (OceanBase's HBase model
// declares slices over a generated column ABS(T).)
type Slices struct {
	Names []string
	// Upper are the upper bounds, exclusive and strictly increasing: one for each name, except for an open
	// last slice (Max).
	Upper []int64
	Max   bool // the last slice ends at MAXVALUE
	// Outer makes the slices the first level and the partitions by row the second one.
	Outer bool
}

// The errors of slices.
var (
	ErrNotSliced = errors.New("the table is not partitioned by time")
	errBounds    = errors.New("each slice except an open last one needs an upper bound")
)

// Sliced returns the scheme with these slices in place of its own. nil removes its slices.
func (s *Scheme) Sliced(by *Slices) (*Scheme, error) {
	next := *s.orNone()
	next.slices = nil
	if by == nil {
		return &next, nil
	}
	if err := by.check(); err != nil {
		return nil, err
	}
	if len(by.Names)*next.Len() > MaxPartitions {
		return nil, ErrTooMany
	}
	copied := by.clone()
	next.slices = &copied
	return &next, next.checkLeafNames()
}

func (by *Slices) check() error {
	bounded := len(by.Names)
	if by.Max {
		bounded--
	}
	switch {
	case len(by.Names) == 0:
		return ErrNoPartitions
	case len(by.Names) > MaxPartitions:
		return ErrTooMany
	case len(by.Upper) != bounded:
		return errBounds
	}
	for i := 1; i < len(by.Upper); i++ {
		if by.Upper[i] <= by.Upper[i-1] {
			return ErrNotIncreasing
		}
	}
	return checkNames(by.Names)
}

func (by *Slices) clone() Slices {
	return Slices{Names: slices.Clone(by.Names), Upper: slices.Clone(by.Upper), Max: by.Max, Outer: by.Outer}
}

func (by *Slices) equal(o *Slices) bool {
	if by == nil || o == nil {
		return by == o
	}
	return slices.EqualFunc(by.Names, o.Names, strings.EqualFold) && slices.Equal(by.Upper, o.Upper) &&
		by.Max == o.Max && by.Outer == o.Outer
}

// checkLeafNames requires that no name occurs in both levels: a name stands for one partition or leaf.
func (s *Scheme) checkLeafNames() error {
	if s.Method() == None {
		return nil // the slices' names are the leaves'
	}
	names := make([]string, 0, s.NumLeaves()+s.NumSlices())
	for i := range s.NumLeaves() {
		names = append(names, s.LeafName(i))
	}
	if s.slices.Outer {
		return checkNames(append(names, s.slices.Names...))
	}
	for i := range s.Len() {
		names = append(names, s.Name(i))
	}
	return checkNames(names)
}

// Slices returns the scheme's slices, or nil if it has none. They must not be changed.
func (s *Scheme) Slices() *Slices {
	if s == nil {
		return nil
	}
	return s.slices
}

// NumSlices returns the number of slices, at least 1: a scheme without slices keeps all times together.
func (s *Scheme) NumSlices() int {
	if by := s.Slices(); by != nil {
		return len(by.Names)
	}
	return 1
}

// Slice returns the slice of a timestamp. It returns false if no slice holds it; the smallest int64 is in
// none, because its magnitude is not an int64.
func (s *Scheme) Slice(ts int64) (int, bool) {
	by := s.Slices()
	if by == nil {
		return 0, true
	}
	if ts < 0 {
		if ts == math.MinInt64 {
			return 0, false
		}
		ts = -ts
	}
	i := by.firstAbove(ts)
	return i, i < len(by.Names)
}

// firstAbove returns the first slice whose upper bound is above the magnitude. An open slice is above
// everything.
func (by *Slices) firstAbove(magnitude int64) int {
	return sort.Search(len(by.Upper), func(i int) bool { return by.Upper[i] > magnitude })
}

// SliceBounds returns the magnitudes that slice i holds: at least lower and, unless the slice is open, below
// upper. Without slices it is everything.
func (s *Scheme) SliceBounds(i int) (lower, upper int64, open bool) {
	by := s.Slices()
	if by == nil {
		return 0, 0, true
	}
	if i > 0 {
		lower = max(0, by.Upper[i-1])
	}
	if i == len(by.Upper) {
		return lower, 0, true
	}
	return lower, by.Upper[i], false
}

// PruneTime returns the slices, ascending, that may hold timestamps from min to max, inclusive.
func (s *Scheme) PruneTime(min, max int64) []int {
	if min > max {
		return nil
	}
	by := s.Slices()
	if by == nil {
		return []int{0}
	}
	low, high, some := magnitudes(min, max)
	if !some {
		return nil
	}
	var out []int
	for i := by.firstAbove(low); i < len(by.Names); i++ {
		if i > 0 && by.Upper[i-1] > high {
			break
		}
		out = append(out, i)
	}
	return out
}

// magnitudes returns the smallest and the largest magnitude between two timestamps, or false if none of them
// is an int64.
func magnitudes(min, max int64) (low, high int64, some bool) {
	if max == math.MinInt64 {
		return 0, 0, false
	}
	if min == math.MinInt64 {
		min++
	}
	switch {
	case min >= 0:
		return min, max, true
	case max <= 0:
		return -max, -min, true
	case -min > max:
		return 0, -min, true
	}
	return 0, max, true
}

// NumLeaves returns the number of leaves: the number of partitions times the number of slices.
func (s *Scheme) NumLeaves() int { return s.Len() * s.NumSlices() }

// Leaf returns the number of the leaf of a partition and a slice. Leaves are in MySQL's listing order: all of
// the first partition of the first level, then all of the second, and so on.
func (s *Scheme) Leaf(row, slice int) int {
	by := s.Slices()
	switch {
	case by == nil:
		return row
	case by.Outer:
		return slice*s.Len() + row
	}
	return row*len(by.Names) + slice
}

// Place returns the leaf that holds a timestamp of a row, or false if none does.
func (s *Scheme) Place(row []byte, ts int64) (leaf int, ok bool) {
	i, ok := s.Locate(row)
	if !ok || s == nil || s.slices == nil {
		return i, ok
	}
	slice, ok := s.Slice(ts)
	return s.Leaf(i, slice), ok
}

// LeafKey returns a key that identifies a leaf by its name and its bounds. It stays the same while the leaf
// does, whatever happens to the other leaves.
func (s *Scheme) LeafKey(leaf int) string {
	row, slice := s.LeafAt(leaf)
	bounds := s.Bounds(row)
	var key []byte
	for _, part := range [][]byte{[]byte(s.LeafName(leaf)), bounds.Start, bounds.End} {
		key = strconv.AppendQuote(append(key, ' '), string(part))
	}
	from, to, _ := s.SliceBounds(slice)
	return string(strconv.AppendInt(strconv.AppendInt(append(key, ' '), from, 10), to, 10))
}

// LeafAt returns the partition and the slice of a leaf.
func (s *Scheme) LeafAt(leaf int) (row, slice int) {
	by := s.Slices()
	switch {
	case by == nil:
		return leaf, 0
	case by.Outer:
		return leaf % s.Len(), leaf / s.Len()
	}
	return leaf / len(by.Names), leaf % len(by.Names)
}

// LeafName returns the name of a leaf: without slices the name of the partition, with only slices the name of
// the slice. Below an outer slice it is MySQL's default for subpartitions, p0sp0. A slice s0 below the
// partition p0 is p0ss0, as OceanBase names it.
func (s *Scheme) LeafName(leaf int) string {
	by := s.Slices()
	row, slice := s.LeafAt(leaf)
	switch {
	case by == nil:
		return s.Name(row)
	case s.Method() == None:
		return by.Names[slice]
	case by.Outer:
		return by.Names[slice] + "sp" + strconv.Itoa(row)
	}
	return s.Name(row) + "s" + by.Names[slice]
}

// LeafOrdinal returns the number of the leaf with this name, which is case-insensitive.
func (s *Scheme) LeafOrdinal(name string) (int, bool) {
	if s.Slices() == nil {
		return s.Ordinal(name)
	}
	for i := range s.NumLeaves() {
		if strings.EqualFold(s.LeafName(i), name) {
			return i, true
		}
	}
	return 0, false
}

// SliceOrdinal returns the number of the slice with this name, which is case-insensitive.
func (s *Scheme) SliceOrdinal(name string) (int, bool) {
	if by := s.Slices(); by != nil {
		for i, each := range by.Names {
			if strings.EqualFold(each, name) {
				return i, true
			}
		}
	}
	return 0, false
}

// RowsEqual reports whether both schemes partition the rows in the same way, regardless of names and slices.
func (s *Scheme) RowsEqual(o *Scheme) bool {
	s, o = s.orNone(), o.orNone()
	if s.method != o.method || s.Len() != o.Len() || s.prefix != o.prefix {
		return false
	}
	return equalBounds(s.upper, o.upper)
}

// storedSlices are Slices as stored in the catalog. It is an on-disk format.
type storedSlices struct {
	Names []string `json:"names"`
	Upper []int64  `json:"upper,omitempty"`
	Max   bool     `json:"max,omitempty"`
	Outer bool     `json:"outer,omitempty"`
}

func (by *Slices) stored() *storedSlices {
	if by == nil {
		return nil
	}
	return &storedSlices{by.Names, by.Upper, by.Max, by.Outer}
}

// cut returns a scheme with the stored slices.
func (in *storedSlices) cut(s *Scheme, err error) (*Scheme, error) {
	if err != nil || in == nil {
		return s, err
	}
	next, err := s.Sliced(&Slices{in.Names, in.Upper, in.Max, in.Outer})
	if err != nil {
		return nil, fmt.Errorf("slices: %w", err)
	}
	return next, nil
}
