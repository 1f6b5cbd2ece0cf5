package op

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
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
	// Txn is read; the plan was made with its catalog.
	Txn kv.Txn
	// Env holds the placeholders' values and the session. Its Row is not used.
	Env *expr.Env
	// View is the session's view.
	View versions.View
	// Estimator estimates how much a scan reads; it may be nil.
	Estimator kv.Estimator
	// Counters number rows; nil if the store has none.
	Counters kv.Counters
	// At is a savepoint of Txn: later writes are not read; nil reads all. A writing statement that
	// reads its own table uses it.
	At kv.Savepoint
	// Ignore turns a subquery with several rows into NULL, with a warning, as INSERT IGNORE, UPDATE
	// IGNORE and DELETE IGNORE do.
	Ignore bool
	// LockRows makes FOR UPDATE and LOCK IN SHARE MODE lock the rows that
	// they read, as they do inside a transaction.
	LockRows bool
	// LockAhead makes a statement that names the rows to change lock them before it reads: the
	// transaction has not read anything yet, so that it sees the changes for which it waited.
	LockAhead bool
	// Spill bounds what the statement keeps in memory.
	Spill spill.Options
	// Held limits the memory of expressions at any time, in bytes; 0 for no limit.
	Held int
	// Parallelism is the number of goroutines that may read a table for an aggregation or the first
	// rows of an order; 0 for the number of processors, if the table is large enough.
	Parallelism int
	// Readers is how many goroutines may read concurrently; Start sets it. If GOMAXPROCS exceeds the number of
	// processors, the additional threads are meant for waiting.
	Readers int
	// BatchCells is how many cells are evaluated together, for tests; -1 for none, 0 lets the
	// operators decide, which begin row by row.
	BatchCells int
	// JoinRows is the number of rows after which a join changes its way, for tests; -1 for never, 0
	// decides by the estimated cost.
	JoinRows int
	// Guard limits what the statement reads.
	Guard Guard
	// Progress, if not nil, is called with what long scans have read so far.
	Progress Progress
	// Explain says that nothing is to be run. Measured says that the time of each step is measured, for
	// EXPLAIN ANALYZE.
	Explain, Measured bool
	// Work, if not nil, counts what is read.
	Work *Work
	// Authority has the privileges of the statement's account; nil may do everything. Accounts are
	// all accounts; if nil, those of the store.
	Authority *rights.Authority
	Accounts  *rights.Accounts
	// Memory may be used by the statement; it may be nil.
	Memory Reusable
}

// Reusable is memory for the operators of successive statements; call Clear in between.
type Reusable interface{ Clear() }

// Statement is one run of a statement, shared by its queries. It runs the subqueries of the
// statement's expressions.
type Statement struct {
	Context *Context
	// Explain is true if nothing is to be run.
	Explain bool
	// Measured says that the work of each operator is measured, for EXPLAIN ANALYZE.
	Measured bool
	// Took is how long the subqueries ran, if measured, also on other goroutines.
	Took   map[any]time.Duration
	timing sync.Mutex
	// standIns are pairs of a printed value that replaces a name in EXPLAIN's spans, and the name.
	standIns []string
	// Space has the statement's memory and temporary files.
	Space spill.Space
	// Held is the memory of expressions on the statement's own goroutine.
	Held function.Held
	// Lists are the sets of its IN lists.
	Lists expr.Lists
	// Asker evaluates subqueries; what these have read is kept in the statement.
	Asker   Asker
	keeping keeping
	// Alone is held while a cursor is opened: concurrent readers share a transaction, which is not
	// safe for concurrent use. Scans do so only if Shared is set, before several goroutines run subqueries;
	// Turn is held while one of these runs.
	Alone  sync.Mutex
	Shared bool
	Turn   sync.Mutex
}

// Frame is one run of a query, shared by its operators.
type Frame struct {
	Context *Context
	// Env's Row is the frame: the columns of all relations of the query, and those computed from
	// them.
	Env  expr.Env
	Stmt *Statement
	// Nothing says that no row of the query will be read.
	Nothing bool
	// Lock makes scans lock the rows that they return; it may be nil.
	Lock  *Locking
	meter cancelcheck.Meter
	// Around is what a subquery knows of its outer row; it may be nil.
	Around any
	Idle   Idle
	// Own is the run of a whole statement, inline the frame of a small query; they are allocated
	// together.
	Own    Statement
	inline [8]value.Value
}

// Idle are operators that the last statement has left, zero but for their buffers; they may be nil. The first
// operator of a kind takes the one here and sets it to nil, the others are new.
type Idle struct{ Scan, Typed, Project Operator }

// Start prepares to run a statement, or only to explain it. asker evaluates its subqueries.
func (r *Statement) Start(c *Context, asker Asker) {
	r.Context, r.Explain, r.Measured, r.Asker = c, c.Explain, c.Measured, asker
	c.Readers = cmp.Or(c.Parallelism, min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
	o := c.Spill
	o.Workers = c.Readers
	r.Space.Init(c.Ctx, o)
	r.Held = function.Held{Limit: c.Held, Claims: c.Spill.Claims}
}

// StartIn prepares x to run a query of a running statement. It may have run one before.
func (x *Frame) StartIn(run *Statement, width int) {
	c, row := run.Context, x.Env.Row
	x.Context, x.Stmt = c, run
	x.Env = expr.Env{} // assigning a filled-in one takes longer
	x.Env.Params, x.Env.Subqueries, x.Env.Lists = c.Env.Params, run.Asker, &run.Lists
	x.Env.Session, x.Env.Ctx, x.Env.Strict, x.Env.Held = c.Env.Session, c.Ctx, c.Env.Strict, &run.Held
	switch {
	case width <= cap(row):
		x.Env.Row = row[:width]
		clear(x.Env.Row)
	case width <= len(x.inline):
		x.Env.Row = x.inline[:width:width]
	default:
		x.Env.Row = make([]value.Value, width)
	}
}

// NewFrame returns a separate frame for a part of the statement.
func (run *Statement) NewFrame(width int) *Frame {
	x := &Frame{}
	x.StartIn(run, width)
	return x
}

// Beside returns another frame for x's goroutine, with the same values and session: parts have
// their own sessions, for their warnings.
func (x *Frame) Beside() *Frame {
	out := x.Stmt.NewFrame(len(x.Env.Row))
	copy(out.Env.Row, x.Env.Row)
	out.Context = x.Context
	out.Env.Session, out.Env.Lists, out.Env.Held = x.Env.Session, x.Env.Lists, x.Env.Held
	return out
}

// Tick must be called in loops that do not read the store; from time to time it returns the
// context's error.
func (x *Frame) Tick() error { return x.Ticks(1) }

// Ticks is Tick for n rows. Its error is cancellation.
func (x *Frame) Ticks(n int) error {
	x.meter.Ctx = x.Context.Ctx
	return x.meter.Step(n * cancelcheck.Row)
}

// Limits returns the limits for the statement's choices.
func (c *Context) Limits() cost.Limits {
	return cost.Limits{Rows: max(c.JoinRows, 0), Memory: c.Spill.Memory}
}

// Chooses reports whether a join may read other rows than it was told to: not if rows that are read
// are locked.
func (x *Frame) Chooses() bool { return x.Lock == nil && x.Context.JoinRows >= 0 }

// ManyRows is the number of rows from which a join considers another way.
func (c *Context) ManyRows() int64 { return c.Limits().ManyRows() }

// Merges reports whether a query may merge its subqueries: not if rows that are read are locked or
// limited.
func (x *Frame) Merges() bool { return x.Chooses() && x.Context.Guard == (Guard{}) && !x.Nothing }

// ReadsOthers reports whether subqueries may read other rows than their lookups would: not if a
// guard limits these.
func (run *Statement) ReadsOthers() bool {
	return run.Context.JoinRows >= 0 && run.Context.Guard == (Guard{})
}

// Work counts what a statement reads of the store, once its scans are closed. It is safe for
// concurrent use.
type Work struct {
	Cells, Seeks, Partitions atomic.Int64 // as of kv.ScanStats
	// Spans are the ranges of scans; a scan of everything counts as one.
	Spans atomic.Int64
	// rows are the reads of rows that a statement keeps.
	rows atomic.Int64
}

// Add adds a scan. A nil Work counts nothing.
func (w *Work) Add(s kv.ScanStats, spans int) {
	if w == nil {
		return
	}
	w.Cells.Add(s.Cells)
	w.Seeks.Add(s.Seeks)
	w.Partitions.Add(int64(s.Partitions))
	w.Spans.Add(int64(spans))
}

// AddRows adds rows that a statement keeps. A nil Work counts nothing.
func (w *Work) AddRows(n int64) {
	if w != nil {
		w.rows.Add(n)
	}
}

// Cost is the number of cells and kept rows that were read; 0 if nothing is counted.
func (w *Work) Cost() int64 {
	if w == nil {
		return 0
	}
	return w.Cells.Load() + w.rows.Load()
}
