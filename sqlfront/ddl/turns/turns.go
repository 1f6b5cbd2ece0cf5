// Package turns has statements that change one table wait for each other: [Turns].
package turns

import (
	"context"
	"sync"
)

// Turns has the ALTERs of one table wait for each other, as one that narrows a column
// may have to put back what it began with. The zero Turns are ready; nil ones, of a
// store with a single session, wait for nobody.
type Turns struct {
	mu    sync.Mutex
	under map[uint64]chan struct{} // by the table's ID, closed when its ALTER is over
}

// Take waits for the ALTER of a table that is under way. over ends the caller's.
// The error is the context's.
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

// try begins where nobody else is at it; other is closed when they are done.
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
