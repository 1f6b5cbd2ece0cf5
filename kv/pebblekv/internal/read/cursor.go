// Package read reads a view, with a transaction's own writes on top.
//
// [Open] opens a cursor on a view. The cursor reads runs of streams, and a merge orders each run. A
// stream reads one table in one partition, and filters what an iterator gives it. Iterators are
// stacked in layers: what is stored, own writes, slices of time, what the retention of a table keeps
// (mostly done by the filter), and cells read ahead.
package read

import (
	"context"
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/pacer"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
	"github.com/hbasekv/hbasekv/partition"
)

// checkEvery is the number of cells between two checks of the context while a filter skips cells.
const checkEvery = 512

// cursor implements kv.Cursor over one or several streams. While it is open it holds its view and
// keeps the store open.
type cursor struct {
	ctx    context.Context
	view   *views.View
	own    *overlay.Writes
	scan   *kv.Scan
	moment Moment
	tuning *views.Tuning
	// reads records what has been read; it may be nil.
	reads  *ReadSet
	tables []*kv.Table
	scheme *partition.Scheme
	// skipRow is the row to continue at if skipping is set.
	skipRow  []byte
	skipping bool
	// slices are the slices of time that are merged, if the tables have slices and more than one is
	// read; otherwise slice is the one to read. wantSlices are those that the scan asks for, if
	// others are read too.
	slices     []int
	slice      int
	wantSlices []int
	// columns means that streams must know when a column ends; single that there is at most one cell:
	// the newest of a column.
	columns, single bool

	// runs are read one after the other; the streams of each are merged.
	runs    [][]*stream
	merge   merge
	current *stream // its cell is the current one; nil before the first and after the last
	cell    kv.Cell
	looked  int
	stepped int // steps over cells of unwanted qualifiers or times
	// untimely means that some of these had unwanted times.
	untimely bool
	pacer    pacer.Pacer
	run      countedRun
	// copied is the stream of the cell copied last to a batch, copiedRow its row.
	copied    *stream
	copiedRow int
	long      longColumns
	stats     kv.ScanStats
	spent     int64 // cells that the budget has paid for
	told      int64 // cells that were reported to the progress
	batched   int   // cells given in batches since then
	err       error
	over      bool

	// The stream and its memory if there is only one.
	one       stream
	arena     spanArena
	onePart   [1]partSpans
	oneSpan   [1]cellkey.Span
	oneHeap   [1]*stream
	oneBuf    [streamBytes]byte
	oneStream [1]*stream
	oneRun    [1][]*stream
	free      []stream // allocated and unused, and their bytes
	freeBuf   []byte
	// Where those were taken from; the next scan reuses it.
	streams    []stream
	streamBuf  []byte
	taken      bool
	aheadArena aheadArena
	hot        hotReading
}

// cursors are cursors that Release gave back, zeroed except for their memory.
var cursors = sync.Pool{New: func() any { return new(cursor) }}

// Open opens a cursor. The caller is inside Keeper.Enter, with a reader's use of the view. If Open
// succeeds, closing the cursor ends that use and exits.
func Open(
	ctx context.Context, v *views.View, own *overlay.Writes, reads *ReadSet, tables []*kv.Table, s *kv.Scan,
	m Moment,
) (kv.Cursor, error) {
	if len(tables) == 0 {
		return nil, errors.New("a scan needs a table")
	}
	t := &v.Engine.Tuning
	var c *cursor
	if t.Recycle {
		c = cursors.Get().(*cursor)
	} else {
		c = new(cursor)
	}
	c.tuning, c.ctx, c.view, c.own, c.reads, c.tables, c.scan, c.moment = t, ctx, v, own, reads, tables, s, m
	c.scheme = tables[0].Partitioning
	c.plan(tables)
	if reads != nil {
		reads.opened(c)
	}
	v.Engine.Cursors.Add(1)
	return c, nil
}

// Next implements kv.Cursor.
func (c *cursor) Next() bool {
	return !c.over && !c.stopped() && c.step() && (c.scan.Budget == nil || c.affords())
}

// step is Next without the checks for an end from outside.
func (c *cursor) step() bool {
	switch {
	case c.skipping:
		c.current = c.skip()
	case c.single:
		c.current = nil // the next cell need not be looked at
	case c.current != nil:
		c.current = c.merge.next()
	}
	return c.arrive()
}

// arrive moves to the next run if there is no current cell, and ends the cursor if there is no further run.
func (c *cursor) arrive() bool {
	for c.current == nil {
		if c.err != nil || !c.nextRun() {
			c.finish()
			return false
		}
	}
	if c.err != nil {
		c.finish()
		return false
	}
	return true
}

// stopped checks what may end the cursor from outside.
func (c *cursor) stopped() bool {
	c.pacer.Step()
	if c.checkEnds() {
		c.finish()
		return true
	}
	return false
}

// nextRun makes the first cell of the next non-empty run current.
func (c *cursor) nextRun() bool {
	if err := c.merge.stop(); err != nil {
		c.fail(err)
	}
	if c.err != nil || len(c.runs) == 0 {
		return false
	}
	run := c.runs[0]
	c.runs = c.runs[1:]
	c.current = c.merge.start(c, run)
	return true
}

// takeIterator returns an iterator for a stream; oneRow means that each of its spans is within a row.
// The iterator skips blocks outside the time range, and what u does not want.
func (c *cursor) takeIterator(oneRow bool, r *reading, u *skipFilter) (it *pebble.Iterator, pooled bool, err error) {
	times := r.time.Bounded && c.tuning.TimeFilters
	if oneRow || !times && u == nil {
		it, err = c.view.Take()
		return it, true, err
	}
	var o pebble.IterOptions
	if times {
		b := r.blocks()
		o.PointKeyFilters = []pebble.BlockPropertyFilter{cellkey.NewTimeFilter(b.Min, b.Max)}
	}
	if u != nil {
		o.SkipPoint = u.skipPoint()
	}
	it, err = c.view.TakeFiltered(&o)
	return it, false, err
}

// interrupted is called for each cell that a stream looks at.
func (c *cursor) interrupted() bool {
	c.looked++
	if c.looked%checkEvery != 0 {
		return c.err != nil
	}
	return c.checkpoint()
}

// checkpoint is checkEnds with what is due after many cells.
func (c *cursor) checkpoint() bool {
	c.tell()
	c.pacer.Yield()
	return c.checkEnds()
}

// tell reports what has been read since the last call.
func (c *cursor) tell() {
	if c.scan.Progress == nil {
		return
	}
	cells := c.Stats().Cells
	c.scan.Progress.Read(cells-c.told, 0)
	c.told = cells
}

// checkEnds checks what may end the cursor from outside, and reports whether it has failed.
func (c *cursor) checkEnds() bool {
	if err := c.ctx.Err(); err != nil {
		c.fail(err)
	} else if e := c.view.Engine; e.Closed.Load() {
		c.fail(e.Keeper.WhyClosed())
	} else if c.scan.Budget != nil {
		c.pay()
	}
	return c.err != nil
}

// affords reports whether the budget covers what has been read, and ends the cursor if not.
func (c *cursor) affords() bool {
	if c.over {
		return c.err == nil
	}
	if c.pay(); c.err != nil {
		c.finish()
	}
	return c.err == nil
}

// pay pays for what has been read since the last call.
func (c *cursor) pay() {
	cells := c.Stats().Cells
	if !c.scan.Budget.Spend(cells - c.spent) {
		c.fail(kv.ErrBudget)
	}
	c.spent = cells
}

// fail keeps the first error.
func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Cell implements kv.Cursor.
func (c *cursor) Cell() *kv.Cell {
	if s := c.current; s != nil {
		c.cell.Family = s.family
		c.cell.Row = s.cell.Row
		c.cell.Qualifier = s.cell.Qualifier
		c.cell.Timestamp = s.cell.Timestamp
	}
	return &c.cell
}

// Value implements kv.Cursor.
func (c *cursor) Value() ([]byte, error) {
	if c.current == nil {
		return nil, kv.ErrClosed
	}
	return c.current.value()
}

// Err implements kv.Cursor.
func (c *cursor) Err() error { return c.err }

// Stats implements kv.Cursor.
func (c *cursor) Stats() kv.ScanStats {
	out := c.stats
	for _, s := range c.merge.all {
		s.count(&out)
	}
	return out
}

// Close implements kv.Cursor.
func (c *cursor) Close() error {
	if c.over {
		return nil
	}
	before := c.err
	c.finish()
	if before == nil && !errors.Is(c.err, kv.ErrClosed) && !errors.Is(c.err, kv.ErrReopened) {
		return c.err
	}
	return nil
}

// Bounds of the memory that an unused cursor keeps: bytes of spans' keys, and
// streams.
const (
	maxKeptKeys    = 32 << 10
	maxKeptStreams = 128
)

// Release implements kv.Releaser.
func (c *cursor) Release() error {
	var err error
	if !c.over {
		err = c.Close()
	}
	if !c.tuning.Recycle {
		return err
	}
	keys := c.arena.keys[:0]
	if c.reads != nil || cap(keys) > maxKeptKeys { // the read set needs it until the commit
		keys = nil
	}
	streams, buf := c.streams, c.streamBuf
	if len(streams) > maxKeptStreams {
		streams, buf = nil, nil
	}
	clear(streams)
	counted, arena := countedRun{row: c.run.row, head: c.run.head}, c.aheadArena
	if len(arena.streams) > 0 {
		arena = arena.reset()
	}
	*c = cursor{}
	c.arena.keys, c.streams, c.streamBuf, c.run, c.aheadArena = keys, streams, buf, counted, arena
	cursors.Put(c)
	return err
}

// finish releases everything that the cursor holds. Its bytes become invalid.
func (c *cursor) finish() {
	if c.over {
		return
	}
	c.over, c.current, c.cell, c.runs = true, nil, kv.Cell{}, nil
	if err := c.merge.stop(); err != nil {
		c.fail(err)
	}
	if c.own != nil {
		c.own.Release()
	}
	if c.scan.Budget != nil {
		c.pay()
	}
	if c.reads != nil {
		c.reads.closed(c)
	}
	if err := c.view.Release(views.Reader); err != nil {
		c.fail(err)
	}
	c.view.Engine.Cursors.Add(-1)
	c.view.Engine.Keeper.Exit()
}
