package model

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// lockKey identifies a row of a table group, or of a table without a group.
type lockKey struct {
	database, group string
	table           uint64
	row             string
}

func rowLock(t *kv.Table, row []byte) lockKey {
	if t.Group != "" {
		return lockKey{database: t.Database, group: t.Group, row: string(row)}
	}
	return lockKey{table: t.ID, row: string(row)}
}

// space returns the key of the group or table of the row.
func (k lockKey) space() lockKey {
	k.row = ""
	return k
}

// lockedSpan is a half-open range of rows of a group or table that tx has locked.
type lockedSpan struct {
	tx   *txn
	in   lockKey
	rows partition.RowRange
}

func (s *lockedSpan) holds(key lockKey) bool {
	return s.in == key.space() && key.row >= string(s.rows.Start) && (s.rows.End == nil || key.row < string(s.rows.End))
}

// trySpan locks a range of rows unless another transaction holds a lock in the same group or table.
func (l *lockTable) trySpan(tx *txn, in lockKey, rows partition.RowRange) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.spans {
		if s.tx != tx && s.in == in {
			return false
		}
	}
	for key, held := range l.locks {
		if key.space() == in && (len(held.by) > 1 || !held.by[tx]) {
			return false
		}
	}
	l.spans = append(l.spans, &lockedSpan{tx, in, rows})
	return true
}

// awaitSpans waits for other transactions to end that have locked spans that overlap the rows from first
// to last.
func (l *lockTable) awaitSpans(ctx context.Context, tx *txn, first, last lockKey) error {
	return l.await(ctx, tx, func() (freed chan struct{}, err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, s := range l.spans {
			if s.tx != tx && s.reaches(first, last) {
				return l.freed, nil
			}
		}
		return nil, nil
	})
}

// reaches reports whether the span can contain a row from first to last.
func (s *lockedSpan) reaches(first, last lockKey) bool {
	return s.in == first.space() && last.row >= string(s.rows.Start) && (s.rows.End == nil || first.row < string(s.rows.End))
}

// dropSpan releases the rows that trySpan locked last.
func (l *lockTable) dropSpan() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spans = l.spans[:len(l.spans)-1]
}

// lockTable records which transaction holds which row, and which one waits for which row.
type lockTable struct {
	mu      sync.Mutex
	locks   map[lockKey]*heldLock
	waiting map[*txn]lockKey
	freed   chan struct{} // closed and replaced when locks are released
	spans   []*lockedSpan
}

// heldLock is a lock with its holders. It has several only if it is shared.
type heldLock struct {
	shared bool
	by     map[*txn]bool
}

func newLockTable() *lockTable {
	return &lockTable{locks: map[lockKey]*heldLock{}, waiting: map[*txn]lockKey{}, freed: make(chan struct{})}
}

// acquire makes tx a holder of the row's lock. It waits for other transactions to end.
func (l *lockTable) acquire(ctx context.Context, tx *txn, key lockKey, how kv.RowLock) error {
	return l.await(ctx, tx, func() (chan struct{}, error) { return l.try(tx, key, how) })
}

// await tries until there is nothing left to wait for.
func (l *lockTable) await(ctx context.Context, tx *txn, try func() (freed chan struct{}, err error)) error {
	timeout := time.NewTimer(tx.opts.LockTimeout)
	defer timeout.Stop()
	for {
		freed, err := try()
		if freed == nil {
			return err
		}
		select {
		case <-freed:
			continue
		case <-timeout.C:
			err = kv.ErrLockTimeout
		case <-ctx.Done():
			err = ctx.Err()
		case <-tx.model.closed:
			err = kv.ErrClosed
		}
		l.giveUp(tx)
		return err
	}
}

// try takes the lock. Otherwise it returns either the channel to wait for or an error if the wait would
// never end.
func (l *lockTable) try(tx *txn, key lockKey, how kv.RowLock) (freed chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, tx)
	for _, s := range l.spans {
		if s.tx != tx && s.holds(key) {
			return l.freed, nil // operations run one after the other, so the wait is in vain
		}
	}
	held := l.locks[key]
	if held == nil {
		held = &heldLock{shared: true, by: map[*txn]bool{}}
		l.locks[key] = held
	}
	if held.admits(tx, how.Shared) {
		held.shared = held.shared && how.Shared
		held.by[tx], tx.held[key] = true, true
		return nil, nil
	}
	if how.NoWait {
		return nil, kv.ErrRowLocked
	}
	if l.anyWaitsFor(held, tx, tx) {
		return nil, kv.ErrDeadlock
	}
	l.waiting[tx] = key
	return l.freed, nil
}

// admits reports whether tx may hold the lock together with its current holders.
func (h *heldLock) admits(tx *txn, shared bool) bool {
	return len(h.by) == 0 || len(h.by) == 1 && h.by[tx] || shared && h.shared
}

// anyWaitsFor reports whether a holder of the lock other than except is b or waits for b.
func (l *lockTable) anyWaitsFor(h *heldLock, except, b *txn) bool {
	for a := range h.by {
		if a != except && (a == b || l.waitsFor(a, b)) {
			return true
		}
	}
	return false
}

// waitsFor reports whether a waits for b, directly or indirectly.
func (l *lockTable) waitsFor(a, b *txn) bool {
	key, ok := l.waiting[a]
	return ok && l.locks[key] != nil && l.anyWaitsFor(l.locks[key], a, b)
}

func (l *lockTable) hasWaiting(tx *txn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.waiting[tx]
	return ok
}

func (l *lockTable) giveUp(tx *txn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, tx)
}

// release releases all locks of tx.
func (l *lockTable) release(tx *txn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range tx.held {
		delete(l.locks[key].by, tx)
		if len(l.locks[key].by) == 0 {
			delete(l.locks, key)
		}
	}
	clear(tx.held)
	l.spans = slices.DeleteFunc(l.spans, func(s *lockedSpan) bool { return s.tx == tx })
	close(l.freed)
	l.freed = make(chan struct{})
}

// Waits reports whether the transaction is waiting for a row.
func (x *txn) Waits() bool { return x.model.locks.hasWaiting(x) }
