package views

import (
	"context"
	"slices"
)

// Commits become visible to writers before they are durable: a commit that builds upon one follows
// it in the log, and is durable no sooner. Readers must not see what a fault of the disk may still
// take back. They get the view of the last commit that is durable, which each commit holds until
// the next ones are.

// undurable is what views know of commits that wait for the disk.
type undurable struct {
	on      bool   // commits wait for the disk at all
	written uint64 // the clock of the last commit that has waited or does
	durable uint64 // that of the last commit that is durable
	// held are the views from the last durable commit on, oldest first, each with a
	// user of its own; empty where all commits are durable and none is on its way.
	held []heldView
	// coming is true from WillWrite until the commit that it is called for is counted: it
	// needs the last of held, though all that were counted may be durable.
	coming bool
	next   chan struct{} // closed when more is durable; nil while nobody waits
}

// heldView is a view with the commits up to written.
type heldView struct {
	*View
	written uint64
}

// HoldDurable says that commits wait for the disk.
func (vs *Views) HoldDurable() { vs.undurable.on = true }

// WillWrite holds the view of the last commit for readers until the next one, which
// nobody can see yet, is durable.
func (vs *Views) WillWrite() {
	if !vs.undurable.on {
		return
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.hold()
}

// hold is WillWrite; mu is held.
func (vs *Views) hold() {
	u := &vs.undurable
	u.coming = true
	if v := vs.current; v == nil || len(u.held) == 0 || u.held[len(u.held)-1].View != v {
		u.held = append(u.held, heldView{vs.newest(Reader), u.written})
	}
}

// AcquireDurable gives a reader the view at the last commit that is durable; the caller
// is inside keeper.Enter.
func (vs *Views) AcquireDurable() *View {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if u := &vs.undurable; u.durable < u.written {
		v := u.held[0].View
		v.users.Add(1)
		return v
	}
	return vs.newest(Reader)
}

// Durable is told that the commits up to a clock are durable.
func (vs *Views) Durable(clock uint64) {
	if !vs.undurable.on {
		return
	}
	vs.mu.Lock()
	unused := vs.letGo(clock)
	vs.mu.Unlock()
	for _, v := range unused {
		_ = v.dispose() // a snapshot and idle iterators: nothing can be lost
	}
}

// letGo gives up the views that the commit has replaced, and gives those that nobody
// uses. mu is held.
func (vs *Views) letGo(clock uint64) (unused []*View) {
	u := &vs.undurable
	if clock <= u.durable {
		return nil
	}
	u.durable = clock
	keep := len(u.held)
	if clock < u.written || u.coming && keep > 0 {
		for keep--; keep > 0 && u.held[keep].written > clock; keep-- {
		}
	}
	for _, v := range u.held[:keep] {
		if v.users.Add(-1); vs.drop(v.View) {
			unused = append(unused, v.View)
		}
	}
	u.held = slices.Delete(u.held, 0, keep)
	if u.next != nil {
		close(u.next)
		u.next = nil
	}
	return unused
}

// AwaitDurable waits until all that somebody at the clock may have seen is durable, and
// reports whether it is; else the context has ended, or the store has failed.
func (vs *Views) AwaitDurable(ctx context.Context, clock uint64, failure <-chan struct{}) bool {
	for {
		next := vs.undurableAt(clock)
		if next == nil {
			return true
		}
		select {
		case <-next:
		case <-ctx.Done():
			return false
		case <-failure:
			return false
		}
	}
}

// undurableAt is closed when more is durable, nil where all up to the clock is.
func (vs *Views) undurableAt(clock uint64) <-chan struct{} {
	u := &vs.undurable
	if !u.on {
		return nil
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if u.durable >= min(clock, u.written) {
		return nil
	}
	if u.next == nil {
		u.next = make(chan struct{})
	}
	return u.next
}
