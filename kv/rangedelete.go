package kv

import "context"

// ColumnsDeleter is a Txn that can delete many columns at a time.
type ColumnsDeleter interface {
	// DeleteColumns is DeleteColumn for the cells of a batch at some places, ascending; done is false if they
	// must be deleted one by one. The batch has Gaps of a scan of whole columns by this transaction, which has
	// since then only deleted cells before these. After an error, some of the columns are deleted.
	DeleteColumns(ctx context.Context, t *Table, cells *Batch, at []int32) (done bool, err error)
}

// RangeDeleter is a Txn that can delete all cells of ranges as a whole, at a cost that grows with
// their number only for counting them.
type RangeDeleter interface {
	// DeleteRanges removes all versions of the cells in a scan of one table, and counts those that
	// the scan would give. The scan has no filter except Ranges, Partitions and Slices, and its
	// MaxVersions is 0 or 1, all or the newest.
	//
	// All rows of the ranges, existing or not, are locked until the end of the transaction. If others
	// are in the way, if the store would gain little, or if it does not support it, Done is false and
	// nothing has happened: the caller then deletes the cells one by one. Errors are those of a write
	// and of a cursor; after one the transaction is as before.
	DeleteRanges(ctx context.Context, t *Table, s *Scan) (RangesDeleted, error)
}

// RangesDeleted says what RangeDeleter.DeleteRanges has done.
type RangesDeleted struct {
	Done  bool
	Cells int64     // cells that the scan would have given
	Read  ScanStats // the work of counting them, even if Done is false
}
