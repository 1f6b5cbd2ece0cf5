// Package keyspace is the layout of stores that keep the cells of each partition in
// a key space of its own: parts of one ordered store, told apart by a number.
//
// The types that matter: [Layout], the key spaces of one table, which is its
// kv.Table.Layout; [Catalog], the stored catalog with them; [Change], a change of
// both; [Move], one for which cells have to be moved.
package keyspace

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// Catalog is a catalog as a store keeps it, with the layouts of its tables. Its
// JSON is an on-disk format.
type Catalog struct {
	kv.StoredCatalog
	NextSpace ID
	// Filling are the key spaces of moves under way, which no table uses yet.
	// Where no move is under way, what is in them is to be removed.
	Filling []ID
}

// stored is the form of a Catalog on disk.
type stored struct {
	Version   uint64         `json:"version"`
	NextID    uint64         `json:"next_id"`
	NextSpace ID             `json:"next_space"`
	Databases []*kv.Database `json:"databases"`
	Groups    []*kv.Group    `json:"groups,omitempty"`
	Tables    []storedTable  `json:"tables,omitempty"`
	Views     []*kv.View     `json:"views,omitempty"`
	Filling   []ID           `json:"filling,omitempty"`

	Attributes map[string]string `json:"attributes,omitempty"`
}

// storedTable is a table's descriptor and its layout as one object.
type storedTable struct{ table *kv.Table }

// MarshalJSON implements json.Marshaler.
func (s storedTable) MarshalJSON() ([]byte, error) {
	return kv.JoinAttributes(s.table, kv.NewAttributes(Of(s.table))), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *storedTable) UnmarshalJSON(data []byte) error {
	layout := &Layout{}
	descriptor, err := kv.SplitAttributes(data, layout)
	if err != nil {
		return err
	}
	s.table = &kv.Table{}
	if err := json.Unmarshal(kv.JoinAttributes(struct{}{}, descriptor), s.table); err != nil {
		return err
	}
	s.table.Layout = layout
	return nil
}

// MarshalJSON implements json.Marshaler.
func (s *Catalog) MarshalJSON() ([]byte, error) {
	out := stored{Version: s.Version, NextID: s.NextID, NextSpace: s.NextSpace,
		Databases: s.Databases, Groups: s.Groups, Views: s.Views, Filling: s.Filling, Attributes: s.Attributes}
	for _, t := range s.Tables {
		out.Tables = append(out.Tables, storedTable{t})
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Catalog) UnmarshalJSON(data []byte) error {
	var in stored
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*s = Catalog{NextSpace: in.NextSpace, Filling: in.Filling, StoredCatalog: kv.StoredCatalog{
		Version: in.Version, NextID: in.NextID, Databases: in.Databases, Groups: in.Groups, Views: in.Views, Attributes: in.Attributes}}
	for _, t := range in.Tables {
		s.Tables = append(s.Tables, t.table)
	}
	return nil
}

// Parse reads the stored form; kv.ErrFormat.
func Parse(data []byte) (*Catalog, error) {
	s := &Catalog{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%w: catalog: %w", kv.ErrFormat, err)
	}
	return s, nil
}

// spaces are all key spaces that hold cells.
func (s *Catalog) spaces() []ID {
	out := slices.Clone(s.Filling)
	for _, t := range s.Tables {
		out = append(out, Of(t).Spaces...)
	}
	return out
}

// Change is a private copy of a catalog that is being changed.
type Change struct {
	*kv.CatalogChange
	from      *Catalog
	nextSpace ID
	filling   []ID
}

// Change starts a change of the stored catalog.
func (s *Catalog) Change() *Change {
	c := &Change{from: s, nextSpace: s.NextSpace, filling: s.Filling}
	c.CatalogChange = s.StoredCatalog.Change(kv.FullLimits(), c)
	return c
}

// ChangeWithoutMoves starts a change that gives up what is filling.
func (s *Catalog) ChangeWithoutMoves() *Change {
	c := s.Change()
	c.filling = nil
	return c
}

// Finish is the changed catalog in stored form, one version on, and what its tables
// have given up.
func (c *Change) Finish() (next *Catalog, freed []Extent) {
	next = &Catalog{StoredCatalog: *c.CatalogChange.Finish(&c.from.StoredCatalog), NextSpace: c.nextSpace, Filling: c.filling}
	var givenUp []Extent
	for _, t := range next.Tables {
		if l := Of(t); l.givenUp != nil {
			givenUp, l.givenUp = append(givenUp, l.givenUp...), nil
		}
	}
	return next, freedExtents(c.from, next, givenUp)
}

// freedExtents are what nothing in after needs any more: whole key spaces,
// and of those that are still in use the rows that were given up.
func freedExtents(before, after *Catalog, givenUp []Extent) []Extent {
	used := map[ID]bool{}
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
