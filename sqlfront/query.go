package sqlfront

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
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
	txn, err := s.txns.BeginTxn(ctx, o, kv.TxnOptions{})
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

// maxAhead and maxAheadBytes bound the rows that readAhead keeps.
const (
	maxAhead      = 256
	maxAheadBytes = 1 << 20
)

// readAhead reads all rows, and keeps them in ahead unless they are too many. With whatever, it always keeps
// them.
func (r *queryRows) readAhead(whatever bool) error {
	kept, size := [][]value.Value{}, 0
	for {
		row, err := r.Rows.Next()
		if err == io.EOF {
			r.ahead = kept
			return nil
		}
		if err != nil {
			return err
		}
		if kept == nil {
			continue
		}
		clone := make([]value.Value, len(row))
		for i, v := range row {
			clone[i] = v.Clone()
			size += len(v.Raw())
		}
		if kept = append(kept, clone); !whatever && (len(kept) > maxAhead || size > maxAheadBytes) {
			kept = nil
		}
	}
}

// Columns implements Rows: nil once the rows are closed.
func (r *queryRows) Columns() []Column {
	if r.closed {
		return nil
	}
	return r.columns
}

func (r *queryRows) Next() ([]value.Value, error) {
	if r.limit == 0 || r.closed {
		return nil, io.EOF
	}
	row, err := r.next()
	if err == nil && r.limit > 0 {
		r.limit--
	}
	return row, err
}

func (r *queryRows) next() ([]value.Value, error) {
	if r.ahead != nil {
		return r.nextAhead()
	}
	row, err := r.Rows.Next()
	if err == io.EOF || !r.started {
		r.started = true
		if late := r.ctx.Err(); late != nil {
			err = late
		}
	}
	if err != nil && err != io.EOF {
		return nil, r.failed(err)
	}
	return row, err
}

// failed maps the error of a step for the caller, and keeps it for SHOW WARNINGS, unless the rows are read by
// another statement, which keeps its own.
func (r *queryRows) failed(err error) error {
	r.tx.AbortIf(err)
	err = r.session.explained(r.ctx, r.statement, r.space.execution.env.Params, err)
	again := r.err != nil
	r.err = r.session.queryError(r.ctx, err)
	if r.number != 0 && !again {
		r.session.failed(r.err)
	}
	return r.err
}

// Block implements BlockRows.
func (r *queryRows) Block() (*answers.Block, error) {
	if r.limit >= 0 || r.closed || r.ahead != nil {
		return nil, nil
	}
	b, err := r.Rows.Block()
	if err != nil {
		return nil, r.failed(err)
	}
	return b, nil
}

// NextBlock implements BlockRows.
func (r *queryRows) NextBlock() error {
	if r.closed {
		return io.EOF
	}
	err := r.Rows.NextBlock()
	if late := r.ctx.Err(); late != nil {
		err = late
	}
	if err != nil && err != io.EOF {
		return r.failed(err)
	}
	return err
}

func (r *queryRows) nextAhead() ([]value.Value, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, r.session.queryError(r.ctx, err)
	}
	if len(r.ahead) == 0 {
		return nil, io.EOF
	}
	row := r.ahead[0]
	r.ahead = r.ahead[1:]
	return row, nil
}

func (r *queryRows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	given, found := r.Counts()
	r.session.foundRows = found
	err := r.closeRows()
	if r.cancel != nil {
		r.cancel()
	}
	if r.space.claims.Bytes.Load() != 0 {
		r.space.claims.Release()
	}
	if err != nil {
		err = storeerr.Map(r.ctx, err)
	}
	if r.number != 0 { // otherwise the rows are part of another statement
		r.session.ends(r.number, &metrics.Done{Err: r.err, Given: given, Work: &r.space.execution.work})
		r.space.execution.clear()
		r.space.execution.work = exec.Work{}
		r.space.memory.Clear()
		r.session.idle = r.space
		*r = queryRows{closed: true}
	}
	return err
}

// closeRows closes the operators, and ends the SELECT's own transaction whether or not that fails.
func (r *queryRows) closeRows() error {
	defer func() {
		if released, ok := r.own.(kv.Releaser); ok {
			_ = released.Release() // it holds no writes
			r.own = nil
		} else if r.own != nil {
			r.own.Rollback()
		}
	}()
	return r.Rows.Close()
}
