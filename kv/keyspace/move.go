package keyspace

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// Move is a change of layout for which cells have to be moved: the table, or all
// tables of its group, before and after.
type Move struct {
	// Before and After are parallel.
	Before, After []*kv.Table

	layout func(*kv.Table) error
	// alone is true if other tables of the group stay as they are.
	alone bool
}

// Needed reports whether a cell may have to be moved, or may have no partition
// in the new layout.
func (m *Move) Needed() bool {
	return slices.ContainsFunc(m.Sources(), func(of []Extent) bool { return len(of) > 0 })
}

// Sources returns, for each table, the extents of the cells that change their key
// space or may have no partition in the new layout.
func (m *Move) Sources() [][]Extent {
	out := make([][]Extent, len(m.Before))
	for i, old := range m.Before {
		next := m.After[i]
		switch {
		case slices.Equal(Of(old).Spaces, Of(next).Spaces) && old.Partitioning.Equal(next.Partitioning):
		case old.Partitioning.Ordered() && next.Partitioning.Ordered():
			to := next.Partitioning
			out[i] = slices.Concat(movedOut(old, next), uncoveredRows(old, to), uncoveredTimes(old, to))
		default:
			for leaf, id := range Of(old).Spaces {
				if !slices.Contains(Of(next).Spaces, id) {
					out[i] = append(out[i], ExtentOf(old, leaf))
				}
			}
		}
	}
	return out
}

// uncoveredRows returns the extents whose rows have no partition in a scheme of ranges.
func uncoveredRows(old *kv.Table, to *partition.Scheme) (out []Extent) {
	end := to.Bounds(to.Len() - 1).End
	if end == nil {
		return nil
	}
	for leaf := range Of(old).Spaces {
		e := ExtentOf(old, leaf)
		if rows, some := e.Rows.Intersect(partition.RowRange{Start: end}); some {
			out = append(out, Extent{Space: e.Space, Rows: rows})
		}
	}
	return out
}

// uncoveredTimes returns the extents whose times all have no slice in the scheme.
func uncoveredTimes(old *kv.Table, to *partition.Scheme) (out []Extent) {
	for leaf := range Of(old).Spaces {
		_, slice := old.Partitioning.LeafAt(leaf)
		times := timesOf(old.Partitioning, slice)
		covered := times.from >= times.to // or empty
		for next := range to.NumSlices() {
			covered = covered || times.overlaps(timesOf(to, next))
		}
		if !covered {
			out = append(out, ExtentOf(old, leaf))
		}
	}
	return out
}

// filling returns the new key spaces of one of the tables.
func (m *Move) filling(after *kv.Table) []ID {
	before := m.Before[slices.Index(m.After, after)]
	var out []ID
	for _, id := range Of(after).Spaces {
		if !slices.Contains(Of(before).Spaces, id) {
			out = append(out, id)
		}
	}
	return out
}

// allFilling returns the new key spaces.
func (m *Move) allFilling() (out []ID) {
	for _, t := range m.After {
		out = append(out, m.filling(t)...)
	}
	return out
}

// StartMove plans to give a table, and each other table of its group, the layout
// that a function sets in a copy of the descriptor. The tables stay as they are;
// the new key spaces of the plan are reserved and filling until FinishMove or
// CancelMove. RANGE partitions keep their key space if all of their rows are in
// one. The error is kv.ErrNoTable, layout's, or kv.ErrPartitioning if the tables
// of the group would be partitioned differently.
func (c *Change) StartMove(database, name string, layout func(*kv.Table) error) (*Move, error) {
	m := &Move{layout: layout, Before: c.members(database, name)}
	if m.Before == nil {
		return nil, kv.ErrNoTable
	}
	for _, old := range m.Before {
		next := *old
		if err := layout(&next); err != nil {
			return nil, err
		}
		if len(m.After) > 0 && !m.After[0].Partitioning.Equal(next.Partitioning) {
			return nil, kv.ErrPartitioning
		}
		next.Layout = &Layout{Spaces: c.spacesFor(old, next.Partitioning)}
		m.After = append(m.After, &next)
	}
	return c.started(m), nil
}

// members returns a table and each other table of its group; nil if it is missing.
func (c *Change) members(database, name string) []*kv.Table {
	t := c.Catalog().Table(database, name)
	switch {
	case t == nil:
		return nil
	case t.Group == "":
		return []*kv.Table{t}
	}
	return c.Catalog().Families(database, t.Group)
}

// StartIsolation is StartMove that gives one leaf of one table's partitioning a
// key space of its own. It fails with kv.ErrNoPartition if there is none of that
// name.
func (c *Change) StartIsolation(database, name, leaf string) (*Move, error) {
	m := &Move{alone: true}
	m.layout = func(t *kv.Table) error {
		if _, ok := t.Partitioning.LeafOrdinal(leaf); !ok {
			return kv.ErrNoPartition
		}
		return nil
	}
	before := c.Catalog().Table(database, name)
	if before == nil {
		return nil, kv.ErrNoTable
	}
	i, ok := before.Partitioning.LeafOrdinal(leaf)
	if !ok {
		return nil, kv.ErrNoPartition
	}
	after := *before
	if l := Of(before); l.shares(i) {
		next := &Layout{Spaces: slices.Clone(l.Spaces), AutoSplits: l.AutoSplits}
		next.Spaces[i] = c.newSpace()
		after.Layout = next
	}
	m.Before, m.After = []*kv.Table{before}, []*kv.Table{&after}
	return c.started(m), nil
}

// started reserves the key spaces of a plan.
func (c *Change) started(m *Move) *Move {
	c.filling = append(slices.Clip(c.filling), m.allFilling()...)
	return m
}

// FinishMove gives the tables the layout of a plan after their cells have been
// moved. It fails with kv.ErrCatalogChanged if they have changed since the plan
// was made.
func (c *Change) FinishMove(m *Move) error {
	now, ok := m.stand(c.Catalog())
	if !ok {
		return kv.ErrCatalogChanged
	}
	layOut := func(t *kv.Table) error {
		i := slices.IndexFunc(m.After, func(after *kv.Table) bool { return after.ID == t.ID })
		old := *t
		if m.layout(t) != nil || !t.Partitioning.Equal(m.After[i].Partitioning) {
			return kv.ErrCatalogChanged
		}
		t.Layout = &Layout{Spaces: Of(m.After[i]).Spaces, AutoSplits: standing(Of(&old).AutoSplits, t.Partitioning)}
		Of(t).givenUp = slices.Concat(Of(&old).givenUp, movedOut(&old, t))
		return nil
	}
	var err error
	if m.alone {
		next := *now[0]
		if err = layOut(&next); err == nil {
			err = c.AlterTable(next)
		}
	} else {
		err = c.ChangeEach(now[0].Database, now[0].Name, layOut)
	}
	if err == nil {
		c.endFilling(m)
	}
	return err
}

// CancelMove drops the key spaces of a plan.
func (c *Change) CancelMove(m *Move) { c.endFilling(m) }

func (c *Change) endFilling(m *Move) {
	ended := m.allFilling()
	c.filling = slices.DeleteFunc(slices.Clone(c.filling), func(id ID) bool { return slices.Contains(ended, id) })
}

// Stands reports whether the plan's tables are still in the catalog with the
// cells and the layout that they had.
func (m *Move) Stands(c *kv.Catalog) bool {
	_, ok := m.stand(c)
	return ok
}

// stand returns the plan's tables as they are now.
func (m *Move) stand(c *kv.Catalog) (now []*kv.Table, ok bool) {
	for _, before := range m.Before {
		t := c.TableByID(before.ID)
		if t == nil || t.Database != before.Database || t.Group != before.Group || t.Generation != before.Generation ||
			!slices.Equal(Of(t).Spaces, Of(before).Spaces) || !t.Partitioning.Equal(before.Partitioning) {
			return nil, false
		}
		now = append(now, t)
	}
	first := m.Before[0]
	return now, m.alone || first.Group == "" || len(c.Families(first.Database, first.Group)) == len(now)
}

// spacesFor returns key spaces for a new partitioning of the table: existing ones
// for leaves whose cells are already in one, else new ones.
func (c *Change) spacesFor(old *kv.Table, to *partition.Scheme) []ID {
	if old.Partitioning.Equal(to) {
		return Of(old).Spaces
	}
	out := make([]ID, to.NumLeaves())
	for leaf := range out {
		row, slice := to.LeafAt(leaf)
		id, ok := onlySpace(old, to, row, slice)
		if !ok {
			id = c.newSpace()
		}
		out[leaf] = id
	}
	return out
}

// onlySpace returns the key space that has all cells of a leaf of another scheme,
// and no others in these rows.
func onlySpace(t *kv.Table, to *partition.Scheme, row, slice int) (id ID, ok bool) {
	from, ok := onlySlice(t, to, slice)
	if !ok {
		return 0, false
	}
	ok = false
	for _, p := range rowsOf(t, to, row) {
		if ok && Space(t, p, from) != id {
			return 0, false
		}
		id, ok = Space(t, p, from), true
	}
	return id, ok
}

// onlySlice returns the slice of time that has all cells of a slice of another
// scheme, and no others.
func onlySlice(t *kv.Table, to *partition.Scheme, slice int) (from int, ok bool) {
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

// rowsOf returns the partitions that have the rows of a partition of another
// scheme; none if hashes redistribute them.
func rowsOf(t *kv.Table, to *partition.Scheme, row int) []int {
	switch {
	case t.Partitioning.Ordered() && to.Ordered():
		return t.Partitioning.Prune([]partition.RowRange{to.Bounds(row)})
	case t.Partitioning.RowsEqual(to):
		return []int{row}
	}
	return nil
}

// magnitudes is a range of magnitudes of timestamps, to exclusive.
type magnitudes struct{ from, to uint64 }

// timesOf returns the magnitudes in a slice. Without slices of time, they
// include that of the smallest int64.
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

// movedOut returns the extents whose cells are in other key spaces in the new
// layout, and that are in key spaces which both layouts may have. If either
// layout hashes, a key space is in both with all its cells, or in only one.
func movedOut(old, next *kv.Table) (out []Extent) {
	if !old.Partitioning.Ordered() || !next.Partitioning.Ordered() {
		return nil
	}
	for leaf, id := range Of(old).Spaces {
		for other := range next.Partitioning.Len() {
			rows, some := ExtentOf(old, leaf).Rows.Intersect(next.Partitioning.Bounds(other))
			if some && leaves(old, leaf, next, other) {
				out = append(out, Extent{Space: id, Rows: rows})
			}
		}
	}
	return out
}

// leaves reports whether cells of a leaf have another key space in a partition
// of the new layout.
func leaves(t *kv.Table, leaf int, next *kv.Table, row int) bool {
	_, slice := t.Partitioning.LeafAt(leaf)
	for other := range next.Partitioning.NumSlices() {
		times := timesOf(next.Partitioning, other)
		if Space(next, row, other) != Of(t).Spaces[leaf] && timesOf(t.Partitioning, slice).overlaps(times) {
			return true
		}
	}
	return false
}
