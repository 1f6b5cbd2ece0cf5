package ddl

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// createMapped makes a table that is mapped onto families of a table group, as a view of the group's.
func (d *DDL) createMapped(ctx context.Context, database string, st *ast.CreateTable) error {
	if err := declare.Check(st); err != nil {
		return err
	}
	t := &kv.Table{Database: database, Name: st.Name.Name, Group: st.Name.Name}
	declared, err := d.declared(ctx, t, st.Options)
	if err != nil {
		return err
	}
	declaration := d.declaration(ctx)
	face, err := declaration.Table(st, declared.Text)
	if err != nil {
		return err
	}
	declared.Typed = face.Attribute()
	if err := declaration.BindChecks(t, face); err != nil {
		return err
	}
	v := kv.View{Database: database, Name: st.Name.Name, Created: d.Now.UnixMilli(), Attributes: t.Attributes}
	v.GroupDatabase, v.Group = groupNamed(*st.Options.Mapping.Table, database)
	return d.addMapped(ctx, v, face, st.IfNotExists)
}

// groupNamed is HBASE_TABLE: a table group, with its database and a colon in front where that is another one.
func groupNamed(text, database string) (inDatabase, group string) {
	if home, name, ok := strings.Cut(text, ":"); ok {
		return home, name
	}
	return database, text
}

// addMapped puts a mapped table into the catalog. Who maps cells may read and write them.
func (d *DDL) addMapped(ctx context.Context, v kv.View, face *typed.Table, ifNotExists bool) error {
	err := d.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		if schema.TypedTable(c.Catalog(), v.GroupDatabase, v.Group) != nil {
			return mysqlerr.Unsupported("mapping a table onto " + v.Group + ", which is a typed table itself")
		}
		if c.Catalog().Group(v.GroupDatabase, v.Group) == nil {
			return mysqlerr.NoTableGroup(v.Group)
		}
		return cmp.Or(declare.CheckPlaces(c.Catalog(), &v, face), d.mayMap(&v, face), c.CreateView(v))
	})
	switch {
	case errors.Is(err, kv.ErrNoDatabase):
		return mysqlerr.UnknownDatabase(v.Database)
	case isTaken(err):
		return d.unless(ifNotExists, mysqlerr.New(mysqlerr.TableExists, "Table '%s' already exists", v.Name))
	}
	return err
}

// mayMap asks for the rights on the families of a mapped table, since those on the table open them.
func (d *DDL) mayMap(v *kv.View, face *typed.Table) error {
	const all = rights.Select | rights.Insert | rights.Update | rights.Delete
	for _, family := range face.Families() {
		if err := d.Authority.Table(all, v.GroupDatabase, v.Group+"$"+family, v.Group); err != nil {
			return err
		}
	}
	return nil
}

// mapped is the mapped table of that name, nil where there is none.
func (d *DDL) mapped(ctx context.Context, name ast.TableName) (*kv.View, error) {
	database, err := d.in(name)
	if err != nil {
		return nil, err
	}
	catalog, err := d.Store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	return schema.Mapped(catalog, database, name.Name), nil
}

// createMappedLike is CREATE TABLE ... LIKE a mapped table: another name of the same cells.
func (d *DDL) createMappedLike(ctx context.Context, from *kv.View, st *ast.CreateTableLike) error {
	database, err := d.in(st.Name)
	if err != nil {
		return err
	}
	if err := declare.Check(&ast.CreateTable{Name: st.Name, Temporary: st.Temporary}); err != nil {
		return err
	}
	face, err := typed.OfView(from)
	if err != nil {
		return err
	}
	next := *from
	next.Database, next.Name, next.Created = database, st.Name.Name, d.Now.UnixMilli()
	return d.addMapped(ctx, next, face, st.IfNotExists)
}

// alterMapped is ALTER TABLE of a mapped table.
func (d *DDL) alterMapped(ctx context.Context, v *kv.View, st *ast.AlterTable) error {
	return d.alterFace(ctx, func(a *declare.Alter) error { return d.tableError(ctx, a.RunMapped(v, st), &a.Next) })
}
