package typed

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// EntriesIn are the entries of the n-th index for the rows in each of some leaves of their family's partitioning; nil
// if entries of other rows may lie between them.
func (t *Table) EntriesIn(family *kv.Table, n int, leaves ...int) ([]partition.RowRange, error) {
	k, err := t.IndexKey(n)
	if err != nil {
		return nil, err
	}
	return k.entriesIn(family, leaves), nil
}

func (k *IndexKey) entriesIn(family *kv.Table, leaves []int) (entries []partition.RowRange) {
	if k.ofCells || !family.Partitioning.Ordered() {
		return nil
	}
	columns := k.of.PartitionColumns(family)
	for _, leaf := range leaves {
		rows := family.Partitioning.Bounds(leaf)
		start, ok := k.entryBound(columns, rows.Start)
		end, also := k.entryBound(columns, rows.End)
		if !ok || !also {
			return nil
		}
		entries = append(entries, partition.RowRange{Start: start, End: end})
	}
	return entries
}

// entryBound is the first entry for rows at or after a bound of partitions, which are by the first columns of the
// key; an empty bound stands for itself. It is false if entries of rows before and after the bound are mixed, since
// the index does not begin with these columns as the key does.
func (k *IndexKey) entryBound(columns int, bound []byte) (entry []byte, ok bool) {
	if len(bound) == 0 {
		return bound, true
	}
	first, ok := k.of.Bounded(columns, bound)
	if !ok || len(k.index.Parts) < len(first) {
		return nil, false
	}
	for part := range first {
		if p := k.index.Parts[part]; p.Column != k.of.Key[part] || p.Length > 0 {
			return nil, false
		}
	}
	if !k.face.HasBounds(len(first)) {
		return nil, false
	}
	return k.face.Bound(first, len(first) < columns)
}

// Layout is how entries lie in relation to the partitions of the family that has the rows: local if those of each
// partition's rows lie together, global if not, and empty if the family is not partitioned.
func (k *IndexKey) Layout(family *kv.Table) string {
	if !family.Partitioning.Partitioned() {
		return ""
	}
	var leaves []int
	for leaf := range family.Partitioning.NumLeaves() {
		leaves = append(leaves, leaf)
	}
	if family.Partitioning.Slices() != nil || k.entriesIn(family, leaves) == nil {
		return "global"
	}
	return "local"
}

// SameIndexes reports whether the typed tables whose rows are in two families have the same indexes as far as MySQL
// compares them: names, columns and whether they are unique. It is true for families without typed tables.
func SameIndexes(a, b *kv.Table) bool {
	if schema.Of(a).Typed == nil {
		return true
	}
	t, failed := Of(a)
	o, err := Of(b)
	return failed == nil && err == nil && len(t.Indexes) == len(o.Indexes) && !slices.ContainsFunc(t.Indexes, func(i Index) bool {
		at := slices.IndexFunc(o.Indexes, func(j Index) bool { return i.Name == j.Name })
		return at < 0 || i.Unique != o.Indexes[at].Unique || !slices.Equal(i.Parts, o.Indexes[at].Parts)
	})
}

// SameEntries reports whether two indexes that SameIndexes considers the same have the same entries for the same
// rows.
func SameEntries(i, o *Index) bool { return i.Texts == o.Texts && i.UTF8 == o.UTF8 }
