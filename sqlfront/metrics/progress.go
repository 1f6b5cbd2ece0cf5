package metrics

import "context"

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

// MoveTold is the function that WithMoveProgress gave the context, or nil.
func MoveTold(ctx context.Context) func(MoveProgress) {
	fn, _ := ctx.Value(moveProgressKey{}).(func(MoveProgress))
	return fn
}

// CheckProgress is how far CHECK TABLE has come.
type CheckProgress struct {
	Table string // with its database; empty for what belongs to no table
	// Files of AllFiles have been read, and so many cells.
	Files, AllFiles int
	Cells           int64
}

type checkProgressKey struct{}

// WithCheckProgress makes CHECK TABLE and CHECK STORE under the context call fn
// now and then, on the statement's goroutine.
func WithCheckProgress(ctx context.Context, fn func(CheckProgress)) context.Context {
	return context.WithValue(ctx, checkProgressKey{}, fn)
}

// CheckTold is the function that WithCheckProgress gave the context, or nil.
func CheckTold(ctx context.Context) func(CheckProgress) {
	fn, _ := ctx.Value(checkProgressKey{}).(func(CheckProgress))
	return fn
}
