package op

import (
	"github.com/hbasekv/hbasekv/kv"
)

// Guard bounds what a statement reads of the store. The zero Guard lets
// everything through.
type Guard struct {
	// NoFullScan refuses scans of whole tables.
	NoFullScan bool
	// Budget, where it is not nil, pays for the cells that are read.
	Budget *kv.Budget
}

// Locking is how a SELECT locks the rows that it reads
// (https://dev.mysql.com/doc/refman/8.0/en/innodb-locking-reads.html).
type Locking struct {
	How kv.RowLock
	// Skip leaves out rows that others have locked.
	Skip bool
}
