package sqlfront

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// readLock is what FLUSH TABLES WITH READ LOCK takes. While a session holds it nobody's
// writes become visible: who publishes, by a commit or by DDL, enters first, and waits there.
// So all that is read, and all snapshots that are taken meanwhile, show the same.
// (https://dev.mysql.com/doc/refman/5.7/en/flush.html)
type readLock struct {
	shut atomic.Bool // somebody holds the lock or waits for it; written under mu

	mu         sync.Mutex
	holders    map[uint64]bool // sessions
	waiting    int             // for those who publish, to hold the lock then
	publishing int
	changed    chan struct{} // closed at the next change; nil where nobody waits for one
}

// until waits, with mu held, for a condition, which it gives up after a time.
func (l *readLock) until(ctx context.Context, timeout time.Duration, holds func() bool) error {
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

// change tells those who wait; mu is held.
func (l *readLock) change() {
	l.shut.Store(len(l.holders)+l.waiting > 0)
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// open waits until nobody holds the lock or waits for it.
func (l *readLock) open(ctx context.Context, timeout time.Duration) error {
	return l.until(ctx, timeout, func() bool { return len(l.holders)+l.waiting == 0 })
}

// enter begins to publish, once nobody holds the lock.
func (l *readLock) enter(ctx context.Context, timeout time.Duration) error {
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

func (l *readLock) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.publishing--; l.changed != nil {
		l.change()
	}
}

// pass waits until nobody holds the lock, without keeping others from taking it then.
func (l *readLock) pass(ctx context.Context, timeout time.Duration) error {
	if !l.shut.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open(ctx, timeout)
}

// take has the session hold the lock, once those who publish have done so.
func (l *readLock) take(ctx context.Context, timeout time.Duration, session uint64) error {
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

// release is false where the session does not hold the lock.
func (l *readLock) release(session uint64) bool {
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

func (l *readLock) heldBy(session uint64) bool {
	if !l.shut.Load() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holders[session]
}

// checkReadLock refuses a write of a session that holds the read lock, and has one wait that
// another holds: here it has no row locked yet that a third would wait for.
func (s *Session) checkReadLock(ctx context.Context) error {
	l := &s.engine.readLock
	if !l.shut.Load() || s.publishing {
		return nil
	}
	if l.heldBy(s.id) {
		return mysqlerr.New(mysqlerr.CantUpdateWithReadLock, "Can't execute the query because you have a conflicting read lock")
	}
	return l.pass(ctx, s.vars.TablesTimeout)
}

// publish is to be called before the session makes writes visible, and published afterwards,
// with what it gives: false in a part of a statement that has called it.
func (s *Session) publish(ctx context.Context) (first bool, err error) {
	if s.publishing {
		return false, nil
	}
	if err := s.engine.readLock.enter(ctx, s.vars.TablesTimeout); err != nil {
		return false, err
	}
	s.publishing = true
	return true, nil
}

func (s *Session) published(first bool) {
	if first {
		s.publishing = false
		s.engine.readLock.leave()
	}
}

// commitAlone commits the transaction of one statement.
func (s *Session) commitAlone(ctx context.Context, tx *transaction) error {
	first, err := s.publish(ctx)
	if err != nil {
		return err
	}
	defer s.published(first)
	return tx.Commit(ctx)
}

// lockForReading is FLUSH TABLES [names] {WITH READ LOCK | FOR EXPORT}: it locks all tables,
// whichever it names.
func (s *Session) lockForReading(ctx context.Context, st *parse.Flush) error {
	if !s.engine.limits.Snapshots {
		return kv.ErrUnsupported{What: "FLUSH TABLES WITH READ LOCK on this store, which others write too: it has no snapshots"}
	}
	for _, name := range st.Tables {
		if err := s.checkExists(ctx, name); err != nil {
			return err
		}
	}
	return s.engine.readLock.take(ctx, s.vars.TablesTimeout, s.id)
}

// checkExists is 1046 or 1146 for a name that is no table's or view's.
func (s *Session) checkExists(ctx context.Context, name parse.TableName) error {
	database := cmp.Or(name.Database, s.database)
	if database == "" {
		return mysqlerr.New(mysqlerr.NoDB, "No database selected")
	}
	found, err := s.engine.info.Exists(ctx, database, name.Name)
	if err == nil && !found {
		err = mysqlerr.NoTable(database, name.Name)
	}
	return err
}

// unlockTables is UNLOCK TABLES. As in MySQL it commits behind LOCK TABLES alone.
func (s *Session) unlockTables(ctx context.Context, _ *parse.UnlockTables) error {
	s.engine.readLock.release(s.id)
	if !s.tablesLocked {
		return nil
	}
	s.tablesLocked = false
	return s.commit(ctx)
}
