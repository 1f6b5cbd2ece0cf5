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

// Process is what one session has under way.
type Process struct {
	// GiveUp undoes the transaction of a session that is over, and drops what it holds. It is set
	// before the first statement, and called while nobody else is at work on the session.
	GiveUp func()
	// Killed is set by Kill and by Abandon: all that the session is asked for fails.
	Killed atomic.Bool

	mu sync.Mutex
	// statements are under way: several can have their rows open.
	statements []Statement
	counts     metrics.SessionCounts
	background *interrupt.Context // of statements whose caller has none of its own; nil before the first
	database   string             // the current one as it was last
	since      time.Time          // a statement has begun or ended
	busy       int                // calls under way and rows that are open
	soFar      metrics.Reading    // of the last statement
}

// Statement is a statement under way.
type Statement struct {
	Number   uint64 // in the session, from 1
	Kind     metrics.Kind
	Began    time.Time
	Ctx      *interrupt.Context
	Text     string
	Database string // the current one when it began

	until time.Time               // by max_execution_time; zero is for ever
	at    *atomic.Pointer[string] // what it is at, in words like MySQL's; nil where it does not say
}

// Begin notes a statement that starts: 1317 where the session has been killed. Its Number is what End
// takes, its Ctx what it runs in.
func (p *Process) Begin(ctx context.Context, kind metrics.Kind, text, database string) (Statement, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Killed.Load() {
		return Statement{}, interrupt.ErrKilled
	}
	p.busy++
	p.counts.Begun++
	p.since = time.Now()
	p.statements = append(p.statements, Statement{}) // and not a copy of one that is filled in
	st := &p.statements[len(p.statements)-1]
	st.Number, st.Kind, st.Began = p.counts.Begun, kind, p.since
	st.Text, st.Database = text, database
	switch {
	case ctx != context.Background():
		st.Ctx = &interrupt.Context{Context: ctx, Owner: p}
	case p.background == nil:
		p.background = &interrupt.Context{Context: ctx, Owner: p}
		fallthrough
	default: // shared until KILL ends it: it has nothing to give up
		st.Ctx = p.background
	}
	return *st, nil
}

// Of is the statement that runs in a context, which the context of a call below it was made of; the last one where
// several do. It is false where none does, or where that cannot be told at once: it never waits.
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

// End is what the session is like when a statement ends.
type End struct {
	Planned  uint64 // plans that were found
	Database string // the current one now
	// Slow is how long a statement may take before it counts as a slow one.
	Slow time.Duration
}

// End takes the statement of a number off the list, and counts what it has done unless that is nil. It
// gives how long the statement took, and the statement where that is longer than Slow.
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
	took = time.Since(st.Began) // for half of what time.Now costs
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

// Limit notes when the last statement is to end.
func (p *Process) Limit(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.statements); n > 0 {
		p.statements[n-1].until = until
	}
}

// AddCounts adds what the session has counted.
func (p *Process) AddCounts(to *metrics.SessionCounts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	to.Add(&p.counts)
}
