package ddl

import (
	"cmp"
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/retention"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
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
	t := &kv.Table{Database: database, Name: declare.Family(st.Name.Name), Group: st.Name.Name,
		Family: schema.TypedFamily, Temporary: st.Temporary,
		MaxRow: maxKey, MaxQualifier: maxKey, Partitioning: &partition.Scheme{},
		Value: kv.ValueType{Kind: schema.LongBlob, Max: schema.MaxLongBlob, Nullable: true}}
	if err := declare.CheckParted(t, st.Partition); err != nil {
		return nil, err
	}
	declared, err := d.declared(ctx, t, st.Options)
	if err != nil {
		return nil, err
	}
	if err := retention.Check(st.Name.Name, t.Retention); err != nil {
		return nil, err
	}
	declaration := d.declaration(ctx)
	face, err := declaration.Table(st, declared.Text)
	if err != nil {
		return nil, err
	}
	declared.Typed = attribute.New(face)
	return t, cmp.Or(declaration.BindRules(t, face), declare.Number(d.Store, t, face, st),
		d.noteHash(st.Partition, d.setPartitioning(t, st.Partition)))
}

// declared is the schema of a new typed table by its options and its database's character set.
func (d *DDL) declared(ctx context.Context, t *kv.Table, o ast.TableOptions) (*schema.Table, error) {
	out := schema.Edit(t)
	catalog, err := d.Store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	if home := catalog.Database(t.Database); home != nil {
		out.Text = schema.TextOf(home)
	}
	return out, declare.SetOptions(t, o)
}

// declaration has what declaring typed tables needs.
func (d *DDL) declaration(ctx context.Context) declare.Declaration {
	bind := func(t *kv.Table, text string) (expr.Node, error) {
		catalog, err := d.Store.Catalog(ctx)
		if err != nil {
			return nil, err
		}
		r, err := relation.OfTyped(t)
		if err != nil {
			return nil, err
		}
		return d.Planner(catalog).RowValue(r, text)
	}
	return declare.Declaration{Ctx: ctx, Now: d.Now, Bind: bind, IgnoreForeignKeys: d.IgnoreForeignKeys, Note: d.Note, Warn: d.Warn}
}

// createTypedLike is CREATE TABLE ... LIKE a typed table.
func (d *DDL) createTypedLike(ctx context.Context, database string, from *kv.Table, st *ast.CreateTableLike) error {
	if err := declare.Check(&ast.CreateTable{Name: st.Name, Temporary: st.Temporary}); err != nil {
		return err
	}
	next := *from
	next.Indexes = nil // they belong to the other table: add gives this one its own
	if next.Temporary = st.Temporary; next.Temporary {
		ownInPlace(&next)
	}
	next.Database, next.Group, next.Name, next.Counter = database, st.Name.Name, declare.Family(st.Name.Name), kv.Counter{}
	return d.add(ctx, &next, st.IfNotExists)
}

// alterTyped is ALTER TABLE for a typed table. It takes no locks: if rows must be checked and others write
// meanwhile, it checks again.
func (d *DDL) alterTyped(ctx context.Context, t *kv.Table, st *ast.AlterTable) error {
	var done *declare.Alter
	err := d.alterFace(ctx, func(a *declare.Alter) error {
		done = a
		return d.tableError(ctx, a.Run(t, st), &a.Next)
	})
	if err != nil {
		return err
	}
	done.TellWarnings()
	return done.Build(d.Building)
}

// alterFace repeats an attempt until nothing that it has checked was changed meanwhile.
func (d *DDL) alterFace(ctx context.Context, attempt func(*declare.Alter) error) error {
	rewritten := declare.Rewritten{}
	for range maxExchanges {
		a := declare.Alter{Declaration: d.declaration(ctx), Store: d.Store, Rewritten: rewritten, In: d.in, Permitted: d.permitted, MayMap: d.mayMap}
		err := attempt(&a)
		if !errors.Is(err, kv.ErrConflict) && !errors.Is(err, kv.ErrCatalogChanged) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return mysqlerr.New(mysqlerr.LockWaitTimeout, "Lock wait timeout exceeded; try restarting transaction")
}
