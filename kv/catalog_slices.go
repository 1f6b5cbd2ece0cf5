package kv

import (
	"slices"

	"github.com/hbasekv/hbasekv/partition"
)

// AddSlices puts slices of time behind the last one of the table, and of each
// other table of its group, in all partitions. The errors are partition's.
func (c *CatalogChange) AddSlices(database, name string, more *partition.Slices) error {
	return c.repartition(database, name, func(t *Table) error {
		next, err := t.Partitioning.AddingSlices(more)
		if err != nil {
			return err
		}
		had := t.Partitioning.NumSlices()
		c.addLeaves(t, next, func(_, slice int) bool { return slice >= had })
		return nil
	})
}

// DropSlices removes slices of time with their cells, in each table of the
// table's group and in all partitions; their times go to the next slice above.
func (c *CatalogChange) DropSlices(database, name string, which []int) error {
	return c.repartition(database, name, func(t *Table) error {
		next, err := t.Partitioning.DroppingSlices(which)
		if err != nil {
			return err
		}
		c.dropLeaves(t, next, func(_, slice int) bool { return slices.Contains(which, slice) })
		return nil
	})
}

// ReorganizeSlices replaces the slices of time from first to last by others
// that cover the same times, in each table of the table's group. It moves no
// cell: ErrNeedsMove where slices are parted or joined; then a Repartitioner
// does it, with the layout that Scheme.ReorganizingSlices gives.
func (c *CatalogChange) ReorganizeSlices(database, name string, first, last int, into *partition.Slices) error {
	return c.repartition(database, name, func(t *Table) error {
		next, err := t.Partitioning.ReorganizingSlices(first, last, into)
		if err != nil {
			return err
		}
		if first != last || len(into.Names) != 1 {
			return ErrNeedsMove
		}
		t.Partitioning = next // the same leaves, by other names or further up
		return nil
	})
}
