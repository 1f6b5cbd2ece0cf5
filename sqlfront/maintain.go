package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/maintain"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maintains runs a maintenance statement (CHECK, OPTIMIZE, ANALYZE and so on). It commits the open
// transaction, as in MySQL.
func (s *Session) maintains(ctx context.Context, st *Statement, args []value.Value) (Rows, error) {
	if err := s.txns.Commit(ctx); err != nil {
		return nil, err
	}
	return answers.InMemory(s.keeper().Run(ctx, st.Parsed.Stmt, args))
}

// flush runs FLUSH, which commits the open transaction too.
func (s *Session) flush(ctx context.Context, st *Statement, args []value.Value) (Rows, error) {
	flush := st.Parsed.Stmt.(*ast.Flush)
	if flush.What != "TABLES WITH READ LOCK" && flush.What != "TABLES FOR EXPORT" {
		return s.maintains(ctx, st, args)
	}
	if err := s.txns.Commit(ctx); err != nil {
		return nil, err
	}
	return nil, s.lockForReading(ctx, flush)
}

// keeper runs maintenance statements for the session.
func (s *Session) keeper() *maintain.Keeper {
	return &maintain.Keeper{
		Store: s.engine.store, Catalog: s.temp.Store.Catalog, Database: s.database, ReadOnly: s.options.ReadOnly,
		Begin: func(ctx context.Context) (kv.Txn, error) {
			return s.txns.BeginTxn(ctx, TxOptions{ReadOnly: true}, kv.TxnOptions{})
		},
		Writable:   func() error { return s.txns.CheckWritable(nil) },
		Collecting: s.underWay.Collected(), Keep: s.failed,
	}
}

// checksumTables runs CHECKSUM TABLE, in the open transaction if there is one.
func (s *Session) checksumTables(ctx context.Context, _ *ast.Parsed, st *ast.ChecksumTable,
	_ []value.Value) (rows Rows, err error) {
	tx, err := s.txns.Current(ctx, s.began)
	if err != nil {
		return nil, err
	}
	if tx != nil {
		defer func() { tx.AbortIf(err) }()
		if _, err = tx.Next(ctx); err != nil {
			return nil, err
		}
	}
	txn, end, err := s.reading(ctx, tx)
	if err != nil {
		return nil, err
	}
	defer end()
	return answers.InMemory(s.keeper().Checksum(ctx, txn, st))
}
