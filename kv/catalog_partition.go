package kv

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/partition"
)

// Extent is the cells of a range of rows in one key space; of the whole space
// where the range is everything.
type Extent struct {
	Space SpaceID            `json:"space"`
	Rows  partition.RowRange `json:"rows"`
}

// Extent is where a leaf of the table's partitioning keeps its cells.
func (t *Table) Extent(leaf int) Extent {
	row, _ := t.Partitioning.LeafAt(leaf)
	return Extent{Space: t.Spaces[leaf], Rows: t.Partitioning.Bounds(row)}
}

// layOut are the key spaces of a partitioning's leaves.
func layOut(s *partition.Scheme, space func(row, slice int) SpaceID) []SpaceID {
	out := make([]SpaceID, s.NumLeaves())
	for leaf := range out {
		out[leaf] = space(s.LeafAt(leaf))
	}
	return out
}

// sharesSpace reports whether a leaf keeps its cells in a key space that others
// use too.
func (t *Table) sharesSpace(leaf int) bool {
	for other, id := range t.Spaces {
		if other != leaf && id == t.Spaces[leaf] {
			return true
		}
	}
	return false
}

// SplitByItself reports whether the store has put in a bound by itself.
func (t *Table) SplitByItself(bound []byte) bool { return containsRow(t.AutoSplits, bound) }

// standingSplits are the automatic splits that are still bounds.
func (t *Table) standingSplits() [][]byte {
	var out [][]byte
	for i := range t.Partitioning.Len() {
		if end := t.Partitioning.Bounds(i).End; end != nil && containsRow(t.AutoSplits, end) {
			out = append(out, end)
		}
	}
	return out
}

// AddPartitions puts RANGE partitions behind the last one of the table, and of
// each other table of its group. The errors are partition's.
func (c *CatalogChange) AddPartitions(database, name string, names []string, upper [][]byte) error {
	return c.repartition(database, name, func(t *Table) error {
		next, err := t.Partitioning.Adding(names, upper)
		if err != nil {
			return err
		}
		had := t.Partitioning.Len()
		c.addLeaves(t, next, func(row, _ int) bool { return row >= had })
		return nil
	})
}

// addLeaves gives a table another partitioning, whose leaves are the ones of
// before and those that are added, which get new key spaces.
func (c *CatalogChange) addLeaves(t *Table, next *partition.Scheme, added func(row, slice int) bool) {
	old := *t
	t.Partitioning, t.Spaces = next, layOut(next, func(row, slice int) SpaceID {
		if added(row, slice) {
			return c.newSpaces(1)[0]
		}
		return old.Space(row, slice)
	})
}

// DropPartitions removes RANGE partitions with their cells, in each table of
// the table's group; their ranges go to the next partition above.
func (c *CatalogChange) DropPartitions(database, name string, which []int) error {
	return c.repartition(database, name, func(t *Table) error {
		next, err := t.Partitioning.Dropping(which)
		if err != nil {
			return err
		}
		c.dropLeaves(t, next, func(row, _ int) bool { return slices.Contains(which, row) })
		return nil
	})
}

// dropLeaves gives a table another partitioning, whose leaves are the ones of
// before without those that are dropped, in the same order.
func (c *CatalogChange) dropLeaves(t *Table, next *partition.Scheme, dropped func(row, slice int) bool) {
	var spaces []SpaceID
	for leaf, id := range t.Spaces {
		if dropped(t.Partitioning.LeafAt(leaf)) {
			c.freed = append(c.freed, t.Extent(leaf))
		} else {
			spaces = append(spaces, id)
		}
	}
	t.Partitioning, t.Spaces = next, spaces
	t.Generation++
}

// ReorganizePartitions replaces the RANGE partitions from first to last by
// others that cover the same rows, in each table of the table's group. It
// moves no cell: ErrNeedsMove where the partitions keep theirs in several key
// spaces.
func (c *CatalogChange) ReorganizePartitions(
	database, name string, first, last int, names []string, upper [][]byte,
) error {
	return c.repartition(database, name, func(t *Table) error {
		next, err := t.Partitioning.Reorganizing(first, last, names, upper)
		if err != nil {
			return err
		}
		if !t.keepTogether(first, last) {
			return ErrNeedsMove
		}
		old := *t
		t.Partitioning, t.Spaces = next, layOut(next, func(row, slice int) SpaceID {
			switch {
			case row < first:
				return old.Space(row, slice)
			case row < first+len(names):
				return old.Space(first, slice)
			}
			return old.Space(row-len(names)+last+1-first, slice)
		})
		return nil
	})
}

// keepTogether reports whether the partitions from first to last have their
// cells in one key space, in each slice of time.
func (t *Table) keepTogether(first, last int) bool {
	for slice := range t.Partitioning.NumSlices() {
		for row := first; row <= last; row++ {
			if t.Space(row, slice) != t.Space(first, slice) {
				return false
			}
		}
	}
	return true
}

// SplitPartitions cuts the table's RANGE partitions, or the one partition of a
// table without, at the points too, in each table of the table's group. It
// moves no cell: the parts share a key space. The errors are partition's.
func (c *CatalogChange) SplitPartitions(database, name string, points [][]byte) (added int, err error) {
	return c.split(database, name, points, false)
}

// AutoSplitPartition is SplitPartitions at a point that nobody asked for;
// Table.AutoSplits remembers it.
func (c *CatalogChange) AutoSplitPartition(database, name string, point []byte) error {
	_, err := c.split(database, name, [][]byte{point}, true)
	return err
}

func (c *CatalogChange) split(database, name string, points [][]byte, automatic bool) (added int, err error) {
	err = c.repartition(database, name, func(t *Table) error {
		next, parents, err := t.Partitioning.Splitting(points)
		if err != nil {
			return err
		}
		added = next.Len() - t.Partitioning.Len()
		old := *t
		t.Partitioning = next
		t.Spaces = layOut(next, func(row, slice int) SpaceID { return old.Space(parents[row], slice) })
		if automatic {
			t.AutoSplits = slices.Concat(t.AutoSplits, points)
		} else {
			t.AutoSplits = slices.DeleteFunc(slices.Clone(t.AutoSplits), func(at []byte) bool { return containsRow(points, at) })
		}
		return nil
	})
	return added, err
}

func containsRow(rows [][]byte, row []byte) bool {
	return slices.ContainsFunc(rows, func(each []byte) bool { return bytes.Equal(each, row) })
}

// TruncatePartitions empties partitions of the table alone, with all slices of
// time: the layout, which its group shares, stays.
func (c *CatalogChange) TruncatePartitions(database, name string, which []int) error {
	return c.truncate(database, name, func(row, _ int) bool { return slices.Contains(which, row) })
}

// TruncateSlices empties slices of time of the table alone, in all partitions.
func (c *CatalogChange) TruncateSlices(database, name string, which []int) error {
	return c.truncate(database, name, func(_, slice int) bool { return slices.Contains(which, slice) })
}

// TruncateLeaves empties leaves of the partitioning of the table alone.
func (c *CatalogChange) TruncateLeaves(database, name string, which []int) error {
	t := c.catalog.Table(database, name)
	if t == nil {
		return ErrNoTable
	}
	return c.truncate(database, name, func(row, slice int) bool {
		return slices.Contains(which, t.Partitioning.Leaf(row, slice))
	})
}

func (c *CatalogChange) truncate(database, name string, emptied func(row, slice int) bool) error {
	t := c.catalog.Table(database, name)
	if t == nil {
		return ErrNoTable
	}
	next := *t
	next.Spaces = slices.Clone(t.Spaces)
	next.Generation++
	for leaf := range t.Spaces {
		if emptied(t.Partitioning.LeafAt(leaf)) {
			c.freed = append(c.freed, t.Extent(leaf))
			next.Spaces[leaf] = c.newSpaces(1)[0]
		}
	}
	c.catalog.tables[[2]string{database, name}] = &next
	return nil
}

// ExchangePartition swaps the cells of a leaf of a table's partitioning, which
// is a partition where there is no cut by time, with those of another table,
// which has no partitions. Whether the other table's cells belong into the leaf
// is the caller's to know. ErrNeedsMove where the leaf shares its key space with
// others.
func (c *CatalogChange) ExchangePartition(t *Table, leaf int, with *Table) error {
	if with.Partitioning.Method() != partition.None || with.Partitioning.Slices() != nil {
		return ErrPartitioning
	}
	if t.sharesSpace(leaf) {
		return ErrNeedsMove
	}
	a, b := *t, *with
	a.Spaces, b.Spaces = slices.Clone(t.Spaces), slices.Clone(with.Spaces)
	a.Spaces[leaf], b.Spaces[0] = b.Spaces[0], a.Spaces[leaf]
	a.Generation++
	b.Generation++
	c.catalog.tables[[2]string{a.Database, a.Name}] = &a
	c.catalog.tables[[2]string{b.Database, b.Name}] = &b
	return nil
}

// Repartition gives a table and each other table of its group the layout that
// a function sets in a copy of the descriptor. A RANGE partition whose rows are
// all in one key space keeps it, the others get new, empty ones; the
// cells of before are the caller's to move. ErrPartitioning where the tables of
// the group would come apart.
func (c *CatalogChange) Repartition(
	database, name string, layout func(*Table) error,
) (before, after []*Table, err error) {
	err = c.repartition(database, name, func(t *Table) error {
		old := c.catalog.Table(t.Database, t.Name)
		if err := layout(t); err != nil {
			return err
		}
		if len(after) > 0 && !after[0].Partitioning.Equal(t.Partitioning) {
			return ErrPartitioning
		}
		t.Spaces = c.spacesFor(old, t.Partitioning)
		c.freed = append(c.freed, movedOut(old, t)...)
		before, after = append(before, old), append(after, t)
		return nil
	})
	return before, after, err
}

// repartition changes a copy of the table and of each other table of its
// group, and keeps the copies where none of the changes fails.
func (c *CatalogChange) repartition(database, name string, change func(*Table) error) error {
	t := c.catalog.Table(database, name)
	if t == nil {
		return ErrNoTable
	}
	before := *c
	tables := []*Table{t}
	if t.Group != "" {
		tables = c.catalog.Families(database, t.Group)
	}
	changed := make([]*Table, len(tables))
	for i, each := range tables {
		next := *each
		changed[i] = &next
		if err := change(&next); err != nil {
			*c = before
			return err
		}
		next.AutoSplits = next.standingSplits()
	}
	for _, each := range changed {
		c.catalog.tables[[2]string{each.Database, each.Name}] = each
	}
	return nil
}

// freedExtents are what nothing in after needs any more: whole key spaces,
// and of those that are still in use the rows that were given up.
func freedExtents(before, after *StoredCatalog, givenUp []Extent) []Extent {
	used := map[SpaceID]bool{}
	for _, id := range after.spaces() {
		used[id] = true
	}
	var freed []Extent
	for _, e := range givenUp {
		if used[e.Space] {
			freed = append(freed, e)
		}
	}
	for _, id := range before.spaces() {
		if !used[id] {
			used[id] = true
			freed = append(freed, Extent{Space: id})
		}
	}
	slices.SortFunc(freed, func(a, b Extent) int { return int(int64(a.Space) - int64(b.Space)) })
	return freed
}
