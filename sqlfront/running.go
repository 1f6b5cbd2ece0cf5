package sqlfront

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

// running is a statement under way.
type running struct {
	number   uint64 // in the session
	kind     metrics.Kind
	began    time.Time
	ctx      *interruptible
	until    time.Time // by max_execution_time; zero is for ever
	text     string
	database string                  // the current one when it began
	at       *atomic.Pointer[string] // what it is at, in words like MySQL's; nil where it does not say
}

// interruptible is the caller's context, which KILL can end too. It is never
// used for another caller's: who keeps it sees it end and stay so.
type interruptible struct {
	context.Context
	killed atomic.Bool
	ended  atomic.Bool

	mu     sync.Mutex
	merged context.Context // made for the first who asks for Done
	stop   context.CancelFunc
}

// Err is errInterrupted after KILL, else the caller's, and after the end some
// error, for contexts that were made of this one.
func (c *interruptible) Err() error {
	ended := c.ended.Load() // before killed, which is set before it
	if c.killed.Load() {
		return errInterrupted
	}
	if err := c.Context.Err(); err != nil || !ended {
		return err
	}
	return context.Canceled
}

// Done is made when someone asks for it: most statements never wait.
func (c *interruptible) Done() <-chan struct{} { return c.merge().Done() }

func (c *interruptible) merge() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.merged == nil {
		c.merged, c.stop = context.WithCancel(c.Context)
		if c.ended.Load() {
			c.stop()
		}
	}
	return c.merged
}

// AfterFunc is what contexts that are made of this one ask for, which would have a
// goroutine each wait for Done without it.
func (c *interruptible) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(c.merge(), f)
}

func (c *interruptible) kill() {
	c.killed.Store(true)
	c.end()
}

// end gives up what Done has made.
func (c *interruptible) end() {
	c.ended.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}

// begins notes the statement that starts, and clears what the last one left. It
// gives the statement's context, and the number that ends takes.
func (s *Session) begins(ctx context.Context, kind metrics.Kind, text string, keepWarnings bool) (*interruptible, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed.Load() {
		return nil, 0, errInterrupted
	}
	s.busy++
	if s.diagnosing = keepWarnings; !keepWarnings {
		s.before, s.warnings = s.warnings, diagnostics{}
		s.before.kept = nil
		if s.parts.warnings != 0 {
			s.memory.Shrink(&s.parts.warnings, 0)
		}
	}
	s.counts.Begun++
	s.since = time.Now()
	s.statements = append(s.statements, running{}) // and not a copy of one that is filled in
	r := &s.statements[len(s.statements)-1]
	r.number, r.kind, r.began, r.ctx, r.text, r.database = s.counts.Begun, kind, s.since, s.interruptible(ctx), text, s.database
	if s.began = s.since; s.engine.clock != nil {
		s.began = s.engine.clock()
	}
	return r.ctx, r.number, nil
}

// interruptible is the context of a statement; mu is held. The statements of a
// caller without one of its own share one until KILL ends it: it has nothing to
// give up.
func (s *Session) interruptible(ctx context.Context) *interruptible {
	if ctx != context.Background() {
		return &interruptible{Context: ctx}
	}
	if s.background == nil {
		s.background = &interruptible{Context: ctx}
	}
	return s.background
}

// ends notes the end of the statement with that number.
func (s *Session) ends(number uint64, d *metrics.Done) {
	if took, slow := s.over(number, d); slow != nil {
		s.engine.counts.slow.Add(1)
		metrics.LogSlow(s.options.SlowLog, &metrics.Slow{Connection: s.id, User: s.options.Account.String(),
			Database: slow.database, Text: slow.text, Kind: slow.kind, Took: took, Done: *d})
	}
}

// over is ends for those who look on. It gives how long the statement took, and
// where that is too long the statement.
func (s *Session) over(number uint64, d *metrics.Done) (took time.Duration, slow *running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := 0
	for s.statements[at].number != number {
		at++
	}
	r := &s.statements[at]
	if r.ctx != s.background {
		r.ctx.end()
	}
	took = time.Since(r.began) // for half of what time.Now costs
	s.since = r.began.Add(took)
	if took > s.vars.Slow {
		slow = new(*r)
	}
	if !s.engine.counts.none {
		s.counts.Of(r.kind).Count(d, took)
		s.counts.Planned += s.plansFound
	}
	s.plansFound = 0
	if s.parts.parsing != 0 {
		s.memory.Shrink(&s.parts.parsing, 0)
	}
	if s.claims.Bytes.Load() != 0 {
		s.claims.Release()
	}
	s.statements = slices.Delete(s.statements, at, at+1)
	s.shownDatabase = s.database
	s.left()
	return took, slow
}
