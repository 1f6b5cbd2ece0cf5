package op

import (
	"context"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Context is what running a plan needs.
type Context struct {
	// Ctx cancels the statement.
	Ctx context.Context
	// Txn is read; its catalog is that of which the plan was made.
	Txn kv.Txn
	// Env holds the placeholders' values and the session. Its Row is not used.
	Env *expr.Env
	// View is the session's view.
	View versions.View
	// Estimator tells about how much a scan reads; it may be nil.
	Estimator kv.Estimator
	// Counters number rows; nil where the store has none.
	Counters kv.Counters
	// At is a savepoint of Txn whose writes are read; nil reads those of now. A
	// writing statement that reads what it writes sees none of its own.
	At kv.Savepoint
	// Ignore makes NULL, with a warning, of a subquery with more rows than one, as
	// INSERT IGNORE, UPDATE IGNORE and DELETE IGNORE do.
	Ignore bool
	// LockRows makes FOR UPDATE and LOCK IN SHARE MODE lock the rows that
	// they read, as they do inside a transaction.
	LockRows bool
	// LockAhead makes a statement that names the rows that it is to change lock
	// them before it reads: nobody has seen anything of the transaction, so that
	// it sees what it waited for.
	LockAhead bool
	// Spill bounds what the statement keeps in memory.
	Spill spill.Options
	// Held bounds what expressions hold at once, in bytes; 0 does not.
	Held int
	// Parallelism is the number of goroutines that may read a table for an
	// aggregation or the first rows of an order; 0 is as many as there are
	// processors, where the table is large enough.
	Parallelism int
	// BatchCells is how many cells are evaluated together, for tests; -1 is none, 0
	// leaves it to the operators, which begin with some row by row.
	BatchCells int
	// JoinRows is after how many rows a join is done in another way, for tests; -1 is
	// never, 0 leaves it to what that is estimated to cost.
	JoinRows int
	// Guard bounds what the statement reads.
	Guard Guard
	// Progress, where it is not nil, is called with what long scans have read so far.
	Progress Progress
	// Measured has the time of each step taken, for EXPLAIN ANALYZE.
	Measured bool
	// Work, where it is not nil, counts what is read.
	Work *Work
	// Authority is whom the statement acts for; nil may do everything. Accounts are all
	// there are; nil are those of the store.
	Authority *rights.Authority
	Accounts  *rights.Accounts
	// Memory is what the statement may run in; it may be nil.
	Memory Reusable
}

// Reusable is memory for the operators of one statement after the other; Clear comes between.
type Reusable interface{ Clear() }

// Statement is one run of a statement: what its queries share. It runs the
// subqueries of the statement's expressions.
type Statement struct {
	Context *Context
	// Explain is true where nothing is to be run.
	Explain bool
	// Measured says that the work of each operator is measured, as EXPLAIN ANALYZE shows it.
	Measured bool
	// Took is how long the subqueries ran, where that is measured; several goroutines ask for them.
	Took   map[any]time.Duration
	timing sync.Mutex
	// standIns are pairs of what EXPLAIN's spans have in the place of names, as it is printed, and
	// of these.
	standIns []string
	// Space is what the statement keeps, in memory and in temporary files.
	Space spill.Space
	// Held is what expressions hold on the statement's own goroutine.
	Held function.Held
	// Lists are the sets of its IN lists.
	Lists expr.Lists
	// Asker evaluates subqueries; what these have read is kept in the statement.
	Asker   Asker
	keeping keeping
	// Alone is held while a cursor is opened: the goroutines that read at the same time share a
	// transaction, which is for one at a time.
	Alone sync.Mutex
}

// Frame is one run of a query: what its operators share.
type Frame struct {
	Context *Context
	// Env's Row is the frame: the columns of all relations of the query, and
	// what is computed from them.
	Env  expr.Env
	Stmt *Statement
	// Nothing says that no row of the query will be asked for.
	Nothing bool
	// Lock makes scans lock the rows that they give; it may be nil.
	Lock  *Locking
	meter cancelcheck.Meter
	// Around is what a subquery knows of the outer row that it is run for; it may be nil.
	Around any
	// Memory is what its first operators take; it may be nil.
	Memory Reusable
	// own is the run of a whole statement, inline the frame of a small query:
	// they are here to be allocated together.
	own    Statement
	inline [8]value.Value
}

// Start makes x ready to run a statement, or only to explain it, over a frame
// of that width. asker evaluates its subqueries.
func (x *Frame) Start(c *Context, width int, asker func(*Statement) Asker, explain bool) {
	x.Memory = c.Memory
	x.own.Start(c, asker, explain)
	x.StartIn(&x.own, width)
}

func (r *Statement) Start(c *Context, asker func(*Statement) Asker, explain bool) {
	r.Context, r.Explain, r.Measured, r.Asker = c, explain, c.Measured, asker(r)
	o := c.Spill
	o.Workers = c.Readers()
	r.Space.Init(c.Ctx, o)
	r.Held = function.Held{Limit: c.Held, Claims: c.Spill.Claims}
}

// StartIn makes x ready to run a query of a statement that runs. It may have run one before.
func (x *Frame) StartIn(run *Statement, width int) {
	c, row := run.Context, x.Env.Row
	x.Context, x.Stmt = c, run
	x.Env = expr.Env{} // to fill one in and copy it takes longer
	x.Env.Params, x.Env.Subqueries, x.Env.Lists = c.Env.Params, run.Asker, &run.Lists
	x.Env.Session, x.Env.Ctx, x.Env.Strict, x.Env.Held = c.Env.Session, c.Ctx, c.Env.Strict, &run.Held
	switch {
	case width > cap(row) && width > len(x.inline):
		x.Env.Row = make([]value.Value, width)
		return
	case width > len(x.inline):
		x.Env.Row = row[:width]
	default:
		x.Env.Row = x.inline[:width:width]
	}
	if row != nil {
		clear(x.Env.Row)
	}
}

// NewFrame is a frame of its own for a part of the statement.
func (run *Statement) NewFrame(width int) *Frame {
	x := &Frame{}
	x.StartIn(run, width)
	return x
}

// Beside is one more frame of the goroutine that has x, with the same values: a part warns by
// itself.
func (x *Frame) Beside() *Frame {
	out := x.Stmt.NewFrame(len(x.Env.Row))
	copy(out.Env.Row, x.Env.Row)
	out.Context = x.Context
	out.Env.Session, out.Env.Lists, out.Env.Held = x.Env.Session, x.Env.Lists, x.Env.Held
	return out
}

// Tick is called in loops that do not read the store; it gives the context's
// error now and then.
func (x *Frame) Tick() error { return x.Ticks(1) }

// Ticks is tick for n rows. Its error is cancellation.
func (x *Frame) Ticks(n int) error {
	x.meter.Ctx = x.Context.Ctx
	return x.meter.Step(n * cancelcheck.Row)
}
