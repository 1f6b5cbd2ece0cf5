// Package read reads a view, with a transaction's own writes on top.
//
// [Open] opens a cursor on a view. The cursor reads runs of streams,
// which a merge puts in order. A stream reads one table in one partition; it
// filters what an iterator gives it. Iterators are layers that stand on each
// other: what is stored, own writes, slices of time, what the table keeps of these
// (mostly that is part of the filter), cells read ahead.
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

// checkEvery is the number of cells between two looks at the context while a
// filter passes over cells.
const checkEvery = 512

// cursor implements kv.Cursor over one or several streams. While it is open
// it keeps its view and the store's files in use.
type cursor struct {
	ctx    context.Context
	view   *views.View
	own    *overlay.Writes
	scan   *kv.Scan
	moment Moment
	tuning *views.Tuning
	// reads is told what has been read; it may be nil.
	reads  *ReadSet
	tables []*kv.Table
	scheme *partition.Scheme
	// skipRow is the row to go on at, where skipping is set.
	skipRow  []byte
	skipping bool
	// slices are those of time that are merged, where the tables are cut by it
	// and more than one is read; else slice is the one that is. asked are those
	// that the scan asks for, where others are read too.
	slices     []int
	slice      int
	wantSlices []int
	// columns tells that streams must know when a column ends, single that there is one cell at most:
	// the newest of a column.
	columns, single bool

	// runs are read one after the other, the streams of each merged.
	runs    [][]*stream
	merge   merge
	current *stream // stands at the cell given out; nil before the first and after the last
	cell    kv.Cell
	looked  int
	stepped int // over cells of qualifiers or times that are not wanted
	// untimely tells that there were some of times.
	untimely bool
	pacer    pacer.Pacer
	run      countedRun
	// copied is the stream of the cell that a batch got last, copiedRow its row.
	copied    *stream
	copiedRow int
	long      longColumns
	stats     kv.ScanStats
	spent     int64 // of these cells, those that the budget has paid
	told      int64 // those that the progress was told of
	batched   int   // cells given in batches since then
	err       error
	over      bool

	// Where there is one stream, these are it and its places.
	one       stream
	arena     spanArena
	onePart   [1]partSpans
	oneSpan   [1]cellkey.Span
	oneHeap   [1]*stream
	oneBuf    [streamBytes]byte
	oneStream [1]*stream
	oneRun    [1][]*stream
	free      []stream // allocated and not in use, and their bytes
	freeBuf   []byte
	// Of these they were taken; the next scan takes them again.
	streams    []stream
	streamBuf  []byte
	taken      bool
	aheadArena aheadArena
	hot        hotReading
}

// cursors are those that Release gave back, zero but for their memory.
var cursors = sync.Pool{New: func() any { return new(cursor) }}

// Open is called inside Keeper.Enter, with a reader's use of the view; where
// it succeeds, closing the cursor ends that and leaves the store.
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
	c.columns = s.MaxVersions > 0 || s.Qualifiers != nil || s.Wanted != nil
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

// step is Next where nothing ends the cursor from outside.
func (c *cursor) step() bool {
	switch {
	case c.skipping:
		c.current = c.skip()
	case c.single:
		c.current = nil // the cell behind it need not be looked at
	case c.current != nil:
		c.current = c.merge.next()
	}
	return c.arrive()
}

// arrive goes on to the next run where there is no current cell, and ends the
// cursor where there is none there either.
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

// stopped looks at what may end the cursor from outside.
func (c *cursor) stopped() bool {
	c.pacer.Step()
	if c.checkEnds() {
		c.finish()
		return true
	}
	return false
}

// nextRun makes the first cell of the next run that has one current.
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

// takeIterator gives an iterator for a stream, whose spans are all of single
// rows or not. It passes over blocks outside the time range, and over what is not
// wanted.
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

// interrupted is asked for each cell that a stream looks at.
func (c *cursor) interrupted() bool {
	c.looked++
	if c.looked%checkEvery != 0 {
		return c.err != nil
	}
	return c.checkpoint()
}

// checkpoint is checkEnds where a good many cells have been looked at.
func (c *cursor) checkpoint() bool {
	c.tell()
	c.pacer.Yield()
	return c.checkEnds()
}

// tell says what has been read since the last time.
func (c *cursor) tell() {
	if c.scan.Progress == nil {
		return
	}
	cells := c.Stats().Cells
	c.scan.Progress.Read(cells-c.told, 0)
	c.told = cells
}

// checkEnds looks at what may end the cursor from outside, and reports whether
// it has failed.
func (c *cursor) checkEnds() bool {
	if err := c.ctx.Err(); err != nil {
		c.fail(err)
	} else if k := c.view.Engine.Keeper; k.Closed() {
		c.fail(k.WhyClosed())
	} else if c.scan.Budget != nil {
		c.pay()
	}
	return c.err != nil
}

// affords reports whether the budget covers what has been read, and ends the
// cursor where it does not.
func (c *cursor) affords() bool {
	if c.over {
		return c.err == nil
	}
	if c.pay(); c.err != nil {
		c.finish()
	}
	return c.err == nil
}

// pay pays for what has been read since the last time.
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
	if c.reads != nil || cap(keys) > maxKeptKeys { // what has been read is in use until the commit
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

// finish gives back all that the cursor holds. Its bytes are gone.
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
