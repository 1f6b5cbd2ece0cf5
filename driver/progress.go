package driver

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

// CheckProgress is the progress of a CHECK TABLE.
type CheckProgress = metrics.CheckProgress

// MoveProgress is the progress of an ALTER TABLE that moves cells between
// partitions.
type MoveProgress = metrics.MoveProgress

// ReadProgress is how much a statement has read, of about how much.
type ReadProgress = metrics.ReadProgress

// WithProgress makes long reads under the context call fn from time to time, on a
// goroutine of the statement. One call runs at a time, and the last one returns
// before the rows are closed. Short statements never call fn. The estimate of what
// there is to read takes the statement a few milliseconds, once.
func WithProgress(ctx context.Context, fn func(ReadProgress)) context.Context {
	return metrics.WithReadProgress(ctx, fn)
}

// WithMoveProgress makes statements under the context that move cells between
// partitions call fn from time to time, on the goroutine of the statement.
func WithMoveProgress(ctx context.Context, fn func(MoveProgress)) context.Context {
	return metrics.WithMoveProgress(ctx, fn)
}

// WithCheckProgress makes CHECK TABLE and CHECK STORE under the context call fn
// from time to time, on the goroutine of the query.
func WithCheckProgress(ctx context.Context, fn func(CheckProgress)) context.Context {
	return metrics.WithCheckProgress(ctx, fn)
}
