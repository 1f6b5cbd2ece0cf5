// Package interrupt is the contexts of statements, which KILL can end.
package interrupt

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// ErrKilled is error 1317, of a statement that was killed.
var ErrKilled = mysqlerr.New(mysqlerr.QueryInterrupted, "Query execution was interrupted")

// Context is a caller's context that KILL can end too. It is never used for another caller's: a statement
// that keeps it sees it end and stay ended.
type Context struct {
	context.Context // the caller's
	// Owner is the owner of the statements that run in it; code below them finds it by Of.
	Owner  any
	killed atomic.Bool
	ended  atomic.Bool

	mu     sync.Mutex
	merged context.Context // made by the first call of Done
	stop   context.CancelFunc
}

type ofKey struct{}

// Of returns the Context that a context was made from, or nil.
func Of(ctx context.Context) *Context {
	c, _ := ctx.Value(ofKey{}).(*Context)
	return c
}

// Value implements context.Context.
func (c *Context) Value(key any) any {
	if _, ok := key.(ofKey); ok {
		return c
	}
	return c.Context.Value(key)
}

// Err is ErrKilled after KILL, otherwise the caller's error, and after End some error, for contexts that were
// made from this one.
func (c *Context) Err() error {
	ended := c.ended.Load() // before killed, which is set before it
	if c.killed.Load() {
		return ErrKilled
	}
	if err := c.Context.Err(); err != nil || !ended {
		return err
	}
	return context.Canceled
}

// Done is made on the first call: most statements never wait.
func (c *Context) Done() <-chan struct{} { return c.merge().Done() }

func (c *Context) merge() context.Context {
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

// AfterFunc is called by contexts that are made from this one. Without it each of them would have a goroutine
// that waits for Done.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(c.merge(), f)
}

// Kill ends the context with ErrKilled.
func (c *Context) Kill() {
	c.killed.Store(true)
	c.End()
}

// End releases what Done has made.
func (c *Context) End() {
	c.ended.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}
