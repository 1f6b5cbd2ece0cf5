package transaction

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/locks"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// Shared is what the transactions of all sessions of a store have in common.
type Shared struct {
	Limits   kv.Limits        // of the store
	Clock    func() time.Time // nil is the machine's
	ReadLock locks.Read
	// Retries are statements that were run again because others were faster.
	Retries atomic.Uint64
	last    atomic.Uint64 // the number of the last transaction
}

// Now is the present by the clock.
func (e *Shared) Now() time.Time {
	if e.Clock != nil {
		return e.Clock()
	}
	return time.Now()
}

// State is the transactions of one session: the open one, and what the next one is to be.
type State struct {
	Open *Txn // nil outside one
	// Alone is the transaction of a writing statement that is one, for its memory to be used again.
	Alone Txn

	shared     *Shared
	store      *kv.Store
	settings   *sysvar.Settings
	memory     *quota.Memory
	session    uint64
	readOnly   bool
	savepoints int64            // in memory, in bytes
	next       sysvar.TxOptions // of SET TRANSACTION, for the next one
	publishing bool             // the session makes writes visible, which FLUSH TABLES WITH READ LOCK waits for

	shownMu sync.Mutex
	shown   Shown // what others see of Open or Alone
}

// Start gives the state what it works with: store is what transactions begin in, which is another
// one while the session has tables of its own, session is the session's number, readOnly says that it
// writes nothing whatever a transaction asks for.
func (s *State) Start(shared *Shared, store *kv.Store, settings *sysvar.Settings, memory *quota.Memory,
	session uint64, readOnly bool) {
	s.shared, s.store, s.settings, s.memory, s.session, s.readOnly = shared, store, settings, memory, session, readOnly
}

// ForgetNext forgets what SET TRANSACTION has said.
func (s *State) ForgetNext() { s.next = sysvar.TxOptions{} }

// FreeReadLock gives up the lock of FLUSH TABLES WITH READ LOCK, where the session holds it.
func (s *State) FreeReadLock() { s.shared.ReadLock.Release(s.session) }

// TakeReadLock is FLUSH TABLES WITH READ LOCK: 1205 where it takes too long to get, and
// kv.ErrUnsupported on a store without snapshots.
func (s *State) TakeReadLock(ctx context.Context) error {
	if !s.shared.Limits.Snapshots {
		return kv.ErrUnsupported{What: "FLUSH TABLES WITH READ LOCK on this store, which others write too: it has no snapshots"}
	}
	return s.shared.ReadLock.Take(ctx, s.settings.TablesTimeout, s.session)
}

// Begin opens a transaction. One that is open is committed, as MySQL does. What o leaves open is as
// SET TRANSACTION said, or as the session has it. The errors are those of Commit and of the store.
func (s *State) Begin(ctx context.Context, o sysvar.TxOptions) error {
	if err := s.Commit(ctx); err != nil {
		return err
	}
	s.next = s.next.With(o)
	return s.BeginAt(ctx, s.TakeNext(), s.shared.Now())
}

// BeginAt opens a transaction where there is none, which others see since a moment. The errors are
// the store's.
func (s *State) BeginAt(ctx context.Context, o sysvar.TxOptions, since time.Time) error {
	tx, err := s.New(ctx, o)
	if err != nil {
		return storeerr.Map(ctx, err)
	}
	s.opens(tx, since)
	return nil
}

// Commit commits the open transaction; without one it does nothing. A commit that fails leaves none
// open. The errors are 1213 for a conflict, 1205 where FLUSH TABLES WITH READ LOCK takes too long,
// what has aborted the transaction, and the store's.
func (s *State) Commit(ctx context.Context) error {
	if s.Open == nil {
		return nil
	}
	tx := s.Open
	if tx.Writes && tx.Aborted == nil {
		first, err := s.Publish(ctx)
		if err != nil {
			s.Rollback() // a commit that fails leaves nothing open
			return storeerr.Map(ctx, err)
		}
		defer s.Published(first)
	}
	s.Open = nil
	s.memory.Shrink(&s.savepoints, 0)
	defer s.Hide()
	if tx.Aborted != nil {
		tx.Rollback()
		return tx.Aborted
	}
	return storeerr.Map(ctx, tx.Commit(ctx))
}

// Rollback undoes the open transaction; without one it does nothing.
func (s *State) Rollback() {
	if s.Open != nil {
		s.Open.Rollback()
		s.Open = nil
		s.memory.Shrink(&s.savepoints, 0)
		s.Hide()
	}
}

// Current is the open transaction. With autocommit off a statement opens one.
// It is nil where the statement, which began then, is to be a transaction of its own. The errors are
// the store's, and what has aborted the transaction.
func (s *State) Current(ctx context.Context, began time.Time) (*Txn, error) {
	if s.Open == nil && !s.settings.Autocommit {
		if err := s.BeginAt(ctx, s.TakeNext(), began); err != nil {
			return nil, err
		}
	}
	if s.Open != nil && s.Open.Aborted != nil {
		return nil, s.Open.Aborted
	}
	return s.Open, nil
}
