package rowlock

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// Gate keeps the rows of a bulk load from being locked while the load becomes visible: a
// transaction that got a lock just before would have a snapshot without it. Waiting at it cannot
// deadlock: the load waits for no lock while it is closed.
type Gate struct {
	owner *Owner
	rows  *Set
	open  chan struct{} // closed when the gate is open again
}

// deadlockPause is what a load waits before it tries again where waiting for a
// lock would close a circle.
const deadlockPause = 2 * time.Millisecond

// CloseGate waits until the owner alone has locks on the rows, and closes a gate
// before them, which are within the extents: kv.ErrLockTimeout, the context's error, the cause of life's
// end. What it has locked for that stays the owner's.
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

// tryGate closes the gate, or says which of the rows others have locked.
func (lt *Table) tryGate(o *Owner, rows *Set, extents Extents) (*Gate, []ID) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	held := lt.spansOver(o, extents)
	for id, l := range lt.locks {
		if (!l.heldBy(o) || !l.alone()) && rows.MayHold(id) {
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

// gateBefore is the closed gate that the owner would have to go through for the
// row, or nil. mu is held.
func (lt *Table) gateBefore(o *Owner, id ID) *Gate {
	for _, g := range lt.gates {
		if g.owner != o && g.rows.MayHold(id) {
			return g
		}
	}
	return nil
}

// acquireBehind is acquire once the gate is open.
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

// pause waits, or gives the context's error.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
