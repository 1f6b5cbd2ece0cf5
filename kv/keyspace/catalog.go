// Package keyspace is the layout of stores that keep the cells of each partition in
// a key space of its own: parts of one ordered store, told apart by a number.
//
// The main types: [Layout], the key spaces of one table, which is its kv.Table.Layout;
// [Catalog], a catalog with layouts; [Change], a change of both; [Move], a change for which
// cells have to be moved.
package keyspace

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// Catalog is a catalog with the layouts of its tables, and what else a store keeps.
type Catalog struct {
	*kv.Catalog
	NextSpace ID
	// Filling are the key spaces of moves under way, which no table uses yet. If no move is
	// running, their content must be removed.
	Filling []ID
}

// New returns an empty catalog.
func New() *Catalog { return &Catalog{Catalog: (&kv.StoredCatalog{}).Catalog()} }

// Change is a private copy of a catalog that is being changed.
type Change struct {
	*kv.CatalogChange
	from      *Catalog
	nextSpace ID
	filling   []ID
}

// Change starts a change of the catalog. Only one goroutine at a time may start one.
func (s *Catalog) Change() *Change {
	c := &Change{from: s, nextSpace: s.NextSpace, filling: s.Filling}
	c.CatalogChange = s.Catalog.Change(kv.FullLimits(), c)
	return c
}

// ChangeWithoutMoves starts a change that drops the key spaces of unfinished moves.
func (s *Catalog) ChangeWithoutMoves() *Change {
	c := s.Change()
	c.filling = nil
	return c
}

// Finish ends the change. It returns the changed catalog, with the next version, what has
// changed, and the extents that its tables no longer use.
func (c *Change) Finish() (next *Catalog, d *kv.Difference, freed []Extent) {
	changed, d := c.CatalogChange.Finish()
	next = &Catalog{Catalog: changed, NextSpace: c.nextSpace, Filling: c.filling}
	return next, d, c.freed(d)
}

// freed returns the extents that nothing uses after a change: whole key spaces, and the dropped
// rows of key spaces that are still in use.
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

// takeGivenUp takes what a change drops from key spaces that may still be in use.
func (l *Layout) takeGivenUp() []Extent {
	given := l.givenUp
	if given != nil {
		l.givenUp = nil
	}
	return given
}

// Lay implements kv.Layouts: leaves without previous cells get new key spaces.
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

// Requested implements kv.Layouts: the store must not remove these bounds by itself.
func (c *Change) Requested(t *kv.Table, bounds [][]byte) {
	next := *Of(t)
	next.AutoSplits = slices.DeleteFunc(slices.Clone(next.AutoSplits), func(at []byte) bool { return containsRow(bounds, at) })
	t.Layout = &next
}

// Alike implements kv.Layouts.
func (c *Change) Alike(a, b *kv.Table) bool { return a.Partitioning.Equal(b.Partitioning) }

// Together implements kv.Layouts.
func (c *Change) Together(t *kv.Table, a, b int) bool { return Of(t).Spaces[a] == Of(t).Spaces[b] }

// AutoSplit is SplitPartitions at a point that the store has chosen.
// Layout.AutoSplits remembers the point.
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
