package exec

import (
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// ErrFullScan is why a Guard with NoFullScan ends a statement.
var ErrFullScan = errors.New("a whole table would be read")

// checkGuard is ErrFullScan where the scan reads a whole table: neither a condition on
// its rows nor a choice of partitions bounds it, nor does it stop after some cells.
func checkGuard(g *op.Guard, s *scan) error {
	if !g.NoFullScan || s.con.Ranges != nil || s.kv.Limit > 0 || s.x.Nothing || s.x.Stmt.Explain || s.empty() ||
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
