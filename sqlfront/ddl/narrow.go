package ddl

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// narrower reports whether a table holds less than before, so that what is
// stored must be looked at.
func narrower(old, next *kv.Table) bool {
	return next.MaxRow < old.MaxRow || next.MaxQualifier < old.MaxQualifier || next.Value.Max < old.Value.Max ||
		old.Value.Nullable && !next.Value.Nullable
}

// narrow looks whether all that is stored fits the columns as they now are.
// They have been changed before, so that no writer adds what does not fit
// meanwhile; where something does not fit they are changed back.
func (d *DDL) narrow(ctx context.Context, old, next *kv.Table) error {
	err := d.fits(ctx, next)
	if err == nil {
		return nil
	}
	back := func(c *kv.CatalogChange) error {
		now := c.Catalog().Table(next.Database, next.Name)
		if now == nil || now.ID != old.ID {
			return nil // dropped meanwhile
		}
		before := *old
		before.Partitioning, before.PartitionColumn = now.Partitioning, now.PartitionColumn
		before.Retention = now.Retention
		before.Layout, before.Generation = now.Layout, now.Generation
		return c.AlterTable(before)
	}
	if failed := d.Store.ChangeCatalog(context.WithoutCancel(ctx), back); failed != nil {
		return failed
	}
	return err
}

// fits is 1406 or 1138 for the first version that does not fit the columns.
func (d *DDL) fits(ctx context.Context, t *kv.Table) (err error) {
	txn, err := d.Store.Begin(ctx, kv.TxnOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	now := txn.Catalog().Table(t.Database, t.Name)
	if now == nil {
		return nil
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
