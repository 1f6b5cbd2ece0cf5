package sqlfront

import (
	"context"
	"errors"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// storeErrors gives the store's errors MySQL's numbers and sentences.
var storeErrors = []struct {
	is     error
	number mysqlerr.Number
	says   string
}{
	{kv.ErrConflict, mysqlerr.LockDeadlock, "Deadlock found when trying to get lock; try restarting transaction (another transaction changed the row)"},
	{kv.ErrDeadlock, mysqlerr.LockDeadlock, "Deadlock found when trying to get lock; try restarting transaction"},
	{kv.ErrLockTimeout, mysqlerr.LockWaitTimeout, "Lock wait timeout exceeded; try restarting transaction"},
	{kv.ErrCatalogChanged, mysqlerr.TableDefChanged, "Table definition has changed, please retry transaction"},
	{kv.ErrReadOnly, mysqlerr.OptionPreventsStmt, "The MySQL server is running with the --read-only option so it cannot execute this statement"},
	{kv.ErrClosed, mysqlerr.ServerShutdown, "Server shutdown in progress: the database has been closed"},
	{kv.ErrNoPartition, mysqlerr.NoPartitionForValue, "Table has no partition for the row's value"},
}

// mapError is the error that the caller of a statement sees.
func mapError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return ctx.Err()
	}
	var already *mysql.MySQLError
	if errors.As(err, &already) {
		return already
	}
	for _, e := range storeErrors {
		if errors.Is(err, e.is) {
			return mysqlerr.New(e.number, "%s", e.says)
		}
	}
	return err
}

// retriable reports whether running a statement again with a new snapshot may
// succeed.
func retriable(err error) bool {
	return errors.Is(err, kv.ErrConflict) || errors.Is(err, kv.ErrDeadlock) || errors.Is(err, kv.ErrCatalogChanged) ||
		mysqlerr.Is(err, mysqlerr.TableDefChanged)
}

// fatal reports whether an error leaves a transaction only its rollback.
func fatal(err error) bool { return errors.Is(err, kv.ErrConflict) || errors.Is(err, kv.ErrDeadlock) }
