package schema

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// TypedFamily is the column family that holds the rows of a plain typed table, which is the
// table group of that name with this family alone.
const TypedFamily = "d"

// Stored is the column family that has the rows of the table of that name: the table itself, or the
// family of a typed one; nil where there is no such table.
func Stored(c *kv.Catalog, database, name string) *kv.Table {
	if t := OwnTyped(c, database, name); t != nil {
		return t
	}
	if t := c.Table(database, name); t != nil {
		return t
	}
	return TypedTable(c, database, name)
}

// OwnTyped is TypedTable of a session's own tables, which hide others of their names.
func OwnTyped(c *kv.Catalog, database, name string) *kv.Table {
	if !c.IsOwn() {
		return nil
	}
	if t := TypedTable(c, database, name); t != nil && t.Temporary {
		return t
	}
	return nil
}

// TypedTable is the family that holds the rows of the typed table of that name; nil where there
// is no such table.
func TypedTable(c *kv.Catalog, database, name string) *kv.Table {
	if t := c.Table(database, name+"$"+TypedFamily); t != nil && Of(t).Typed != nil && t.Group == name {
		return t
	}
	return nil
}

// Descriptor is what a mapped table has in common with others: its name, as that of a group, when it was
// made, and what was declared of it. No store has a table of it.
func Descriptor(v *kv.View) *kv.Table {
	return &kv.Table{Database: v.Database, Name: v.Name, Group: v.Name, Created: v.Created, Attributes: v.Attributes,
		Partitioning: &partition.Scheme{}}
}

// HasCells is false of a Descriptor.
func HasCells(t *kv.Table) bool { return t.ID != 0 }

// Mapped is the typed table of that name that is mapped onto a table group's families, as which the
// catalog has it; nil where there is no such table.
func Mapped(c *kv.Catalog, database, name string) *kv.View {
	if v := c.View(database, name); v != nil && v.Group != "" {
		return v
	}
	return nil
}
