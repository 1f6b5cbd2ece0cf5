package keyspace

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// ID names a key space: a part of the store that holds cells of one table. It is
// never used again once given up.
type ID uint32

// Layout is where a table keeps its cells. One in a catalog is immutable.
type Layout struct {
	// Spaces are the key spaces of the partitioning's leaves, in their order: of the
	// partitions, where they are not cut by time. Within one slice of time, Range
	// partitions may share one.
	Spaces []ID `json:"spaces"`
	// AutoSplits are the bounds of RANGE partitions that the store has put in by
	// itself, ascending, and may take out again.
	AutoSplits [][]byte `json:"auto_splits,omitempty"`

	// givenUp is what the change under way gives up in key spaces that may still be
	// in use.
	givenUp []Extent
}

// Of is the table's layout.
func Of(t *kv.Table) *Layout { return t.Layout.(*Layout) }

// Space is the key space of a partition in a slice of time, which is 0 where the
// table is not cut by time.
func Space(t *kv.Table, row, slice int) ID {
	return t.Layout.(*Layout).Spaces[t.Partitioning.Leaf(row, slice)]
}

// SpacesOf are the key spaces of some leaves.
func (l *Layout) SpacesOf(leaves []int) []ID {
	out := make([]ID, len(leaves))
	for i, leaf := range leaves {
		out[i] = l.Spaces[leaf]
	}
	return out
}

// SplitByItself reports whether the store has put in a bound by itself.
func (l *Layout) SplitByItself(bound []byte) bool { return containsRow(l.AutoSplits, bound) }

func containsRow(rows [][]byte, row []byte) bool {
	return slices.ContainsFunc(rows, func(each []byte) bool { return bytes.Equal(each, row) })
}

// standing are those of some bounds that a partitioning has.
func standing(bounds [][]byte, s *partition.Scheme) (out [][]byte) {
	for i := range s.Len() {
		if end := s.Bounds(i).End; end != nil && containsRow(bounds, end) {
			out = append(out, end)
		}
	}
	return out
}

// Extent is the cells of a range of rows in one key space; of the whole space
// where the range is everything.
type Extent struct {
	Space ID                 `json:"space"`
	Rows  partition.RowRange `json:"rows"`
}

// ExtentOf is where a leaf of the table's partitioning keeps its cells.
func ExtentOf(t *kv.Table, leaf int) Extent {
	row, _ := t.Partitioning.LeafAt(leaf)
	return Extent{Space: Of(t).Spaces[leaf], Rows: t.Partitioning.Bounds(row)}
}

// shares reports whether a leaf keeps its cells in a key space that others use
// too.
func (l *Layout) shares(leaf int) bool {
	for other, id := range l.Spaces {
		if other != leaf && id == l.Spaces[leaf] {
			return true
		}
	}
	return false
}
