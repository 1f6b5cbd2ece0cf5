package pruning

import (
	"slices"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
)

// Partitions are the partitions of a table in which a scan may find rows.
type Partitions struct {
	Scheme *partition.Scheme
	// Con restricts the table by the condition, Selection by PARTITION (...), if not nil.
	Con       *constrain.Constraint
	Selection *Selection
	// Slices are the ordinals of the time slices to which the scan is restricted; nil are all that Con
	// leaves.
	Slices []int
}

// Rows are the ordinals of the partitions by row.
func (p *Partitions) Rows() []int {
	return p.Selection.restrictRows(p.Scheme.Prune(p.Con.RowRanges()))
}

// Restricted are the slices that the condition leaves of those to which the scan is restricted; nil is all
// that its time bounds can touch.
func (p *Partitions) Restricted() []int {
	if p.Con.Times == nil {
		return p.Slices
	}
	out := []int{}
	for _, t := range p.Con.Times {
		out = append(out, p.Scheme.PruneTime(t.Min, t.Max)...)
	}
	out = ascendingOnce(out)
	if p.Slices != nil {
		out = slices.DeleteFunc(out, func(i int) bool { return !slices.Contains(p.Slices, i) })
	}
	return out
}

// Times are the ordinals of the time slices.
func (p *Partitions) Times() []int {
	out := run(p.Scheme.NumSlices())
	if p.Con.Time.Bounded {
		out = p.Scheme.PruneTime(p.Con.Time.Min, p.Con.Time.Max)
	}
	if chosen := p.Restricted(); chosen != nil {
		out = slices.DeleteFunc(out, func(i int) bool { return !slices.Contains(chosen, i) })
	}
	return out
}

// Leaves are the ordinals of the leaves, ascending.
func (p *Partitions) Leaves() []int {
	rows := p.Rows()
	if p.Scheme.Slices() == nil {
		return rows
	}
	times := p.Times()
	var out []int
	for _, row := range rows {
		for _, slice := range times {
			out = append(out, p.Scheme.Leaf(row, slice))
		}
	}
	return ascendingOnce(p.Selection.restrictLeaves(out))
}

func run(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Names are the names of the leaves; a partition with all its leaves is named instead of these: the names can
// be used in PARTITION (...).
func Names(scheme *partition.Scheme, leaves []int) []string {
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
