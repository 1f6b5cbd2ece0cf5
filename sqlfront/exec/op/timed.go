package op

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// watch measures how long a step runs, including those below it. If its reader bypasses it, as
// goroutines that share a scan do, it reports nothing.
type watch struct {
	took time.Duration
	ran  bool
}

// since must be called after each piece of work.
func (w *watch) since(start time.Time) {
	w.took += time.Since(start)
	w.ran = true
}

func (w *watch) on(s *explain.Step) *explain.Step {
	if w.ran {
		s.Took = w.took
	}
	return s
}

// Ran must be called after each run of a subquery, including its comparisons.
func (run *Statement) Ran(q any, start time.Time) {
	took := time.Since(start)
	run.timing.Lock()
	defer run.timing.Unlock()
	if run.Took == nil {
		run.Took = map[any]time.Duration{}
	}
	run.Took[q] += took
}

// Timed measures an operator of a statement that is measured.
type Timed struct {
	Input
	watch
}

// Timed returns an operator that is measured if the statement is.
func (x *Frame) Timed(s Operator) Operator {
	if x.Stmt.Measured && s != nil {
		return &Timed{Input: Input{Operator: s}}
	}
	return s
}

// Untimed returns the operator itself, whether or not it is measured.
func Untimed(s Operator) Operator {
	if t, ok := s.(*Timed); ok {
		return t.Operator
	}
	return s
}

func (t *Timed) Next(want int) (*kernel.Batch, error) {
	defer t.since(time.Now())
	return t.Operator.Next(want)
}

// SkipTo implements Skipping.
func (t *Timed) SkipTo(column int, row []byte) { SkipTo(t.Operator, column, row) }

func (t *Timed) Step() *explain.Step { return t.on(t.Operator.Step()) }
