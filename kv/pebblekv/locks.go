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
	return rowID{s.namespaceHash(t, 0), s.namespaceHash(t, 1)}
}

func (s *Store) namespaceHash(t *kv.Table, half int) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seeds[half])
	if t.Group == "" {
		maphash.WriteComparable(&h, t.ID)
	} else {
		maphash.WriteComparable(&h, [2]string{t.Database, t.Group})
	}
	return h.Sum64()
}

func (s *Store) rowID(namespace rowID, row []byte) rowID {
	return rowID{s.rowHash(namespace[0], row, 0), s.rowHash(namespace[1], row, 1)}
}

// rowHash is one half of a row's rowID.
func (s *Store) rowHash(namespace uint64, row []byte, half int) uint64 {
	return maphash.Bytes(s.seeds[half], row)*3 + namespace
}

// lockTable holds the row locks of a store. A lock has one holder, or several
// that share it; those who wait get it in the order in which they came, but
// for a holder who wants it alone, who comes first.
type lockTable struct {
	mu    sync.Mutex
	locks lockMap
	// searches counts the searches for deadlocks.
	searches uint64
	gates    []*gate
}

// rowLock is a lock that is held. Most have one holder and nobody who waits,
// which is all that is kept for them.
type rowLock struct {
	holder *owner
	more   *moreOfLock
}

// moreOfLock is the rest of a lock that is shared or waited for.
type moreOfLock struct {
	shared bool
	others []*owner // who share it with the holder
	queue  []*waiter
}

type waiter struct {
	owner  *owner
	shared bool
	ready  chan struct{} // gets one when the lock is the owner's
	timer  *time.Timer
}

// waiters are those who no longer wait: what is waited for most often is waited
// for all the time.
var waiters = sync.Pool{New: func() any {
	w := &waiter{ready: make(chan struct{}, 1), timer: time.NewTimer(0)}
	w.timer.Stop()
	return w
}}

// free gives the waiter, who is in no queue, to the next one.
func (w *waiter) free() {
	w.timer.Stop()
	w.owner = nil
	waiters.Put(w)
}

// owner is a transaction as the lock table knows it. Its fields are guarded by
// lockTable.mu; held is also read by the owner's own goroutine, which is the
// only one to grow it but while it waits.
type owner struct {
	held    []rowID
	heldOne [1]rowID // memory of the first
	waiting bool
	waitsOn rowID
	search  uint64 // the last one that came by here
}

// acquire gives the lock to the owner, waiting for it at most the timeout:
// kv.ErrLockTimeout, kv.ErrRowLocked at once where it is not to wait,
// kv.ErrDeadlock at once where waiting would close a circle, the context's
// error, kv.ErrClosed at the end of life.
func (lt *lockTable) acquire(ctx context.Context, o *owner, id rowID, how kv.RowLock, timeout time.Duration, life context.Context) error {
	lt.mu.Lock()
	if g := lt.gateBefore(o, id); g != nil {
		lt.mu.Unlock()
		return lt.acquireBehind(ctx, g, o, id, how, timeout, life)
	}
	w, err := lt.take(o, id, how)
	lt.mu.Unlock()
	if w == nil {
		return err
	}
	return lt.wait(ctx, w, timeout, life)
}

// take gives the lock to the owner, or a place in the queue for it, or says
// why neither. mu is held.
func (lt *lockTable) take(o *owner, id rowID, how kv.RowLock) (*waiter, error) {
	l := lt.locks.get(id)
	switch {
	case l.holder == nil && !how.Shared: // as most are
		lt.locks.set(id, rowLock{holder: o})
		o.held = append(o.held, id)
		return nil, nil
	case l.heldBy(o) && (how.Shared || l.alone()):
		return nil, nil
	case l.admits(o, how.Shared) && (l.heldBy(o) || !l.awaited()):
		lt.grant(&l, id, o, how.Shared)
		lt.locks.set(id, l)
		return nil, nil
	case how.NoWait:
		return nil, kv.ErrRowLocked
	case lt.wouldDeadlock(o, l):
		return nil, kv.ErrDeadlock
	}
	w := waiters.Get().(*waiter)
	w.owner, w.shared = o, how.Shared
	if l.more == nil {
		l.more = &moreOfLock{}
	}
	if l.heldBy(o) {
		l.more.queue = slices.Insert(l.more.queue, 0, w)
	} else {
		l.more.queue = append(l.more.queue, w)
	}
	lt.locks.set(id, l)
	o.waiting, o.waitsOn = true, id
	return w, nil
}

func (l *rowLock) heldBy(o *owner) bool {
	return l.holder == o || l.more != nil && slices.Contains(l.more.others, o)
}

// alone reports whether the lock is not shared.
func (l *rowLock) alone() bool { return l.more == nil || !l.more.shared }

func (l *rowLock) awaited() bool { return l.more != nil && len(l.more.queue) > 0 }

// admits reports whether the owner may have the lock beside those who hold it.
func (l *rowLock) admits(o *owner, shared bool) bool {
	switch {
	case l.holder == nil:
		return true
	case shared:
		return !l.alone()
	}
	return l.holder == o && len(l.more.others) == 0
}

// grant makes the owner, whom the lock admits, a holder. mu is held.
func (lt *lockTable) grant(l *rowLock, id rowID, o *owner, shared bool) {
	if l.more == nil && shared {
		l.more = &moreOfLock{}
	}
	if l.more != nil {
		l.more.shared = shared
	}
	switch l.holder {
	case o: // shared it with nobody
		return
	case nil:
		l.holder = o
	default:
		l.more.others = append(l.more.others, o)
	}
	o.held = append(o.held, id)
}

// wouldDeadlock follows those who wait, from the holders of the wanted lock.
// Whoever queues for a lock waits for its holders, so that looking at holders
// alone finds every circle.
func (lt *lockTable) wouldDeadlock(o *owner, l rowLock) bool {
	lt.searches++
	return lt.anyReaches(l, o, o)
}

// anyReaches reports whether a holder of the lock, other than one of them,
// waits for the owner, be it by others.
func (lt *lockTable) anyReaches(l rowLock, except, to *owner) bool {
	if l.holder != except && lt.reaches(l.holder, to) {
		return true
	}
	if l.more == nil {
		return false
	}
	return slices.ContainsFunc(l.more.others, func(o *owner) bool { return o != except && lt.reaches(o, to) })
}

func (lt *lockTable) reaches(from, to *owner) bool {
	if from == to {
		return true
	}
	if !from.waiting || from.search == lt.searches {
		return false
	}
	from.search = lt.searches
	return lt.anyReaches(lt.locks.get(from.waitsOn), from, to)
}

func (lt *lockTable) wait(ctx context.Context, w *waiter, timeout time.Duration, life context.Context) error {
	w.timer.Reset(timeout)
	defer w.free()
	var err error
	select {
	case <-w.ready:
		return nil
	case <-w.timer.C:
		err = kv.ErrLockTimeout
	case <-ctx.Done():
		err = ctx.Err()
	case <-life.Done():
		err = kv.ErrClosed
	}
	if lt.leave(w) {
		return err
	}
	<-w.ready
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
	w.owner.waiting = false
	id := w.owner.waitsOn
	l := lt.locks.get(id)
	i := slices.Index(l.more.queue, w)
	l.more.queue = slices.Delete(l.more.queue, i, i+1)
	lt.hand(&l, id)
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
		l := lt.locks.get(id)
		if l.more == nil {
			lt.locks.remove(id)
			continue
		}
		l.drop(o)
		lt.hand(&l, id)
	}
	lt.locks.shrink()
	o.held = o.held[:0]
}

// drop takes a holder out.
func (l *rowLock) drop(o *owner) {
	switch {
	case l.holder != o:
		i := slices.Index(l.more.others, o)
		l.more.others = slices.Delete(l.more.others, i, i+1)
	case l.more != nil && len(l.more.others) > 0:
		n := len(l.more.others) - 1
		l.holder, l.more.others = l.more.others[n], l.more.others[:n]
	default:
		l.holder = nil
	}
}

// hand passes a lock to the first in its queue, and to those behind who can
// share it. mu is held.
func (lt *lockTable) hand(l *rowLock, id rowID) {
	for l.awaited() && l.admits(l.more.queue[0].owner, l.more.queue[0].shared) {
		w := l.more.queue[0]
		l.more.queue = slices.Delete(l.more.queue, 0, 1) // which keeps its memory
		lt.grant(l, id, w.owner, w.shared)
		w.owner.waiting = false
		w.ready <- struct{}{}
	}
	if l.holder == nil {
		lt.locks.remove(id)
		return
	}
	if l.alone() && !l.awaited() {
		l.more = nil
	}
	lt.locks.set(id, *l)
}
