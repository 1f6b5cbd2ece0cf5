package kv

import (
	"slices"

	"github.com/hbasekv/hbasekv/partition"
)

// AddPartitions adds RANGE partitions after the last one of the table, and of each other table
// of its group. The error is ErrNoTable, or of package partition.
func (c *CatalogChange) AddPartitions(database, name string, names []string, upper [][]byte) error {
	return c.changePartitions(database, name, func(t *Table) error {
		next, err := t.Partitioning.Adding(names, upper)
		if err != nil {
			return err
		}
		had := t.Partitioning.Len()
		c.addLeaves(t, next, func(row, _ int) bool { return row >= had })
		return nil
	})
}

// changePartitions is ChangeEach for changes that not every store supports.
func (c *CatalogChange) changePartitions(database, name string, change func(*Table) error) error {
	if err := c.limits.Allows(ChangePartitions); err != nil {
		return err
	}
	return c.ChangeEach(database, name, change)
}

// addLeaves gives a table another partitioning, whose leaves are the previous ones and the
// added, empty ones.
func (c *CatalogChange) addLeaves(t *Table, next *partition.Scheme, added func(row, slice int) bool) {
	old := t.Partitioning
	c.relay(t, next, func(row, slice int) int {
		if added(row, slice) {
			return -1
		}
		return old.Leaf(row, slice)
	}, nil)
}

// DropPartitions removes RANGE partitions with their cells, in each table of the table's group;
// the next partition above takes over their ranges. The error is ErrNoTable, or of package
// partition.
func (c *CatalogChange) DropPartitions(database, name string, which []int) error {
	return c.changePartitions(database, name, func(t *Table) error {
		t.indexesStale()
		next, err := t.Partitioning.Dropping(which)
		if err != nil {
			return err
		}
		c.dropLeaves(t, next, func(row, _ int) bool { return slices.Contains(which, row) })
		return nil
	})
}

// dropLeaves gives a table another partitioning, whose leaves are the previous ones without the
// dropped ones, in the same order.
func (c *CatalogChange) dropLeaves(t *Table, next *partition.Scheme, dropped func(row, slice int) bool) {
	old := *t
	var kept, gone []Leaf
	for _, leaf := range old.leaves() {
		if dropped(old.Partitioning.LeafAt(leaf.Ordinal)) {
			gone = append(gone, leaf)
		} else {
			kept = append(kept, leaf)
		}
	}
	t.Partitioning = next
	t.Generation++
	c.layouts.Lay(t, kept, gone)
}

// ReorganizePartitions replaces the RANGE partitions from first to last by others that cover the
// same rows, in each table of the table's group. It moves no cells, and fails with ErrNeedsMove
// if the partitions keep their cells in several places.
func (c *CatalogChange) ReorganizePartitions(
	database, name string, first, last int, names []string, upper [][]byte,
) error {
	return c.ChangeEach(database, name, func(t *Table) error {
		next, err := t.Partitioning.Reorganizing(first, last, names, upper)
		if err != nil {
			return err
		}
		if !c.keepTogether(t, first, last) {
			return ErrNeedsMove
		}
		old := t.Partitioning
		c.relay(t, next, func(row, slice int) int {
			switch {
			case row < first:
				return old.Leaf(row, slice)
			case row < first+len(names):
				return old.Leaf(first, slice)
			}
			return old.Leaf(row-len(names)+last+1-first, slice)
		}, nil)
		return nil
	})
}

// keepTogether reports whether the partitions from first to last keep their
// cells together, in each slice of time.
func (c *CatalogChange) keepTogether(t *Table, first, last int) bool {
	for slice := range t.Partitioning.NumSlices() {
		for row := first; row <= last; row++ {
			if !c.layouts.Together(t, t.Partitioning.Leaf(first, slice), t.Partitioning.Leaf(row, slice)) {
				return false
			}
		}
	}
	return true
}

// SplitPartitions splits the table's RANGE partitions, or the only partition of an unpartitioned
// table, at the points, in each table of the table's group. It moves no cells. The errors are
// partition's.
func (c *CatalogChange) SplitPartitions(database, name string, points [][]byte) (added int, err error) {
	err = c.ChangeEach(database, name, func(t *Table) error {
		next, parents, err := t.Partitioning.Splitting(points)
		if err != nil {
			return err
		}
		old := t.Partitioning
		added = next.Len() - old.Len()
		c.relay(t, next, func(row, slice int) int { return old.Leaf(parents[row], slice) }, nil)
		c.layouts.Requested(t, points)
		return nil
	})
	return added, err
}

// TruncatePartitions empties partitions of this table, with all slices of time. The layout,
// which its group shares, stays. The error is ErrNoTable.
func (c *CatalogChange) TruncatePartitions(database, name string, which []int) error {
	return c.truncateSome(database, name, func(row, _ int) bool { return slices.Contains(which, row) })
}

// TruncateSlices empties slices of time of this table, in all partitions. The error is ErrNoTable.
func (c *CatalogChange) TruncateSlices(database, name string, which []int) error {
	return c.truncateSome(database, name, func(_, slice int) bool { return slices.Contains(which, slice) })
}

// TruncateLeaves empties leaves of this table's partitioning. The error is ErrNoTable.
func (c *CatalogChange) TruncateLeaves(database, name string, which []int) error {
	t := c.catalog.Table(database, name)
	if t == nil {
		return ErrNoTable
	}
	return c.truncateSome(database, name, func(row, slice int) bool {
		return slices.Contains(which, t.Partitioning.Leaf(row, slice))
	})
}

func (c *CatalogChange) truncateSome(database, name string, emptied func(row, slice int) bool) error {
	if err := c.limits.Allows(ChangePartitions); err != nil {
		return err
	}
	if err := c.truncate(database, name, emptied); err != nil {
		return err
	}
	c.catalog.Table(database, name).indexesStale() // nobody else has seen it
	return nil
}

func (c *CatalogChange) truncate(database, name string, emptied func(row, slice int) bool) error {
	t := c.catalog.Table(database, name)
	if t == nil {
		return ErrNoTable
	}
	next := *t
	next.Generation++
	from, gone := t.leaves(), []Leaf(nil)
	for i, leaf := range from {
		if emptied(t.Partitioning.LeafAt(i)) {
			from[i], gone = Leaf{}, append(gone, leaf)
		}
	}
	c.layouts.Lay(&next, from, gone)
	c.catalog.setTable(next.ID, &next)
	return nil
}

// ExchangePartition swaps the cells of a leaf of a table's partitioning (a partition, if there are no slices of
// time) with those of another table, which must be unpartitioned (ErrPartitioning). The caller knows whether the
// other table's cells belong into the leaf. Indexes become stale: package index also exchanges entries, which unique
// ones need. It fails with ErrNeedsMove if the leaf keeps its cells together with others.
func (c *CatalogChange) ExchangePartition(t *Table, leaf int, with *Table) error {
	if with.Partitioning.Method() != partition.None || with.Partitioning.Slices() != nil {
		return ErrPartitioning
	}
	if err := c.limits.Allows(ChangePartitions); err != nil {
		return err
	}
	from := t.leaves()
	for other := range from {
		if other != leaf && c.layouts.Together(t, leaf, other) {
			return ErrNeedsMove
		}
	}
	a, b := *t, *with
	cellTTL := a.Retention.CellTTL || b.Retention.CellTTL
	a.Retention.CellTTL, b.Retention.CellTTL = cellTTL, cellTTL
	from[leaf] = Leaf{with, 0}
	c.layouts.Lay(&a, from, nil)
	c.layouts.Lay(&b, []Leaf{{t, leaf}}, nil)
	for _, next := range []*Table{&a, &b} {
		next.Generation++
		next.indexesStale()
		c.catalog.setTable(next.ID, next)
	}
	return nil
}

// ChangeEach changes a copy of the table and of each other table of its group, and keeps the copies if no change
// fails. change must not change names. The error is ErrNoTable or change's.
func (c *CatalogChange) ChangeEach(database, name string, change func(*Table) error) error {
	t := c.catalog.Table(database, name)
	if t == nil {
		return ErrNoTable
	}
	tables := []*Table{t}
	if t.Group != "" {
		tables = c.catalog.Families(database, t.Group)
	}
	changed := make([]*Table, len(tables))
	for i, each := range tables {
		next := *each
		changed[i] = &next
		if err := change(&next); err != nil {
			return err
		}
	}
	for _, each := range changed {
		c.catalog.setTable(each.ID, each)
	}
	return nil
}
