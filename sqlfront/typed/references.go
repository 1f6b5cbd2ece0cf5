package typed

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// Renaming is a table's names before and after a change, and those of its columns that have got new ones.
type Renaming struct {
	Database, Table     string
	ToDatabase, ToTable string
	Columns             [][2]string // the old name and the new one
}

// Back is the change of the names to what they were.
func (n Renaming) Back() Renaming {
	out := Renaming{Database: n.ToDatabase, Table: n.ToTable, ToDatabase: n.Database, ToTable: n.Table}
	for _, names := range n.Columns {
		out.Columns = append(out.Columns, [2]string{names[1], names[0]})
	}
	return out
}

// Follow changes the foreign keys that name a renamed table or its columns, as MySQL does. Those of a table that has
// its new name already are of the database that it had before.
func (n Renaming) Follow(c *kv.CatalogChange) error {
	if n.Database == n.ToDatabase && n.Table == n.ToTable && len(n.Columns) == 0 {
		return nil
	}
	for _, t := range slices.Collect(c.Catalog().EveryTable()) {
		if t.Temporary || schema.Of(t).Typed == nil {
			continue
		}
		face, err := Declared(t)
		if err != nil || len(face.ForeignKeys) == 0 {
			continue // a damaged table hinders no other one
		}
		next := *face
		next.ForeignKeys = slices.Clone(face.ForeignKeys)
		if n.follow(t, next.ForeignKeys) {
			altered := *t
			schema.Edit(&altered).Typed = attribute.New(&next)
			if err := c.AlterTable(altered); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow changes the foreign keys of table t, and reports whether any has changed.
func (n Renaming) follow(t *kv.Table, keys []ForeignKey) (changed bool) {
	home := t.Database
	if t.Database == n.ToDatabase && t.Group == n.ToTable {
		home = n.Database // where its foreign keys were declared
	}
	for i := range keys {
		r := keys[i].Reference()
		r.Database = cmp.Or(r.Database, home)
		if r.rest > 0 && (n.rename(&r) || home != t.Database) {
			keys[i].References = r.head(t.Database) + keys[i].References[r.rest:]
			changed = true
		}
	}
	return changed
}

// rename changes a reference, and reports whether it is to the renamed table.
func (n Renaming) rename(r *Reference) bool {
	if r.Database != n.Database || r.Table != n.Table {
		return false
	}
	r.Database, r.Table = n.ToDatabase, n.ToTable
	for i, name := range r.Columns {
		if at := slices.IndexFunc(n.Columns, func(names [2]string) bool { return strings.EqualFold(names[0], name) }); at >= 0 {
			r.Columns[i] = n.Columns[at][1]
		}
	}
	return true
}

// head is the reference without its actions, as SHOW CREATE TABLE writes it for a table of the database.
func (r *Reference) head(database string) string {
	text := "REFERENCES "
	if r.Database != database {
		text += lex.QuoteName(r.Database) + "."
	}
	text += lex.QuoteName(r.Table)
	if r.Columns == nil {
		return text
	}
	names := make([]string, len(r.Columns))
	for i, name := range r.Columns {
		names[i] = lex.QuoteName(name)
	}
	return text + " (" + strings.Join(names, ",") + ")"
}
