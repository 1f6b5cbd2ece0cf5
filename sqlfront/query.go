package sqlfront

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// query opens a SELECT on the snapshot of the open transaction, or on one of its own that is held until
// the rows are closed.
func (s *Session) query(ctx context.Context, st *Statement, args []value.Value) (Rows, error) {
	tx, err := s.txns.Current(ctx, s.began)
	if err != nil {
		return nil, err
	}
	var cancel func()
	limit := s.vars.TimeLimit
	if hint := st.Parsed.Stmt.(*ast.Select).MaxExecutionTime; hint != nil {
		if limit = hint.Const; hint.Param >= 0 {
			limit = args[hint.Param].AsInt()
		}
	}
	if limit > 0 {
		ctx, cancel = s.limited(ctx, limit)
	}
	var rows *queryRows
	if tx == nil {
		rows, err = s.queryAlone(ctx, st, args)
	} else {
		rows, err = s.queryIn(ctx, tx, st, args)
	}
	if err != nil {
		if cancel != nil {
			cancel()
		}
		return nil, s.queryError(ctx, err)
	}
	rows.cancel, rows.limit = cancel, s.vars.SelectLimit
	if rows.limit >= 0 && statement.HasLimit(st.Parsed.Stmt.(*ast.Select).Node) {
		rows.limit = -1
	}
	return rows, nil
}

func (s *Session) queryIn(ctx context.Context, tx *transaction.Txn, st *Statement,
	args []value.Value) (*queryRows, error) {
	if !st.ReadsTables {
		return s.openIn(ctx, tx, st, args, false)
	}
	t, err := tx.Next(ctx)
	if err != nil {
		tx.AbortIf(err)
		return nil, err
	}
	// The locks of a read-only transaction would exclude no other session.
	if !st.Parsed.Stmt.(*ast.Select).Locks || tx.Options.ReadOnly {
		return s.openIn(ctx, tx, st, args, false)
	}
	return s.queryLocking(ctx, tx, &t, st, args)
}

// queryAlone opens a SELECT that is a transaction of its own. FOR UPDATE waits for the locks of others, if
// the store has locks.
func (s *Session) queryAlone(ctx context.Context, st *Statement, args []value.Value) (*queryRows, error) {
	var o TxOptions
	if st.ReadsTables {
		o = s.txns.TakeNext()
	}
	sel := st.Parsed.Stmt.(*ast.Select)
	if sel.Locks && (sel.LockWait != ast.LockWaits || s.engine.limits.RowLocks) && !o.ReadOnly && !s.options.ReadOnly {
		return s.queryLockingAlone(ctx, o, st, args)
	}
	o.ReadOnly = true
	txn, err := s.txns.BeginTxn(ctx, o)
	if err != nil {
		return nil, err
	}
	opened := false
	defer func() { // after a panic too
		if !opened {
			txn.Rollback()
		}
	}()
	rows, err := s.open(ctx, txn, st, args, false)
	if err != nil {
		return nil, err
	}
	rows.own, opened = txn, true
	return rows, nil
}

func (s *Session) queryLockingAlone(ctx context.Context, o TxOptions, st *Statement,
	args []value.Value) (*queryRows, error) {
	tx, err := s.txns.New(ctx, o)
	if err != nil {
		return nil, err
	}
	opened := false
	defer func() { // after a panic too
		if !opened {
			tx.Rollback()
		}
	}()
	rows, err := s.queryLocking(ctx, tx, &transaction.Retry{Fresh: true, Renewable: true}, st, args)
	if err != nil {
		return nil, err
	}
	rows.own, rows.tx, opened = tx.Txn, nil, true
	return rows, nil
}

// queryLocking opens a SELECT that locks its rows. It locks all rows before it returns the first, so that
// after a conflict with another writer it can start again on a newer snapshot, if the transaction may take
// one.
func (s *Session) queryLocking(ctx context.Context, tx *transaction.Txn, t *transaction.Retry, st *Statement,
	args []value.Value) (rows *queryRows, err error) {
	if !s.engine.limits.RowLocks {
		return nil, kv.ErrUnsupported{What: "a locking SELECT on this store: an UPDATE of one row is atomic without"}
	}
	for again := true; again; again = s.txns.Retries(ctx, tx, t, &err, s.began) {
		rows, err = s.openLocked(ctx, tx, st, args)
	}
	tx.Over(t, err)
	return rows, err
}

// openLocked opens a SELECT and reads it to its end, which locks its rows. If there are too many to keep, it
// opens the SELECT again.
func (s *Session) openLocked(ctx context.Context, tx *transaction.Txn, st *Statement,
	args []value.Value) (*queryRows, error) {
	rows, err := s.openIn(ctx, tx, st, args, true)
	if err != nil {
		return nil, err
	}
	skips := st.Parsed.Stmt.(*ast.Select).LockWait == ast.LockSkipLocked // it might find other rows the second time
	if err := rows.readAhead(skips); err != nil {
		return nil, errors.Join(err, rows.Rows.Close())
	}
	if rows.ahead != nil {
		return rows, nil
	}
	if err := rows.Rows.Close(); err != nil {
		return nil, err
	}
	return s.openIn(ctx, tx, st, args, true)
}

func (s *Session) openIn(ctx context.Context, tx *transaction.Txn, st *Statement,
	args []value.Value, lock bool) (*queryRows, error) {
	rows, err := s.open(ctx, tx.Txn, st, args, lock)
	if err != nil {
		return nil, err
	}
	rows.tx = tx
	return rows, nil
}

func (s *Session) open(ctx context.Context, txn kv.Txn, st *Statement, args []value.Value,
	lock bool) (*queryRows, error) {
	planned, args, err := s.planFor(ctx, st, txn.Catalog(), args)
	if err != nil {
		return nil, err
	}
	space := s.idle
	if s.idle = nil; space == nil {
		space = &workspace{}
	}
	c := space.execution.set(s, ctx, txn, args)
	c.LockRows, c.Memory = lock, &space.memory
	space.claims.Memory = &s.memory
	c.Spill.Claims = &space.claims
	if planned.Dump {
		c.View = s.vars.Dump
	}
	opened, err := planned.Select.Open(c)
	if err != nil {
		space.claims.Release()
		return nil, err
	}
	r := &space.rows
	*r = queryRows{}
	r.Rows, r.columns, r.ctx, r.session, r.space, r.statement = opened, planned.Select.Columns, ctx, s, space, st
	return r, nil
}

// errTimeLimit is the cause of a context that max_execution_time ended.
var errTimeLimit = errors.New("max_execution_time")

// limited derives a context that ends after ms milliseconds.
func (s *Session) limited(ctx context.Context, ms int64) (context.Context, func()) {
	until := time.Now().Add(time.Duration(min(ms, math.MaxUint32)) * time.Millisecond)
	s.underWay.Limit(until)
	return context.WithDeadlineCause(ctx, until, errTimeLimit)
}

// queryError is error 3024 if max_execution_time has ended the statement, and otherwise the mapped error of
// the store or context.
func (s *Session) queryError(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) && context.Cause(ctx) == errTimeLimit {
		return mysqlerr.New(mysqlerr.QueryTimeout, "Query execution was interrupted, maximum statement execution time "+
			"exceeded")
	}
	return storeerr.Map(ctx, err)
}
