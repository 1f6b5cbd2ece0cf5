package exec

import (
	"cmp"
	"runtime"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
)

// readers is how many may read for a statement at the same time. Where there are more
// places for goroutines than processors, threads are to wait in them, and not to read.
func (c *Context) readers() int {
	return cmp.Or(c.Parallelism, min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
}

// limits are what bounds the choices of a statement.
func (c *Context) limits() cost.Limits {
	return cost.Limits{Rows: max(c.JoinRows, 0), Memory: c.Spill.Memory}
}

// chooses reports whether a join may read other rows than it was told to: none that
// are read are locked.
func (x *frame) chooses() bool { return x.lock == nil && x.c.JoinRows >= 0 }

// joinRows is from how many rows on a join asks for another way.
func (c *Context) joinRows() int64 { return c.limits().ManyRows() }

// merges reports whether a query may merge what it asks for: no row that is read is locked
// or paid for.
func (x *frame) merges() bool { return x.chooses() && x.c.Guard == (Guard{}) && !x.nothing }
