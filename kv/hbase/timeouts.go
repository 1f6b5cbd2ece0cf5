package hbase

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/kv/hbase/internal/timeouts"
)

// within bounds a context that has no deadline.
func (c *cluster) within(ctx context.Context, atLeast time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return c.timeouts.Within(ctx, max(c.timeout, atLeast))
}

// ended returns the error of an operation whose context ended: the caller's own, or what went
// wrong before our time limit. If the context has not ended, the last error is that of a part of
// the operation with its own time limit.
func ended(ctx context.Context, last error) error {
	if context.Cause(ctx) != timeouts.Err {
		return cmp.Or(ctx.Err(), last)
	}
	if last == nil || last == ctx.Err() {
		return timeouts.Err
	}
	err := fmt.Errorf("%w: %s", timeouts.Err, strings.TrimSuffix(last.Error(), ": "+ctx.Err().Error()))
	if o := outcomeOf(last); o == moved || o == busy || o == notSent {
		return &undone{err}
	}
	return err
}

// undone is the error of an operation whose time was up while it waited for a retry: no attempt
// has done anything.
type undone struct{ error }

func (u *undone) Unwrap() error { return u.error }
