package schema

import (
	"context"
	"errors"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// alterTable applies all actions to a copy of the descriptor, and stores it
// once: all or none take effect.
func (d *DDL) alterTable(ctx context.Context, st *parse.AlterTable) error {
	old, err := d.table(st.Name)
	if err != nil {
		return err
	}
	var next kv.Table
	err = d.Store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		now := c.Catalog().Table(old.Database, old.Name)
		if now == nil {
			return noTable(old.Database, old.Name)
		}
		next = *now
		for _, action := range st.Actions {
			if err := d.alter(&next, action); err != nil {
				return err
			}
		}
		if err := checkPrefixes(&next); err != nil {
			return err
		}
		old = now
		return c.AlterTable(next)
	})
	switch {
	case errors.Is(err, kv.ErrNoTable):
		return noTable(old.Database, old.Name)
	case err == nil && narrower(old, &next):
		return d.narrow(ctx, old, &next)
	}
	return d.tableError(err, &next)
}

func (d *DDL) alter(t *kv.Table, action parse.AlterAction) error {
	switch a := action.(type) {
	case *parse.AlterRename:
		return d.alterName(t, a)
	case *parse.AlterModifyColumn:
		return alterColumn(t, a.Column.Name, &a.Column, a.Position)
	case *parse.AlterChangeColumn:
		return alterColumn(t, a.Old, &a.Column, a.Position)
	case *parse.AlterOptions:
		if err := checkGroupOption(t, a.Options); err != nil {
			return err
		}
		if a.Options.Comment != nil {
			t.Comment = *a.Options.Comment
		}
		return nil
	case *parse.AlterConvert, *parse.AlterKeys, *parse.AlterForce:
		return nil // bytes have no character set, and there is nothing to rebuild
	}
	return unsupportedAction(t, action)
}

func (d *DDL) alterName(t *kv.Table, a *parse.AlterRename) error {
	database := t.Database
	if a.To.Database != "" {
		database = a.To.Database
	}
	if err := d.changeable(database); err != nil {
		return err
	}
	t.Database = database
	return setName(t, a.To.Name, t.HBase)
}

// alterColumn gives a column another type.
func alterColumn(t *kv.Table, old string, c *parse.ColumnDef, at parse.Position) error {
	known := false
	for _, name := range columnNames {
		known = known || strings.EqualFold(name, old)
	}
	if !known {
		for _, p := range t.Prefixes {
			if strings.EqualFold(p.Name, old) {
				return mysqlerr.Unsupported("changing a generated column")
			}
		}
		return mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in '%s'", old, t.Name)
	}
	if !strings.EqualFold(old, c.Name) || at.First || at.After != "" {
		return broken("the columns are K, Q, T, V in this order")
	}
	next := *t
	if err := setColumn(&next, c); err != nil {
		return err
	}
	*t = next
	return nil
}
