package op

import (
	"cmp"
	"runtime"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
)

// Readers is how many goroutines may read concurrently for a statement. If GOMAXPROCS exceeds the
// number of processors, the additional threads are meant for waiting.
func (c *Context) Readers() int {
	return cmp.Or(c.Parallelism, min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
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
