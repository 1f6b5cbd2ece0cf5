package kv

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/hbasekv/hbasekv/partition"
)

// Move is a change of layout that takes moving cells: the table, or all tables
// of its group, as they are and as they will be.
type Move struct {
	// Before and After are parallel.
	Before, After []*Table

	layout func(*Table) error
	// alone is true where other tables of the group stay as they are.
	alone bool
}

// Needed reports whether a cell may have to be moved, or may have no place in
// the new layout.
func (m *Move) Needed() bool {
	return slices.ContainsFunc(m.Sources(), func(of []Extent) bool { return len(of) > 0 })
}

// Sources are, for each table, where the cells are that change their key space
// or may have no place in the new layout.
func (m *Move) Sources() [][]Extent {
	out := make([][]Extent, len(m.Before))
	for i, old := range m.Before {
		next := m.After[i]
		switch {
		case slices.Equal(old.Spaces, next.Spaces) && old.Partitioning.Equal(next.Partitioning):
		case old.Partitioning.Ordered() && next.Partitioning.Ordered():
			to := next.Partitioning
			out[i] = slices.Concat(movedOut(old, next), uncoveredRows(old, to), uncoveredTimes(old, to))
		default:
			for leaf, id := range old.Spaces {
				if !slices.Contains(next.Spaces, id) {
					out[i] = append(out[i], old.Extent(leaf))
				}
			}
		}
	}
	return out
}

// uncoveredRows are the extents whose rows have no place in a scheme of ranges.
func uncoveredRows(old *Table, to *partition.Scheme) (out []Extent) {
	end := to.Bounds(to.Len() - 1).End
	if end == nil {
		return nil
	}
	for leaf := range old.Spaces {
		e := old.Extent(leaf)
		if rows, some := intersect(e.Rows, partition.RowRange{Start: end}); some {
			out = append(out, Extent{Space: e.Space, Rows: rows})
		}
	}
	return out
}

// uncoveredTimes are the extents whose times all have no place in the scheme.
func uncoveredTimes(old *Table, to *partition.Scheme) (out []Extent) {
	for leaf := range old.Spaces {
		_, slice := old.Partitioning.LeafAt(leaf)
		times := timesOf(old.Partitioning, slice)
		covered := times.from >= times.to // or empty
		for next := range to.NumSlices() {
			covered = covered || times.overlaps(timesOf(to, next))
		}
		if !covered {
			out = append(out, old.Extent(leaf))
		}
	}
	return out
}

// filling are the new key spaces of one of the tables.
func (m *Move) filling(after *Table) []SpaceID {
	before := m.Before[slices.Index(m.After, after)]
	var out []SpaceID
	for _, id := range after.Spaces {
		if !slices.Contains(before.Spaces, id) {
			out = append(out, id)
		}
	}
	return out
}

// allFilling are the new key spaces.
func (m *Move) allFilling() (out []SpaceID) {
	for _, t := range m.After {
		out = append(out, m.filling(t)...)
	}
	return out
}

// StartMove plans to give a table, and each other table of its group, the
// layout that a function sets in a copy of the descriptor. The tables stay as
// they are; the new key spaces of the plan are reserved and filling until
// FinishMove or CancelMove. RANGE partitions keep their key space where all of
// their rows are in one. ErrPartitioning where the tables of the group would
// come apart.
func (c *CatalogChange) StartMove(database, name string, layout func(*Table) error) (*Move, error) {
	m := &Move{layout: layout}
	var err error
	m.Before, m.After, err = c.Repartition(database, name, layout)
	return c.started(m, err)
}

// StartIsolation is StartMove that gives one leaf of one table's partitioning a
// key space that it shares with no other. ErrNoPartition where there is none of
// that name.
func (c *CatalogChange) StartIsolation(database, name, leaf string) (*Move, error) {
	m := &Move{alone: true}
	m.layout = func(t *Table) error {
		if _, ok := t.Partitioning.LeafOrdinal(leaf); !ok {
			return ErrNoPartition
		}
		return nil
	}
	before, after, err := c.Isolate(database, name, leaf)
	m.Before, m.After = []*Table{before}, []*Table{after}
	return c.started(m, err)
}

// started takes the plan's tables back.
func (c *CatalogChange) started(m *Move, err error) (*Move, error) {
	if err != nil {
		return nil, err
	}
	for _, t := range m.Before {
		c.catalog.tables[[2]string{t.Database, t.Name}] = t
	}
	c.freed = nil
	c.filling = append(slices.Clip(c.filling), m.allFilling()...)
	return m, nil
}

// FinishMove gives the tables the layout of a plan, for which their cells have
// been moved. ErrCatalogChanged where they are no longer as they were when the
// plan was made.
func (c *CatalogChange) FinishMove(m *Move) error {
	now, ok := m.stand(c.catalog)
	if !ok {
		return ErrCatalogChanged
	}
	for i, t := range now {
		next := *t
		if m.layout(&next) != nil || !next.Partitioning.Equal(m.After[i].Partitioning) {
			return ErrCatalogChanged
		}
		next.Spaces, next.AutoSplits = m.After[i].Spaces, next.standingSplits()
		now[i] = &next
		c.freed = append(c.freed, movedOut(t, &next)...)
	}
	for _, t := range now {
		c.catalog.tables[[2]string{t.Database, t.Name}] = t
	}
	c.endFilling(m)
	return nil
}

// CancelMove gives up the key spaces of a plan.
func (c *CatalogChange) CancelMove(m *Move) { c.endFilling(m) }

func (c *CatalogChange) endFilling(m *Move) {
	ended := m.allFilling()
	c.filling = slices.DeleteFunc(slices.Clone(c.filling), func(id SpaceID) bool { return slices.Contains(ended, id) })
}

// Stands reports whether the plan's tables are in the catalog with the cells
// and the layout that they had.
func (m *Move) Stands(c *Catalog) bool {
	_, ok := m.stand(c)
	return ok
}

// stand are the plan's tables as they are now.
func (m *Move) stand(c *Catalog) (now []*Table, ok bool) {
	byID := map[uint64]*Table{}
	for _, t := range c.Tables(m.Before[0].Database) {
		byID[t.ID] = t
	}
	for _, before := range m.Before {
		t := byID[before.ID]
		if t == nil || t.Group != before.Group || t.Generation != before.Generation ||
			!slices.Equal(t.Spaces, before.Spaces) || !t.Partitioning.Equal(before.Partitioning) {
			return nil, false
		}
		now = append(now, t)
	}
	first := m.Before[0]
	return now, m.alone || first.Group == "" || len(c.Families(first.Database, first.Group)) == len(now)
}

// Isolate gives one leaf of a table's partitioning a new, empty key space where
// it shares the one it has; the cells of before are the caller's to move.
// ErrNoPartition where there is no leaf of that name.
func (c *CatalogChange) Isolate(database, name, leaf string) (before, after *Table, err error) {
	before = c.catalog.Table(database, name)
	if before == nil {
		return nil, nil, ErrNoTable
	}
	i, ok := before.Partitioning.LeafOrdinal(leaf)
	if !ok {
		return nil, nil, ErrNoPartition
	}
	next := *before
	if before.sharesSpace(i) {
		next.Spaces = slices.Clone(before.Spaces)
		next.Spaces[i] = c.newSpaces(1)[0]
		c.freed = append(c.freed, before.Extent(i))
	}
	c.catalog.tables[[2]string{database, name}] = &next
	return before, &next, nil
}

// spacesFor are key spaces for a new partitioning of the table: those that it
// has, for leaves whose cells are in one already, else new ones.
func (c *CatalogChange) spacesFor(old *Table, to *partition.Scheme) []SpaceID {
	if old.Partitioning.Equal(to) {
		return old.Spaces
	}
	return layOut(to, func(row, slice int) SpaceID {
		id, ok := old.onlySpace(to, row, slice)
		if !ok {
			id = c.newSpaces(1)[0]
		}
		return id
	})
}

// onlySpace is the key space that has all cells of a leaf of another scheme, and
// in these rows no others.
func (t *Table) onlySpace(to *partition.Scheme, row, slice int) (id SpaceID, ok bool) {
	from, ok := t.onlySlice(to, slice)
	if !ok {
		return 0, false
	}
	ok = false
	for _, p := range t.rowsOf(to, row) {
		if ok && t.Space(p, from) != id {
			return 0, false
		}
		id, ok = t.Space(p, from), true
	}
	return id, ok
}

// onlySlice is the slice of time that has all cells of a slice of another
// scheme, and no others.
func (t *Table) onlySlice(to *partition.Scheme, slice int) (from int, ok bool) {
	times := timesOf(to, slice)
	for i := range t.Partitioning.NumSlices() {
		have := timesOf(t.Partitioning, i)
		switch {
		case !have.overlaps(times):
		case ok || have.from < times.from || have.to > times.to:
			return 0, false
		default:
			from, ok = i, true
		}
	}
	return from, ok
}

// rowsOf are the partitions that have the rows of a partition of another scheme;
// none where hashes spread them anew.
func (t *Table) rowsOf(to *partition.Scheme, row int) []int {
	switch {
	case t.Partitioning.Ordered() && to.Ordered():
		return t.Partitioning.Prune([]partition.RowRange{to.Bounds(row)})
	case t.Partitioning.RowsEqual(to):
		return []int{row}
	}
	return nil
}

// magnitudes are those of timestamps, from one on and below another.
type magnitudes struct{ from, to uint64 }

// timesOf are the magnitudes in a slice. Where there is no cut by time, the
// smallest int64 is among them too.
func timesOf(s *partition.Scheme, slice int) magnitudes {
	if s.Slices() == nil {
		return magnitudes{0, 1<<63 + 1}
	}
	lower, upper, open := s.SliceBounds(slice)
	if open {
		return magnitudes{uint64(lower), 1 << 63}
	}
	return magnitudes{uint64(lower), uint64(max(upper, lower))}
}

func (m magnitudes) overlaps(o magnitudes) bool { return max(m.from, o.from) < min(m.to, o.to) }

// movedOut are the extents whose cells are in other key spaces in the new
// layout, and that lie in key spaces which both may have. Where a hash is in
// either, a key space is in both with all its cells, or in one alone.
func movedOut(old, next *Table) (out []Extent) {
	if !old.Partitioning.Ordered() || !next.Partitioning.Ordered() {
		return nil
	}
	for leaf, id := range old.Spaces {
		for other := range next.Partitioning.Len() {
			rows, some := intersect(old.Extent(leaf).Rows, next.Partitioning.Bounds(other))
			if some && old.leaves(leaf, next, other) {
				out = append(out, Extent{Space: id, Rows: rows})
			}
		}
	}
	return out
}

// leaves reports whether the cells of a leaf have another key space in a
// partition of the new layout.
func (t *Table) leaves(leaf int, next *Table, row int) bool {
	_, slice := t.Partitioning.LeafAt(leaf)
	for other := range next.Partitioning.NumSlices() {
		times := timesOf(next.Partitioning, other)
		if next.Space(row, other) != t.Spaces[leaf] && timesOf(t.Partitioning, slice).overlaps(times) {
			return true
		}
	}
	return false
}

// intersect is what two ranges have in common; false where that is nothing.
func intersect(a, b partition.RowRange) (partition.RowRange, bool) {
	if bytes.Compare(b.Start, a.Start) > 0 {
		a.Start = b.Start
	}
	if a.End == nil || b.End != nil && bytes.Compare(b.End, a.End) < 0 {
		a.End = b.End
	}
	return a, a.End == nil || bytes.Compare(a.Start, a.End) < 0
}

// SameButLayout reports whether the other descriptor is this one with at most
// another layout, so that what was written for one can be stored for the other.
func (t *Table) SameButLayout(o *Table) bool {
	if t == o || o == nil {
		return t == o
	}
	a, b := *t, *o
	for _, each := range []*Table{&a, &b} {
		each.Partitioning, each.PartitionColumn, each.Spaces, each.AutoSplits = nil, "", nil, nil
	}
	return reflect.DeepEqual(a, b)
}

// Filling are the key spaces of moves under way, which no table uses yet.
func (c *Catalog) Filling() []SpaceID { return c.filling }

// SameDescriptors reports whether the catalogs differ in nothing but what is
// filling.
func (c *Catalog) SameDescriptors(o *Catalog) bool {
	return c == o || sameMap(c.databases, o.databases) && sameMap(c.groups, o.groups) &&
		sameMap(c.tables, o.tables) && sameMap(c.views, o.views)
}

func sameMap[K, V comparable](a, b map[K]V) bool {
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return len(a) == len(b)
}
