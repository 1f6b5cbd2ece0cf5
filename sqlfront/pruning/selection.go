package pruning

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// Selection is what PARTITION (...) selects of a relation: the statement sees the cells of these leaves of
// the partitioning as if there were no others; the view picks its versions among them. It is immutable.
type Selection struct {
	scheme *partition.Scheme
	leaves []int // ascending
	// rows and slices are the ordinals of the partitions by row and of the time slices with some of the
	// leaves; slices is nil without partitions by time.
	rows, slices []int
}

// NewSelection is the selection of some leaves of a partitioning.
func NewSelection(scheme *partition.Scheme, leaves []int) *Selection {
	s := &Selection{scheme: scheme, leaves: ascendingOnce(leaves)}
	for _, leaf := range s.leaves {
		row, slice := s.scheme.LeafAt(leaf)
		s.rows, s.slices = append(s.rows, row), append(s.slices, slice)
	}
	s.rows, s.slices = ascendingOnce(s.rows), ascendingOnce(s.slices)
	if s.scheme.Slices() == nil {
		s.slices = nil
	}
	return s
}

func ascendingOnce(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// Holds reports whether the cell is, or would be, in a selected leaf; one that belongs to no leaf is left to
// the store to refuse. A nil Selection holds every cell.
func (s *Selection) Holds(row []byte, timestamp int64) bool {
	if s == nil {
		return true
	}
	leaf, ok := s.scheme.LocateLeaf(row, timestamp)
	_, selected := slices.BinarySearch(s.leaves, leaf)
	return selected || !ok
}

// CutsTime reports whether a column may have versions in leaves that are not selected.
func (s *Selection) CutsTime() bool {
	return s != nil && s.slices != nil && len(s.leaves) < len(s.rows)*s.scheme.NumSlices()
}

// Restrict restricts a scan to the selected leaves.
func (s *Selection) Restrict(scan *kv.Scan) {
	if s == nil {
		return
	}
	scan.Partitions, scan.Slices = s.rows, s.slices
	if s.slices != nil && len(s.leaves) < len(s.rows)*len(s.slices) {
		scan.Leaves = s.leaves
	}
}

// restrictRows are the selected ones of some partitions by row.
func (s *Selection) restrictRows(rows []int) []int {
	if s == nil {
		return rows
	}
	return slices.DeleteFunc(rows, func(i int) bool { return !slices.Contains(s.rows, i) })
}

// restrictLeaves are the selected ones of some leaves.
func (s *Selection) restrictLeaves(leaves []int) []int {
	if s == nil {
		return leaves
	}
	return slices.DeleteFunc(leaves, func(i int) bool { return !slices.Contains(s.leaves, i) })
}
