package index

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
)

// buildAlone is Build for a table that nobody else writes meanwhile, such as a Temporary one: one transaction
// makes all entries.
func buildAlone(ctx context.Context, store kv.Store, entries uint64) error {
	err := fill(ctx, store, entries)
	change := func(fn func(*kv.CatalogChange, *kv.Table, kv.Index) error) error {
		return store.ChangeCatalog(context.WithoutCancel(ctx), func(c *kv.CatalogChange) error {
			t, i, err := place(c.Catalog(), entries)
			if err != nil {
				return err
			}
			return fn(c, t, t.Indexes[i])
		})
	}
	if err != nil {
		return errors.Join(err, change(func(c *kv.CatalogChange, t *kv.Table, index kv.Index) error {
			return c.DropIndex(t.Database, t.Name, index.Name)
		}))
	}
	return change(func(c *kv.CatalogChange, t *kv.Table, index kv.Index) error {
		index.Building = false
		return c.ChangeIndex(t.Database, t.Name, index.Name, index)
	})
}

// fill writes the entries of an index for all rows.
func fill(ctx context.Context, store kv.Store, entries uint64) error {
	txn, err := store.Begin(ctx, kv.TxnOptions{})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	x, ok := txn.(*Txn)
	if !ok {
		return kv.ErrUnsupported{What: "indexes in this store"}
	}
	t, i, err := place(x.Catalog(), entries)
	if err != nil {
		return err
	}
	index, err := newOne(x.Catalog(), t, i, x.keeper.maker)
	if err != nil {
		return err
	}
	err = alone(t, index).each(ctx, x.Txn, kv.Range{}, func(it *item) (bool, error) {
		of, err := index.of(it.row, it.cells)
		if err != nil {
			return false, err
		}
		c := change{one: index, of: t, come: of}
		return true, c.write(ctx, x.Txn)
	})
	if err != nil {
		return err
	}
	return txn.Commit(ctx)
}
