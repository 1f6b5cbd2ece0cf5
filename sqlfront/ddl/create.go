package ddl

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

func (d *DDL) createTable(ctx context.Context, st *ast.CreateTable) error {
	database, found, err := d.newTable(ctx, st)
	if err != nil || found {
		return err
	}
	if isPlaceholder(st) && !st.Temporary {
		return d.createPlaceholder(ctx, database, st)
	}
	if declare.IsMapped(st.Options) {
		return d.createMapped(ctx, database, st)
	}
	if declare.IsTyped(st) {
		return d.createTyped(ctx, database, st)
	}
	t, err := d.describe(ctx, database, st)
	if err != nil {
		return err
	}
	return d.add(ctx, t, st.IfNotExists)
}

// newTable is the database of a table to be created. found says that IF NOT EXISTS has found a table, which
// is noted.
func (d *DDL) newTable(ctx context.Context, st *ast.CreateTable) (database string, found bool, err error) {
	if database, err = d.in(st.Name); err != nil {
		return "", false, err
	}
	if found = st.IfNotExists && d.exists(ctx, database, st.Name.Name); found {
		d.Note(mysqlerr.TableExists, "Table '"+st.Name.Name+"' already exists")
	}
	return database, found, nil
}

// add stores a new table.
func (d *DDL) add(ctx context.Context, t *kv.Table, ifNotExists bool) error {
	t.Created = d.Now.UnixMilli()
	err := d.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		if err := d.giveWay(c, t); err != nil {
			return err
		}
		_, err := declare.Create(c, t)
		return err
	})
	if err = d.tableError(ctx, err, t); err != nil {
		return d.unlessFound(ctx, err, t, ifNotExists)
	}
	d.noteCount(ctx, t.Database, t.Name)
	return nil
}

// unlessFound is the error of creating a table, or nil with a note if IF NOT EXISTS has found another one.
func (d *DDL) unlessFound(ctx context.Context, err error, t *kv.Table, ifNotExists bool) error {
	if !ifNotExists || !mysqlerr.Is(err, mysqlerr.TableExists) || !d.exists(ctx, t.Database, schema.ShownName(t)) {
		return err
	}
	d.Note(mysqlerr.TableExists, "Table '"+schema.ShownName(t)+"' already exists")
	return nil
}

// ownInPlace turns a copied table into a temporary one, which keeps all versions in a single partition.
func ownInPlace(t *kv.Table) {
	t.Partitioning, t.PartitionColumn, t.Retention = &partition.Scheme{}, "", kv.Retention{}
}

func (d *DDL) createTableLike(ctx context.Context, st *ast.CreateTableLike) error {
	database, err := d.in(st.Name)
	if err != nil {
		return err
	}
	if v, err := d.mapped(ctx, st.Like); err != nil || v != nil {
		if err != nil {
			return err
		}
		return d.createMappedLike(ctx, v, st)
	}
	from, err := d.tableIn(ctx, d.Others, st.Like)
	if err != nil {
		return err
	}
	if schema.ShownName(from) == st.Like.Name && schema.ShownName(from) != from.Name {
		return d.createTypedLike(ctx, database, from, st)
	}
	next := *from
	next.Database, next.Temporary = database, st.Temporary
	declared := schema.Edit(&next)
	if next.Temporary {
		ownInPlace(&next)
		declared.Indexes = nil
	}
	if err := setName(&next, st.Name.Name, declared.HBase); err != nil {
		return err
	}
	return d.add(ctx, &next, st.IfNotExists)
}
