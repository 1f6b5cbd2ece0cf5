package views

import (
	"context"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// wastedWork counts the wasted work of reads, and asks for a flush. What is deleted
// stays in memory, with
// what deletes it, until it is flushed, and a table whose rows come and go would
// be read more slowly with each that has gone: a flush drops both. And where many
// cells are in memory, written in another order than that of their keys, a seek
// takes longer there than in all files.
type wastedWork struct {
	steps   atomic.Int64
	seeks   atomic.Int64
	written atomic.Uint64 // cells, when so many seeks began
	flushed atomic.Uint64 // the clock at the last flush that was asked for
}

// note takes up what an iterator has done since it was asked last: how often it
// was sought, and how many entries it has met that it did not show.
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
		go e.Keeper.Flush(context.Background()) // for the sake of reads alone: it may fail
	}
}

// Where so many cells are in memory seeks are worth a flush, unless more than one
// is written in so many seeks: each flush makes one file more to look in.
const (
	manyCells  = 1 << 16
	seeksACell = 256
)

// calm is asked after each tuning.SeekFlush seeks.
func (w *wastedWork) calm(e *Engine) bool {
	w.seeks.Store(0)
	written := e.Fresh.count.Load()
	return int64(written-w.written.Swap(written)) < e.Tuning.SeekFlush/seeksACell && e.Fresh.cells() >= manyCells
}
