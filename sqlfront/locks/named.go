package locks

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Named is the locks of GET_LOCK, which migration tools use
// (https://dev.mysql.com/doc/refman/5.7/en/locking-functions.html). They are the engine's: sessions of one
// process see each other's.
type Named struct {
	mu   sync.Mutex
	held map[string]*namedLock
	some atomic.Int64 // the number of locks that are held
}

type namedLock struct {
	owner  uint64
	memory *quota.Memory // of the owner
	count  int
	freed  chan struct{} // closed when the owner releases it
}

// lockBytes is the approximate size of a lock.
const lockBytes = 512

// Call runs one of the locking functions for a session, in whose memory its locks count. The errors are 3057
// for an invalid name, 1041 for too many locks, and the context's.
func (l *Named) Call(ctx context.Context, session uint64, m *quota.Memory, c function.LockCall) (value.Value, error) {
	name := strings.ToLower(c.Name)
	if c.Function != "RELEASE_ALL_LOCKS" && (name == "" || len(name) > 64) {
		return value.Value{}, mysqlerr.New(mysqlerr.UserLockWrongName, "Incorrect user-level lock name '%s'.", c.Name)
	}
	switch c.Function {
	case "GET_LOCK":
		return l.get(ctx, session, m, name, c.Timeout)
	case "RELEASE_LOCK":
		return l.release(session, name), nil
	case "RELEASE_ALL_LOCKS":
		return value.NewInt(l.ReleaseAll(session)), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.held[name]
	if c.Function == "IS_FREE_LOCK" {
		return value.NewBool(held == nil), nil
	}
	if held == nil {
		return value.Value{}, nil
	}
	return value.NewUint(held.owner), nil
}

func (l *Named) get(ctx context.Context, session uint64, m *quota.Memory, name string, timeout time.Duration) (value.Value, error) {
	var expired <-chan time.Time
	if timeout >= 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	for {
		freed, err := l.try(session, m, name)
		if err != nil {
			return value.Value{}, err
		}
		if freed == nil {
			return value.NewInt(1), nil
		}
		select {
		case <-freed:
		case <-expired:
			return value.NewInt(0), nil
		case <-ctx.Done():
			return value.Value{}, ctx.Err()
		}
	}
}

// try takes the lock, or returns what to wait for.
func (l *Named) try(session uint64, m *quota.Memory, name string) (<-chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.held[name]
	switch {
	case held == nil:
		if err := m.Take(lockBytes); err != nil {
			return nil, err
		}
		if l.held == nil {
			l.held = map[string]*namedLock{}
		}
		l.held[name] = &namedLock{owner: session, memory: m, count: 1, freed: make(chan struct{})}
		l.some.Add(1)
	case held.owner == session:
		held.count++
	default:
		return held.freed, nil
	}
	return nil, nil
}

// release returns 1, 0 for another session's lock, NULL for none.
func (l *Named) release(session uint64, name string) value.Value {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.held[name]
	switch {
	case held == nil:
		return value.Value{}
	case held.owner != session:
		return value.NewInt(0)
	}
	if held.count--; held.count == 0 {
		l.free(name, held)
	}
	return value.NewInt(1)
}

// ReleaseAll releases the session's locks, and counts them. Each use of a connection begins with it.
func (l *Named) ReleaseAll(session uint64) (n int64) {
	if l.some.Load() == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, held := range l.held {
		if held.owner == session {
			n += int64(held.count)
			l.free(name, held)
		}
	}
	return n
}

// free releases a lock; mu is held.
func (l *Named) free(name string, held *namedLock) {
	delete(l.held, name)
	held.memory.Give(lockBytes)
	close(held.freed)
	l.some.Add(-1)
}
