package kv

import (
	"reflect"

	"github.com/hbasekv/hbasekv/partition"
)

// Layouts is a store's part in a change of the catalog: it knows where the cells
// of tables are, and says so in Table.Layout.
type Layouts interface {
	// Lay sets the Layout of a copy of a descriptor that is otherwise as it will be,
	// where it has the Layout of before. from are the leaves whose cells the leaves of
	// its partitioning have from now on, parallel to these, and nobody's of the zero
	// Leaf; several may have parts of one. The cells of the leaves of before that are
	// gone are given up.
	Lay(t *Table, from []Leaf, gone []Leaf)
	// Requested says that bounds between partitions were asked for.
	Requested(t *Table, bounds [][]byte)
	// Alike reports whether two tables can be in one table group.
	Alike(a, b *Table) bool
	// Together reports whether two leaves of a table keep their cells in one place, so
	// that they become one leaf without moving any.
	Together(t *Table, a, b int) bool
}

// Leaf is a leaf of a table's partitioning, by its ordinal. The zero Leaf is none.
type Leaf struct {
	Table   *Table
	Ordinal int
}

// noLayouts are those of a store that looks at nothing but descriptors.
type noLayouts struct{}

func (noLayouts) Lay(*Table, []Leaf, []Leaf)       {}
func (noLayouts) Requested(*Table, [][]byte)       {}
func (noLayouts) Alike(a, b *Table) bool           { return a.Partitioning.Equal(b.Partitioning) }
func (noLayouts) Together(_ *Table, a, b int) bool { return a == b }

// relay gives a copy of a descriptor another partitioning, whose leaves have the
// cells of leaves of before; of those below 0 there are none.
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

// leaves are those of the table itself.
func (t *Table) leaves() []Leaf {
	out := make([]Leaf, t.Partitioning.NumLeaves())
	for i := range out {
		out[i] = Leaf{t, i}
	}
	return out
}

// SharesRows reports whether a lock of a row of the table is one of the other's row, too.
func (t *Table) SharesRows(o *Table) bool {
	return t.ID == o.ID || t.Group != "" && t.Group == o.Group && t.Database == o.Database
}

// SameButLayout reports whether the other descriptor is this one with at most
// another layout, so that what was written for one can be stored for the other.
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

// SameDescriptors reports whether the catalogs differ in nothing but what stores
// keep besides.
func (c *Catalog) SameDescriptors(o *Catalog) bool {
	return c == o || c.databases.Same(&o.databases) && c.groups.Same(&o.groups) &&
		c.byID.Same(&o.byID) && c.views.Same(&o.views)
}
