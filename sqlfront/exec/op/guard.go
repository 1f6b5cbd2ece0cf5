package op

import (
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Guard limits what a statement reads of the store. The zero Guard has no limits.
type Guard struct {
	// NoFullScan refuses scans of whole tables.
	NoFullScan bool
	// Budget, if not nil, limits the cells that are read.
	Budget *kv.Budget
}

// Locking is how a SELECT locks the rows that it reads
// (https://dev.mysql.com/doc/refman/8.0/en/innodb-locking-reads.html).
type Locking struct {
	How kv.RowLock
	// Skip skips rows that others have locked.
	Skip bool
}

// ErrFullScan is the error of a Guard with NoFullScan.
var ErrFullScan = errors.New("a whole table would be read")

// IsGuarded reports whether a Guard has ended the statement.
func IsGuarded(err error) bool { return errors.Is(err, ErrFullScan) || errors.Is(err, kv.ErrBudget) }

// GuardError returns the error of a Guard for users (1104), with the statement's plan.
func GuardError(err error, tree string) error {
	why := "The statement would read a whole table"
	if errors.Is(err, kv.ErrBudget) {
		why = "The statement reads more cells than hbasekv_scan_limit"
	}
	out := mysqlerr.New(mysqlerr.TooBigSelect, "%s; check your WHERE", why)
	const most = 16 << 10
	if len(tree) > most {
		tree = tree[:most] + "..."
	}
	out.Message += "\n" + tree
	return out
}
