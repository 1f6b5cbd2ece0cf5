package process

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/interrupt"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

// Process is the running work of one session.
type Process struct {
	// GiveUp rolls back the transaction of a session that has ended, and drops what it holds. It must be set
	// before the first statement. During a call no other goroutine works on the session.
	GiveUp func()
	// Killed is set by Kill and by Abandon: all further requests of the session fail.
	Killed atomic.Bool

	mu sync.Mutex
	// statements are the running ones: several can have open rows.
	statements []Statement
	counts     metrics.SessionCounts
	background *interrupt.Context // for statements whose caller has no context; nil before the first
	database   string             // the last current database
	since      time.Time          // the last time a statement began or ended
	busy       int                // running calls and open rows
	soFar      metrics.Reading    // of the last statement
}

// Statement is a running statement.
type Statement struct {
	Number   uint64 // in the session, from 1
	Kind     metrics.Kind
	Began    time.Time
	Ctx      *interrupt.Context
	Text     string
	Database string // the current database when it began

	until time.Time               // by max_execution_time; zero is no limit
	at    *atomic.Pointer[string] // what it is doing, in words like MySQL's; nil if unknown
}

// Begin registers a statement that starts; the error is 1317 if the session has been killed. Its Number is
// for End, and it runs in its Ctx.
func (p *Process) Begin(ctx context.Context, kind metrics.Kind, text, database string) (Statement, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Killed.Load() {
		return Statement{}, interrupt.ErrKilled
	}
	p.busy++
	p.counts.Begun++
	p.since = time.Now()
	p.statements = append(p.statements, Statement{}) // not a copy of one that has been filled in
	st := &p.statements[len(p.statements)-1]
	st.Number, st.Kind, st.Began = p.counts.Begun, kind, p.since
	st.Text, st.Database = text, database
	switch {
	case ctx != context.Background():
		st.Ctx = &interrupt.Context{Context: ctx, Owner: p}
	case p.background == nil:
		p.background = &interrupt.Context{Context: ctx, Owner: p}
		fallthrough
	default: // shared until KILL ends it: it holds nothing
		st.Ctx = p.background
	}
	return *st, nil
}

// Of is the running statement to which a context or one of its parents belongs; the last one if there are
// several. It is false if there is none, or if it cannot be found immediately: it never waits.
func Of(ctx context.Context) (Statement, bool) {
	c := interrupt.Of(ctx)
	if c == nil {
		return Statement{}, false
	}
	p, ok := c.Owner.(*Process)
	if !ok || !p.mu.TryLock() {
		return Statement{}, false
	}
	defer p.mu.Unlock()
	for i := len(p.statements) - 1; i >= 0; i-- {
		if p.statements[i].Ctx == c {
			return p.statements[i], true
		}
	}
	return Statement{}, false
}

// End is the state of the session when a statement ends.
type End struct {
	Planned  uint64 // cached plans that were used
	Database string // the current database
	// Slow is the duration from which on a statement counts as slow.
	Slow time.Duration
}

// End removes the statement with a number, and counts done unless that is nil. It returns how long the
// statement took, and the statement if that exceeds Slow.
func (p *Process) End(number uint64, done *metrics.Done, e *End) (took time.Duration, slow *Statement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := 0
	for p.statements[at].Number != number {
		at++
	}
	st := &p.statements[at]
	if st.Ctx != p.background {
		st.Ctx.End()
	}
	took = time.Since(st.Began) // half the cost of time.Now
	p.since = st.Began.Add(took)
	if took > e.Slow {
		ended := *st
		slow = &ended
	}
	if done != nil {
		p.counts.Of(st.Kind).Count(done, took)
		p.counts.Planned += e.Planned
	}
	p.statements = slices.Delete(p.statements, at, at+1)
	p.database = e.Database
	if p.busy--; p.busy == 0 && p.Killed.Load() {
		p.GiveUp()
	}
	return took, slow
}

// Limit sets when the last statement will end.
func (p *Process) Limit(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.statements); n > 0 {
		p.statements[n-1].until = until
	}
}

// AddCounts adds the session's counts.
func (p *Process) AddCounts(to *metrics.SessionCounts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	to.Add(&p.counts)
}
