package metrics

import "context"

// MoveProgress is the progress of an ALTER TABLE that moves cells between partitions.
type MoveProgress struct {
	Cells    int64 // moved so far
	AllCells int64 // an estimate; at least Cells
}

type moveProgressKey struct{}

// WithMoveProgress makes statements under the context that move cells between partitions call fn now and
// then, on the statement's goroutine.
func WithMoveProgress(ctx context.Context, fn func(MoveProgress)) context.Context {
	return context.WithValue(ctx, moveProgressKey{}, fn)
}

// MoveTold is the function that WithMoveProgress has set in the context, or nil.
func MoveTold(ctx context.Context) func(MoveProgress) {
	fn, _ := ctx.Value(moveProgressKey{}).(func(MoveProgress))
	return fn
}

// CheckProgress is the progress of CHECK TABLE.
type CheckProgress struct {
	Table string // with its database; empty for data that belongs to no table
	// Files of AllFiles have been read, and Cells in them.
	Files, AllFiles int
	Cells           int64
}

type checkProgressKey struct{}

// WithCheckProgress makes CHECK TABLE and CHECK STORE under the context call fn
// now and then, on the statement's goroutine.
func WithCheckProgress(ctx context.Context, fn func(CheckProgress)) context.Context {
	return context.WithValue(ctx, checkProgressKey{}, fn)
}

// CheckTold is the function that WithCheckProgress has set in the context, or nil.
func CheckTold(ctx context.Context) func(CheckProgress) {
	fn, _ := ctx.Value(checkProgressKey{}).(func(CheckProgress))
	return fn
}
