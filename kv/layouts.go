package kv

import (
	"reflect"

	"github.com/hbasekv/hbasekv/partition"
)

// Layouts is a store's part in a change of the catalog: the store knows where the cells
// of tables are, and records that in Table.Layout.
type Layouts interface {
	// Lay sets the Layout of a new copy of a descriptor, which has the old Layout and
	// otherwise its new content. from says, for each leaf of its partitioning, whose
	// cells the leaf has from now on; the zero Leaf means none, and several leaves may
	// have parts of one. The cells of the old leaves in gone are dropped.
	Lay(t *Table, from []Leaf, gone []Leaf)
	// Requested notes that a statement asked for these bounds between partitions.
	Requested(t *Table, bounds [][]byte)
	// Alike reports whether two tables can be in one table group.
	Alike(a, b *Table) bool
	// Together reports whether two leaves of a table keep their cells together, so that
	// they can become one leaf without moving any.
	Together(t *Table, a, b int) bool
}

// Leaf is a leaf of a table's partitioning, by its ordinal. The zero Leaf means none.
type Leaf struct {
	Table   *Table
	Ordinal int
}

// noLayouts are the Layouts of a store that only uses descriptors.
type noLayouts struct{}

func (noLayouts) Lay(*Table, []Leaf, []Leaf)       {}
func (noLayouts) Requested(*Table, [][]byte)       {}
func (noLayouts) Alike(a, b *Table) bool           { return a.Partitioning.Equal(b.Partitioning) }
func (noLayouts) Together(_ *Table, a, b int) bool { return a == b }

// relay gives a copy of a descriptor another partitioning. from returns the previous leaf
// whose cells a leaf has, or -1 for none.
func (c *CatalogChange) relay(t *Table, next *partition.Scheme, from func(row, slice int) int, gone []Leaf) {
	old := *t
	t.Partitioning = next
	leaves := make([]Leaf, next.NumLeaves())
	for i := range leaves {
		if leaf := from(next.LeafAt(i)); leaf >= 0 {
			leaves[i] = Leaf{&old, leaf}
		}
	}
	c.layouts.Lay(t, leaves, gone)
}

// leaves returns the leaves of the table.
func (t *Table) leaves() []Leaf {
	out := make([]Leaf, t.Partitioning.NumLeaves())
	for i := range out {
		out[i] = Leaf{t, i}
	}
	return out
}

// SharesRows reports whether a lock of a row of the table also locks the other table's row.
func (t *Table) SharesRows(o *Table) bool {
	return t.ID == o.ID || t.Group != "" && t.Group == o.Group && t.Database == o.Database
}

// SameButLayout reports whether the other descriptor differs at most in the layout, so
// that what was written for one can be stored for the other.
func (t *Table) SameButLayout(o *Table) bool {
	if t == o || o == nil {
		return t == o
	}
	a, b := *t, *o
	for _, each := range []*Table{&a, &b} {
		each.Partitioning, each.PartitionColumn, each.Layout, each.Attributes = nil, "", nil, nil
	}
	return reflect.DeepEqual(a, b) && t.Attributes.Equal(o.Attributes)
}

// SameDescriptors reports whether the catalogs have the same descriptors.
func (c *Catalog) SameDescriptors(o *Catalog) bool {
	return c == o || c.databases.Same(o.databases) && c.groups.Same(o.groups) &&
		c.byID.Same(o.byID) && c.views.Same(o.views)
}
