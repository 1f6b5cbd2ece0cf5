package exec

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// watch tells how long a step runs, those below it included. Where what reads it goes
// past it, as goroutines that share a scan do, it has nothing to tell.
type watch struct {
	took time.Duration
	ran  bool
}

// since is called behind each piece of work.
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

// ran is called behind each run of a subquery, what it is compared with included.
func (run *statement) ran(q any, start time.Time) {
	took := time.Since(start)
	run.timing.Lock()
	defer run.timing.Unlock()
	if run.took == nil {
		run.took = map[any]time.Duration{}
	}
	run.took[q] += took
}

// timed is a source of a statement that is measured.
type timed struct {
	input
	watch
}

// timed has a source measured where the statement is.
func (x *frame) timed(s source) source {
	if x.stmt.measured && s != nil {
		return &timed{input: input{source: s}}
	}
	return s
}

// untimed is what a source is, measured or not.
func untimed(s source) source {
	if t, ok := s.(*timed); ok {
		return t.source
	}
	return s
}

func (t *timed) next(want int) (*kernel.Batch, error) {
	defer t.since(time.Now())
	return t.source.next(want)
}

func (t *timed) step() *explain.Step { return t.on(t.source.step()) }
