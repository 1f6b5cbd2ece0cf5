package kv

import (
	"errors"
	"fmt"
)

// The errors that callers test for with errors.Is.
var (
	ErrDenied             = errors.New("the store's user has no permission for this operation")
	ErrClosed             = errors.New("the store is closed")
	ErrReadOnly           = errors.New("the store or transaction is read-only")
	ErrLocked             = errors.New("another process holds the store")
	ErrFormat             = errors.New("unknown store format")
	ErrConflict           = errors.New("another transaction has changed the row since the snapshot")
	ErrDeadlock           = errors.New("deadlock between transactions")
	ErrLockTimeout        = errors.New("timed out waiting for a row lock")
	ErrRowLocked          = errors.New("another transaction has locked the row")
	ErrCatalogChanged     = errors.New("a table has been changed or dropped since the snapshot")
	ErrNoPartition        = errors.New("no partition holds the row")
	ErrTooLarge           = errors.New("the transaction writes more than the store can commit at once")
	ErrBudget             = errors.New("the scans look at more cells than allowed")
	ErrTimestampExhausted = errors.New("the column has no later timestamp left")
	ErrLength             = errors.New("a row, qualifier or value is shorter or longer than the store can hold")
	ErrCounterEnd         = errors.New("the counter has no more numbers")
	ErrNull               = errors.New("the store has no null value")

	// ErrOutcomeUnknown is returned by Commit if the store may have written or not, because
	// its response was lost. Read the data to find out.
	ErrOutcomeUnknown = errors.New("it is not known whether the transaction was committed")

	// Errors of the disk; the error that wraps one names the file.
	ErrDiskFull = errors.New("the disk is full")
	ErrCorrupt  = errors.New("the store's data is damaged")
	ErrStorage  = errors.New("the store's files cannot be read or written")
	ErrFailed   = errors.New("the store has failed and will reopen itself when the disk accepts writes")
	// ErrReopened is returned by transactions, cursors and checks that began before the
	// store failed and reopened itself. The transaction has changed nothing.
	ErrReopened     = errors.New("the store has been reopened; transactions and cursors in progress have ended")
	ErrBackupTarget = errors.New("the backup's directory is already in use")

	ErrDatabaseExists = errors.New("the database already exists")
	ErrNoDatabase     = errors.New("no such database")
	ErrTableExists    = errors.New("the table already exists")
	ErrNoTable        = errors.New("no such table")
	ErrViewExists     = errors.New("the view already exists")
	ErrNoView         = errors.New("no such view")
	ErrIndexExists    = errors.New("the table has an index of that name")
	ErrNoIndex        = errors.New("no such index")
	ErrGroupExists    = errors.New("the table group already exists")
	ErrNoGroup        = errors.New("no such table group")
	ErrGroupNotEmpty  = errors.New("the table group has tables")
	ErrPartitioning   = errors.New("the tables of a table group must be partitioned alike")
	ErrNeedsMove      = errors.New("this requires moving cells")
)

// PartlyWritten is returned by Commit in a store that was asked to write rows one by one:
// some rows are written and stay so. It matches no other error by errors.Is.
type PartlyWritten struct {
	// Written is how many of Rows are certainly written.
	Written, Rows int
	// Cause is the reason why the rest was not.
	Cause error
}

// Error implements error.
func (e *PartlyWritten) Error() string {
	return fmt.Sprintf("%d of %d rows were written: %s", e.Written, e.Rows, e.Cause)
}
