package op

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// Progress takes note of what a statement reads. Several goroutines may call it at once.
type Progress interface {
	// Read is called now and then, once a scan has looked at that many more cells and has passed so
	// many partitions. of identifies the scan within the statement; tables and s are valid during
	// the call.
	Read(ctx context.Context, of any, tables []*kv.Table, s *kv.Scan, cells int64, partitions float64)
}
