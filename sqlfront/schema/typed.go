package schema

import "github.com/hbasekv/hbasekv/kv"

// TypedFamily is the column family that holds the rows of a plain typed table, which is the
// table group of that name with this family alone.
const TypedFamily = "d"

// Stored is the column family that has the rows of the table of that name: the table itself, or the
// family of a typed one; nil where there is no such table.
func Stored(c *kv.Catalog, database, name string) *kv.Table {
	if t := c.Table(database, name); t != nil {
		return t
	}
	return TypedTable(c, database, name)
}

// TypedTable is the family that holds the rows of the typed table of that name; nil where there
// is no such table.
func TypedTable(c *kv.Catalog, database, name string) *kv.Table {
	if t := c.Table(database, name+"$"+TypedFamily); t != nil && len(Of(t).Typed) > 0 && t.Group == name {
		return t
	}
	return nil
}
