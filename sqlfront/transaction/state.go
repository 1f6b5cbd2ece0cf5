package transaction

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/locks"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// Shared is what the transactions of all sessions of a store have in common.
type Shared struct {
	Limits   kv.Limits        // of the store
	Clock    func() time.Time // nil is that of the machine
	ReadLock locks.Read
	// Retries counts the statements that were run again after a conflict.
	Retries atomic.Uint64
	last    atomic.Uint64 // the number of the last transaction
}

// Now is the current time by the clock.
func (e *Shared) Now() time.Time {
	if e.Clock != nil {
		return e.Clock()
	}
	return time.Now()
}

// State is the transactions of one session: the open one, and what the next one will be.
type State struct {
	Open *Txn // nil outside one
	// Alone is the transaction of a writing statement that is a transaction of its own; it is a field so that
	// its memory is used again.
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
	numbers    numbers          // of the writing statement

	shownMu sync.Mutex
	shown   Shown // what others see of Open or Alone
}

// Start sets what the state works with: store is what transactions begin in, which is another one while the
// session has temporary tables; session is the session's number; readOnly says that it writes nothing
// whatever a transaction's options are.
func (s *State) Start(shared *Shared, store *kv.Store, settings *sysvar.Settings, memory *quota.Memory,
	session uint64, readOnly bool) {
	s.shared, s.store, s.settings, s.memory, s.session, s.readOnly = shared, store, settings, memory, session, readOnly
}

// ForgetNext forgets what SET TRANSACTION has said.
func (s *State) ForgetNext() { s.next = sysvar.TxOptions{} }

// FreeReadLock releases the lock of FLUSH TABLES WITH READ LOCK if the session holds it.
func (s *State) FreeReadLock() { s.shared.ReadLock.Release(s.session) }

// TakeReadLock is FLUSH TABLES WITH READ LOCK: the error is 1205 if the lock takes too long to get, and
// kv.ErrUnsupported on a store without snapshots.
func (s *State) TakeReadLock(ctx context.Context) error {
	if !s.shared.Limits.Snapshots {
		return kv.ErrUnsupported{What: "FLUSH TABLES WITH READ LOCK on this store, which others write too: it has no snapshots"}
	}
	return s.shared.ReadLock.Take(ctx, s.settings.TablesTimeout, s.session)
}

// Begin opens a transaction. If one is open, it is committed, as in MySQL. What o leaves open is as SET
// TRANSACTION said, or as the session has it. The errors are those of Commit and of the store.
func (s *State) Begin(ctx context.Context, o sysvar.TxOptions) error {
	if err := s.Commit(ctx); err != nil {
		return err
	}
	s.next = s.next.With(o)
	return s.BeginAt(ctx, s.TakeNext(), s.shared.Now())
}

// BeginAt opens a transaction if none is open; others see it as open since the given time. The errors are the
// store's.
func (s *State) BeginAt(ctx context.Context, o sysvar.TxOptions, since time.Time) error {
	tx, err := s.New(ctx, o)
	if err != nil {
		return storeerr.Map(ctx, err)
	}
	s.opens(tx, since)
	return nil
}

// Commit commits the open transaction; without one it does nothing. A failed commit leaves none open. The
// errors are 1213 for a conflict, 1205 if FLUSH TABLES WITH READ LOCK takes too long, what has aborted the
// transaction, and the store's.
func (s *State) Commit(ctx context.Context) error {
	if s.Open == nil {
		return nil
	}
	tx := s.Open
	if tx.Writes && tx.Aborted == nil {
		first, err := s.Publish(ctx)
		if err != nil {
			s.Rollback() // a failed commit leaves nothing open
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

// Current returns the open transaction. With autocommit off a statement opens one. The result is nil if the
// statement, which began at began, is a transaction of its own. The errors are the store's, and what has
// aborted the transaction.
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

// CheckLevel returns kv.ErrUnsupported for a requested level that the store does not have.
func (e *Shared) CheckLevel(level sysvar.Isolation) error {
	if level > sysvar.ReadCommitted && !e.Limits.Snapshots {
		return kv.ErrUnsupported{What: "transaction isolation level " + level.String() + " on this store: READ COMMITTED is its level"}
	}
	return nil
}

// TakeNext returns the options of a transaction that begins without stating any.
func (s *State) TakeNext() sysvar.TxOptions {
	o := s.next
	s.next = sysvar.TxOptions{}
	if o.Isolation == sysvar.DefaultIsolation {
		o.Isolation = s.settings.Isolation
	}
	if !s.shared.Limits.Snapshots {
		o.Isolation = sysvar.ReadCommitted
	}
	o.ReadOnly = o.ReadOnly || !o.ReadWrite && s.settings.ReadOnly
	return o
}

// New is a transaction that is not the session's. The errors are the store's.
func (s *State) New(ctx context.Context, o sysvar.TxOptions) (*Txn, error) {
	txn, err := s.BeginTxn(ctx, o, kv.TxnOptions{})
	if err != nil {
		return nil, err
	}
	return &Txn{Txn: txn, Options: o, Fresh: true}, nil
}

// BeginTxn begins a transaction of the session's store. as has those options of the store that are not
// among o. The errors are the store's.
func (s *State) BeginTxn(ctx context.Context, o sysvar.TxOptions, as kv.TxnOptions) (kv.Txn, error) {
	as.ReadOnly, as.LockTimeout = o.ReadOnly || s.readOnly, s.settings.LockTimeout
	as.Serializable = o.Isolation == sysvar.Serializable
	return (*s.store).Begin(ctx, as)
}

// SetNext keeps the options of the next transaction: the error is 1568 in a transaction, 1235 for a level
// that the store does not have.
func (s *State) SetNext(o sysvar.TxOptions) error {
	if s.Open != nil {
		return mysqlerr.New(mysqlerr.CantChangeTxIsolation, "Transaction characteristics can't be changed while a "+
			"transaction is in progress")
	}
	if err := s.shared.CheckLevel(o.Isolation); err != nil {
		return err
	}
	s.next = s.next.With(o)
	return nil
}

// CheckWritable refuses writes, with error 1290 or 1792, if the transaction, or without one the next one, is
// read-only.
func (s *State) CheckWritable(tx *Txn) error {
	if s.readOnly {
		return mysqlerr.New(mysqlerr.OptionPreventsStmt, "The MySQL server is running with the --read-only option so it "+
			"cannot execute this statement")
	}
	readOnly := s.next.ReadOnly || !s.next.ReadWrite && s.settings.ReadOnly
	if tx != nil {
		readOnly = tx.Options.ReadOnly
	}
	if readOnly {
		return mysqlerr.New(mysqlerr.CantExecuteInReadOnly, "Cannot execute statement in a READ ONLY transaction.")
	}
	return nil
}
