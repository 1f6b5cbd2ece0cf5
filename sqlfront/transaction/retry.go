package transaction

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// Retry is what is known about a statement of a transaction that may be run again.
type Retry struct {
	// Fresh says that the statement is the first one: nothing of the transaction has been seen by anyone, so
	// it may begin again.
	Fresh bool
	// Renewable says that a newer snapshot may be taken: for the first statement, and under READ COMMITTED
	// for each.
	Renewable bool
	// Committed says that the statement is the whole transaction and that its commit has been tried.
	Committed bool
	Alone     bool          // the statement is the whole transaction
	Again     bool          // the statement has been run before
	backoff   time.Duration // before the next attempt
}

// Next prepares the transaction for a statement. The first statement takes the snapshot; under READ COMMITTED
// each does. The errors are the store's.
func (tx *Txn) Next(ctx context.Context) (Retry, error) {
	t := Retry{Fresh: tx.Fresh}
	tx.Fresh = false
	t.Renewable = t.Fresh || tx.Options.Isolation == sysvar.ReadCommitted
	if !t.Renewable {
		return t, nil
	}
	return t, tx.Renew(ctx)
}

// Over is called when a statement is not run again. The transaction stays fresh if its first statement failed
// to get a lock, as nothing of it has been seen.
func (tx *Txn) Over(t *Retry, err error) {
	if err == nil {
		return
	}
	tx.Fresh = t.Fresh && (errors.Is(err, kv.ErrLockTimeout) || mysqlerr.Is(err, mysqlerr.LockNoWait))
	tx.AbortIf(err)
}

// Retries prepares the transaction to run its statement again after an error that a newer snapshot may avoid,
// and reports whether it did. After a conflict the locks are kept, including that of the changed row, so that
// each attempt gets further than the last. began is when the statement began.
func (s *State) Retries(ctx context.Context, tx *Txn, t *Retry, err *error, began time.Time) bool {
	t.Again = true
	switch {
	case *err == nil:
		return false
	case errors.Is(*err, kv.ErrConflict) && t.Renewable && !t.Committed:
		if renewed := tx.Renew(ctx); renewed == nil || !t.Fresh {
			s.shared.Retries.Add(1)
			*err = renewed
			return renewed == nil
		}
	case !t.Fresh || !retriable(*err, t):
		return false
	}
	t.Committed = false
	txn, failed := s.BeginTxn(ctx, tx.Options, kv.TxnOptions{Single: t.Alone, Again: t.Alone})
	if failed != nil {
		*err = failed
		return false
	}
	s.shared.Retries.Add(1)
	tx.restart(txn)
	s.Show(tx, began)
	*err = pause(ctx, t.wait())
	return *err == nil
}

// retriable reports whether a statement of which nothing has been seen may succeed in a new transaction.
func retriable(err error, t *Retry) bool {
	return storeerr.Fatal(err) || t.Committed && errors.Is(err, kv.ErrCatalogChanged) || mysqlerr.Is(err, mysqlerr.TableDefChanged)
}

// The waits before a statement is run again.
const (
	firstBackoff = 50 * time.Microsecond
	lastBackoff  = 20 * time.Millisecond
)

// wait is the longest time to wait, which grows with each attempt.
func (t *Retry) wait() time.Duration {
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
