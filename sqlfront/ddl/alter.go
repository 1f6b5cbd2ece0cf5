package ddl

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/retention"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// alterTable applies all actions to a copy of the descriptor, and stores it once: all or none take effect. If
// columns get narrower, it first checks that all stored cells fit.
func (d *DDL) alterTable(ctx context.Context, st *ast.AlterTable) error {
	if v, err := d.mapped(ctx, st.Name); err != nil {
		return err
	} else if v != nil {
		return d.alterMapped(ctx, v, st)
	}
	old, err := d.table(ctx, st.Name)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(st.Actions, managesPartitions); i >= 0 {
		if len(st.Actions) > 1 {
			return mysqlerr.Unsupported("ALTER TABLE with partitions and something else at once: use two statements")
		}
		err := d.alterPartitions(ctx, old, st.Actions[i])
		if now, unknown := d.table(ctx, st.Name); err == nil && unknown == nil && !now.Partitioning.Equal(old.Partitioning) {
			d.noteCount(ctx, old.Database, old.Name)
		}
		return err
	}
	if schema.Of(old).Typed != nil {
		return d.alterTyped(ctx, old, st)
	}
	over, err := d.Turns.Take(ctx, old.ID)
	if err != nil {
		return err
	}
	defer over()
	next := altered{Table: *old}
	narrows := false
	err = d.changeTable(ctx, old, func(c *kv.CatalogChange, now *kv.Table) error {
		if now.Database != old.Database || now.Name != old.Name {
			return mysqlerr.NoTable(old.Database, old.Name) // it has been renamed
		}
		if next, err = d.altered(now, st.Actions); err != nil {
			return err
		}
		if narrows = narrower(now, &next.Table); narrows {
			old = now
			return c.AlterTable(narrowed(now, &next.Table))
		}
		return next.indexes.Put(c, &next.Table)
	})
	if err == nil && narrows {
		next, err = d.narrow(ctx, old, &next.Table, st.Actions)
	}
	if err == nil {
		err = next.indexes.Build(ctx, d.Store, d.Building)
	}
	return d.tableError(ctx, err, &next.Table)
}

// changeTable changes one table, which may have been renamed; the error is 1146 if it no longer exists.
func (d *DDL) changeTable(ctx context.Context, t *kv.Table, change func(*kv.CatalogChange, *kv.Table) error) error {
	err := d.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		now := c.Catalog().TableByID(t.ID)
		if now == nil {
			return kv.ErrNoTable
		}
		return change(c, now)
	})
	if errors.Is(err, kv.ErrNoTable) {
		return mysqlerr.NoTable(t.Database, t.Name)
	}
	return err
}

// altered is a table as ALTER TABLE changes it.
type altered struct {
	kv.Table
	indexes *declare.CellIndexes
}

// altered applies actions to a table.
func (d *DDL) altered(t *kv.Table, actions []ast.AlterAction) (altered, error) {
	next := altered{*t, declare.AlterCellIndexes(t)}
	schema.Edit(&next.Table)
	for _, action := range actions {
		done, err := next.indexes.Action(action)
		if !done && err == nil {
			err = d.alter(&next.Table, action)
		}
		if err != nil {
			return next, err
		}
	}
	return next, cmp.Or(checkPrefixes(&next.Table), retention.Check(next.Name, next.Retention), next.indexes.Declare(&next.Table))
}

func (d *DDL) alter(t *kv.Table, action ast.AlterAction) error {
	switch a := action.(type) {
	case *ast.AlterRename:
		return d.alterName(t, a)
	case *ast.AlterModifyColumn:
		return alterColumn(t, a.Column.Name, &a.Column, a.Position)
	case *ast.AlterChangeColumn:
		return alterColumn(t, a.Old, &a.Column, a.Position)
	case *ast.AlterOptions:
		if err := checkGroupOption(t, a.Options); err != nil {
			return err
		}
		return declare.SetOptions(t, a.Options)
	case *ast.AlterConvert:
		return declare.SetOptions(t, ast.TableOptions{Charset: a.Charset, Collate: a.Collate}) // the bytes stay as they are
	case *ast.AlterKeys, *ast.AlterForce:
		return nil // nothing needs rebuilding
	}
	return unsupportedAction(t, action)
}

func (d *DDL) alterName(t *kv.Table, a *ast.AlterRename) error {
	database := t.Database
	if a.To.Database != "" {
		database = a.To.Database
	}
	if err := d.changeable(database); err != nil {
		return err
	}
	t.Database = database
	return setName(t, a.To.Name, schema.Of(t).HBase)
}

// alterColumn changes a column's type and comment, and its name in case only.
func alterColumn(t *kv.Table, old string, c *ast.ColumnDef, at ast.Position) error {
	names := schema.Of(t).AllColumnNames()
	i := columnIndex(names, old)
	switch {
	case i < 0:
		return mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in '%s'", old, t.Name)
	case !stays(names, i, at):
		return broken("the columns must be K, Q, T, V in this order")
	case i >= len(declare.CellColumns):
		return alterGenerated(t, i-len(declare.CellColumns), c)
	case !strings.EqualFold(old, c.Name):
		return broken("the columns must be K, Q, T, V in this order")
	}
	next := *t
	schema.Edit(&next)
	if err := setColumn(&next, i, c); err != nil {
		return err
	}
	*t = next
	return nil
}

// stays reports whether FIRST or AFTER gives column i the position that it already has.
func stays(names []string, i int, at ast.Position) bool {
	switch {
	case at.First:
		return i == 0
	case at.After != "":
		return i > 0 && strings.EqualFold(names[i-1], at.After)
	}
	return true
}

// alterGenerated changes the generated column at a position among the generated ones. A column by which the
// table is partitioned keeps its name and, if it is a prefix, its length, since these decide where cells lie.
func alterGenerated(t *kv.Table, place int, c *ast.ColumnDef) error {
	if g := schema.Of(t).TimeColumn; g != nil && place == g.Behind {
		return alterTimeColumn(t, c)
	} else if g != nil && place > g.Behind {
		place--
	}
	return alterPrefix(t, place, c)
}

func alterTimeColumn(t *kv.Table, c *ast.ColumnDef) error {
	next, old := *t, schema.Of(t).TimeColumn
	declared := schema.Edit(&next)
	declared.TimeColumn = nil
	if err := addGenerated(&next, c); err != nil {
		return err
	}
	if declared.TimeColumn == nil {
		return mysqlerr.Unsupported("changing what a generated column is computed from")
	}
	declared.TimeColumn.Behind = old.Behind
	if t.Partitioning.Slices() != nil && declared.TimeColumn.Name != old.Name {
		return mysqlerr.Unsupported("changing the generated column that the table is partitioned by")
	}
	*t = next
	return nil
}

func alterPrefix(t *kv.Table, i int, c *ast.ColumnDef) error {
	old := schema.Of(t).Prefixes[i]
	next := *t
	declared := schema.Edit(&next)
	declared.Prefixes = slices.Delete(slices.Clone(declared.Prefixes), i, i+1)
	if c.Generated != nil && declare.IsMagnitude(c.Generated.Expr) {
		return mysqlerr.Unsupported("changing what a generated column is computed from")
	}
	if err := addGenerated(&next, c); err != nil {
		return err
	}
	last := len(declared.Prefixes) - 1
	added := declared.Prefixes[last]
	if old.Name == t.PartitionColumn && (added.Name != old.Name || added.Length != old.Length) {
		return mysqlerr.Unsupported("changing the generated column that the table is partitioned by")
	}
	declared.Prefixes = slices.Insert(declared.Prefixes[:last:last], i, added)
	*t = next
	return nil
}
