package pebblekv

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// rowID stands for a row of a group or table: 128 bits of keyed hash, so that
// two rows never share one in practice.
type rowID [2]uint64

// namespaceID stands for what a row lock is within: the group, or the table
// that is in none.
func (s *Store) namespaceID(t *kv.Table) rowID {
	var id rowID
	for i, seed := range s.seeds {
		var h maphash.Hash
		h.SetSeed(seed)
		if t.Group == "" {
			maphash.WriteComparable(&h, t.ID)
		} else {
			maphash.WriteComparable(&h, [2]string{t.Database, t.Group})
		}
		id[i] = h.Sum64()
	}
	return id
}

func (s *Store) rowID(namespace rowID, row []byte) rowID {
	return rowID{
		maphash.Bytes(s.seeds[0], row)*3 + namespace[0],
		maphash.Bytes(s.seeds[1], row)*3 + namespace[1],
	}
}

// lockTable holds the row locks of a store. A lock has one holder; those who
// wait get it in the order in which they came.
type lockTable struct {
	mu    sync.Mutex
	locks map[rowID]rowLock
}

type rowLock struct {
	holder *owner
	queue  []*waiter
}

type waiter struct {
	owner *owner
	ready chan struct{} // closed when the lock is the owner's
}

// owner is a transaction as the lock table knows it. Its fields are guarded by
// lockTable.mu; held is also read by the owner's own goroutine, which is the
// only one to grow it but while it waits.
type owner struct {
	held    []rowID
	waiting bool
	waitsOn rowID
}

func (lt *lockTable) init() { lt.locks = map[rowID]rowLock{} }

// acquire gives the lock to the owner, waiting for it at most the timeout:
// kv.ErrLockTimeout, kv.ErrDeadlock at once where waiting would close a
// circle, the context's error, kv.ErrClosed at the end of life.
func (lt *lockTable) acquire(ctx context.Context, o *owner, id rowID, timeout time.Duration, life context.Context) error {
	lt.mu.Lock()
	l, ok := lt.locks[id]
	switch {
	case !ok:
		lt.locks[id] = rowLock{holder: o}
		o.held = append(o.held, id)
		lt.mu.Unlock()
		return nil
	case l.holder == o:
		lt.mu.Unlock()
		return nil
	case lt.wouldDeadlock(o, l.holder):
		lt.mu.Unlock()
		return kv.ErrDeadlock
	}
	w := &waiter{owner: o, ready: make(chan struct{})}
	l.queue = append(l.queue, w)
	lt.locks[id] = l
	o.waiting, o.waitsOn = true, id
	lt.mu.Unlock()
	return lt.wait(ctx, w, timeout, life)
}

// wouldDeadlock follows the holders that wait, from the holder of the wanted
// lock. Whoever queues for a lock waits for its holder, so that looking at
// holders alone finds every circle.
func (lt *lockTable) wouldDeadlock(o, holder *owner) bool {
	for holder.waiting {
		if holder = lt.locks[holder.waitsOn].holder; holder == o {
			return true
		}
	}
	return false
}

func (lt *lockTable) wait(ctx context.Context, w *waiter, timeout time.Duration, life context.Context) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var err error
	select {
	case <-w.ready:
		return nil
	case <-timer.C:
		err = kv.ErrLockTimeout
	case <-ctx.Done():
		err = ctx.Err()
	case <-life.Done():
		err = kv.ErrClosed
	}
	if lt.leave(w) {
		return err
	}
	return nil
}

// leave takes the waiter out of its queue; false where it already has the
// lock.
func (lt *lockTable) leave(w *waiter) bool {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	if !w.owner.waiting {
		return false
	}
	id := w.owner.waitsOn
	l := lt.locks[id]
	i := slices.Index(l.queue, w)
	l.queue = slices.Delete(l.queue, i, i+1)
	lt.locks[id] = l
	w.owner.waiting = false
	return true
}

// release gives up all locks of the owner.
func (lt *lockTable) release(o *owner) {
	if len(o.held) == 0 {
		return
	}
	lt.mu.Lock()
	defer lt.mu.Unlock()
	for _, id := range o.held {
		lt.hand(id)
	}
	o.held = nil
}

// hand passes a lock to the first in its queue. mu is held.
func (lt *lockTable) hand(id rowID) {
	l := lt.locks[id]
	if len(l.queue) == 0 {
		delete(lt.locks, id)
		return
	}
	w := l.queue[0]
	l.queue = l.queue[1:]
	l.holder = w.owner
	lt.locks[id] = l
	w.owner.held = append(w.owner.held, id)
	w.owner.waiting = false
	close(w.ready)
}
