package views

import "github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"

// BlockBytes is how large the blocks of files are before they are compressed.
const BlockBytes = 8 << 10

// SizeOf is about what a span takes on disk and in memory.
func (v *View) SizeOf(lower, upper []byte) (uint64, error) {
	size, err := v.Engine.DB.EstimateDiskUsage(lower, upper)
	return size + uint64(v.Engine.Fresh.within(lower, upper)), faultfs.DiskError(err)
}
