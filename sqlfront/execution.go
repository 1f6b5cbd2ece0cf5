package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

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

// queryRows is the result of a SELECT with what is to be released behind it.
type queryRows struct {
	*exec.Rows
	columns []Column
	space   *workspace      // of Rows
	number  uint64          // of the running statement
	ctx     context.Context // the statement's, or one that ends sooner
	cancel  func()
	own     kv.Txn // that ends with the rows, or nil
	session *Session
	// statement is the one that gives the rows.
	statement *Statement
	tx        *transaction.Txn // the open one that it reads, or nil
	closed    bool
	err       error // that a step has failed with
	// started says that the first row has been asked for. At the first and behind the
	// last row the context is looked at: what comes late is an error.
	started bool
	// ahead, where it is not nil, are all rows: they have been read.
	ahead [][]value.Value
	// limit is how many more rows sql_select_limit lets out; negative is all.
	limit int64
}

// set fills in a clear execution.
func (r *execution) set(s *Session, ctx context.Context, txn kv.Txn, args []value.Value) *exec.Context {
	s.describe(&r.info)
	r.env.Params, r.env.Session, r.env.Ctx = args, &r.info, ctx
	c := &r.context
	c.Ctx, c.Txn, c.View, c.Env = ctx, txn, s.vars.View, &r.env
	c.Spill, c.Held = s.vars.Spill, s.vars.Held
	c.Guard.NoFullScan = s.vars.RefusesFullScans()
	if limit := s.vars.ScanLimit(); limit > 0 {
		r.budget.Set(limit)
		c.Guard.Budget = &r.budget
	}
	c.Spill.Claims = &s.claims
	if !s.engine.counts.none {
		c.Work = &r.work
	}
	c.Parallelism, c.BatchCells, c.JoinRows = s.vars.Parallelism, s.vars.BatchCells, s.vars.JoinRows
	c.Authority, c.Accounts, c.Estimator, c.Progress = s.authority, s.accounts, s.temp.Estimator, s
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
	c.Counters, _ = s.engine.store.(kv.Counters)
	return c
}

// planner is what planning needs, over the catalog of a snapshot.
func (s *Session) planner(ctx context.Context, catalog *kv.Catalog, args []value.Value) *plan.Planner {
	return &plan.Planner{AnyValue: s.vars.AnyValue, Resolver: relation.Resolver{
		Meter:   cancelcheck.Meter{Ctx: ctx},
		Catalog: catalog, Database: s.database, Virtual: s.engine.info.Table, Hidden: infoschema.Hidden,
		Arguments: bind.NewArguments(args, s.info()), Access: s.access(false),
	}}
}

// info is what functions ask of the session while one statement runs.
func (s *Session) info() *function.Session {
	info := new(function.Session)
	s.describe(info)
	return info
}

// describe is info in memory that is there.
func (s *Session) describe(info *function.Session) {
	if info.AddWarning == nil { // else the memory is that of another statement of the session
		*info = s.base
	}
	now := s.began // by the engine's clock, unless the session says what it is
	if !s.vars.At.IsZero() {
		now = s.vars.At
	}
	info.Database, info.Now = s.database, now.In(s.vars.Zone)
	info.MaxAllowedPacket, info.MaxErrorCount = s.vars.Packet, s.vars.ErrorCount
	info.Loose, info.QuietDivision = s.vars.Loose, s.vars.QuietDivision
	info.LastInsertID, info.RowCount, info.FoundRows = s.lastInsertID, s.rowCount, s.foundRows
}

// access is what a plan asks for rights; nil where nobody has to ask.
func (s *Session) access(explains bool) *rights.Access {
	if s.options.Accounts == nil {
		return nil
	}
	return rights.NewAccess(s.authority, explains).Free(s.filling.Database, s.filling.Name)
}
