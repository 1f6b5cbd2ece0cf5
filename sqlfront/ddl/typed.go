package ddl

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/retention"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

func (d *DDL) createTyped(ctx context.Context, database string, st *ast.CreateTable) error {
	t, err := d.describeTyped(ctx, database, st)
	if err != nil {
		return err
	}
	return d.add(ctx, t, st.IfNotExists)
}

// describeTyped makes the descriptor of the family that has the rows of a typed table.
func (d *DDL) describeTyped(ctx context.Context, database string, st *ast.CreateTable) (*kv.Table, error) {
	if err := declare.Check(st); err != nil {
		return nil, err
	}
	if !kv.LimitsOf(d.Store).Nulls {
		return nil, mysqlerr.Unsupported("tables other than column families in this store")
	}
	t := &kv.Table{Database: database, Name: typedFamily(st.Name.Name), Group: st.Name.Name, Family: schema.TypedFamily,
		MaxRow: maxKey, MaxQualifier: maxKey, Partitioning: &partition.Scheme{},
		Value: kv.ValueType{Kind: schema.LongBlob, Max: schema.MaxLongBlob, Nullable: true}}
	declared := schema.Edit(t)
	catalog, err := d.Store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	if home := catalog.Database(database); home != nil {
		declared.Text = schema.TextOf(home)
	}
	if err := setOptions(t, st.Options); err != nil {
		return nil, err
	}
	if err := retention.Check(st.Name.Name, t.Retention); err != nil {
		return nil, err
	}
	face, err := (&declare.Declaration{Ctx: ctx, Now: d.Now}).Table(st, declared.Text)
	if err != nil {
		return nil, err
	}
	declared.Typed = face.Attribute()
	return t, declare.Number(d.Store, t, face, st)
}

// typedFamily is the name of the table that has the rows of a typed table.
func typedFamily(name string) string { return name + "$" + schema.TypedFamily }

// createTypedLike is CREATE TABLE ... LIKE a typed table.
func (d *DDL) createTypedLike(ctx context.Context, database string, from *kv.Table, st *ast.CreateTableLike) error {
	if err := declare.Check(&ast.CreateTable{Name: st.Name, Temporary: st.Temporary}); err != nil {
		return err
	}
	next := *from
	next.Database, next.Group, next.Name, next.Counter = database, st.Name.Name, typedFamily(st.Name.Name), kv.Counter{}
	return d.add(ctx, &next, st.IfNotExists)
}

// renameTyped gives the family of a typed table the names that follow from the table's new one.
func renameTyped(c *kv.CatalogChange, t *kv.Table, name string) error {
	if err := declare.Check(&ast.CreateTable{Name: ast.TableName{Name: name}}); err != nil {
		return err
	}
	if strings.Contains(name, "$") {
		return mysqlerr.New(mysqlerr.WrongTableName, "Incorrect table name '%s': a typed table's name holds no $", name)
	}
	if group := c.Catalog().Group(t.Database, name); group != nil {
		return kv.ErrGroupExists
	}
	t.Group, t.Name = name, typedFamily(name)
	return c.AlterTable(*t)
}

// alterTyped is ALTER TABLE of a typed table, which may be renamed.
func (d *DDL) alterTyped(ctx context.Context, t *kv.Table, st *ast.AlterTable) error {
	if len(st.Actions) == 1 {
		switch a := st.Actions[0].(type) {
		case *ast.AlterRename:
			return d.rename(ctx, []ast.RenamePair{{From: ast.TableName{Database: t.Database, Name: t.Group}, To: a.To}})
		case *ast.AlterOptions:
			if n := a.Options.AutoIncrement; n != nil {
				return declare.NumberFrom(ctx, d.Store, t, *n, d.permitted)
			}
		}
	}
	return mysqlerr.Unsupported("ALTER TABLE of tables other than column families, but for RENAME TO and AUTO_INCREMENT")
}
