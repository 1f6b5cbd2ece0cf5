package sqlfront

import (
	"context"
	"io"
	"reflect"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Prepare parses a statement; nothing is looked up in the catalog yet, so that
// a statement may be prepared before its table is made.
func (s *Session) Prepare(ctx context.Context, sql string) (*Statement, error) {
	if err := s.checkText(ctx, sql); err != nil {
		return nil, err
	}
	st, err := s.engine.statements.Get(ctx, sql, s.reserve(sql))
	if err != nil && s.parts.parsing != 0 {
		s.memory.Shrink(&s.parts.parsing, 0)
	}
	return st, err
}

// reserve is who counts the memory that a text takes to be read, nil for one that takes little.
func (s *Session) reserve(sql string) func(bytes int) error {
	if len(sql) < parse.TokenRoom {
		return nil
	}
	return s.parses
}

func (s *Session) checkText(ctx context.Context, sql string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(sql) >= s.vars.Packet {
		return mysqlerr.New(mysqlerr.NetPacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
	}
	return nil
}

// Recode gives a string of a statement other bytes; introduced is true of one behind the
// name of a character set.
type Recode func(text []byte, introduced bool) []byte

// PrepareRecoded is Prepare of a text that was in another character set: recode gives the
// strings of its expressions the bytes that they are to have. Names, comments and messages
// are as in sql. Nothing of it is kept for the next one.
func (s *Session) PrepareRecoded(ctx context.Context, sql string, recode Recode) (*Statement, error) {
	if err := s.checkText(ctx, sql); err != nil {
		return nil, err
	}
	text, err := parse.Lex(ctx, sql, s.reserve(sql))
	if err != nil {
		s.memory.Shrink(&s.parts.parsing, 0)
		return nil, err
	}
	defer text.Release()
	text.Recode = recode
	p, err := text.Parse(ctx)
	if err != nil {
		s.memory.Shrink(&s.parts.parsing, 0)
		return nil, err
	}
	return statement.New(p, sql, kindOf(p.Stmt)), nil
}

// Run runs a statement: for its rows, or where it has no result set, which is nil
// Rows, for what it changes.
func (s *Session) Run(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	return s.run(ctx, st, args)
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

// WrongCount is the error of a statement with so many placeholders and arguments.
func WrongCount(placeholders, args int) error {
	return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to EXECUTE: %d placeholders, %d values", placeholders, args)
}

func (s *Session) run(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, Result{}, err
	}
	if n := st.NumInput(); n != len(args) {
		return nil, Result{}, WrongCount(n, len(args))
	}
	kind := st.Kind
	running, number, err := s.begins(ctx, kind, st.Text, st.KeepsWarnings)
	if err != nil {
		return nil, Result{}, err
	}
	ctx = running
	s.lastInfo = Info{}
	if kind != metrics.KindSelect { // whose rows have work of their own
		s.writes.work = exec.Work{}
	}
	rows, result, err := s.execute(ctx, st, args)
	if open, ok := rows.(*queryRows); ok {
		open.number = number // ends when its rows are closed
		return rows, result, nil
	}
	if err != nil {
		err = storeerr.Map(ctx, err)
		s.rowCount = -1
		s.failed(err)
	}
	d := s.doneBy(kind, rows, result, err)
	s.ends(number, &d)
	if err != nil {
		return nil, Result{}, err
	}
	return rows, result, nil
}

// doneBy is what a statement has done that leaves nothing open.
func (s *Session) doneBy(kind metrics.Kind, rows Rows, r Result, err error) metrics.Done {
	d := metrics.Done{Err: err, Changed: r.RowsAffected}
	if kind != metrics.KindSelect {
		d.Work = &s.writes.work
	}
	if table, ok := rows.(*tableRows); ok {
		d.Given = int64(len(table.rows))
	}
	return d
}

// execute has the statement run by its handler, with the values of its literals.
func (s *Session) execute(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	for _, w := range st.Parsed.Warnings {
		s.warn(uint16(mysqlerr.Parse), w)
	}
	all := args
	if len(st.Values) > 0 {
		all = st.Arguments(args)
	}
	if s.options.Accounts != nil {
		if err := s.permit(ctx, st.Parsed.Stmt); err != nil {
			return nil, Result{}, err
		}
	}
	run := handlers[reflect.TypeOf(st.Parsed.Stmt)].run
	rows, result, err := run(s, ctx, st, all)
	if err != nil {
		err = s.explained(ctx, st, args, err)
	}
	return rows, result, err
}

// planner is what planning needs, over the catalog of a snapshot.
func (s *Session) planner(ctx context.Context, catalog *kv.Catalog, args []value.Value) *plan.Planner {
	return &plan.Planner{
		Meter:   steps.Meter{Ctx: ctx},
		Catalog: catalog, Database: s.database, Virtual: s.engine.info.Table, Hidden: infoschema.Hidden,
		AnyValue: s.vars.AnyValue, Arguments: expr.NewArguments(args, s.info()), Access: s.access(false),
	}
}

// execution is what the statements of a session over tables run with, one after the
// other, in one allocation.
type execution struct {
	context exec.Context
	env     expr.Env
	info    function.Session
	budget  kv.Budget
	work    exec.Work
}

// workspace is what a SELECT runs in. The session gives it to the next one: a read
// of one cell takes half as long again with one of its own, 4 KiB that are cleared
// and freed.
type workspace struct {
	execution execution
	claims    quota.Claims
	memory    exec.Memory
	rows      queryRows
}

// set fills in a clear execution.
func (r *execution) set(s *Session, ctx context.Context, txn kv.Txn, args []value.Value) *exec.Context {
	s.describe(&r.info)
	r.env.Params, r.env.Session, r.env.Ctx = args, &r.info, ctx
	c := &r.context
	c.Ctx, c.Txn, c.View, c.Env = ctx, txn, s.vars.View, &r.env
	c.Spill, c.Held, c.Guard = s.vars.Spill, s.vars.Held, s.guard(r)
	c.Spill.Claims = &s.claims
	if !s.engine.counts.none {
		c.Work = &r.work
	}
	c.Parallelism, c.BatchCells, c.JoinRows = s.vars.Parallelism, s.vars.BatchCells, s.vars.JoinRows
	c.Authority, c.Accounts, c.Estimator, c.Progress = s.authority, s.accounts, s.engine.estimator, s
	return c
}

// clear lets go of what the last statement has left. To make the parts anew and copy
// them takes longer.
func (r *execution) clear() {
	r.context = exec.Context{}
	r.env = expr.Env{}
}

// context is what a plan needs to run.
func (s *Session) context(ctx context.Context, txn kv.Txn, args []value.Value) *exec.Context {
	return new(execution).set(s, ctx, txn, args)
}

// writing is context for a statement that leaves no rows open: there is one
// at a time, so that all can have the same memory. fresh says that nobody has seen
// anything of the transaction.
func (s *Session) writing(ctx context.Context, txn kv.Txn, fresh bool, args []value.Value) *exec.Context {
	s.writes.clear()
	c := s.writes.set(s, ctx, txn, args)
	c.LockRows = true // of INSERT ... SELECT ... FOR UPDATE
	c.LockAhead = fresh
	return c
}
