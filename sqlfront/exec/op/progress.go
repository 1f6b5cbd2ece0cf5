package op

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
