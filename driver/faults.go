package driver

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
)

// StoreOp is an operation of a store.
type StoreOp uint8

// The operations that a Faults is asked about.
const (
	// OpRead opens a cursor over cells.
	OpRead StoreOp = iota
	// OpLock locks a row and may write it: every write of a row is one.
	OpLock
	// OpCommit commits a transaction, or an autocommit statement that writes.
	OpCommit
)

// Faults stands between SQL and a store, so that a test can see what a program does
// when the store fails. Many goroutines call its Do.
//
// The errors of a store are those of package kv: ErrDeadlock and ErrConflict become
// 1213, ErrLockTimeout 1205, ErrDiskFull 1021, ErrStorage and ErrFailed 1030.
// Others, such as driver.ErrBadConn of database/sql, are returned unchanged.
type Faults interface {
	// Do calls run once to do the operation, or does not call it. The error that it
	// returns is the operation's.
	Do(op StoreOp, run func() error) error
}

// faultyStore asks a Faults before each operation of its transactions.
type faultyStore struct {
	index.Full
	faults Faults
}

func (s *faultyStore) Begin(ctx context.Context, o kv.TxnOptions) (kv.Txn, error) {
	txn, err := s.Full.Begin(ctx, o)
	return &faultyTxn{txn, s.faults}, err
}

// ChangeCatalogAfter implements kv.CheckedChanger.
func (s *faultyStore) ChangeCatalogAfter(ctx context.Context, read kv.Txn, fn func(*kv.CatalogChange) error) error {
	return s.Full.ChangeCatalogAfter(ctx, read.(*faultyTxn).Txn, fn)
}

// faultyTxn is a transaction of a faultyStore.
type faultyTxn struct {
	kv.Txn
	faults Faults
}

func (t *faultyTxn) Scan(ctx context.Context, tables []*kv.Table, s *kv.Scan) (cursor kv.Cursor, err error) {
	err = t.faults.Do(OpRead, func() (err error) {
		cursor, err = t.Txn.Scan(ctx, tables, s)
		return err
	})
	if err != nil && cursor != nil {
		_ = cursor.Close() // the error says more
	}
	return cursor, err
}

func (t *faultyTxn) Put(ctx context.Context, table *kv.Table, c kv.Cell) error {
	return t.faults.Do(OpLock, func() error { return t.Txn.Put(ctx, table, c) })
}

func (t *faultyTxn) PutIfAbsent(ctx context.Context, table *kv.Table, c kv.Cell) (done bool, err error) {
	err = t.faults.Do(OpLock, func() (err error) {
		done, err = t.Txn.PutIfAbsent(ctx, table, c)
		return err
	})
	return done, err
}

func (t *faultyTxn) PutNext(ctx context.Context, table *kv.Table, c kv.Cell) (at int64, err error) {
	err = t.faults.Do(OpLock, func() (err error) {
		at, err = t.Txn.PutNext(ctx, table, c)
		return err
	})
	return at, err
}

func (t *faultyTxn) DeleteVersion(ctx context.Context, table *kv.Table, row, qualifier []byte, timestamp int64) error {
	return t.faults.Do(OpLock, func() error { return t.Txn.DeleteVersion(ctx, table, row, qualifier, timestamp) })
}

func (t *faultyTxn) DeleteColumn(ctx context.Context, table *kv.Table, row, qualifier []byte) error {
	return t.faults.Do(OpLock, func() error { return t.Txn.DeleteColumn(ctx, table, row, qualifier) })
}

func (t *faultyTxn) LockRow(ctx context.Context, table *kv.Table, row []byte, how kv.RowLock) error {
	return t.faults.Do(OpLock, func() error { return t.Txn.LockRow(ctx, table, row, how) })
}

// Commit ends the transaction, whether or not the commit was done.
func (t *faultyTxn) Commit(ctx context.Context) error {
	defer t.Txn.Rollback()
	return t.faults.Do(OpCommit, func() error { return t.Txn.Commit(ctx) })
}
