package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// BulkLoad implements kv.BulkLoader. Cells of tables without indexes bypass the transactions. Those of other
// tables are written by one transaction, which knows what each row has had. It fails with
// kv.DuplicateEntryError if two rows would have the same entry in a unique index.
func (s *Store) BulkLoad(
	ctx context.Context, tables []*kv.Table, cells iter.Seq2[kv.Cell, error], o kv.BulkOptions,
) (kv.BulkStats, error) {
	if slices.ContainsFunc(tables, func(t *kv.Table) bool { return t.IndexOf != 0 }) {
		return kv.BulkStats{}, kv.ErrUnsupported{What: "bulk load into the entries of an index: load its table instead"}
	}
	if !slices.ContainsFunc(tables, func(t *kv.Table) bool { return len(t.Indexes) > 0 }) {
		return s.Full.BulkLoad(ctx, tables, cells, o)
	}
	txn, err := s.Begin(ctx, kv.TxnOptions{LockTimeout: o.LockTimeout})
	if err != nil {
		return kv.BulkStats{}, err
	}
	defer txn.Rollback()
	l := load{txn: txn, given: tables, family: -1}
	err = l.follow()
	for c, failed := range cells {
		if err == nil {
			err = failed
		}
		if err == nil {
			err = l.put(ctx, c)
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = l.renewing(ctx, func() error { return txn.(kv.Indexed).Settle(ctx, nil, nil) })
	}
	if err == nil {
		err = txn.Commit(ctx)
	}
	if err == nil && l.stats.Cells > 0 {
		err = s.Full.Flush(ctx, tables...) // a load is durable, even in a store that does not sync
	}
	if err != nil {
		return kv.BulkStats{}, err
	}
	l.stats.Written = l.stats.Cells
	return l.stats, nil
}

// load is a bulk load in a transaction.
type load struct {
	txn    kv.Txn
	given  []*kv.Table
	tables []*kv.Table // from the transaction's catalog
	family int         // family of the last cell
	row    []byte
	stats  kv.BulkStats
}

// follow finds the tables in the transaction's catalog.
func (l *load) follow() error {
	l.tables = nil
	for _, t := range l.given {
		now := l.txn.Catalog().TableByID(t.ID)
		if now == nil || now.Generation != t.Generation || !t.Attributes.Equal(now.Attributes) {
			return kv.ErrCatalogChanged
		}
		l.tables = append(l.tables, now)
	}
	return nil
}

// put writes a cell.
func (l *load) put(ctx context.Context, c kv.Cell) error {
	if c.Family < 0 || c.Family >= len(l.tables) {
		return fmt.Errorf("a cell has family %d, but there are %d tables", c.Family, len(l.tables))
	}
	if err := l.enter(ctx, &c); err != nil {
		return err
	}
	l.stats.Cells++
	return l.renewing(ctx, func() error { return l.txn.Put(ctx, l.tables[c.Family], c) })
}

// renewing runs do, which writes, and renews the snapshot if others have changed the row since: the load has
// read nothing in the old one that it has not locked.
func (l *load) renewing(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !errors.Is(err, kv.ErrConflict) {
			return err
		}
		if err := cmp.Or(ctx.Err(), l.txn.Renew(ctx)); err != nil {
			return err
		}
		if err := l.follow(); err != nil {
			return err
		}
	}
}

// enter begins a row, and writes the entries of the previous one, so that at most one row waits for its
// entries. If another row has them, that may still be loaded, and the commit decides.
func (l *load) enter(ctx context.Context, c *kv.Cell) error {
	if c.Family == l.family && bytes.Equal(c.Row, l.row) {
		return nil
	}
	if l.family >= 0 {
		err := l.renewing(ctx, func() error { return l.txn.(kv.Indexed).Settle(ctx, l.tables[l.family], l.row) })
		var duplicate *kv.DuplicateEntryError
		if err != nil && !errors.As(err, &duplicate) {
			return err
		}
	}
	l.family, l.row = c.Family, append(l.row[:0], c.Row...)
	return ctx.Err()
}
