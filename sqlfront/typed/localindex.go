package typed

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// EntriesIn are the entries of the n-th index for the rows in a leaf of their family's partitioning; false if entries
// of other rows may lie between them.
func (t *Table) EntriesIn(family *kv.Table, leaf, n int) (entries partition.RowRange, ok bool) {
	if !family.Partitioning.Ordered() {
		return entries, false
	}
	rows, columns := family.Partitioning.Bounds(leaf), t.PartitionColumns(family)
	start, ok := t.entryBound(n, columns, rows.Start)
	if !ok {
		return entries, false
	}
	end, ok := t.entryBound(n, columns, rows.End)
	return partition.RowRange{Start: start, End: end}, ok
}

// entryBound is the first entry of the n-th index for rows at or after a bound of partitions, which are by the
// first columns of the key; an empty bound stands for itself. It is false if entries of rows before and after the
// bound are mixed, since the index does not begin with these columns as the key does.
func (t *Table) entryBound(n, columns int, bound []byte) (entry []byte, ok bool) {
	if len(bound) == 0 {
		return bound, true
	}
	first, ok := t.Bounded(columns, bound)
	if !ok || len(t.Indexes[n].Parts) < len(first) {
		return nil, false
	}
	k, err := t.IndexKey(n)
	if err != nil {
		return nil, false
	}
	for part := range first {
		if p := t.Indexes[n].Parts[part]; p.Column != t.Key[part] || p.Length > 0 {
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
	if k.ofCells || family.Partitioning.Slices() != nil {
		return "global"
	}
	for leaf := range family.Partitioning.NumLeaves() {
		if _, ok := k.of.EntriesIn(family, leaf, k.n); !ok {
			return "global"
		}
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
