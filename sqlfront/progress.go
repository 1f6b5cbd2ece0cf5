package sqlfront

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

// moveProgress is told how far the session's running statement has come with
// moving cells; the process list shows it.
func (s *Session) moveProgress(ctx context.Context) func(kv.MoveProgress) {
	say := s.saying()
	tell := metrics.MoveTold(ctx)
	return func(p kv.MoveProgress) {
		state := "copy to new partitions"
		if p.AllCells > 0 {
			state += fmt.Sprintf(" %d%%", 100*p.Cells/p.AllCells)
		}
		say(state)
		if tell != nil {
			tell(metrics.MoveProgress{Cells: p.Cells, AllCells: p.AllCells})
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

// Read implements op.Progress.
func (s *Session) Read(ctx context.Context, of any, tables []*kv.Table, scan *kv.Scan, cells int64,
	partitions float64) {
	s.mu.Lock()
	if s.soFar.Number != s.counts.Begun {
		s.soFar = metrics.Reading{Number: s.counts.Begun}
	}
	s.soFar.Add(of, tables, scan, cells, partitions)
	s.mu.Unlock()
	metrics.TellReading(ctx, s.engine.estimator, s.readSoFar)
}

// readSoFar is what the last statement has read so far.
func (s *Session) readSoFar() metrics.Reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.soFar
}
