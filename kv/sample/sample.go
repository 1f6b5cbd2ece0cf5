// Package sample is how a store tells of some of the reads and writes that it counts: enough of them to know
// which rows of a partition are asked for and by what, at a cost that reads do not feel.
package sample

import (
	"context"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
)

// Every is the number of cells of a partition, read or written, for one sample. It is a power of two.
const Every = 64

// Sample is one access. It represents the cells that were counted since the last sample of the partition.
type Sample struct {
	Table *kv.Table
	Leaf  int
	// From is the first row that was accessed, and To the last one; they are equal for a single row. Nil is
	// open. A scan's are those of the part that it read in the leaf. They are only valid during the call.
	From, To []byte
	// Reads and Writes are in cells, as in kv.PartitionLoad; one of them is 0.
	Reads, Writes int64
}

// Teller is a store that reports samples.
type Teller interface {
	// TellSamples makes the store call fn, and no other function, with samples from now on; nil ends that.
	// The context is that of the reading or writing call. fn is called concurrently, while the store holds
	// locks: it must not wait and must not call the store. After a store is reopened, TellSamples must be
	// called again.
	TellSamples(fn func(context.Context, Sample))
}

// Count adds n to a count of cells, and returns for how many of these a sample is due; 0 for none.
func Count(cells *atomic.Int64, n int64) (due int64) {
	now := cells.Add(n)
	return now&^(Every-1) - (now-n)&^(Every-1)
}
