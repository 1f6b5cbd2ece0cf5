package read

import (
	"context"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// dead counts the entries that reads have stepped over in vain: what is deleted
// stays in memory, with what deletes it, until it is flushed, and a table whose
// rows come and go would be read more slowly with each that has gone. A flush
// drops both.
type dead struct {
	steps   atomic.Int64
	flushed atomic.Uint64 // the clock at the last flush that was asked for
}

// read takes up what an iterator has done since it was asked last.
func (d *dead) read(e *Engine, it *pebble.Iterator) {
	if d.steps.Add(vain(it)) < e.Tuning.DeadFlush {
		return
	}
	d.steps.Store(0)
	if now := e.Views.Now(); d.flushed.Swap(now) != now {
		go e.keeper.Flush(context.Background()) // for the sake of reads alone: it may fail
	}
}

// vain is how many entries the iterator has met that it did not show.
func vain(it *pebble.Iterator) int64 {
	s := it.Stats()
	it.ResetStats()
	const shown = pebble.InterfaceCall
	n := int64(s.InternalStats.PointCount) - int64(s.ForwardSeekCount[shown]+s.ForwardStepCount[shown]+
		s.ReverseSeekCount[shown]+s.ReverseStepCount[shown])
	return max(n, 0)
}
