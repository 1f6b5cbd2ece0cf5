package sqlfront

import (
	"context"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/diagnostics"
	"github.com/hbasekv/hbasekv/sqlfront/interrupt"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

// begins notes the statement that starts, and clears what the last one left. It
// gives the statement's context, and the number that ends takes.
func (s *Session) begins(ctx context.Context, kind metrics.Kind, text string,
	keepWarnings bool) (*interrupt.Context, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed.Load() {
		return nil, 0, interrupt.ErrKilled
	}
	s.busy++
	if s.diagnosing = keepWarnings; !keepWarnings {
		s.before, s.warnings = s.warnings, diagnostics.List{}
		s.before.Kept = nil
		if s.parts.warnings != 0 {
			s.memory.Shrink(&s.parts.warnings, 0)
		}
	}
	s.counts.Begun++
	s.since = time.Now()
	s.statements = append(s.statements, running{}) // and not a copy of one that is filled in
	r := &s.statements[len(s.statements)-1]
	r.number, r.kind, r.began, r.ctx = s.counts.Begun, kind, s.since, s.interruptible(ctx)
	r.text, r.database = text, s.database
	if s.began = s.since; s.engine.clock != nil {
		s.began = s.engine.clock()
	}
	return r.ctx, r.number, nil
}

// interruptible is the context of a statement; mu is held. The statements of a
// caller without one of its own share one until KILL ends it: it has nothing to
// give up.
func (s *Session) interruptible(ctx context.Context) *interrupt.Context {
	if ctx != context.Background() {
		return &interrupt.Context{Context: ctx}
	}
	if s.background == nil {
		s.background = &interrupt.Context{Context: ctx}
	}
	return s.background
}

// ends notes the end of the statement with that number.
func (s *Session) ends(number uint64, d *metrics.Done) {
	if took, slow := s.over(number, d); slow != nil {
		s.engine.counts.slow.Add(1)
		metrics.LogSlow(s.options.SlowLog, &metrics.Slow{Connection: s.id, User: s.options.Account.String(),
			Database: slow.database, Text: slow.text, Kind: slow.kind, Took: took, Done: *d})
	}
}

// over takes the statement off the list that other sessions see, and counts it. It gives how long
// the statement took, and the statement where that is longer than long_query_time.
func (s *Session) over(number uint64, d *metrics.Done) (took time.Duration, slow *running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := 0
	for s.statements[at].number != number {
		at++
	}
	r := &s.statements[at]
	if r.ctx != s.background {
		r.ctx.End()
	}
	took = time.Since(r.began) // for half of what time.Now costs
	s.since = r.began.Add(took)
	if took > s.vars.Slow {
		slow = new(*r)
	}
	if !s.engine.counts.none {
		s.counts.Of(r.kind).Count(d, took)
		s.counts.Planned += s.plansFound
	}
	s.plansFound = 0
	if s.parts.parsing != 0 {
		s.memory.Shrink(&s.parts.parsing, 0)
	}
	if s.claims.Bytes.Load() != 0 {
		s.claims.Release()
	}
	s.statements = slices.Delete(s.statements, at, at+1)
	s.shownDatabase = s.database
	s.left()
	return took, slow
}
