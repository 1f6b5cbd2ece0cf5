package sqlfront

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// retry is what is known of a statement of a transaction that may be run again.
type retry struct {
	// fresh is true of the first statement: nobody has seen anything of the
	// transaction, so that it may begin anew.
	fresh bool
	// renewable is true where a newer snapshot may be taken: of the first
	// statement, and under READ COMMITTED of each.
	renewable bool
	// committed is true where the statement is the whole transaction and its
	// commit has been tried.
	committed bool
	alone     bool          // the statement is the whole transaction
	backoff   time.Duration // before the next attempt
}

// next readies the transaction for a statement. The first one takes the
// snapshot, and under READ COMMITTED each.
func (tx *transaction) next(ctx context.Context) (retry, error) {
	t := retry{fresh: tx.fresh}
	tx.fresh = false
	t.renewable = t.fresh || tx.options.Isolation == sysvar.ReadCommitted
	if !t.renewable {
		return t, nil
	}
	return t, tx.Renew(ctx)
}

// over is called when a statement is not run again. A first statement that
// failed to get a lock has shown nobody anything.
func (tx *transaction) over(t *retry, err error) {
	if err == nil {
		return
	}
	tx.fresh = t.fresh && (errors.Is(err, kv.ErrLockTimeout) || mysqlerr.Is(err, mysqlerr.LockNoWait))
	tx.abortIf(err)
}

// retries readies the transaction to run its statement again after an error that
// a newer snapshot may spare it, and reports whether it did. After a conflict
// the locks are kept, the changed row's among them, so that each attempt gets
// further than the last.
func (s *Session) retries(ctx context.Context, tx *transaction, t *retry, err *error) bool {
	switch {
	case *err == nil:
		return false
	case errors.Is(*err, kv.ErrConflict) && t.renewable && !t.committed:
		if renewed := tx.Renew(ctx); renewed == nil || !t.fresh {
			s.engine.counts.retries.Add(1)
			*err = renewed
			return renewed == nil
		}
	case !t.fresh || !retriable(*err, t):
		return false
	}
	t.committed = false
	options := s.txnOptions(tx.options)
	options.Single, options.Again = t.alone, t.alone
	txn, failed := s.engine.store.Begin(ctx, options)
	if failed != nil {
		*err = failed
		return false
	}
	s.engine.counts.retries.Add(1)
	tx.restart(txn)
	s.shows(tx, s.began)
	*err = pause(ctx, t.wait())
	return *err == nil
}

// retriable reports whether a statement that nobody has seen anything of may
// succeed in a new transaction.
func retriable(err error, t *retry) bool {
	return fatal(err) || t.committed && errors.Is(err, kv.ErrCatalogChanged) || mysqlerr.Is(err, mysqlerr.TableDefChanged)
}

// The waits before a statement is run again.
const (
	firstBackoff = 50 * time.Microsecond
	lastBackoff  = 20 * time.Millisecond
)

// wait is how long to wait at most: longer each time.
func (t *retry) wait() time.Duration {
	t.backoff = min(max(2*t.backoff, firstBackoff), lastBackoff)
	return t.backoff
}

// pause waits for a random time up to the backoff.
func pause(ctx context.Context, backoff time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(backoff) + 1):
		return nil
	}
}
