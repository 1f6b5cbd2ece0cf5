// Package timeouts ends contexts whose time is up.
package timeouts

import (
	"context"
	"errors"
	"sync"
	"time"
)

// All are the contexts with a time limit. One timer watches all: a timer for each
// call would make that call wake another of Go's threads.
type All struct {
	mu    sync.Mutex
	open  map[*timed]struct{}
	timer *time.Timer
	next  time.Time // when the timer fires; zero if it does not
}

// timed is a context whose cause is Err once its time is up.
type timed struct {
	context.Context
	deadline time.Time
	cancel   context.CancelCauseFunc
}

func (t *timed) Deadline() (time.Time, bool) { return t.deadline, true }

// Within bounds a context that has no deadline.
func (t *All) Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
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

func (t *All) end(one *timed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, one)
	one.cancel(nil)
}

// watch makes the timer fire by a time. The mutex is held.
func (t *All) watch(deadline time.Time) {
	if t.next.IsZero() || deadline.Before(t.next) {
		t.next = deadline
		t.timer.Reset(time.Until(deadline))
	}
}

// look ends contexts whose time is up, and sets the timer again if any are open.
func (t *All) look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.next = time.Time{}
	for one := range t.open {
		if one.deadline.After(now) {
			t.watch(one.deadline)
		} else {
			delete(t.open, one)
			one.cancel(Err)
		}
	}
}

// Err is the cause of a context that took too long.
var Err = errors.New("HBase did not answer in time")
