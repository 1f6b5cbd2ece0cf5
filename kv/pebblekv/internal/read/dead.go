package read

import (
	"context"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// dead counts what reads have done in vain. What is deleted stays in memory, with
// what deletes it, until it is flushed, and a table whose rows come and go would
// be read more slowly with each that has gone: a flush drops both. And where many
// cells are in memory, written in another order than that of their keys, a seek
// takes longer there than in all files.
type dead struct {
	steps   atomic.Int64
	seeks   atomic.Int64
	written atomic.Uint64 // cells, when so many seeks began
	flushed atomic.Uint64 // the clock at the last flush that was asked for
}

// read takes up what an iterator has done since it was asked last: how often it
// was sought, and how many entries it has met that it did not show.
func (d *dead) read(e *Engine, it *pebble.Iterator) {
	s := it.Stats()
	it.ResetStats()
	const shown = pebble.InterfaceCall
	seeks := int64(s.ForwardSeekCount[shown] + s.ReverseSeekCount[shown])
	met := int64(s.InternalStats.PointCount) - int64(s.ForwardStepCount[shown]+s.ReverseStepCount[shown])
	calm := d.seeks.Add(seeks) >= e.Tuning.SeekFlush && d.calm(e)
	if d.steps.Add(max(met-seeks, 0)) < e.Tuning.DeadFlush && !calm {
		return
	}
	d.steps.Store(0)
	if now := e.Views.Now(); d.flushed.Swap(now) != now {
		go e.keeper.Flush(context.Background()) // for the sake of reads alone: it may fail
	}
}

// Where so many cells are in memory seeks are worth a flush, unless more than one
// is written in so many seeks: each flush makes one file more to look in.
const (
	manyCells  = 1 << 16
	seeksACell = 256
)

// calm is asked after each tuning.SeekFlush seeks.
func (d *dead) calm(e *Engine) bool {
	d.seeks.Store(0)
	written := e.Fresh.count.Load()
	return int64(written-d.written.Swap(written)) < e.Tuning.SeekFlush/seeksACell && e.Fresh.cells() >= manyCells
}
