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

// RetryOptions say how Retry repeats a transaction. Each zero value means the
// default.
type RetryOptions struct {
	// Tx are the options that each transaction begins with.
	Tx *sql.TxOptions
	// Attempts is the maximum number of times that the transaction is run; 0 or
	// less means DefaultAttempts.
	Attempts int
	// Backoff is the maximum wait before the second attempt; it doubles with each
	// attempt, up to a second. The wait is a random part of it. 0 or less means
	// DefaultBackoff.
	Backoff time.Duration
}

// The defaults of RetryOptions.
const (
	DefaultAttempts = 10
	DefaultBackoff  = 5 * time.Millisecond
)

// Retry runs fn in a transaction and commits it. If fn or the commit fails with
// 1213 (deadlock or conflict) or 1205 (lock wait timeout), the transaction is
// rolled back and run again: fn may be called several times, and must have no
// effect except through tx. Any other error ends Retry at once, after a rollback
// if fn failed. An error that leaves the outcome unknown, such as a connection
// that breaks during the commit, is never followed by another attempt. Retry
// returns the last error.
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
	defer tx.Rollback() // does nothing after the commit
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// transient reports whether the error says that nothing was written and that
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
