package kv

import "context"

// RangeDeleter is a Txn that can delete all cells of ranges as a whole, at a cost that does not grow
// with their number but for counting them.
type RangeDeleter interface {
	// DeleteRanges removes all versions of the cells that a scan of one table holds, and counts those
	// that the scan would give. The scan has no filter but Ranges, Partitions and Slices, and its
	// MaxVersions is 0 or 1, all or the newest.
	//
	// All rows of the ranges are locked until the end of the transaction, those that are not there
	// too. Where others are in the way, where the store would gain little, or where it cannot do it,
	// Done is false and nothing has happened: the caller deletes the cells one by one then.
	// Errors are those of a write and of a cursor; after one the transaction stands as before.
	DeleteRanges(ctx context.Context, t *Table, s *Scan) (RangesDeleted, error)
}

// RangesDeleted is what RangeDeleter.DeleteRanges has done.
type RangesDeleted struct {
	Done  bool
	Cells int64     // that the scan would have given
	Read  ScanStats // to count them, also where it is not done
}
