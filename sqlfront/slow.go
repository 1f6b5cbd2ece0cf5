package sqlfront

import (
	"context"
	"log/slog"
	"time"
)

// maxSlowText is how much of a statement a slow line shows, in bytes.
const maxSlowText = 1024

// slow counts a statement that took longer than long_query_time, and tells of it
// where somebody listens. The text of a statement that reads or writes tables is
// told, cut; of others, which may hold passwords, only the kind.
func (s *Session) slow(r *running, d *done, took time.Duration) {
	s.engine.counts.slow.Add(1)
	log := s.options.SlowLog
	if log == nil || !log.Enabled(context.Background(), slog.LevelWarn) {
		return
	}
	attrs := []slog.Attr{
		slog.Uint64("connection", s.id), slog.String("user", s.options.Account.String()),
		slog.String("database", r.database), slog.String("kind", r.kind.String()),
		slog.String("outcome", outcomeOf(d.err).String()), slog.Duration("took", took),
		slog.Int64("rows_given", d.given), slog.Int64("rows_changed", d.changed),
	}
	if w := d.work; w != nil {
		attrs = append(attrs, slog.Int64("cells", w.Cells.Load()), slog.Int64("seeks", w.Seeks.Load()),
			slog.Int64("spans", w.Spans.Load()), slog.Int64("partitions", w.Partitions.Load()))
	}
	if r.kind <= KindDelete {
		attrs = append(attrs, slog.String("statement", r.text[:min(len(r.text), maxSlowText)]))
	}
	log.LogAttrs(context.Background(), slog.LevelWarn, "slow statement", attrs...)
}
