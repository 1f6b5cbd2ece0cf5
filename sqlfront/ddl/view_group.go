package ddl

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// A table group is shown as a view of its name, so dumps write that view: once with constants for its
// columns, for other views to refer to, and once as it is. A restore creates the view before or after the
// group's tables, which bring it with them.

// faceColumns are the columns of a group's view.
var faceColumns = []string{relation.ColumnK, relation.ColumnF, relation.ColumnQ, relation.ColumnT, relation.ColumnV}

// giveWay drops a view in place of the group of a new table, which needs the privilege to drop it.
func (d *DDL) giveWay(c *kv.CatalogChange, t *kv.Table) error {
	v := c.Catalog().View(t.Database, t.Group)
	if v == nil || v.Group != "" || t.Group == "" || !slices.Equal(schema.OfView(v).Columns, faceColumns) {
		return nil
	}
	if err := d.Authority.Table(rights.Drop, t.Database, t.Group, ""); err != nil {
		return err
	}
	return c.DropView(t.Database, t.Group)
}

// createFace is CREATE VIEW for a group's name: a note if it is the group's own view, else error 1050.
func (d *DDL) createFace(c *kv.Catalog, database string, st *ast.CreateView) error {
	taken := mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists: it is a table group", st.Name.Name)
	v, err := d.defineView(c, database, st)
	if err != nil {
		return err
	}
	return d.unless(slices.Equal(schema.OfView(v).Columns, faceColumns), taken)
}

// groupsOwn explains why a group's view is not dropped.
func groupsOwn(name string) string {
	return "The view '" + name + "' is that of a table group: it goes with the group's last table"
}
