package hbase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// timeouts ends contexts whose time is up. One timer watches all: one for each call
// costs that call the waking of another of Go's threads.
type timeouts struct {
	mu    sync.Mutex
	open  map[*timed]struct{}
	timer *time.Timer
	next  time.Time // when the timer looks; zero where it does not
}

// timed is a context whose cause is errTimeout once its time is up.
type timed struct {
	context.Context
	deadline time.Time
	cancel   context.CancelCauseFunc
}

func (t *timed) Deadline() (time.Time, bool) { return t.deadline, true }

// within bounds a context that has no deadline.
func (t *timeouts) within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	one := &timed{deadline: time.Now().Add(limit)}
	one.Context, one.cancel = context.WithCancelCause(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = map[*timed]struct{}{}
		t.timer = time.AfterFunc(limit, t.look)
		t.next = one.deadline
	}
	t.open[one] = struct{}{}
	t.watch(one.deadline)
	return one, func() { t.end(one) }
}

func (t *timeouts) end(one *timed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, one)
	one.cancel(nil)
}

// watch has the timer look by a time. The mutex is held.
func (t *timeouts) watch(deadline time.Time) {
	if t.next.IsZero() || deadline.Before(t.next) {
		t.next = deadline
		t.timer.Reset(time.Until(deadline))
	}
}

// look ends what is late, and looks again where something is open.
func (t *timeouts) look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.next = time.Time{}
	for one := range t.open {
		if one.deadline.After(now) {
			t.watch(one.deadline)
		} else {
			delete(t.open, one)
			one.cancel(errTimeout)
		}
	}
}

// errTimeout is why an operation ended that took too long.
var errTimeout = errors.New("HBase did not answer in time")

// within bounds a context that has no deadline.
func (c *cluster) within(ctx context.Context, atLeast time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return c.timeouts.within(ctx, max(c.timeout, atLeast))
}

// ended is the error of an operation whose context ended: the caller's own, or
// what went wrong until our time was up. Where it has not ended, the last one is that of
// a part of the operation that has a time of its own.
func ended(ctx context.Context, last error) error {
	if context.Cause(ctx) != errTimeout {
		return cmp.Or(ctx.Err(), last)
	}
	if last == nil || last == ctx.Err() {
		return errTimeout
	}
	err := fmt.Errorf("%w: %s", errTimeout, strings.TrimSuffix(last.Error(), ": "+ctx.Err().Error()))
	if o := outcomeOf(last); o == moved || o == busy || o == notSent {
		return &undone{err}
	}
	return err
}

// undone is the error of an operation whose time was up while it waited to be tried again: by no
// try was anything done.
type undone struct{ error }

func (u *undone) Unwrap() error { return u.error }
