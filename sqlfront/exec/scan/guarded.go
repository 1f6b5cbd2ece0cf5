package scan

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
)

// checkGuard is ErrFullScan where the scan reads a whole table: neither a condition on
// its rows nor a choice of partitions bounds it, nor does it stop after some cells.
func checkGuard(g *op.Guard, s *Scan) error {
	if !g.NoFullScan || s.Con.Ranges != nil || s.Asked.Limit > 0 || s.X.Nothing || s.X.Stmt.Explain || s.Empty() ||
		len(s.Leaves()) < s.Tables[0].Partitioning.NumLeaves() {
		return nil
	}
	return op.ErrFullScan
}
