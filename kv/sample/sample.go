// Package sample is how a store tells of some of the reads and writes that it counts: enough of them to know which rows
// of a partition are asked for and by what, at a cost that reads do not feel.
package sample

import (
	"context"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
)

// Every is how many cells of a partition, read or written, one sample is told for. It is a power of two.
const Every = 64

// Sample is one access. It stands for the cells that were counted since the last sample of the partition.
type Sample struct {
	Table *kv.Table
	Leaf  int
	// From is the first row that was asked for, and To the last one; they are the same where it was one row. Nil is no
	// bound. A scan's are those of the part that it read in the leaf. They are valid during the call only.
	From, To []byte
	// Reads and Writes are in cells, as in kv.PartitionLoad; one of them is 0.
	Reads, Writes int64
}

// Teller is a store that tells of samples.
type Teller interface {
	// TellSamples has fn called with samples from now on, and no other function any more; nil ends it. The context is
	// that of the call that reads or writes. fn is called by any number of goroutines, while the store holds locks: it
	// does not wait and does not call the store. A store that has been reopened has to be asked again.
	TellSamples(fn func(context.Context, Sample))
}

// Count adds n to a count of cells, and gives for how many of those counted a sample is due: 0 is none.
func Count(cells *atomic.Int64, n int64) (due int64) {
	now := cells.Add(n)
	return now&^(Every-1) - (now-n)&^(Every-1)
}
