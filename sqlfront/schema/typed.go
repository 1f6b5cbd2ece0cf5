package schema

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// TypedFamily is the column family with the rows of a plain typed table, which is the table group of that
// name with only this family.
const TypedFamily = "d"

// Stored is the column family with the rows of the table of that name: the table itself, or the family of a
// typed one; nil if there is no such table.
func Stored(c *kv.Catalog, database, name string) *kv.Table {
	if t := OwnTyped(c, database, name); t != nil {
		return t
	}
	if t := c.Table(database, name); t != nil {
		return t
	}
	return TypedTable(c, database, name)
}

// OwnTyped is TypedTable for a session's temporary tables, which hide others of their names.
func OwnTyped(c *kv.Catalog, database, name string) *kv.Table {
	if !c.IsOwn() {
		return nil
	}
	if t := TypedTable(c, database, name); t != nil && t.Temporary {
		return t
	}
	return nil
}

// TypedTable is the family with the rows of the typed table of that name; nil if there is none.
func TypedTable(c *kv.Catalog, database, name string) *kv.Table {
	if t := c.Table(database, name+"$"+TypedFamily); t != nil && Of(t).Typed != nil && t.Group == name {
		return t
	}
	return nil
}

// ShownName is the name by which statements know a table: that of the typed table whose rows it has, or its
// own.
func ShownName(t *kv.Table) string {
	if Of(t).Typed != nil {
		return t.Group
	}
	return t.Name
}

// Descriptor is what a mapped table has in common with others: its name, as that of a group, its creation
// time, and its declaration. It is not a table of the store.
func Descriptor(v *kv.View) *kv.Table {
	return &kv.Table{Database: v.Database, Name: v.Name, Group: v.Name, Created: v.Created, Attributes: v.Attributes,
		Partitioning: &partition.Scheme{}}
}

// HasCells is false for a Descriptor.
func HasCells(t *kv.Table) bool { return t.ID != 0 }

// Mapped is the view in the catalog for the mapped table of that name; nil if there is none.
func Mapped(c *kv.Catalog, database, name string) *kv.View {
	if v := c.View(database, name); v != nil && v.Group != "" {
		return v
	}
	return nil
}
