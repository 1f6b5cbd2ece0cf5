package sqlfront

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// running is a statement under way.
type running struct {
	number   uint64 // in the session
	kind     Kind
	began    time.Time
	ctx      *interruptible
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

// begins notes the statement that starts, and clears what the last one left.
func (s *Session) begins(ctx context.Context, kind Kind, text string, keepWarnings bool) (r running, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed.Load() {
		return running{}, errInterrupted
	}
	s.busy++
	if !keepWarnings {
		s.warningsBefore = len(s.warnings)
		s.errorsBefore = countErrors(s.warnings)
		s.warnings = nil
	}
	s.number++
	s.since = time.Now()
	r = running{number: s.number, kind: kind, began: s.since, ctx: s.interruptible(ctx), text: text, database: s.database}
	s.statements = append(s.statements, r)
	if s.began = s.since; s.engine.clock != nil {
		s.began = s.engine.clock()
	}
	return r, nil
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

// ends notes the end of a statement.
func (s *Session) ends(r *running, d *done) {
	took := s.over(r)
	s.engine.counts.count(r.kind, d, took)
	if took > s.settings.slow {
		s.slow(r, d, took)
	}
}

// over is ends for those who look on, and gives how long the statement took.
func (s *Session) over(r *running) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ctx != s.background {
		r.ctx.end()
	}
	for i := range s.statements {
		if s.statements[i].number == r.number {
			s.statements = slices.Delete(s.statements, i, i+1)
			break
		}
	}
	s.shownDatabase = s.database
	took := time.Since(r.began) // for half of what time.Now costs
	s.since = r.began.Add(took)
	s.left()
	return took
}
