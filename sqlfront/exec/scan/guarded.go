package scan

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
)

// checkFull returns ErrFullScan if the scan reads a whole table: neither a condition on its rows
// nor a choice of partitions limits it, nor does it stop after some cells.
func (s *Scan) checkFull() error {
	if s.Con.Ranges != nil || s.StoreScan.Limit > 0 || s.X.Nothing || s.X.Stmt.Explain || s.Empty() ||
		len(s.Leaves()) < s.Tables[0].Partitioning.NumLeaves() {
		return nil
	}
	return op.ErrFullScan
}
