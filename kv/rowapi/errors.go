package rowapi

import "errors"

// The errors that callers test for with errors.Is. Each has an exception of HBase's that says the
// same. Errors of the store, such as [kv.ErrClosed], [kv.ErrReadOnly] and [kv.ErrDiskFull], and those
// of contexts come as they are.
var (
	// ErrTableNotFound is TableNotFoundException.
	ErrTableNotFound = errors.New("table not found")
	// ErrTableDisabled is TableNotEnabledException.
	ErrTableDisabled = errors.New("table is disabled")
	// ErrNoSuchFamily is regionserver.NoSuchColumnFamilyException. Nothing of the operation is done.
	ErrNoSuchFamily = errors.New("column family does not exist")
	// ErrNotLong is DoNotRetryIOException: the value that was to be incremented has not 8 bytes.
	ErrNotLong = errors.New("field is not a long")
	// ErrCellTooLarge is DoNotRetryIOException: a row, a qualifier or a value is longer than may be.
	ErrCellTooLarge = errors.New("cell is too large")
	// ErrInvalid is DoNotRetryIOException: the operation says what nobody can do.
	ErrInvalid = errors.New("invalid operation")
	// ErrUnsupported is DoNotRetryIOException: HBase has it, and it is not here.
	ErrUnsupported = errors.New("not supported")
	// ErrWrongRow is regionserver.WrongRegionException: no partition of the table has the row.
	ErrWrongRow = errors.New("no region holds the row")
	// ErrBusy is RegionTooBusyException: others have had the row locked, or have changed it again
	// and again, for the lock timeout. Nothing has been done.
	ErrBusy = errors.New("row is busy")
	// ErrTimestampExhausted is DoNotRetryIOException: behind the newest version of a column, at 2^63-1,
	// there is no timestamp for an Increment or an Append.
	ErrTimestampExhausted = errors.New("no later timestamp is left")
	// ErrTooLarge is DoNotRetryIOException: a mutation is larger than the store can commit at once.
	ErrTooLarge = errors.New("mutation is too large")
	// ErrScannerClosed is UnknownScannerException.
	ErrScannerClosed = errors.New("scanner is closed")
)
