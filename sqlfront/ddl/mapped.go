package ddl

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// createMapped creates a table that is mapped onto families of a table group.
func (d *DDL) createMapped(ctx context.Context, database string, st *ast.CreateTable) error {
	if err := declare.Check(st); err != nil {
		return err
	}
	t := &kv.Table{Database: database, Name: st.Name.Name, Group: st.Name.Name}
	if _, err := d.declared(ctx, t, st.Options); err != nil {
		return err
	}
	declaration := d.declaration(ctx)
	v, err := declaration.Mapped(st, t)
	if err != nil {
		return err
	}
	return d.addMapped(ctx, v, st.IfNotExists)
}

func (d *DDL) addMapped(ctx context.Context, v *kv.View, ifNotExists bool) error {
	err := d.changeCatalog(ctx, func(c *kv.CatalogChange) error { return declare.PutMapped(c, v, d.mayMap) })
	t := schema.Descriptor(v)
	return d.unlessFound(ctx, d.tableError(ctx, err, t), t, ifNotExists)
}

// mayMap checks the privileges on the families of a mapped table.
func (d *DDL) mayMap(v *kv.View, face *typed.Table) error {
	const all = rights.Select | rights.Insert | rights.Update | rights.Delete
	for _, family := range face.Families() {
		if err := d.Authority.Table(all, v.GroupDatabase, v.Group+"$"+family, v.Group); err != nil {
			return err
		}
	}
	return nil
}

// mapped is the mapped table of that name, nil if there is none.
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

// createMappedLike is CREATE TABLE ... LIKE a mapped table: another name for the same cells.
func (d *DDL) createMappedLike(ctx context.Context, from *kv.View, st *ast.CreateTableLike) (err error) {
	next := *from
	if next.Database, err = d.in(st.Name); err != nil {
		return err
	}
	if err := declare.Check(&ast.CreateTable{Name: st.Name, Temporary: st.Temporary}); err != nil {
		return err
	}
	next.Name, next.Created = st.Name.Name, d.Now.UnixMilli()
	return d.addMapped(ctx, &next, st.IfNotExists)
}

// alterMapped is ALTER TABLE for a mapped table.
func (d *DDL) alterMapped(ctx context.Context, v *kv.View, st *ast.AlterTable) error {
	return d.alterFace(ctx, func(a *declare.Alter) error { return d.tableError(ctx, a.RunMapped(v, st), &a.Next) })
}
