package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/maintain"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maintain runs FLUSH, BACKUP and the statements that look after tables; done is false
// where the statement is none of these. They commit the open transaction, as in
// MySQL.
func (s *Session) maintain(ctx context.Context, st parse.Statement, args []value.Value) (done bool, rows Rows, err error) {
	switch st := st.(type) {
	case *parse.UnlockTables:
		return true, nil, s.unlockTables(ctx)
	case *parse.Flush, *parse.OptimizeTable, *parse.AnalyzeTable, *parse.CheckTable, *parse.CheckStore, *parse.Backup,
		*parse.RepairTable, *parse.LockTables:
	case *parse.AlterTable:
		if maintain.Partitions(st) == nil {
			return false, nil, nil
		}
	default:
		return false, nil, nil
	}
	if err := s.commit(ctx); err != nil {
		return true, nil, err
	}
	switch st := st.(type) {
	case *parse.LockTables:
		return true, nil, s.lockTables(ctx, st)
	case *parse.Flush:
		if st.What == "TABLES WITH READ LOCK" || st.What == "TABLES FOR EXPORT" {
			return true, nil, s.lockForReading(ctx, st)
		}
	}
	rows, err = inMemory(s.keeper().Run(ctx, st, args))
	return true, rows, err
}

// keeper runs the statements that look after tables.
func (s *Session) keeper() *maintain.Keeper {
	return &maintain.Keeper{
		Store: s.engine.store, Database: s.database, ReadOnly: s.options.ReadOnly,
		Begin: func(ctx context.Context) (kv.Txn, error) {
			return s.beginTxn(ctx, TxOptions{ReadOnly: true})
		},
		Writable:   func() error { return s.checkWritable(nil) },
		Collecting: s.collectProgress(), Keep: s.failed,
	}
}

// checksumTables is CHECKSUM TABLE, in the open transaction where there is one.
func (s *Session) checksumTables(ctx context.Context, st *parse.ChecksumTable) (rows Rows, err error) {
	tx, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	if tx != nil {
		defer func() { tx.abortIf(err) }()
		if _, err = tx.next(ctx); err != nil {
			return nil, err
		}
	}
	txn, end, err := s.reading(ctx, tx)
	if err != nil {
		return nil, err
	}
	defer end()
	return inMemory(s.keeper().Checksum(ctx, txn, st))
}
