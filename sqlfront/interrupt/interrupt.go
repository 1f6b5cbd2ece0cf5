// Package interrupt is the contexts of statements, which KILL can end.
package interrupt

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// ErrKilled is 1317, of a statement that was killed.
var ErrKilled = mysqlerr.New(mysqlerr.QueryInterrupted, "Query execution was interrupted")

// Context is a caller's context, which KILL can end too. It is never
// used for another caller's: a statement that keeps it sees it end and stay so.
type Context struct {
	context.Context // the caller's
	// Owner is whose statements run in it, which code below them finds by Of.
	Owner  any
	killed atomic.Bool
	ended  atomic.Bool

	mu     sync.Mutex
	merged context.Context // made by the first call of Done
	stop   context.CancelFunc
}

type ofKey struct{}

// Of is the Context that a context was made of, or nil.
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

// Err is ErrKilled after KILL, else the caller's, and after the end some
// error, for contexts that were made of this one.
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

// Done is made when someone asks for it: most statements never wait.
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

// AfterFunc is what contexts that are made of this one ask for, which would have a
// goroutine each wait for Done without it.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(c.merge(), f)
}

// Kill ends the context by ErrKilled.
func (c *Context) Kill() {
	c.killed.Store(true)
	c.End()
}

// End gives up what Done has made.
func (c *Context) End() {
	c.ended.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}
