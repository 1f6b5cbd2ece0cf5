package driver

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// CheckProgress is how far CHECK TABLE has come.
type CheckProgress = sqlfront.CheckProgress

// WithCheckProgress makes CHECK TABLE and CHECK STORE under the context call fn
// now and then, on the goroutine of the query.
func WithCheckProgress(ctx context.Context, fn func(CheckProgress)) context.Context {
	return sqlfront.WithCheckProgress(ctx, fn)
}
