package console

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// maxShapes is how many shapes of slow statements are kept: those that came last.
const maxShapes = 200

// SlowStatements gathers the slow statements of a log by their shape: their text with ? in the place of
// literals. The zero value has none yet. It may be used by many goroutines.
type SlowStatements struct {
	mu  sync.Mutex
	all map[string]*shape
}

// shape is the slow statements of one shape.
type shape struct {
	Text     string  `json:"text"`
	Kind     string  `json:"kind"`
	Database string  `json:"database"`
	Count    int     `json:"count"`
	Longest  float64 `json:"longest"` // seconds
	Total    float64 `json:"total"`
	Cells    int64   `json:"cells"`
	Last     int64   `json:"last"` // milliseconds since 1970
}

// Handler is a handler of logs that tells s of the slow statements on their way to next.
func (s *SlowStatements) Handler(next slog.Handler) slog.Handler { return &tee{next, s} }

type tee struct {
	slog.Handler
	to *SlowStatements
}

// Handle implements slog.Handler.
func (t *tee) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "slow statement" {
		t.to.add(r)
	}
	return t.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (t *tee) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &tee{t.Handler.WithAttrs(attrs), t.to}
}

// WithGroup implements slog.Handler.
func (t *tee) WithGroup(name string) slog.Handler { return &tee{t.Handler.WithGroup(name), t.to} }

func (s *SlowStatements) add(r slog.Record) {
	var text string
	one, took := shape{Count: 1, Last: r.Time.UnixMilli()}, time.Duration(0)
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "statement":
			text = a.Value.String()
		case "kind":
			one.Kind = a.Value.String()
		case "database":
			one.Database = a.Value.String()
		case "took":
			took = a.Value.Duration()
		case "cells":
			one.Cells = a.Value.Int64()
		}
		return true
	})
	one.Text = sqlfront.Shape(text)
	one.Longest, one.Total = took.Seconds(), took.Seconds()
	s.mu.Lock()
	defer s.mu.Unlock()
	key := one.Kind + " " + one.Database + " " + one.Text
	if was := s.all[key]; was != nil {
		was.Count++
		was.Longest, was.Total, was.Cells, was.Last = max(was.Longest, one.Longest), was.Total+one.Total, was.Cells+one.Cells, one.Last
		return
	}
	if s.all == nil {
		s.all = map[string]*shape{}
	}
	if len(s.all) >= maxShapes {
		s.dropOldest()
	}
	s.all[key] = &one
}

func (s *SlowStatements) dropOldest() {
	oldest := ""
	for key, each := range s.all {
		if o := s.all[oldest]; o == nil || each.Last < o.Last {
			oldest = key
		}
	}
	delete(s.all, oldest)
}

// shapes are those that took the longest in all, first.
func (s *SlowStatements) shapes() []shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []shape{}
	for _, each := range s.all {
		out = append(out, *each)
	}
	slices.SortFunc(out, func(a, b shape) int { return cmp.Compare(b.Total, a.Total) })
	return out
}
