package sqlfront

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write"
)

// Prepare parses a statement; nothing is looked up in the catalog yet, so that
// a statement may be prepared before its table is made.
func (s *Session) Prepare(ctx context.Context, sql string) (*Statement, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.engine.parse(sql)
	if err != nil {
		return nil, err
	}
	return &Statement{parsed: p}, nil
}

// Query runs a statement for its rows. Of a statement without a result set the
// Rows have no columns.
func (s *Session) Query(ctx context.Context, st *Statement, args []value.Value) (Rows, error) {
	rows, _, err := s.run(ctx, st, args)
	if err != nil {
		return nil, err
	}
	if rows == nil {
		rows = &tableRows{}
	}
	return rows, nil
}

// Exec runs a statement for what it changes. Rows that it gives are read and
// dropped.
func (s *Session) Exec(ctx context.Context, st *Statement, args []value.Value) (Result, error) {
	rows, result, err := s.run(ctx, st, args)
	if err != nil || rows == nil {
		return result, err
	}
	for err == nil {
		_, err = rows.Next()
	}
	closing := rows.Close()
	if err != io.EOF {
		return Result{}, err
	}
	return Result{}, closing
}

func (s *Session) run(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, Result{}, err
	}
	if len(args) != st.NumInput() {
		return nil, Result{}, mysqlerr.New(mysqlerr.WrongArguments,
			"Incorrect arguments to EXECUTE: %d values for %d placeholders", len(args), st.NumInput())
	}
	s.begins(st.parsed.Text, keepsWarnings(st.parsed.Stmt))
	for _, w := range st.parsed.Warnings {
		s.warn(uint16(mysqlerr.Parse), w)
	}
	s.engine.questions.Add(1)
	rows, result, err := s.dispatch(ctx, st.parsed, args)
	if _, open := rows.(*queryRows); !open {
		s.ends() // else it ends when its rows are closed
	}
	if err != nil {
		err = mapError(ctx, err)
		s.rowCount = -1
		s.failed(err)
		return nil, Result{}, err
	}
	return rows, result, nil
}

// keepsWarnings reports whether a statement is a diagnostic one, which leaves
// the warnings of the last.
func keepsWarnings(st parse.Statement) bool {
	show, ok := st.(*parse.Show)
	return ok && (show.Kind == parse.ShowWarnings || show.Kind == parse.ShowErrors)
}

func (s *Session) dispatch(ctx context.Context, p *parse.Parsed, args []value.Value) (Rows, Result, error) {
	switch p.Stmt.(type) {
	case *parse.Select:
		rows, err := s.query(ctx, p, args)
		s.rowCount = -1
		return rows, Result{}, err
	case *parse.Insert, *parse.Update, *parse.Delete:
		result, err := s.change(ctx, p, args)
		return nil, result, err
	}
	s.rowCount = 0
	if done, err := s.transactionStatement(ctx, p.Stmt); done {
		return nil, Result{}, err
	}
	rows, err := s.admin(ctx, p, args)
	return rows, Result{}, err
}

// planner is what planning needs, over the catalog of a snapshot.
func (s *Session) planner(catalog *kv.Catalog) *plan.Planner {
	return &plan.Planner{
		Catalog: catalog, Database: s.database, Virtual: s.engine.info.Table,
		Parse: s.engine.parse, AnyValue: s.anyValue(),
	}
}

// anyValue is what the session's sql_mode says of columns that are not
// grouped.
func (s *Session) anyValue() bool { return !s.hasSQLMode("ONLY_FULL_GROUP_BY") }

// execution is what a statement over tables runs with, in one allocation.
type execution struct {
	context plan.Context
	env     expr.Env
	info    expr.SessionInfo
}

func (r *execution) set(s *Session, ctx context.Context, txn kv.Txn, args []value.Value) *plan.Context {
	s.describe(&r.info)
	r.env = expr.Env{Params: args, Session: &r.info, Ctx: ctx}
	r.context = plan.Context{Ctx: ctx, Txn: txn, View: s.view, Env: &r.env, Spill: s.spill()}
	return &r.context
}

// context is what a plan needs to run.
func (s *Session) context(ctx context.Context, txn kv.Txn, args []value.Value) *plan.Context {
	return new(execution).set(s, ctx, txn, args)
}

// writing is context for a statement that leaves no rows open: there is one
// at a time, so that all can have the same memory.
func (s *Session) writing(ctx context.Context, txn kv.Txn, args []value.Value) *plan.Context {
	return s.writes.set(s, ctx, txn, args)
}

// query opens a SELECT on the transaction's snapshot, or on one of its own that
// is kept until the rows are closed.
func (s *Session) query(ctx context.Context, p *parse.Parsed, args []value.Value) (Rows, error) {
	tx, err := s.current()
	if err != nil {
		return nil, err
	}
	ctx, cancel, err := s.limited(ctx, p, args)
	if err != nil {
		return nil, err
	}
	if tx != nil {
		return s.queryIn(ctx, tx, p, args, cancel)
	}
	txn := s.beginTxn(true)
	rows, err := s.open(ctx, txn, p, args, false)
	if err != nil {
		txn.Rollback()
		cancel()
		return nil, s.queryError(ctx, err)
	}
	return &queryRows{Rows: rows, ctx: ctx, cancel: cancel, own: txn, session: s}, nil
}

// queryIn opens a SELECT in the open transaction. One that locks rows, as the
// first statement, is read up to its first row, which takes the lock that most
// of them are after: as in changeIn, a writer who was faster is no conflict.
func (s *Session) queryIn(ctx context.Context, tx *transaction, p *parse.Parsed, args []value.Value, cancel func()) (Rows, error) {
	fresh := tx.fresh && locksRows(p.Stmt)
	tx.fresh = false
	rows, err := s.openIn(ctx, tx, p, args, fresh)
	for backoff := firstBackoff; fresh && fatal(err); backoff = min(2*backoff, lastBackoff) {
		tx.renew(s.beginTxn(tx.readOnly))
		if err = pause(ctx, backoff); err == nil {
			rows, err = s.openIn(ctx, tx, p, args, fresh)
		}
	}
	if err != nil {
		cancel()
		tx.fresh = fresh && errors.Is(err, kv.ErrLockTimeout)
		tx.abortIf(err)
		return nil, s.queryError(ctx, err)
	}
	rows.cancel = cancel
	return rows, nil
}

// openIn opens a SELECT, and reads its first row ahead where that is asked for.
func (s *Session) openIn(ctx context.Context, tx *transaction, p *parse.Parsed, args []value.Value, ahead bool) (*queryRows, error) {
	opened, err := s.open(ctx, tx.Txn, p, args, true)
	if err != nil {
		return nil, err
	}
	rows := &queryRows{Rows: opened, ctx: ctx, session: s, tx: tx}
	if !ahead {
		return rows, nil
	}
	rows.ahead = true
	if rows.first, rows.end = opened.Next(); rows.end != nil && rows.end != io.EOF {
		return nil, errors.Join(rows.end, opened.Close())
	}
	return rows, nil
}

// locksRows is true of FOR UPDATE and LOCK IN SHARE MODE.
func locksRows(st parse.Statement) bool {
	sel, ok := st.(*parse.Select).Node.(*sqlparser.Select)
	return ok && sel.Lock != ""
}

func (s *Session) open(ctx context.Context, txn kv.Txn, p *parse.Parsed, args []value.Value, inTx bool) (*plan.Rows, error) {
	planned, err := s.engine.planFor(s, txn.Catalog(), p)
	if err != nil {
		return nil, err
	}
	c := s.context(ctx, txn, args)
	c.LockRows = inTx
	return planned.sel.Open(c)
}

// errTimeLimit is the cause of a context that max_execution_time ended.
var errTimeLimit = errors.New("max_execution_time")

// limited is the context of a SELECT under max_execution_time.
func (s *Session) limited(ctx context.Context, p *parse.Parsed, args []value.Value) (context.Context, func(), error) {
	ms := s.variableInt("max_execution_time")
	if hint := p.Stmt.(*parse.Select).MaxExecutionTime; hint != nil {
		ms = hint.Const
		if hint.Param >= 0 {
			ms = args[hint.Param].AsInt()
		}
	}
	if ms <= 0 {
		return ctx, func() {}, nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, time.Duration(ms)*time.Millisecond, errTimeLimit)
	return limited, cancel, nil
}

// queryError tells the time limit of the session from the caller's own.
func (s *Session) queryError(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) && context.Cause(ctx) == errTimeLimit {
		return mysqlerr.New(mysqlerr.QueryTimeout, "Query execution was interrupted, maximum statement execution time exceeded")
	}
	return mapError(ctx, err)
}

// change runs a writing statement: in the open transaction, where it undoes
// itself when it fails, or in one of its own.
func (s *Session) change(ctx context.Context, p *parse.Parsed, args []value.Value) (Result, error) {
	tx, err := s.current()
	if err != nil {
		return Result{}, err
	}
	if err := s.checkWritable(tx); err != nil {
		return Result{}, err
	}
	var result write.Result
	if tx != nil {
		result, err = s.changeIn(ctx, tx, p, args)
	} else {
		result, err = s.changeAlone(ctx, p, args)
	}
	if err != nil {
		return Result{}, err
	}
	return s.changed(result), nil
}

func (s *Session) checkWritable(tx *transaction) error {
	switch {
	case s.options.ReadOnly:
		return mysqlerr.New(mysqlerr.OptionPreventsStmt, "The MySQL server is running with the --read-only option so it cannot execute this statement")
	case tx != nil && tx.readOnly:
		return mysqlerr.New(mysqlerr.CantExecuteInReadOnly, "Cannot execute statement in a READ ONLY transaction.")
	}
	return nil
}

func (s *Session) changed(r write.Result) Result {
	n := r.Changed
	if s.options.ClientFoundRows {
		n = r.Found
	}
	s.rowCount = n
	if r.InsertID != 0 {
		s.lastInsertID = r.InsertID
	}
	return Result{LastInsertID: r.InsertID, RowsAffected: n}
}

// changeIn runs a statement in the open transaction. While it is the first one
// nobody has seen the transaction's snapshot, so that another writer who was
// faster is met with a newer one instead of a conflict.
func (s *Session) changeIn(ctx context.Context, tx *transaction, p *parse.Parsed, args []value.Value) (write.Result, error) {
	fresh := tx.fresh
	tx.fresh = false
	result, err := s.changeOnce(ctx, tx, p, args)
	for backoff := firstBackoff; fresh && fatal(err); backoff = min(2*backoff, lastBackoff) {
		s.warnings = nil
		tx.renew(s.beginTxn(false))
		if err := pause(ctx, backoff); err != nil {
			return write.Result{}, err
		}
		result, err = s.changeOnce(ctx, tx, p, args)
	}
	tx.fresh = fresh && errors.Is(err, kv.ErrLockTimeout)
	tx.abortIf(err)
	return result, err
}

func (s *Session) changeOnce(ctx context.Context, tx *transaction, p *parse.Parsed, args []value.Value) (write.Result, error) {
	planned, err := s.engine.planFor(s, tx.Catalog(), p)
	if err != nil {
		return write.Result{}, err
	}
	if planned.single {
		return planned.write.Run(s.writing(ctx, tx.Txn, args))
	}
	before := tx.Savepoint()
	result, err := planned.write.Run(s.writing(ctx, tx.Txn, args))
	if err != nil && !fatal(err) {
		tx.RollbackTo(before)
	}
	return result, err
}

// The waits before a statement is run again.
const (
	firstBackoff = 50 * time.Microsecond
	lastBackoff  = 20 * time.Millisecond
)

// changeAlone runs a statement as a transaction of its own, again and again
// while other writers are faster, until its context ends: the caller of a
// single statement never sees a conflict.
func (s *Session) changeAlone(ctx context.Context, p *parse.Parsed, args []value.Value) (write.Result, error) {
	for backoff := firstBackoff; ; backoff = min(2*backoff, lastBackoff) {
		warned := len(s.warnings)
		result, err := s.attempt(ctx, p, args)
		if err == nil || !retriable(err) {
			return result, err
		}
		s.warnings = s.warnings[:warned]
		if err := pause(ctx, backoff); err != nil {
			return write.Result{}, err
		}
	}
}

// pause waits for a random time up to the backoff.
func pause(ctx context.Context, backoff time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(backoff) + 1):
		return nil
	}
}

func (s *Session) attempt(ctx context.Context, p *parse.Parsed, args []value.Value) (write.Result, error) {
	txn := s.beginTxn(false)
	defer txn.Rollback()
	result, err := s.write(ctx, txn, p, args)
	if err != nil {
		return result, err
	}
	return result, txn.Commit(ctx)
}

func (s *Session) write(ctx context.Context, txn kv.Txn, p *parse.Parsed, args []value.Value) (write.Result, error) {
	planned, err := s.engine.planFor(s, txn.Catalog(), p)
	if err != nil {
		return write.Result{}, err
	}
	return planned.write.Run(s.writing(ctx, txn, args))
}
