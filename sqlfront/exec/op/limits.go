package op

import (
	"cmp"
	"runtime"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
)

// Readers is how many may read for a statement at the same time. Where there are more
// places for goroutines than processors, threads are to wait in them, and not to read.
func (c *Context) Readers() int {
	return cmp.Or(c.Parallelism, min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
}

// Limits are what bounds the choices of a statement.
func (c *Context) Limits() cost.Limits {
	return cost.Limits{Rows: max(c.JoinRows, 0), Memory: c.Spill.Memory}
}

// Chooses reports whether a join may read other rows than it was told to: none that
// are read are locked.
func (x *Frame) Chooses() bool { return x.Lock == nil && x.Context.JoinRows >= 0 }

// ManyRows is from how many rows on a join asks for another way.
func (c *Context) ManyRows() int64 { return c.Limits().ManyRows() }

// Merges reports whether a query may merge what it asks for: no row that is read is locked
// or paid for.
func (x *Frame) Merges() bool { return x.Chooses() && x.Context.Guard == (Guard{}) && !x.Nothing }

// ReadsOthers reports whether subqueries may read other rows than their lookups would: nothing
// bounds these.
func (run *Statement) ReadsOthers() bool {
	return run.Context.JoinRows >= 0 && run.Context.Guard == (Guard{})
}
