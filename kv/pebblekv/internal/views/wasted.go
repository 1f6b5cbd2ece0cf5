package views

import (
	"context"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// wastedWork counts the wasted work of reads, and requests a flush. Deleted entries
// stay in memory with their deletions until a flush drops both: a table whose rows
// come and go would be read more slowly with each deleted row. And if many cells
// are in memory that were not written in key order, a seek takes longer there than
// in all files.
type wastedWork struct {
	steps   atomic.Int64
	seeks   atomic.Int64
	written atomic.Uint64 // cells written when the count of seeks began
	flushed atomic.Uint64 // the clock at the last flush that was asked for
}

// note counts what an iterator has done since the last call: its seeks, and the
// entries that it met but did not show.
func (w *wastedWork) note(e *Engine, it *pebble.Iterator) {
	s := it.Stats()
	it.ResetStats()
	const shown = pebble.InterfaceCall
	seeks := int64(s.ForwardSeekCount[shown] + s.ReverseSeekCount[shown])
	met := int64(s.InternalStats.PointCount) - int64(s.ForwardStepCount[shown]+s.ReverseStepCount[shown])
	calm := w.seeks.Add(seeks) >= e.Tuning.SeekFlush && w.calm(e)
	if w.steps.Add(max(met-seeks, 0)) < e.Tuning.DeadFlush && !calm {
		return
	}
	w.steps.Store(0)
	if now := e.Views.Now(); w.flushed.Swap(now) != now {
		go e.Keeper.Flush(context.Background()) // only speeds up reads, so it may fail
	}
}

// With so many cells in memory seeks cause a flush, unless more than one cell is
// written per seeksACell seeks: each flush adds a file to search.
const (
	manyCells  = 1 << 16
	seeksACell = 256
)

// calm is called after each Tuning.SeekFlush seeks.
func (w *wastedWork) calm(e *Engine) bool {
	w.seeks.Store(0)
	written := e.Fresh.count.Load()
	return int64(written-w.written.Swap(written)) < e.Tuning.SeekFlush/seeksACell && e.Fresh.cells() >= manyCells
}
