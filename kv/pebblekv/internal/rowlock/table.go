// Package rowlock is the table of row locks.
//
// A row is known by its [ID]. A lock has one holder, or several that share it; others get it in the
// order in which they asked. A deadlock, a cycle of waiters, is found before it would form. A
// [Gate] keeps a whole [Set] of rows from being locked.
package rowlock

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// Table holds the row locks of a store. A lock has one holder, or several that share it. Waiters
// get it in the order in which they asked, except that a holder that wants it exclusively comes
// first.
type Table struct {
	mu    sync.Mutex
	locks locks
	// searches is the number of searches for deadlocks.
	searches uint64
	counts   Counts
	gates    []*Gate
	spans    []*Span
	numbered uint64 // number of spans so far
	owners   owners
}

// lock is a lock. Most have one holder and no waiters.
type lock struct {
	holder *Owner
	more   *moreOfLock
}

// moreOfLock is the rest of a lock that is shared or waited for.
type moreOfLock struct {
	shared bool
	others []*Owner // the others that share it with the holder
	queue  []*waiter
}

type waiter struct {
	owner  *Owner
	in     ID // the namespace of the row
	shared bool
	ready  chan struct{} // receives one when the lock is the owner's
}

// Owner is a transaction as the lock table knows it. Table.mu guards its fields. The owner's own
// goroutine also reads held: only that goroutine lets it grow, except while it waits.
type Owner struct {
	held    []ID
	heldOne [1]ID // memory of the first
	waiting bool
	waitsOn ID
	since   time.Time // when it began to wait
	search  uint64    // the last search that came by here
	// spaces are the namespaces in which it has row locks.
	spaces    []ID
	spacesOne [1]ID  // memory of the first
	number    number // nobody if it holds no locks
}

// hold notes that the owner has the lock of a row, in a namespace. mu is held.
func (lt *Table) hold(o *Owner, id, in ID) {
	if len(o.held) == 0 {
		if o.held == nil {
			o.held = o.heldOne[:0]
		}
		o.spaces = o.spacesOne[:0]
		lt.owners.enter(o)
	}
	o.held = append(o.held, id)
	if n := len(o.spaces); n == 0 || o.spaces[n-1] != in && !slices.Contains(o.spaces, in) {
		o.spaces = append(o.spaces, in)
	}
}

// Held returns how many rows the owner has locked. Only the owner may call it.
func (o *Owner) Held() int { return len(o.held) }

// Counts are the counts of all waits that ended.
type Counts struct {
	Waits, Timeouts, Deadlocks uint64
	Waited                     time.Duration
}

// Counts returns the counts so far.
func (lt *Table) Counts() Counts {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	return lt.counts
}

// waited counts a wait.
func (lt *Table) waited(since time.Time, err error) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	lt.counts.Waits++
	lt.counts.Waited += time.Since(since)
	if err == kv.ErrLockTimeout {
		lt.counts.Timeouts++
	}
}

// Held returns how many rows are locked.
func (lt *Table) Held() int {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	return lt.locks.n
}

// State returns how many locks an owner holds, since when it waits, and for whom.
func (lt *Table) State(o *Owner) (s kv.TxnState) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	s.RowsLocked, s.Self = uint64(len(o.held)), o
	if o.waiting {
		s.WaitsSince = o.since
		l := lt.lock(o.waitsOn)
		for holder := range l.holders {
			if holder != o { // which shares a lock that it wants alone
				s.WaitsFor = append(s.WaitsFor, holder)
			}
		}
	}
	return s
}

// Waiting returns how many wait for locks.
func (lt *Table) Waiting() (n int) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	for _, more := range lt.locks.more {
		n += len(more.queue)
	}
	return n
}

// Acquire locks a row for the owner. It waits at most for the timeout: kv.ErrLockTimeout. At once
// it returns kv.ErrRowLocked if it must not wait, and kv.ErrDeadlock if waiting would close a
// cycle. Other errors are the context's and the cause of life's end.
func (lt *Table) Acquire(
	ctx context.Context, o *Owner, r Row, how kv.RowLock, timeout time.Duration, life context.Context,
) error {
	lt.mu.Lock()
	if len(lt.spans) > 0 {
		if s := lt.spanOver(&r); s != nil {
			lt.mu.Unlock()
			if s.owner == o {
				return nil
			}
			return lt.acquireBeside(ctx, s, o, r, how, timeout, life)
		}
	}
	if g := lt.gateBefore(o, r.ID); g != nil {
		lt.mu.Unlock()
		return lt.acquireBehind(ctx, g, o, r, how, timeout, life)
	}
	w, err := lt.take(o, &r, how)
	lt.mu.Unlock()
	if w == nil {
		return err
	}
	return lt.wait(ctx, w, timeout, life)
}

// take gives the lock to the owner, or a place in the queue for it, or an error. mu is held.
func (lt *Table) take(o *Owner, r *Row, how kv.RowLock) (*waiter, error) {
	id := r.ID
	l := lt.lock(id)
	switch {
	case l.holder == nil && !how.Shared: // the usual case
		lt.hold(o, id, r.In)
		lt.locks.add(id, o.number)
		return nil, nil
	case l.heldBy(o) && (how.Shared || l.alone()):
		return nil, nil
	case l.admits(o, how.Shared) && (l.heldBy(o) || !l.awaited()):
		lt.grant(&l, r, o, how.Shared)
		lt.keep(id, l)
		return nil, nil
	case how.NoWait:
		return nil, kv.ErrRowLocked
	case lt.wouldDeadlock(o, l):
		lt.counts.Deadlocks++
		return nil, kv.ErrDeadlock
	}
	w := &waiter{owner: o, in: r.In, shared: how.Shared, ready: make(chan struct{}, 1)}
	if l.more == nil {
		l.more = &moreOfLock{}
	}
	if l.heldBy(o) {
		l.more.queue = slices.Insert(l.more.queue, 0, w)
	} else {
		l.more.queue = append(l.more.queue, w)
	}
	lt.keep(id, l)
	o.waiting, o.waitsOn, o.since = true, id, time.Now()
	return w, nil
}

// lock returns the state of a lock. mu is held.
func (lt *Table) lock(id ID) lock {
	s, more := lt.locks.get(id)
	return lock{lt.owners.of(s.holder), more}
}

// keep stores the state of a lock, which has a holder. mu is held.
func (lt *Table) keep(id ID, l lock) { lt.locks.set(id, l.holder.number, l.more) }

func (l *lock) heldBy(o *Owner) bool {
	return l.holder == o || l.more != nil && slices.Contains(l.more.others, o)
}

// holders yields the holder and those that share the lock with it.
func (l *lock) holders(yield func(*Owner) bool) {
	if !yield(l.holder) || l.more == nil {
		return
	}
	for _, o := range l.more.others {
		if !yield(o) {
			return
		}
	}
}

// alone reports whether the lock is not shared.
func (l *lock) alone() bool { return l.more == nil || !l.more.shared }

func (l *lock) awaited() bool { return l.more != nil && len(l.more.queue) > 0 }

// admits reports whether the owner may have the lock together with its holders.
func (l *lock) admits(o *Owner, shared bool) bool {
	switch {
	case l.holder == nil:
		return true
	case shared:
		return !l.alone()
	}
	return l.holder == o && len(l.more.others) == 0
}

// grant makes the owner, which the lock admits, a holder. mu is held.
func (lt *Table) grant(l *lock, r *Row, o *Owner, shared bool) {
	if l.more == nil && shared {
		l.more = &moreOfLock{}
	}
	if l.more != nil {
		l.more.shared = shared
	}
	switch l.holder {
	case o: // it was the only holder
		return
	case nil:
		l.holder = o
	default:
		l.more.others = append(l.more.others, o)
	}
	lt.hold(o, r.ID, r.In)
}

// wouldDeadlock follows the waiters from the holders of the wanted lock. A transaction in the queue
// of a lock waits for its holders, so looking at holders alone finds every cycle.
func (lt *Table) wouldDeadlock(o *Owner, l lock) bool {
	lt.searches++
	return lt.anyReaches(l, o, o)
}

// anyReaches reports whether a holder of the lock, except one of them, waits for the owner directly
// or through others.
func (lt *Table) anyReaches(l lock, except, to *Owner) bool {
	for o := range l.holders {
		if o != except && lt.reaches(o, to) {
			return true
		}
	}
	return false
}

func (lt *Table) reaches(from, to *Owner) bool {
	if from == to {
		return true
	}
	if !from.waiting || from.search == lt.searches {
		return false
	}
	from.search = lt.searches
	return lt.anyReaches(lt.lock(from.waitsOn), from, to)
}

func (lt *Table) wait(
	ctx context.Context, w *waiter, timeout time.Duration, life context.Context,
) (err error) {
	since := time.Now()
	defer func() { lt.waited(since, err) }()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-w.ready:
		return nil
	case <-timer.C:
		err = kv.ErrLockTimeout
	case <-ctx.Done():
		err = ctx.Err()
	case <-life.Done():
		err = context.Cause(life)
	}
	if lt.leave(w) {
		return err
	}
	<-w.ready
	return nil
}

// leave removes the waiter from its queue; false if it already has the lock.
func (lt *Table) leave(w *waiter) bool {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	if !w.owner.waiting {
		return false
	}
	w.owner.waiting = false
	id := w.owner.waitsOn
	l := lt.lock(id)
	i := slices.Index(l.more.queue, w)
	l.more.queue = slices.Delete(l.more.queue, i, i+1)
	lt.hand(&l, id)
	return true
}

// maxIdleLocks is how many released locks may leave their room.
const maxIdleLocks = 16 << 10

// Release releases all locks of the owner.
func (lt *Table) Release(o *Owner) {
	if len(o.held) == 0 {
		return
	}
	lt.mu.Lock()
	defer lt.mu.Unlock()
	lt.releaseSpans(o)
	for _, id := range o.held {
		l := lt.lock(id)
		if l.more == nil {
			lt.locks.remove(id)
			continue
		}
		l.drop(o)
		lt.hand(&l, id)
	}
	lt.owners.leave(o)
	lt.shrink(len(o.held))
	o.held = o.held[:0]
}

// shrink frees room after many locks have been released. mu is held.
func (lt *Table) shrink(gone int) {
	if gone > maxIdleLocks && lt.locks.n < gone/16 {
		lt.locks.shrink()
	}
}

// drop removes a holder.
func (l *lock) drop(o *Owner) {
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

// hand passes a lock to the first in its queue, and to the next ones that can share it. mu is held.
func (lt *Table) hand(l *lock, id ID) {
	for l.awaited() && l.admits(l.more.queue[0].owner, l.more.queue[0].shared) {
		w := l.more.queue[0]
		l.more.queue = slices.Delete(l.more.queue, 0, 1) // which keeps its memory
		lt.grant(l, &Row{ID: id, In: w.in}, w.owner, w.shared)
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
	lt.keep(id, *l)
}
