package sqlfront

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
)

// MoveProgress is how far an ALTER TABLE that moves cells between partitions
// has come.
type MoveProgress struct {
	Cells    int64 // moved so far
	AllCells int64 // an estimate; at least Cells
}

type moveProgressKey struct{}

// WithMoveProgress makes statements under the context that move cells between
// partitions call fn now and then, on the statement's goroutine.
func WithMoveProgress(ctx context.Context, fn func(MoveProgress)) context.Context {
	return context.WithValue(ctx, moveProgressKey{}, fn)
}

// moveProgress is told how far the session's running statement has come with
// moving cells; the process list shows it.
func (s *Session) moveProgress(ctx context.Context) func(kv.MoveProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tell, _ := ctx.Value(moveProgressKey{}).(func(MoveProgress))
	moved := new(atomic.Pointer[kv.MoveProgress])
	if n := len(s.statements); n > 0 {
		s.statements[n-1].moved = moved
	}
	return func(p kv.MoveProgress) {
		moved.Store(&p)
		if tell != nil {
			tell(MoveProgress{p.Cells, p.AllCells})
		}
	}
}

// state is what the statement is at, in words like MySQL's.
func (r *running) state() string {
	if r.moved == nil {
		return ""
	}
	p := r.moved.Load()
	switch {
	case p == nil:
		return ""
	case p.AllCells == 0:
		return "copy to new partitions"
	}
	return fmt.Sprintf("copy to new partitions %d%%", 100*p.Cells/p.AllCells)
}
