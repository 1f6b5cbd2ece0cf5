package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// execution has the parts of the execution context of one statement, allocated together. The writing
// statements of a session reuse one, one after the other.
type execution struct {
	context exec.Context
	env     expr.Env
	info    function.Session
	budget  kv.Budget
	work    exec.Work
}

// workspace is the memory in which a SELECT runs, 4 KiB. The next SELECT of the session reuses it: a read of
// one cell takes half as long again if it has to allocate and clear its own.
type workspace struct {
	execution execution
	claims    quota.Claims
	memory    exec.Memory
	rows      queryRows
}

// queryRows is the result of a SELECT, and what Close releases.
type queryRows struct {
	*exec.Rows
	columns []Column
	space   *workspace      // in which Rows runs
	number  uint64          // of the running statement; 0 if another statement reads the rows
	ctx     context.Context // the statement's, or with the time limit of max_execution_time
	cancel  func()
	own     kv.Txn // the SELECT's own transaction, which Close ends; nil in an open one
	session *Session
	// statement is the SELECT.
	statement *Statement
	tx        *transaction.Txn // the open transaction that it reads in, or nil
	closed    bool
	err       error // of the step that has failed
	// started says that the first row has been requested. The context is checked at the first row and after
	// the last: if it is done before, the rows end with an error.
	started bool
	// ahead, if not nil, has all rows, read before the first was returned.
	ahead [][]value.Value
	// limit is the number of rows that sql_select_limit still allows; a negative number is no limit.
	limit int64
}

// set fills in an execution that is zero or cleared.
func (r *execution) set(s *Session, ctx context.Context, txn kv.Txn, args []value.Value) *exec.Context {
	s.describe(&r.info)
	r.env.Params, r.env.Session, r.env.Ctx = args, &r.info, ctx
	c := &r.context
	c.Ctx, c.Txn, c.View, c.Env = ctx, txn, s.vars.View, &r.env
	c.Spill, c.Held = s.vars.Spill, s.vars.Held
	var limit int64
	if c.Guard.NoFullScan, limit = s.vars.Guards(); limit > 0 {
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

// clear drops the references of the last statement. It assigns each part in place, since constructing and
// copying the whole takes longer.
func (r *execution) clear() {
	r.context = exec.Context{}
	r.env = expr.Env{}
}

// context is the execution context of a plan, in memory of its own.
func (s *Session) context(ctx context.Context, txn kv.Txn, args []value.Value) *exec.Context {
	return new(execution).set(s, ctx, txn, args)
}

// writing is context for an attempt to run a statement that leaves no rows open, in memory that such statements of the
// session share.
func (s *Session) writing(ctx context.Context, txn kv.Txn, t *transaction.Retry, args []value.Value) *exec.Context {
	s.writes.clear()
	c := s.writes.set(s, ctx, txn, args)
	c.LockRows = true // INSERT ... SELECT ... FOR UPDATE locks the rows that it reads
	c.LockAhead = t.Fresh
	counters, _ := s.temp.Store.(kv.Counters)
	c.Counters = s.txns.Number(t, counters)
	return c
}

// planner is a planner over the catalog of a snapshot.
func (s *Session) planner(ctx context.Context, catalog *kv.Catalog, args []value.Value) *plan.Planner {
	return &plan.Planner{AnyValue: s.vars.AnyValue, Resolver: relation.Resolver{
		Meter:   cancelcheck.Meter{Ctx: ctx},
		Catalog: catalog, Database: s.database, Virtual: s.engine.info.Table, Hidden: infoschema.Hidden,
		Arguments: bind.NewArguments(args, s.info()), Access: s.access(false),
	}}
}

// info is the session for functions while one statement runs.
func (s *Session) info() *function.Session {
	info := new(function.Session)
	s.describe(info)
	return info
}

// describe fills in info.
func (s *Session) describe(info *function.Session) {
	if info.AddWarning == nil { // else an earlier statement of the session has filled it in
		*info = s.base
	}
	now := s.began // of the engine's clock, unless SET timestamp has fixed it
	if !s.vars.At.IsZero() {
		now = s.vars.At
	}
	info.Database, info.Now = s.database, now.In(s.vars.Zone)
	info.MaxAllowedPacket, info.MaxErrorCount = s.vars.Packet, s.vars.ErrorCount
	info.Loose, info.QuietDivision = s.vars.Loose, s.vars.QuietDivision
	info.LastInsertID, info.RowCount, info.FoundRows = s.lastInsertID, s.rowCount, s.foundRows
}

// access checks privileges while a statement is planned; nil if everything is allowed.
func (s *Session) access(explains bool) *rights.Access {
	if s.options.Accounts == nil {
		return nil
	}
	return rights.NewAccess(s.authority, explains).Free(s.filling.Database, s.filling.Name)
}

// planFor returns the plan of a statement for these arguments, from the cache or a new one, and the arguments
// to run it with.
func (s *Session) planFor(ctx context.Context, st *Statement, catalog *kv.Catalog,
	args []value.Value) (*statement.Plan, []value.Value, error) {
	of := statement.Session{Database: s.database, AnyValue: s.vars.AnyValue, Authority: s.authority,
		Host: host{s}, Own: &s.temp.Plans}
	return s.engine.statements.PlanFor(ctx, &of, st, catalog, args, &s.plansFound)
}
