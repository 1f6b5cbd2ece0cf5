package exec

import (
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Guard bounds what a statement reads of the store. The zero Guard lets
// everything through.
type Guard struct {
	// NoFullScan refuses scans of whole tables.
	NoFullScan bool
	// Budget, where it is not nil, pays for the cells that are read.
	Budget *kv.Budget
}

// ErrFullScan is why a Guard with NoFullScan ends a statement.
var ErrFullScan = errors.New("a whole table would be read")

// check is ErrFullScan where the scan reads a whole table: neither a condition on
// its rows nor a choice of partitions bounds it, nor does it stop after some cells.
func (g *Guard) check(s *scan) error {
	if !g.NoFullScan || s.con.Ranges != nil || s.kv.Limit > 0 || s.x.nothing || s.x.stmt.explain || s.empty() ||
		len(s.leaves()) < s.tables[0].Partitioning.NumLeaves() {
		return nil
	}
	return ErrFullScan
}

// IsGuarded reports whether a Guard has ended the statement.
func IsGuarded(err error) bool { return errors.Is(err, ErrFullScan) || errors.Is(err, kv.ErrBudget) }

// GuardError is the error of a Guard as users see it, with the statement's plan.
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
