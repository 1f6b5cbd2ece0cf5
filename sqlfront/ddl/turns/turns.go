// Package turns has statements that change one table wait for each other: [Turns].
package turns

import (
	"context"
	"sync"
)

// Turns makes ALTERs of one table wait for each other, since one that narrows a column may have to restore
// the old definition. The zero Turns is ready to use; a nil one, for a store with a single session, never
// waits.
type Turns struct {
	mu    sync.Mutex
	under map[uint64]chan struct{} // by the table's ID, closed when its ALTER has ended
}

// Take waits until no other ALTER of the table is running. The caller calls over at the end of its own. The
// error is the context's.
func (t *Turns) Take(ctx context.Context, id uint64) (over func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	for {
		other, over := t.try(id)
		if other == nil {
			return over, nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// try begins unless another ALTER is running; other is closed at its end.
func (t *Turns) try(id uint64) (other <-chan struct{}, over func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other := t.under[id]; other != nil {
		return other, nil
	}
	if t.under == nil {
		t.under = map[uint64]chan struct{}{}
	}
	mine := make(chan struct{})
	t.under[id] = mine
	return nil, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.under, id)
		close(mine)
	}
}
