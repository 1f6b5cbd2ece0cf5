package ddl

import (
	"cmp"
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// narrow checks that all stored cells fit the columns of next, to which the actions change old, and applies
// the actions. The table has been narrowed before, so that no writer adds cells that do not fit. After an
// error the old limits apply again.
func (d *DDL) narrow(ctx context.Context, old, next *kv.Table, actions []ast.AlterAction) (done altered, err error) {
	if err = d.fits(ctx, next); err == nil {
		err = d.changeTable(ctx, old, func(c *kv.CatalogChange, now *kv.Table) error {
			if done, err = d.altered(now, actions); err != nil {
				return err
			}
			return done.indexes.Put(c, &done.Table)
		})
	}
	if err == nil {
		return done, nil
	}
	back := func(c *kv.CatalogChange, now *kv.Table) error {
		before := *now
		before.MaxRow, before.MaxQualifier, before.Value = old.MaxRow, old.MaxQualifier, old.Value
		return c.AlterTable(before)
	}
	free := *d
	free.Permit = nil // whatever others have added since
	return done, cmp.Or(free.changeTable(context.WithoutCancel(ctx), old, back), err)
}

// fits is error 1406 or 1138 for the first version that does not fit the columns. Versions that are not
// retained are removed first, so that they cannot reappear.
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
