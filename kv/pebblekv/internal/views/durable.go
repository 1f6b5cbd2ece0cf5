package views

import (
	"context"
	"slices"
)

// Commits become visible to writers before they are durable: a commit that builds upon one follows
// it in the log, and becomes durable no sooner. Readers must not see what a disk fault may still
// take back. They get the view of the last durable commit, which each commit holds until the next
// ones are durable.

// undurable is the state of commits that wait for the disk.
type undurable struct {
	on      bool   // commits wait for the disk at all
	written uint64 // the clock of the last commit that has waited or waits
	durable uint64 // the clock of the last durable commit
	// held are the views from the last durable commit on, oldest first, each with a user of its
	// own; empty if all commits are durable and none is under way.
	held []heldView
	// coming is true from WillWrite until its commit is counted: that commit needs the last of
	// held, even if all counted ones are durable.
	coming bool
	next   chan struct{} // closed when more commits are durable; nil while nobody waits
}

// heldView is a view with the commits up to written.
type heldView struct {
	*View
	written uint64
}

// HoldDurable sets that commits wait for the disk.
func (vs *Views) HoldDurable() { vs.undurable.on = true }

// WillWrite holds the view of the last commit for readers until the next commit, which is not
// visible yet, is durable.
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

// Durable notes that the commits up to a clock are durable.
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

// letGo releases the views that the commit has replaced, and returns those that have no user left.
// mu is held.
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

// AwaitDurable waits until everything that was visible at the clock is durable, and returns true.
// It returns false if the context ends or the store fails.
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

// undurableAt returns a channel that is closed when more commits are durable; nil if all up to the
// clock are.
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
