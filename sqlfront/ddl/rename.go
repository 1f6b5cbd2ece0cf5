package ddl

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// rename renames the tables one after the other, all or none.
func (d *DDL) rename(ctx context.Context, pairs []ast.RenamePair) error {
	var at kv.Table
	err := d.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		for _, pair := range pairs {
			from, err := d.in(pair.From)
			if err != nil {
				return err
			}
			to, err := d.in(pair.To)
			if err != nil {
				return err
			}
			if v := schema.Mapped(c.Catalog(), from, pair.From.Name); v != nil {
				err = renamed(pair.To.Name, declare.RenameMapped(c, v, to, pair.To.Name))
			} else if c.Catalog().View(from, pair.From.Name) != nil {
				err = renameView(c, from, pair.From.Name, to, pair.To.Name)
			} else {
				err = renameTable(c, from, pair.From.Name, to, pair.To.Name, &at)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return d.tableError(ctx, err, &at)
}

// renameTable renames one table; at becomes its new descriptor.
func renameTable(c *kv.CatalogChange, from, name, to, toName string, at *kv.Table) error {
	old := schema.Stored(c.Catalog(), from, name)
	if old == nil {
		return mysqlerr.NoTable(from, name)
	}
	*at = *old
	at.Database = to
	if schema.Of(old).Typed != nil {
		if err := declare.Rename(c, at, toName); err != nil {
			return err
		}
		return typed.Renaming{Database: from, Table: name, ToDatabase: to, ToTable: toName}.Follow(c)
	}
	if err := setName(at, toName, schema.Edit(at).HBase); err != nil {
		return err
	}
	return c.AlterTable(*at)
}
