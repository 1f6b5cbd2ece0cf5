package heat

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// Range is the range of rows of one partition, or a part of it. It never changes.
type Range struct {
	Database, Table, Group string
	Partition              string // its name; empty of a table that has one partition
	Ordinal                int    // of the partition, when the range was made
	// Start is the first row and End the first one behind the range; empty is no bound.
	Start, End []byte

	of *spot // of the partition
}

func rangeOf(t *kv.Table, leaf int, of *spot) *Range {
	row, _ := t.Partitioning.LeafAt(leaf)
	b := t.Partitioning.Bounds(row)
	return &Range{Database: t.Database, Table: schema.ShownName(t), Group: t.Group, Partition: t.Partitioning.LeafName(leaf), Ordinal: leaf,
		Start: bytes.Clone(b.Start), End: bytes.Clone(b.End), of: of}
}

// between is a part of the range.
func (r *Range) between(start, end []byte) *Range {
	part := *r
	part.Start, part.End = start, end
	return &part
}

// compareRanges orders ranges by table, partition and start.
func compareRanges(a, b *Range) int {
	return cmp.Or(cmp.Compare(a.Database, b.Database), cmp.Compare(a.Table, b.Table), bytes.Compare(a.Start, b.Start),
		cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.Partition, b.Partition), bytes.Compare(a.End, b.End))
}
