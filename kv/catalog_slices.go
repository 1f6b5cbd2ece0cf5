package kv

import (
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/partition"
)

// AddSlices adds slices of time after the last one of the table, and of each other table of its
// group, in all partitions. The error is ErrNoTable, or of package partition.
func (c *CatalogChange) AddSlices(database, name string, more *partition.Slices) error {
	return c.changePartitions(database, name, func(t *Table) error {
		next, err := t.Partitioning.AddingSlices(more)
		if err != nil {
			return err
		}
		had := t.Partitioning.NumSlices()
		c.addLeaves(t, next, func(_, slice int) bool { return slice >= had })
		return nil
	})
}

// DropSlices removes slices of time with their cells, in each table of the table's group and in all
// partitions; the next slice above takes over their times. The error is ErrNoTable, or of package
// partition.
func (c *CatalogChange) DropSlices(database, name string, which []int) error {
	return c.changePartitions(database, name, func(t *Table) error {
		t.indexesStale()
		next, err := t.Partitioning.DroppingSlices(which)
		if err != nil {
			return err
		}
		c.dropLeaves(t, next, func(_, slice int) bool { return slices.Contains(which, slice) })
		return nil
	})
}

// ExpiredSlices returns how many of the first slices of time have nothing, in the table and in each
// other table of its group, that retention keeps at the time now, whatever is written there.
func (c *Catalog) ExpiredSlices(t *Table, now int64) (n int) {
	if t.Partitioning.Slices() == nil {
		return 0
	}
	oldest := t.Retention.oldestOfAny(now)
	for _, other := range c.Families(t.Database, t.Group) {
		oldest = min(oldest, other.Retention.oldestOfAny(now))
	}
	for ; n < t.Partitioning.NumSlices(); n++ {
		if _, upper, open := t.Partitioning.SliceBounds(n); open || upper > oldest {
			break
		}
	}
	return n
}

// oldestOfAny returns the oldest timestamp that has not expired, however few versions its column has.
func (r Retention) oldestOfAny(now int64) int64 {
	if r.MinVersions > 0 {
		return math.MinInt64
	}
	return r.Oldest(now)
}

// DropExpiredSlices drops the slices that have expired at the time now, except the last one, and
// returns their number. It fails with partition.ErrLastPartition if the only slice has expired.
// Writes into their times that are committed later go to the next slice above.
func (c *CatalogChange) DropExpiredSlices(database, name string, now int64) (n int, err error) {
	err = c.changePartitions(database, name, func(t *Table) error {
		if n = c.catalog.ExpiredSlices(t, now); n == t.Partitioning.NumSlices() && n > 1 {
			n--
		}
		if n == 0 {
			return nil
		}
		which := make([]int, n)
		for i := range which {
			which[i] = i
		}
		next, err := t.Partitioning.DroppingSlices(which)
		if err != nil {
			return err
		}
		generation := t.Generation // no reader has seen the removed cells
		c.dropLeaves(t, next, func(_, slice int) bool { return slice < n })
		t.Generation = generation
		return nil
	})
	return n, err
}

// ReorganizeSlices replaces the slices of time from first to last by others that cover the same
// times, in each table of the table's group. It moves no cells, and fails with ErrNeedsMove if
// slices would be split or merged; a Repartitioner can do that, with the layout of
// Scheme.ReorganizingSlices.
func (c *CatalogChange) ReorganizeSlices(database, name string, first, last int, into *partition.Slices) error {
	return c.changePartitions(database, name, func(t *Table) error {
		next, err := t.Partitioning.ReorganizingSlices(first, last, into)
		if err != nil {
			return err
		}
		if first != last || len(into.Names) != 1 {
			return ErrNeedsMove
		}
		t.Partitioning = next // the same leaves, with other names or upper bounds
		return nil
	})
}
