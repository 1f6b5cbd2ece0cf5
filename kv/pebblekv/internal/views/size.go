package views

import "github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"

// BlockBytes is the size of a file's blocks before compression.
const BlockBytes = 8 << 10

// SizeOf returns about how many bytes a span takes on disk and in memory.
func (v *View) SizeOf(lower, upper []byte) (uint64, error) {
	size, err := v.Engine.DB.EstimateDiskUsage(lower, upper)
	return size + uint64(v.Engine.Fresh.within(lower, upper)), faultfs.DiskError(err)
}
