package driver

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// RetryOptions are how Retry runs a transaction again. The zero value is the
// default of each.
type RetryOptions struct {
	// Tx is what the transactions begin with.
	Tx *sql.TxOptions
	// Attempts is how often the transaction is run at most; 0 and less are
	// DefaultAttempts.
	Attempts int
	// Backoff is the longest wait before the second attempt; it doubles with each
	// one. The wait is a random part of it. 0 and less are DefaultBackoff.
	Backoff time.Duration
}

// The defaults of RetryOptions.
const (
	DefaultAttempts = 10
	DefaultBackoff  = 5 * time.Millisecond
)

// Retry runs fn in a transaction and commits it. Where fn or the commit fails by
// a deadlock or a conflict (1213) or a lock that was not got in time (1205), it
// is rolled back and run again: fn may be called often, and must have no effect
// but by tx. Any other error ends it at once, after a rollback where fn failed.
// An error whose outcome is unknown, as of a connection that broke during the
// commit, is never followed by another attempt. The error is the last one.
func Retry(ctx context.Context, db *sql.DB, o RetryOptions, fn func(tx *sql.Tx) error) error {
	if o.Attempts <= 0 {
		o.Attempts = DefaultAttempts
	}
	if o.Backoff <= 0 {
		o.Backoff = DefaultBackoff
	}
	for attempt := 1; ; attempt++ {
		err := once(ctx, db, o.Tx, fn)
		if !transient(err) || attempt >= o.Attempts {
			return err
		}
		if waitErr := sleep(ctx, rand.N(o.Backoff)+1); waitErr != nil {
			return err
		}
		o.Backoff = min(2*o.Backoff, time.Second)
	}
}

// once runs the transaction. A panic of fn rolls it back.
func once(ctx context.Context, db *sql.DB, o *sql.TxOptions, fn func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing to do after the commit
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// transient reports whether the error says that nothing was written, and that
// another attempt may succeed.
func transient(err error) bool {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return false
	}
	return e.Number == uint16(mysqlerr.LockDeadlock) || e.Number == uint16(mysqlerr.LockWaitTimeout)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
