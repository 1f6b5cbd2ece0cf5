package rowapi

import "errors"

// The errors that callers test for with errors.Is. Each corresponds to an exception of HBase's. Errors
// of the store, such as [kv.ErrClosed], [kv.ErrReadOnly] and [kv.ErrDiskFull], and those of contexts
// are returned as they are.
var (
	// ErrTableNotFound is TableNotFoundException.
	ErrTableNotFound = errors.New("table not found")
	// ErrTableDisabled is TableNotEnabledException.
	ErrTableDisabled = errors.New("table is disabled")
	// ErrNoSuchFamily is regionserver.NoSuchColumnFamilyException. Nothing has been done.
	ErrNoSuchFamily = errors.New("column family does not exist")
	// ErrNotLong is DoNotRetryIOException: the value to be incremented does not have 8 bytes.
	ErrNotLong = errors.New("field is not a long")
	// ErrCellTooLarge is DoNotRetryIOException: a row, a qualifier or a value is too long.
	ErrCellTooLarge = errors.New("cell is too large")
	// ErrInvalid is DoNotRetryIOException: the operation makes no sense.
	ErrInvalid = errors.New("invalid operation")
	// ErrUnsupported is DoNotRetryIOException: HBase supports it, but not this package.
	ErrUnsupported = errors.New("not supported")
	// ErrWrongRow is regionserver.WrongRegionException: no partition of the table holds the row.
	ErrWrongRow = errors.New("no region holds the row")
	// ErrBusy is RegionTooBusyException: others have had the row locked, or have repeatedly changed it,
	// during the lock timeout. Nothing has been done.
	ErrBusy = errors.New("row is busy")
	// ErrTimestampExhausted is DoNotRetryIOException: the newest version of a column is at 2^63-1, so
	// there is no later timestamp for an Increment or an Append.
	ErrTimestampExhausted = errors.New("no later timestamp is left")
	// ErrTooLarge is DoNotRetryIOException: a mutation is larger than the store can commit at once.
	ErrTooLarge = errors.New("mutation is too large")
	// ErrScannerClosed is UnknownScannerException.
	ErrScannerClosed = errors.New("scanner is closed")
)
