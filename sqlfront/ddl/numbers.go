package ddl

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// checkNumbers is 1235 for a table whose rows the store cannot number.
func (d *DDL) checkNumbers(face *typed.Table) error {
	if _, ok := d.Store.(kv.Counters); !ok && face.Numbered() >= 0 {
		return mysqlerr.Unsupported("AUTO_INCREMENT and tables without a primary key in this store")
	}
	return nil
}

// numberFrom is ALTER TABLE ... AUTO_INCREMENT = n. The next row gets n, or what follows the table's
// largest number where that is more, as in InnoDB. Of another table it does nothing.
func (d *DDL) numberFrom(ctx context.Context, t *kv.Table, n uint64) error {
	store, ok := d.Store.(kv.CheckedChanger)
	face, err := typed.Of(t)
	if err != nil || !ok || face.AutoIncrement() < 0 {
		return err
	}
	for {
		if err = d.tryNumberFrom(ctx, store, t, n); !errors.Is(err, kv.ErrConflict) {
			return err
		}
	}
}

// tryNumberFrom is numberFrom that fails with kv.ErrConflict where rows have come since the largest
// number was read.
func (d *DDL) tryNumberFrom(ctx context.Context, store kv.CheckedChanger, t *kv.Table, n uint64) error {
	tx, err := d.Store.Begin(ctx, kv.TxnOptions{Serializable: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	now := tx.Catalog().TableByID(t.ID)
	if now == nil {
		return mysqlerr.NoTable(t.Database, t.Group)
	}
	largest, err := lastNumber(ctx, tx, now)
	if err != nil {
		return err
	}
	return store.ChangeCatalogAfter(ctx, tx, d.permitted(func(c *kv.CatalogChange) error {
		at := c.Catalog().TableByID(t.ID)
		if at == nil {
			return mysqlerr.NoTable(t.Database, t.Group)
		}
		next := *at
		next.Counter = at.Counter.Anew(max(1, n, min(largest, kv.MaxCount)+1))
		return c.AlterTable(next)
	}))
}

// lastNumber is the largest value of a column that is AUTO_INCREMENT, which the last row has; 0 where
// none is above 0.
func lastNumber(ctx context.Context, tx kv.Txn, t *kv.Table) (n uint64, err error) {
	face, err := typed.Of(t)
	if err != nil {
		return 0, err
	}
	cursor, err := tx.Scan(ctx, []*kv.Table{t}, &kv.Scan{Reverse: true, Ordered: true, MaxVersions: 1})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for cursor.Next() {
		if n, ok := face.Number(cursor.Cell().Row); ok {
			return n, nil
		}
	}
	return 0, cursor.Err()
}
