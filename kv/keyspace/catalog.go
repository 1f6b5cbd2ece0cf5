// Package keyspace is the layout of stores that keep the cells of each partition in
// a key space of its own: parts of one ordered store, told apart by a number.
//
// The types that matter: [Layout], the key spaces of one table, which is its
// kv.Table.Layout; [Catalog], a catalog with them; [Change], a change of
// both; [Move], one for which cells have to be moved.
package keyspace

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// Catalog is a catalog with the layouts of its tables, and what a store keeps besides.
type Catalog struct {
	*kv.Catalog
	NextSpace ID
	// Filling are the key spaces of moves under way, which no table uses yet.
	// Where no move is under way, what is in them is to be removed.
	Filling []ID
}

// New is a catalog without anything in it.
func New() *Catalog { return &Catalog{Catalog: (&kv.StoredCatalog{}).Catalog()} }

// Change is a private copy of a catalog that is being changed.
type Change struct {
	*kv.CatalogChange
	from      *Catalog
	nextSpace ID
	filling   []ID
}

// Change starts a change of the catalog; one goroutine at a time may start one.
func (s *Catalog) Change() *Change {
	c := &Change{from: s, nextSpace: s.NextSpace, filling: s.Filling}
	c.CatalogChange = s.Catalog.Change(kv.FullLimits(), c)
	return c
}

// ChangeWithoutMoves starts a change that gives up what is filling.
func (s *Catalog) ChangeWithoutMoves() *Change {
	c := s.Change()
	c.filling = nil
	return c
}

// Finish is the changed catalog, one version on, what is not as before, and what its tables have
// given up. The change is over.
func (c *Change) Finish() (next *Catalog, d *kv.Difference, freed []Extent) {
	changed, d := c.CatalogChange.Finish()
	next = &Catalog{Catalog: changed, NextSpace: c.nextSpace, Filling: c.filling}
	return next, d, c.freed(d)
}

// freed are the extents that nothing needs any more after a change: whole key spaces,
// and of those that are still in use the rows that were given up.
func (c *Change) freed(d *kv.Difference) (out []Extent) {
	used := map[ID]bool{}
	use := func(spaces []ID) {
		for _, id := range spaces {
			used[id] = true
		}
	}
	use(c.filling)
	for _, t := range d.Tables {
		if t.Is != nil {
			use(Of(t.Is).Spaces)
		}
	}
	for _, t := range d.Tables {
		if t.Is == nil {
			continue
		}
		for _, e := range Of(t.Is).takeGivenUp() {
			if used[e.Space] {
				out = append(out, e)
			}
		}
	}
	free := func(spaces []ID) {
		for _, id := range spaces {
			if !used[id] {
				used[id] = true
				out = append(out, Extent{Space: id})
			}
		}
	}
	free(c.from.Filling)
	for _, t := range d.Tables {
		if t.Was != nil {
			free(Of(t.Was).Spaces)
		}
	}
	slices.SortFunc(out, func(a, b Extent) int {
		return cmp.Or(cmp.Compare(a.Space, b.Space), bytes.Compare(a.Rows.Start, b.Rows.Start))
	})
	return out
}

// takeGivenUp is what a change gives up in key spaces that may still be in use.
func (l *Layout) takeGivenUp() []Extent {
	given := l.givenUp
	if given != nil {
		l.givenUp = nil
	}
	return given
}

// Lay implements kv.Layouts: leaves that are nobody's get new key spaces.
func (c *Change) Lay(t *kv.Table, from []kv.Leaf, gone []kv.Leaf) {
	next := &Layout{Spaces: make([]ID, len(from))}
	for i, leaf := range from {
		if leaf.Table == nil {
			next.Spaces[i] = c.newSpace()
		} else {
			next.Spaces[i] = Of(leaf.Table).Spaces[leaf.Ordinal]
		}
	}
	if t.Layout != nil {
		next.AutoSplits, next.givenUp = standing(Of(t).AutoSplits, t.Partitioning), slices.Clip(Of(t).givenUp)
	}
	for _, leaf := range gone {
		next.givenUp = append(next.givenUp, ExtentOf(leaf.Table, leaf.Ordinal))
	}
	t.Layout = next
}

func (c *Change) newSpace() ID {
	c.nextSpace++
	return c.nextSpace
}

// Requested implements kv.Layouts: what was asked for is not the store's to take out.
func (c *Change) Requested(t *kv.Table, bounds [][]byte) {
	next := *Of(t)
	next.AutoSplits = slices.DeleteFunc(slices.Clone(next.AutoSplits), func(at []byte) bool { return containsRow(bounds, at) })
	t.Layout = &next
}

// Alike implements kv.Layouts.
func (c *Change) Alike(a, b *kv.Table) bool { return a.Partitioning.Equal(b.Partitioning) }

// Together implements kv.Layouts.
func (c *Change) Together(t *kv.Table, a, b int) bool { return Of(t).Spaces[a] == Of(t).Spaces[b] }

// AutoSplit is SplitPartitions at a point that nobody asked for;
// Layout.AutoSplits remembers it.
func AutoSplit(c *kv.CatalogChange, database, name string, point []byte) error {
	if _, err := c.SplitPartitions(database, name, [][]byte{point}); err != nil {
		return err
	}
	return c.ChangeEach(database, name, func(t *kv.Table) error {
		next := *Of(t)
		next.AutoSplits = slices.Concat(next.AutoSplits, [][]byte{point})
		t.Layout = &next
		return nil
	})
}
