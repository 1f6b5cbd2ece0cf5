package sqlfront

import (
	"context"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/interrupt"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/process"
)

// begins registers a statement that starts, and clears the warnings of the one before. It returns the
// statement's context, and its number for ends.
func (s *Session) begins(ctx context.Context, kind metrics.Kind, text string,
	keepWarnings bool) (*interrupt.Context, uint64, error) {
	st, err := s.underWay.Begin(ctx, kind, text, s.database)
	if err != nil {
		return nil, 0, err
	}
	s.warnings.Begin(keepWarnings)
	if s.began = st.Began; s.engine.clock != nil {
		s.began = s.engine.clock()
	}
	return st.Ctx, st.Number, nil
}

// ends removes the statement from the running ones, counts it, and logs it if it was slow.
func (s *Session) ends(number uint64, d *metrics.Done) {
	end := process.End{Planned: s.plansFound, Database: s.database, Slow: s.vars.Slow}
	counted := d
	if s.engine.counts.none {
		counted = nil
	}
	s.plansFound = 0
	if s.parsing != 0 {
		s.memory.Shrink(&s.parsing, 0)
	}
	if s.claims.Bytes.Load() != 0 {
		s.claims.Release()
	}
	if took, slow := s.underWay.End(number, counted, &end); slow != nil {
		s.logSlow(slow, took, d)
	}
}

func (s *Session) logSlow(st *process.Statement, took time.Duration, d *metrics.Done) {
	s.engine.counts.slow.Add(1)
	metrics.LogSlow(s.options.SlowLog, &metrics.Slow{Connection: s.id, User: s.options.Account.String(),
		Database: st.Database, Text: st.Text, Kind: st.Kind, Took: took, Done: *d})
}

// Do calls run for work that is not an SQL statement, such as a call of another protocol. While it runs, the
// process list shows text, it is counted under kind, and KILL ends its context. Several may run at the same
// time. The error is that of run, or 1317 if the session has been killed.
func (s *Session) Do(ctx context.Context, kind metrics.Kind, text string, run func(context.Context) error) error {
	st, err := s.underWay.Begin(ctx, kind, text, s.database)
	if err != nil {
		return err
	}
	done := &metrics.Done{Err: interrupt.ErrKilled} // in case run panics
	defer func() {
		end := process.End{Database: s.database, Slow: s.vars.Slow}
		if took, slow := s.underWay.End(st.Number, done, &end); slow != nil {
			s.logSlow(slow, took, done)
		}
	}()
	done.Err = run(st.Ctx)
	return done.Err
}

// Read implements exec.Progress.
func (s *Session) Read(ctx context.Context, of any, tables []*kv.Table, scan *kv.Scan, cells int64,
	partitions float64) {
	s.underWay.Read(of, tables, scan, cells, partitions)
	metrics.TellReading(ctx, s.engine.estimator, s.underWay.SoFar)
}
