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
	say := s.saying()
	tell, _ := ctx.Value(moveProgressKey{}).(func(MoveProgress))
	return func(p kv.MoveProgress) {
		state := "copy to new partitions"
		if p.AllCells > 0 {
			state += fmt.Sprintf(" %d%%", 100*p.Cells/p.AllCells)
		}
		say(state)
		if tell != nil {
			tell(MoveProgress{p.Cells, p.AllCells})
		}
	}
}

// collectProgress is told how far the session's running statement has come with
// removing what retention hides.
func (s *Session) collectProgress() func(kv.Collected) {
	say := s.saying()
	return func(c kv.Collected) { say(fmt.Sprintf("collecting, %d versions and %d ranges", c.Versions, c.Ranges)) }
}

// saying takes what the session's running statement is at, which the process list
// shows.
func (s *Session) saying() func(string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := new(atomic.Pointer[string])
	if n := len(s.statements); n > 0 {
		s.statements[n-1].at = at
	}
	return func(state string) { at.Store(&state) }
}

// state is what the statement is at.
func (r *running) state() string {
	if r.at == nil {
		return ""
	}
	if state := r.at.Load(); state != nil {
		return *state
	}
	return ""
}
