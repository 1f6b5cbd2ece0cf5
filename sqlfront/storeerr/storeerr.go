// Package storeerr gives the errors of stores MySQL's numbers and sentences.
package storeerr

import (
	"context"
	"errors"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/caught"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// storeErrors are MySQL's numbers and messages for the store's errors.
var storeErrors = []struct {
	is     error
	number mysqlerr.Number
	says   string
}{
	{kv.ErrConflict, mysqlerr.LockDeadlock, "Deadlock found when trying to get lock; try restarting transaction (another transaction changed a row that this one read or writes)"},
	{kv.ErrDeadlock, mysqlerr.LockDeadlock, "Deadlock found when trying to get lock; try restarting transaction"},
	{kv.ErrReopened, mysqlerr.LockDeadlock, "Deadlock found when trying to get lock; try restarting transaction (the store was opened again after a fault of the disk, which ended all transactions)"},
	{kv.ErrLockTimeout, mysqlerr.LockWaitTimeout, "Lock wait timeout exceeded; try restarting transaction"},
	{kv.ErrCatalogChanged, mysqlerr.TableDefChanged, "Table definition has changed, please retry transaction"},
	{kv.ErrTooLarge, mysqlerr.TransCacheFull, "The transaction writes more than the store can commit at once; commit in parts"},
	{kv.ErrReadOnly, mysqlerr.OptionPreventsStmt, "The MySQL server is running with the --read-only option so it cannot execute this statement"},
	{kv.ErrClosed, mysqlerr.ServerShutdown, "Server shutdown in progress: the database has been closed"},
	{kv.ErrLength, mysqlerr.DataTooLong, "Data too long or too short for a column: the store cannot hold the row"},
	{kv.ErrNull, mysqlerr.BadNull, "Column 'V' cannot be null"},
	{kv.ErrNoTable, mysqlerr.NoSuchTable, "The table no longer exists: another program has dropped it"},
	{kv.ErrNoPartition, mysqlerr.NoPartitionForValue, "Table has no partition for the row's value"},
}

// Map is the error for the caller of a statement: the context's own if that is done, a *mysql.MySQLError as
// it is, a store's error with MySQL's number, and otherwise err. It re-panics with a panic that err carries.
func Map(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	caught.Throw(err)
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
	if errors.Is(err, kv.ErrDenied) {
		return mysqlerr.New(mysqlerr.TableAccessDenied, "The command is denied to the store's user: %s", err)
	}
	var entry *kv.DuplicateEntryError
	if errors.As(err, &entry) {
		return mysqlerr.New(mysqlerr.DupEntry, "Duplicate entry '%s' for key '%s': the row %q has it",
			typed.EntryText(entry.Table, entry.Index, entry.Entry), entry.Index, entry.Row)
	}
	var unsupported kv.ErrUnsupported
	if errors.As(err, &unsupported) {
		return mysqlerr.Unsupported(unsupported.What)
	}
	var partly *kv.PartlyWritten
	if errors.As(err, &partly) || errors.Is(err, kv.ErrOutcomeUnknown) && !errors.Is(err, kv.ErrFailed) {
		return mysqlerr.New(mysqlerr.ErrorDuringCommit, "Got error 0 - '%s' during COMMIT", err)
	}
	return diskError(err)
}

// OfDatabase is the error of a statement that creates, changes or drops a database: 1044 if the store does
// not permit it, otherwise err.
func OfDatabase(err error, database string) error {
	if !errors.Is(err, kv.ErrDenied) {
		return err
	}
	return mysqlerr.New(mysqlerr.DBAccessDenied, "Access denied for the store's user to database '%s': %s", database, err)
}

// diskError is an error of the store's files for users: MySQL's words, and the store's about the file.
func diskError(err error) error {
	switch {
	case errors.Is(err, kv.ErrDiskFull):
		return mysqlerr.New(mysqlerr.DiskFull, "Disk full: %s", err)
	case errors.Is(err, kv.ErrBackupTarget):
		return mysqlerr.New(mysqlerr.FileExists, "File already exists: %s", err)
	case errors.Is(err, kv.ErrCorrupt), errors.Is(err, kv.ErrFormat):
		return mysqlerr.New(mysqlerr.TableCorrupt, "Operation cannot be performed. The table is missing, corrupt or contains bad data: %s", err)
	case errors.Is(err, kv.ErrStorage), errors.Is(err, kv.ErrFailed):
		var no syscall.Errno
		errors.As(err, &no)
		return mysqlerr.New(mysqlerr.GetErrno, "Got error %d - '%s' from storage engine", int(no), err)
	}
	return err
}

// Fatal reports whether only a rollback is left to a transaction after an error.
func Fatal(err error) bool {
	return errors.Is(err, kv.ErrConflict) || errors.Is(err, kv.ErrDeadlock) || errors.Is(err, kv.ErrCatalogChanged) ||
		errors.Is(err, kv.ErrReopened)
}
