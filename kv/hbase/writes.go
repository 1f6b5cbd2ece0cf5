package hbase

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

var errWrites = kv.ErrUnsupported{What: "writing to HBase"}

// Put implements kv.Txn.
func (t *txn) Put(context.Context, *kv.Table, kv.Cell) error { return errWrites }

// PutIfAbsent implements kv.Txn.
func (t *txn) PutIfAbsent(context.Context, *kv.Table, kv.Cell) (bool, error) { return false, errWrites }

// PutNext implements kv.Txn.
func (t *txn) PutNext(context.Context, *kv.Table, kv.Cell) (int64, error) { return 0, errWrites }

// DeleteVersion implements kv.Txn.
func (t *txn) DeleteVersion(context.Context, *kv.Table, []byte, []byte, int64) error {
	return errWrites
}

// DeleteColumn implements kv.Txn.
func (t *txn) DeleteColumn(context.Context, *kv.Table, []byte, []byte) error { return errWrites }

// Commit implements kv.Txn.
func (t *txn) Commit(context.Context) error { t.Rollback(); return nil }

// ChangeCatalog implements kv.Store.
func (s *Store) ChangeCatalog(context.Context, func(*kv.CatalogChange) error) error {
	return kv.ErrUnsupported{What: "DDL on HBase"}
}
