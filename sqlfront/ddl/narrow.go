package ddl

import (
	"cmp"
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// narrower reports whether a table holds less than before, so that what is
// stored must be looked at.
func narrower(old, next *kv.Table) bool {
	return next.MaxRow < old.MaxRow || next.MaxQualifier < old.MaxQualifier || next.Value.Max < old.Value.Max ||
		old.Value.Nullable && !next.Value.Nullable
}

// narrowed is a table that takes no more than both it and what it is to become.
func narrowed(t, next *kv.Table) kv.Table {
	out := *t
	out.MaxRow, out.MaxQualifier = min(t.MaxRow, next.MaxRow), min(t.MaxQualifier, next.MaxQualifier)
	out.Value.Max, out.Value.Nullable = min(t.Value.Max, next.Value.Max), t.Value.Nullable && next.Value.Nullable
	return out
}

// narrow looks whether all that is stored fits the columns of next, which the actions
// make of old, and has them act. The table has been narrowed before, so that no writer
// adds what does not fit meanwhile; after an error it takes what it took.
func (d *DDL) narrow(ctx context.Context, old, next *kv.Table, actions []ast.AlterAction) error {
	err := d.fits(ctx, next)
	if err == nil {
		err = d.changeTable(ctx, old, func(c *kv.CatalogChange, now *kv.Table) error {
			altered, err := d.altered(now, actions)
			if err != nil {
				return err
			}
			return c.AlterTable(altered)
		})
	}
	if err == nil {
		return nil
	}
	back := func(c *kv.CatalogChange, now *kv.Table) error {
		before := *now
		before.MaxRow, before.MaxQualifier, before.Value = old.MaxRow, old.MaxQualifier, old.Value
		return c.AlterTable(before)
	}
	free := *d
	free.Permit = nil // whatever others have added since
	return cmp.Or(free.changeTable(context.WithoutCancel(ctx), old, back), err)
}

// fits is 1406 or 1138 for the first version that does not fit the columns. What is not
// kept is removed, lest it be uncovered: all of it, as its transaction began before.
func (d *DDL) fits(ctx context.Context, t *kv.Table) (err error) {
	txn, err := d.Store.Begin(ctx, kv.TxnOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	now := txn.Catalog().TableByID(t.ID)
	if now == nil {
		return nil
	}
	if _, err := d.collect(ctx, now); err != nil {
		return err
	}
	cursor, err := txn.Scan(ctx, []*kv.Table{now}, &kv.Scan{NeedValue: true})
	if err != nil {
		return err
	}
	defer func() {
		if closing := cursor.Close(); err == nil {
			err = closing
		}
	}()
	for row := 1; cursor.Next(); row++ {
		value, err := cursor.Value()
		if err != nil {
			return err
		}
		if err := cellFits(t, cursor.Cell(), value, row); err != nil {
			return err
		}
	}
	return cursor.Err()
}

func cellFits(t *kv.Table, c *kv.Cell, value []byte, row int) error {
	column := ""
	switch {
	case len(c.Row) > t.MaxRow:
		column = schema.Of(t).ColumnNames()[0]
	case len(c.Qualifier) > t.MaxQualifier:
		column = schema.Of(t).ColumnNames()[1]
	case len(value) > t.Value.Max:
		column = schema.Of(t).ColumnNames()[3]
	case value == nil && !t.Value.Nullable:
		return mysqlerr.New(mysqlerr.InvalidUseOfNull, "Invalid use of NULL value")
	default:
		return nil
	}
	return mysqlerr.New(mysqlerr.DataTooLong, "Data too long for column '%s' at row %d", column, row)
}
