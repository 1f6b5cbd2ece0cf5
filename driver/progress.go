package driver

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

// CheckProgress is how far CHECK TABLE has come.
type CheckProgress = metrics.CheckProgress

// MoveProgress is how far an ALTER TABLE that moves cells between partitions
// has come.
type MoveProgress = metrics.MoveProgress

// ReadProgress is how much a statement has read, and about how much there is to read.
type ReadProgress = metrics.ReadProgress

// WithProgress makes statements under the context that read for long call fn now and
// then, on a goroutine of the statement's, one call at a time and the last before
// its rows are closed. Short statements never call it. To estimate what there is to
// read takes a few milliseconds of the statement, once.
func WithProgress(ctx context.Context, fn func(ReadProgress)) context.Context {
	return metrics.WithReadProgress(ctx, fn)
}

// WithMoveProgress makes statements under the context that move cells between
// partitions call fn now and then, on the goroutine of the statement.
func WithMoveProgress(ctx context.Context, fn func(MoveProgress)) context.Context {
	return metrics.WithMoveProgress(ctx, fn)
}

// WithCheckProgress makes CHECK TABLE and CHECK STORE under the context call fn
// now and then, on the goroutine of the query.
func WithCheckProgress(ctx context.Context, fn func(CheckProgress)) context.Context {
	return metrics.WithCheckProgress(ctx, fn)
}
