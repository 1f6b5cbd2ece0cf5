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

// Retry is what is known of a statement of a transaction that may be run again.
type Retry struct {
	// Fresh is true of the first statement: nobody has seen anything of the
	// transaction, so that it may begin again.
	Fresh bool
	// Renewable is true where a newer snapshot may be taken: of the first
	// statement, and under READ COMMITTED of each.
	Renewable bool
	// Committed is true where the statement is the whole transaction and its
	// commit has been tried.
	Committed bool
	Alone     bool          // the statement is the whole transaction
	backoff   time.Duration // before the next attempt
}

// Next readies the transaction for a statement. The first one takes the
// snapshot, and under READ COMMITTED each. The errors are the store's.
func (tx *Txn) Next(ctx context.Context) (Retry, error) {
	t := Retry{Fresh: tx.Fresh}
	tx.Fresh = false
	t.Renewable = t.Fresh || tx.Options.Isolation == sysvar.ReadCommitted
	if !t.Renewable {
		return t, nil
	}
	return t, tx.Renew(ctx)
}

// Over is called when a statement is not run again. A first statement that
// failed to get a lock has shown nobody anything.
func (tx *Txn) Over(t *Retry, err error) {
	if err == nil {
		return
	}
	tx.Fresh = t.Fresh && (errors.Is(err, kv.ErrLockTimeout) || mysqlerr.Is(err, mysqlerr.LockNoWait))
	tx.AbortIf(err)
}

// Retries readies the transaction to run its statement again after an error that
// a newer snapshot may spare it, and reports whether it did. After a conflict
// the locks are kept, the changed row's among them, so that each attempt gets
// further than the last. The statement began then.
func (s *State) Retries(ctx context.Context, tx *Txn, t *Retry, err *error, began time.Time) bool {
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
	options := s.TxnOptions(tx.Options)
	options.Single, options.Again = t.Alone, t.Alone
	txn, failed := (*s.store).Begin(ctx, options)
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

// retriable reports whether a statement that nobody has seen anything of may
// succeed in a new transaction.
func retriable(err error, t *Retry) bool {
	return storeerr.Fatal(err) || t.Committed && errors.Is(err, kv.ErrCatalogChanged) || mysqlerr.Is(err, mysqlerr.TableDefChanged)
}

// The waits before a statement is run again.
const (
	firstBackoff = 50 * time.Microsecond
	lastBackoff  = 20 * time.Millisecond
)

// wait is how long to wait at most: longer each time.
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
