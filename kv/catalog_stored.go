package kv

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv/sorted"
)

// StoredCatalog is the content of a catalog, in any order.
type StoredCatalog struct {
	Version   uint64      `json:"version"`
	NextID    uint64      `json:"next_id"`
	Databases []*Database `json:"databases"`
	Groups    []*Group    `json:"groups,omitempty"`
	Tables    []*Table    `json:"tables,omitempty"`
	Views     []*View     `json:"views,omitempty"`
	// Attributes are the front's own.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Catalog returns the catalog with this content.
func (s *StoredCatalog) Catalog() *Catalog {
	c := EmptyCatalog()
	c.version, c.nextID = s.Version, s.NextID
	for _, d := range s.Databases {
		c.databases.Set(d.Name, d)
	}
	for _, g := range s.Groups {
		c.groups.Set(path{g.Database, g.Name}, g)
	}
	for _, t := range s.Tables {
		c.setTable(t.ID, t)
		c.retaining += t.retains()
	}
	for _, v := range s.Views {
		c.setView(path{v.Database, v.Name}, v)
	}
	for name, text := range s.Attributes {
		c.attributes.Set(name, &text)
	}
	return c
}

// retains returns 1 for a table with a Retention, else 0.
func (t *Table) retains() int {
	if t == nil || t.Retention.IsZero() {
		return 0
	}
	return 1
}

// setTable replaces the table that has the ID; nil removes it.
func (c *Catalog) setTable(id uint64, t *Table) {
	if old := c.byID.Get(id); old != nil {
		c.name(old, nil)
	}
	if c.byID.Set(id, t); t != nil {
		c.name(t, t)
	}
}

// name makes a table, or nil, be found by the names of of.
func (c *Catalog) name(of, t *Table) {
	c.tables.Set(path{of.Database, of.Name}, t)
	if of.Group != "" {
		c.families.Set(path{of.Database, of.Group, of.Family + "\x00" + of.Name}, t)
	}
}

// setView replaces the view of that name; nil removes it.
func (c *Catalog) setView(at path, v *View) {
	if old := c.views.Get(at); old != nil {
		c.ofGroups.Set(old.inGroup(), nil)
	}
	if c.views.Set(at, v); v != nil && v.Group != "" {
		c.ofGroups.Set(v.inGroup(), v)
	}
}

// inGroup returns the key of a view in ofGroups.
func (v *View) inGroup() path {
	return path{v.GroupDatabase, v.Group, v.Database + "\x00" + v.Name}
}

// Change starts a change of the catalog of a store with these limits. Only one goroutine at a time may
// start one. nil layouts are for a store without layouts.
func (c *Catalog) Change(limits Limits, layouts Layouts) *CatalogChange {
	if layouts == nil {
		layouts = noLayouts{}
	}
	next := *c
	next.copyMaps()
	return &CatalogChange{catalog: &next, limits: limits, layouts: layouts}
}

// Difference is what a change has changed: descriptors before and after, in any order. Tables are
// paired by ID, everything else by name.
type Difference struct {
	Databases []Changed[Database]
	Groups    []Changed[Group]
	Tables    []Changed[Table]
	Views     []Changed[View]
	// Attributes are the names of the front's attributes that have changed.
	Attributes []string
}

// Changed is a descriptor before and after; nil if there was none, or is none.
type Changed[D any] = sorted.Changed[D]

// Size returns the number of descriptors and attributes.
func (c *Catalog) Size() int {
	return c.databases.Len() + c.groups.Len() + c.byID.Len() + c.views.Len() + c.attributes.Len()
}

// Everything returns the difference from an empty catalog.
func (c *Catalog) Everything() *Difference {
	d := &Difference{Databases: c.databases.Everything(), Groups: c.groups.Everything(), Tables: c.byID.Everything(), Views: c.views.Everything()}
	d.Attributes = slices.Collect(c.AttributeNames())
	return d
}

// Finish ends the change. It returns the changed catalog, with the next version and without views of
// dropped table groups, and what has changed.
func (c *CatalogChange) Finish() (*Catalog, *Difference) {
	next := c.catalog
	d := &Difference{Groups: next.groups.Changes()}
	for _, g := range d.Groups {
		if g.Is == nil {
			next.dropViewsOf(g.Was)
		}
	}
	d.Databases, d.Tables, d.Views = next.databases.Changes(), next.byID.Changes(), next.views.Changes()
	for name := range next.attributes.Changed() {
		d.Attributes = append(d.Attributes, name)
	}
	for _, t := range d.Tables {
		next.retaining += t.Is.retains() - t.Was.retains()
	}
	next.version++
	for _, m := range []interface{ Settle() }{next.databases, next.groups, next.tables, next.views, next.byID, next.families,
		next.ofGroups, next.attributes} {
		m.Settle()
	}
	return next, d
}

// dropViewsOf removes the views of a table group.
func (c *Catalog) dropViewsOf(g *Group) {
	var gone []path
	for v := range sorted.Below(c.ofGroups, path{g.Database, g.Name}, 2) {
		gone = append(gone, path{v.Database, v.Name})
	}
	for _, at := range gone {
		c.setView(at, nil)
	}
}
