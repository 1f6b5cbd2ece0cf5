package kvtest

import (
	"context"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// lockKey names a row of a table group, or of a table that is in none.
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

// lockTable says who holds which row, and who waits for which.
type lockTable struct {
	mu      sync.Mutex
	owner   map[lockKey]*txn
	waiting map[*txn]lockKey
	freed   chan struct{} // closed and replaced when locks are given up
}

func newLockTable() *lockTable {
	return &lockTable{owner: map[lockKey]*txn{}, waiting: map[*txn]lockKey{}, freed: make(chan struct{})}
}

// acquire makes tx the owner of the row, waiting for another owner to end.
func (l *lockTable) acquire(ctx context.Context, tx *txn, key lockKey) error {
	timeout := time.NewTimer(tx.opts.LockTimeout)
	defer timeout.Stop()
	for {
		freed, err := l.try(tx, key)
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

// try takes the lock, or says that waiting for it would never end, or gives
// what to wait for.
func (l *lockTable) try(tx *txn, key lockKey) (freed chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, tx)
	owner := l.owner[key]
	if owner == nil || owner == tx {
		l.owner[key] = tx
		tx.held[key] = true
		return nil, nil
	}
	if l.waitsFor(owner, tx) {
		return nil, kv.ErrDeadlock
	}
	l.waiting[tx] = key
	return l.freed, nil
}

// waitsFor reports whether a waits for b, or for one that does.
func (l *lockTable) waitsFor(a, b *txn) bool {
	for {
		key, ok := l.waiting[a]
		if !ok {
			return false
		}
		if a = l.owner[key]; a == nil {
			return false
		}
		if a == b {
			return true
		}
	}
}

func (l *lockTable) giveUp(tx *txn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, tx)
}

// release gives up all locks of tx.
func (l *lockTable) release(tx *txn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range tx.held {
		delete(l.owner, key)
	}
	clear(tx.held)
	close(l.freed)
	l.freed = make(chan struct{})
}
