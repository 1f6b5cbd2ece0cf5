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
		return c.AlterTable(next)
	})
	if errors.Is(err, kv.ErrNoTable) {
		return noTable(old.Database, old.Name)
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
	return unsupportedAction(action)
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

// alterColumn widens a column. Narrowing is refused: it would need every
// stored version to be looked at.
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
	if next.MaxRow < t.MaxRow || next.MaxQualifier < t.MaxQualifier || next.Value.Max < t.Value.Max ||
		t.Value.Nullable && !next.Value.Nullable {
		return mysqlerr.Unsupported("making column " + c.Name + " narrower or NOT NULL")
	}
	*t = next
	return nil
}

// unsupportedAction names an action that is known and not supported.
func unsupportedAction(action parse.AlterAction) error {
	switch action.(type) {
	case *parse.AlterAddColumn, *parse.AlterDropColumn, *parse.AlterRenameColumn, *parse.AlterColumnDefault:
		return broken("ALTER TABLE cannot add, drop or rename columns or their defaults")
	case *parse.AlterAddPrimaryKey, *parse.AlterDropPrimaryKey, *parse.AlterAddKey, *parse.AlterDropKey:
		return broken("ALTER TABLE cannot change keys")
	case *parse.AlterOrderBy:
		return mysqlerr.Unsupported("ALTER TABLE ... ORDER BY")
	}
	return mysqlerr.Unsupported("ALTER TABLE of partitions")
}
