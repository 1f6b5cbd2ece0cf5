package metrics

import (
	"context"
	"log/slog"
	"time"
)

// maxSlowText is the maximum length of a statement in a slow line, in bytes.
const maxSlowText = 1024

// Slow is a statement that took longer than long_query_time.
type Slow struct {
	Connection           uint64
	User, Database, Text string
	Kind                 Kind
	Took                 time.Duration
	Done                 Done
}

// LogSlow logs a slow statement at the level of a warning; log may be nil. It has the text of a statement
// that reads or writes tables, cut to maxSlowText; of others, which may have passwords, only the kind.
func LogSlow(log *slog.Logger, s *Slow) {
	if log == nil || !log.Enabled(context.Background(), slog.LevelWarn) {
		return
	}
	attrs := []slog.Attr{
		slog.Uint64("connection", s.Connection), slog.String("user", s.User),
		slog.String("database", s.Database), slog.String("kind", s.Kind.String()),
		slog.String("outcome", OutcomeOf(s.Done.Err).String()), slog.Duration("took", s.Took),
		slog.Int64("rows_given", s.Done.Given), slog.Int64("rows_changed", s.Done.Changed),
	}
	if w := s.Done.Work; w != nil {
		attrs = append(attrs, slog.Int64("cells", w.Cells.Load()), slog.Int64("seeks", w.Seeks.Load()),
			slog.Int64("spans", w.Spans.Load()), slog.Int64("partitions", w.Partitions.Load()))
	}
	if s.Kind <= KindDelete || s.Kind >= KindHBaseGet {
		attrs = append(attrs, slog.String("statement", s.Text[:min(len(s.Text), maxSlowText)]))
	}
	log.LogAttrs(context.Background(), slog.LevelWarn, "slow statement", attrs...)
}
