package op

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// Progress is told what a statement reads. It must be safe for concurrent use.
type Progress interface {
	// Read is called from time to time, after a scan has read that many more cells and so many
	// partitions. of identifies the scan within the statement; tables and s are valid during the
	// call.
	Read(ctx context.Context, of any, tables []*kv.Table, s *kv.Scan, cells int64, partitions float64)
}
