// Package views hands out views of a store: each is a snapshot at one commit with its
// catalog.
//
// An [Engine] is what all readers share. It hands out [View]s, remembers what later
// commits wrote while a writer has an older view, and holds what makes later reads
// cheaper: rows that are read often, which rows are in no file yet, and estimates.
// [Tuning] lists the shortcuts of reads, and what each saves.
package views

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// Engine is what the readers of a store share: the database, the views of it, and what
// is remembered to speed up later reads.
type Engine struct {
	DB        *pebble.DB // set once the database is open
	Keeper    Keeper
	Hash      rowlock.Hasher
	Tuning    Tuning
	Views     Views
	Loads     loads
	Rewritten Rewritten
	wasted    wastedWork
	Fresh     fresh
	unflushed unflushed
	files     fileIters
	estimates estimates
	Hot       hotRows

	Closed atomic.Bool // once the store is: cursors end

	clock func() time.Time
	floor atomic.Int64 // ms: Now is never less

	Cursors   atomic.Int64 // open cursors
	Iterators atomic.Int64 // held by cursors and writes
}

// Keeper keeps a store's files open while they are used.
type Keeper interface {
	// Enter keeps the files open until Exit. Once the store is closed, it returns WhyClosed.
	Enter() error
	Exit()
	// WhyClosed is kv.ErrClosed, or kv.ErrReopened.
	WhyClosed() error
	// Flush writes the memtables to files.
	Flush(ctx context.Context) error
}

// Init prepares the engine for a database that will be opened.
func (e *Engine) Init(k Keeper, cacheBytes int64, clock func() time.Time) {
	e.Keeper, e.Hash, e.Tuning = k, rowlock.NewHasher(), DefaultTuning()
	e.clock = clock
	e.floor.Store(math.MinInt64)
	e.Loads.init(&e.Views)
	e.Rewritten.init(e)
	e.unflushed.init(&e.Hash)
	e.Hot.init(cacheBytes)
	e.Views.init(e)
}

// Now is the time that retention goes by, in ms since 1970-01-01 UTC.
func (e *Engine) Now() int64 { return max(e.clock().UnixMilli(), e.floor.Load()) }

// RaiseClock keeps Now from ever being less than ms again.
func (e *Engine) RaiseClock(ms int64) {
	for now := e.floor.Load(); now < ms && !e.floor.CompareAndSwap(now, ms); now = e.floor.Load() {
	}
}

// ClockFloor is the least time that Now returns.
func (e *Engine) ClockFloor() int64 { return e.floor.Load() }

// WillCommit announces that the next commit writes the rows. It is not visible yet.
func (e *Engine) WillCommit(rows []rowlock.ID) {
	e.Views.WillWrite()
	e.Hot.willChange(e.Views.Now()+1, rows)
}

// WillLoad announces that the next commit may write any row.
func (e *Engine) WillLoad() {
	e.Views.WillWrite()
	e.Hot.willChangeAll(e.Views.Now() + 1)
}
