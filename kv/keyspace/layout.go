package keyspace

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// ID identifies a key space: a part of the store with cells of one table. A dropped
// ID is never used again.
type ID uint32

// Layout says where a table keeps its cells. A Layout in a catalog is immutable.
type Layout struct {
	// Spaces are the key spaces of the partitioning's leaves, in order: of the
	// partitions, if there are no slices of time. Within one slice, RANGE partitions
	// may share a space.
	Spaces []ID `json:"spaces"`
	// AutoSplits are the bounds of RANGE partitions that the store has added by
	// itself, ascending, and may remove again.
	AutoSplits [][]byte `json:"auto_splits,omitempty"`

	// givenUp is what the current change drops from key spaces that may still be in use.
	givenUp []Extent
}

// Of returns the table's layout.
func Of(t *kv.Table) *Layout { return t.Layout.(*Layout) }

// Space returns the key space of a partition in a slice of time; slice is 0 if
// the table has none.
func Space(t *kv.Table, row, slice int) ID {
	return t.Layout.(*Layout).Spaces[t.Partitioning.Leaf(row, slice)]
}

// SpacesOf returns the key spaces of some leaves.
func (l *Layout) SpacesOf(leaves []int) []ID {
	out := make([]ID, len(leaves))
	for i, leaf := range leaves {
		out[i] = l.Spaces[leaf]
	}
	return out
}

// SplitByItself reports whether the store has added a bound by itself.
func (l *Layout) SplitByItself(bound []byte) bool { return containsRow(l.AutoSplits, bound) }

func containsRow(rows [][]byte, row []byte) bool {
	return slices.ContainsFunc(rows, func(each []byte) bool { return bytes.Equal(each, row) })
}

// standing returns those of some bounds that a partitioning has.
func standing(bounds [][]byte, s *partition.Scheme) (out [][]byte) {
	for i := range s.Len() {
		if end := s.Bounds(i).End; end != nil && containsRow(bounds, end) {
			out = append(out, end)
		}
	}
	return out
}

// Extent is the cells of a range of rows in one key space, or of the whole
// space if the range is everything.
type Extent struct {
	Space ID                 `json:"space"`
	Rows  partition.RowRange `json:"rows"`
}

// ExtentOf returns where a leaf of the table's partitioning keeps its cells.
func ExtentOf(t *kv.Table, leaf int) Extent {
	row, _ := t.Partitioning.LeafAt(leaf)
	return Extent{Space: Of(t).Spaces[leaf], Rows: t.Partitioning.Bounds(row)}
}

// shares reports whether a leaf shares its key space with others.
func (l *Layout) shares(leaf int) bool {
	for other, id := range l.Spaces {
		if other != leaf && id == l.Spaces[leaf] {
			return true
		}
	}
	return false
}
