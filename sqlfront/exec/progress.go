package exec

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// Progress is told what a statement reads. It is safe for goroutines.
type Progress interface {
	// Read is told now and then that a scan has looked at more cells, and passed so many
	// partitions. of tells the scans of a statement apart; tables and s are valid during
	// the call.
	Read(ctx context.Context, of any, tables []*kv.Table, s *kv.Scan, cells int64, partitions float64)
}

// Read passes on what the store tells of the scan, and of the parts that it was
// divided into.
func (s *scan) Read(cells int64, partitions float64) {
	s.x.c.Progress.Read(s.x.c.Ctx, s, s.tables, &s.kv, cells, partitions)
}
