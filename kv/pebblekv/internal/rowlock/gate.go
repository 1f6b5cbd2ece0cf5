package rowlock

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// Gate keeps the rows of a bulk load from being locked while the load becomes visible: a transaction
// that locked one just before would have a snapshot without the load. Waiting at a gate cannot deadlock,
// since the load waits for no lock while it is closed.
type Gate struct {
	owner *Owner
	rows  *Set
	open  chan struct{} // closed when the gate is open again
}

// deadlockPause is how long a load waits before it retries when waiting for a lock would deadlock.
const deadlockPause = 2 * time.Millisecond

// CloseGate waits until no other owner has locks on the rows, which are within the extents, and closes a
// gate for them. The error is kv.ErrLockTimeout, the context's, or the cause of life's end. Locks that
// the owner has got meanwhile stay its own.
func (lt *Table) CloseGate(
	ctx context.Context, o *Owner, rows *Set, extents Extents, timeout time.Duration, life context.Context,
) (*Gate, error) {
	deadline := time.Now().Add(timeout)
	for {
		g, held := lt.tryGate(o, rows, extents)
		if g != nil {
			return g, nil
		}
		err := lt.acquireAll(ctx, o, held, deadline, life)
		if errors.Is(err, kv.ErrDeadlock) && time.Now().Before(deadline) {
			lt.Release(o)
			err = pause(ctx, deadlockPause)
		} else if errors.Is(err, kv.ErrDeadlock) {
			err = kv.ErrLockTimeout
		}
		if err != nil {
			return nil, err
		}
	}
}

// tryGate closes the gate, or returns those of the rows that others have locked.
func (lt *Table) tryGate(o *Owner, rows *Set, extents Extents) (*Gate, []ID) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	held := lt.spansOver(o, extents)
	for id := range lt.locks.all {
		if l := lt.lock(id); (!l.heldBy(o) || !l.alone()) && rows.MayHold(id) {
			held = append(held, id)
		}
	}
	if len(held) > 0 {
		return nil, held
	}
	g := &Gate{owner: o, rows: rows, open: make(chan struct{})}
	lt.gates = append(lt.gates, g)
	return g, nil
}

func (lt *Table) acquireAll(ctx context.Context, o *Owner, ids []ID, deadline time.Time, life context.Context) error {
	for _, id := range ids {
		if err := lt.Acquire(ctx, o, Row{ID: id}, kv.RowLock{}, time.Until(deadline), life); err != nil {
			return err
		}
	}
	return nil
}

func (lt *Table) OpenGate(g *Gate) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	lt.gates = slices.DeleteFunc(lt.gates, func(other *Gate) bool { return other == g })
	close(g.open)
}

// gateBefore returns the closed gate that keeps the owner from locking the row, or nil. mu is held.
func (lt *Table) gateBefore(o *Owner, id ID) *Gate {
	for _, g := range lt.gates {
		if g.owner != o && g.rows.MayHold(id) {
			return g
		}
	}
	return nil
}

// acquireBehind is Acquire once the gate is open.
func (lt *Table) acquireBehind(
	ctx context.Context, g *Gate, o *Owner, r Row, how kv.RowLock, timeout time.Duration, life context.Context,
) error {
	if how.NoWait {
		return kv.ErrRowLocked
	}
	since := time.Now()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-g.open:
		return lt.Acquire(ctx, o, r, how, timeout-time.Since(since), life)
	case <-timer.C:
		return kv.ErrLockTimeout
	case <-ctx.Done():
		return ctx.Err()
	case <-life.Done():
		return context.Cause(life)
	}
}

// pause waits, or returns the context's error if that ends first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
