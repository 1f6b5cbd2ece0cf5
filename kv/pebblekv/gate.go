package pebblekv

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// gate keeps the rows of a bulk load from being locked while the load becomes
// visible: whoever got a lock just before would have a snapshot without it. It
// is closed for so short a time that nobody who waits at it can be in a circle:
// the load waits for no lock then.
type gate struct {
	owner *owner
	rows  *rowSet
	open  chan struct{} // closed when the gate is open again
}

// deadlockPause is what a load waits before it tries again where waiting for a
// lock would close a circle.
const deadlockPause = 2 * time.Millisecond

// closeGate waits until the owner alone has locks on the rows, and closes a gate
// before them: kv.ErrLockTimeout, the context's error, kv.ErrClosed at the end
// of life. What it has locked for that stays the owner's.
func (lt *lockTable) closeGate(ctx context.Context, o *owner, rows *rowSet, timeout time.Duration, life context.Context) (*gate, error) {
	deadline := time.Now().Add(timeout)
	for {
		g, held := lt.tryGate(o, rows)
		if g != nil {
			return g, nil
		}
		err := lt.acquireAll(ctx, o, held, deadline, life)
		if errors.Is(err, kv.ErrDeadlock) && time.Now().Before(deadline) {
			lt.release(o)
			sleep(ctx, deadlockPause)
			err = ctx.Err()
		} else if errors.Is(err, kv.ErrDeadlock) {
			err = kv.ErrLockTimeout
		}
		if err != nil {
			return nil, err
		}
	}
}

// tryGate closes the gate, or says which of the rows others have locked.
func (lt *lockTable) tryGate(o *owner, rows *rowSet) (*gate, []rowID) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	var held []rowID
	for i := range lt.locks.slots {
		if l := &lt.locks.slots[i]; l.holder != nil && (!l.heldBy(o) || !l.alone()) && rows.mayHold(l.id) {
			held = append(held, l.id)
		}
	}
	if len(held) > 0 {
		return nil, held
	}
	g := &gate{owner: o, rows: rows, open: make(chan struct{})}
	lt.gates = append(lt.gates, g)
	return g, nil
}

func (lt *lockTable) acquireAll(ctx context.Context, o *owner, ids []rowID, deadline time.Time, life context.Context) error {
	for _, id := range ids {
		if err := lt.acquire(ctx, o, id, kv.RowLock{}, time.Until(deadline), life); err != nil {
			return err
		}
	}
	return nil
}

func (lt *lockTable) openGate(g *gate) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	lt.gates = slices.DeleteFunc(lt.gates, func(other *gate) bool { return other == g })
	close(g.open)
}

// gateBefore is the closed gate that the owner would have to go through for the
// row, or nil. mu is held.
func (lt *lockTable) gateBefore(o *owner, id rowID) *gate {
	for _, g := range lt.gates {
		if g.owner != o && g.rows.mayHold(id) {
			return g
		}
	}
	return nil
}

// acquireBehind is acquire once the gate is open.
func (lt *lockTable) acquireBehind(ctx context.Context, g *gate, o *owner, id rowID, how kv.RowLock, timeout time.Duration, life context.Context) error {
	if how.NoWait {
		return kv.ErrRowLocked
	}
	since := time.Now()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-g.open:
		return lt.acquire(ctx, o, id, how, timeout-time.Since(since), life)
	case <-timer.C:
		return kv.ErrLockTimeout
	case <-ctx.Done():
		return ctx.Err()
	case <-life.Done():
		return kv.ErrClosed
	}
}
