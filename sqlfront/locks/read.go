package locks

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Read is the lock of FLUSH TABLES WITH READ LOCK. While a session holds it, no writes become visible: a
// session that publishes, by a commit or by DDL, enters first, and waits there. So everything that is read,
// and all snapshots that are taken meanwhile, show the same
// (https://dev.mysql.com/doc/refman/5.7/en/flush.html).
type Read struct {
	shut atomic.Bool // a session holds the lock or waits for it; written under mu

	mu         sync.Mutex
	holders    map[uint64]bool // sessions
	waiting    int             // sessions that wait for publishers to leave
	publishing int
	changed    chan struct{} // closed at the next change; nil if no session waits for one
}

// until waits, with mu held, for a condition to hold, until the timeout.
func (l *Read) until(ctx context.Context, timeout time.Duration, holds func() bool) error {
	if holds() {
		return nil
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for !holds() {
		if l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		var err error
		select {
		case <-changed:
		case <-ctx.Done():
			err = ctx.Err()
		case <-timer.C:
			err = mysqlerr.New(mysqlerr.LockWaitTimeout,
				"Lock wait timeout exceeded; another session holds FLUSH TABLES WITH READ LOCK")
		}
		l.mu.Lock()
		if err != nil {
			return err
		}
	}
	return nil
}

// change wakes the sessions that wait; mu is held.
func (l *Read) change() {
	l.shut.Store(len(l.holders)+l.waiting > 0)
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// open waits until no session holds the lock or waits for it.
func (l *Read) open(ctx context.Context, timeout time.Duration) error {
	return l.until(ctx, timeout, func() bool { return len(l.holders)+l.waiting == 0 })
}

// Enter begins to publish, once no session holds the lock; the error is 1205 if that takes too long.
func (l *Read) Enter(ctx context.Context, timeout time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut.Load() {
		if err := l.open(ctx, timeout); err != nil {
			return err
		}
	}
	l.publishing++
	return nil
}

// Leave ends what Enter began.
func (l *Read) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.publishing--; l.changed != nil {
		l.change()
	}
}

// Pass waits until no session holds the lock, without preventing others from taking it then; the error is
// 1205 if that takes too long.
func (l *Read) Pass(ctx context.Context, timeout time.Duration) error {
	if !l.shut.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open(ctx, timeout)
}

// Take makes the session hold the lock, once all that publish have left; the error is 1205 if that takes too
// long.
func (l *Read) Take(ctx context.Context, timeout time.Duration, session uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting++
	l.shut.Store(true)
	err := l.until(ctx, timeout, func() bool { return l.publishing == 0 })
	if l.waiting--; err == nil {
		if l.holders == nil {
			l.holders = map[uint64]bool{}
		}
		l.holders[session] = true
	}
	l.change()
	return err
}

// Release releases the lock; it returns false if the session does not hold it.
func (l *Read) Release(session uint64) bool {
	if !l.shut.Load() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.holders[session]
	if held {
		delete(l.holders, session)
		l.change()
	}
	return held
}

// HeldBy reports whether the session holds the lock.
func (l *Read) HeldBy(session uint64) bool {
	if !l.shut.Load() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holders[session]
}

// Shut reports whether a session holds the lock, or waits to.
func (l *Read) Shut() bool { return l.shut.Load() }
