package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
)

// Selection is what PARTITION (...) names of a relation: the statement sees the
// cells of these leaves of the partitioning as if there were no others, so that
// the view picks its versions among them. It is immutable.
type Selection struct {
	scheme *partition.Scheme
	leaves []int // ascending
	// rows and slices are the ordinals of the partitions by row and of the
	// slices of time that have some of the leaves; slices is nil where there is
	// no cut by time.
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

// Holds reports whether the cell is, or would be, in a selected leaf; one that
// no leaf holds is left to the store to refuse. No Selection holds every cell.
func (s *Selection) Holds(row []byte, timestamp int64) bool {
	if s == nil {
		return true
	}
	leaf, ok := s.scheme.LocateLeaf(row, timestamp)
	_, selected := slices.BinarySearch(s.leaves, leaf)
	return selected || !ok
}

// CutsTime reports whether a column may have versions in leaves that are not
// selected.
func (s *Selection) CutsTime() bool {
	return s != nil && s.slices != nil && len(s.leaves) < len(s.rows)*s.scheme.NumSlices()
}

// Restrict makes a scan one of the selected leaves.
func (s *Selection) Restrict(scan *kv.Scan) {
	if s == nil {
		return
	}
	scan.Partitions, scan.Slices = s.rows, s.slices
	if s.slices != nil && len(s.leaves) < len(s.rows)*len(s.slices) {
		scan.Leaves = s.leaves
	}
}

// chooseSlices restricts the scan to the slices of time that its condition and
// PARTITION (...) leave.
func (s *scan) chooseSlices() {
	s.kv.Slices = s.slices(s.con, &s.kv)
}

// slices are the slices that a constraint leaves of those of a scan; nil is all
// that its Time can touch.
func (s *scan) slices(con *constrain.Constraint, of *kv.Scan) []int {
	if len(s.tables) == 0 || con.Times == nil {
		return of.Slices
	}
	var out []int
	for _, t := range con.Times {
		out = append(out, s.tables[0].Partitioning.PruneTime(t.Min, t.Max)...)
	}
	out = ascendingOnce(out)
	if of.Slices != nil {
		out = slices.DeleteFunc(out, func(i int) bool { return !slices.Contains(of.Slices, i) })
	}
	if out == nil {
		return []int{}
	}
	return out
}

// rowPartitions are the ordinals of the partitions by row that can have rows.
func (s *scan) rowPartitions() []int {
	if len(s.tables) == 0 {
		return nil
	}
	con := s.con
	if s.symbolic {
		con = s.certain
	}
	out := s.tables[0].Partitioning.Prune(con.RowRanges())
	if chosen := s.access.Selection; chosen != nil {
		out = slices.DeleteFunc(out, func(i int) bool { return !slices.Contains(chosen.rows, i) })
	}
	return out
}

// leaves are the ordinals of the leaves that can have rows, ascending.
func (s *scan) leaves() []int {
	if len(s.tables) == 0 {
		return nil
	}
	if s.measured != nil {
		return s.measured
	}
	scheme, rows := s.tables[0].Partitioning, s.rowPartitions()
	if scheme.Slices() == nil {
		return rows
	}
	times := s.sliceOrdinals()
	var out []int
	for _, row := range rows {
		for _, slice := range times {
			out = append(out, scheme.Leaf(row, slice))
		}
	}
	if chosen := s.access.Selection; chosen != nil {
		out = slices.DeleteFunc(out, func(leaf int) bool { return !slices.Contains(chosen.leaves, leaf) })
	}
	return ascendingOnce(out)
}

// sliceOrdinals are the slices of time that can have rows.
func (s *scan) sliceOrdinals() []int {
	con, scan := s.con, s.kv
	if s.symbolic {
		con, scan.Slices = s.certain, nil
		s.access.Selection.Restrict(&scan)
	}
	scheme := s.tables[0].Partitioning
	out := run(scheme.NumSlices())
	if con.Time.Bounded {
		out = scheme.PruneTime(con.Time.Min, con.Time.Max)
	}
	if chosen := s.slices(con, &scan); chosen != nil {
		out = slices.DeleteFunc(out, func(i int) bool { return !slices.Contains(chosen, i) })
	}
	return out
}

func run(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// partitionNames are the leaves by name, and a partition of which all leaves are
// there by its own: the names can stand in PARTITION (...).
func partitionNames(scheme *partition.Scheme, leaves []int) []string {
	each := scheme.NumLeaves() / scheme.NumOuter()
	var names []string
	for len(leaves) > 0 {
		outer := leaves[0] / each
		n, _ := slices.BinarySearch(leaves, (outer+1)*each)
		if n == each {
			names = append(names, scheme.OuterName(outer))
		} else {
			for _, leaf := range leaves[:n] {
				names = append(names, scheme.LeafName(leaf))
			}
		}
		leaves = leaves[n:]
	}
	return names
}
