// Package views hands out views of a store: each is a snapshot at one commit with its
// catalog.
//
// An [Engine] is what all readers share. It gives [View]s, remembers what later commits
// wrote as long as a writer has an older view, and holds what makes later reads cheaper:
// the rows that are read often, which rows are in no file yet, and estimates. [Tuning]
// holds the shortcuts of reads, and what each earns.
package views

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// Engine is what readers of a store share: the database, the views of it, and what
// is remembered for the sake of later reads.
type Engine struct {
	DB        *pebble.DB // set once it is open
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

	clock func() time.Time
	floor atomic.Int64 // ms: the clock is never before it

	Cursors   atomic.Int64 // that are open
	Iterators atomic.Int64 // that cursors and writes hold
}

// Keeper keeps a store's files open while they are used.
type Keeper interface {
	// Enter keeps the files open until Exit; WhyClosed once the store is closed.
	Enter() error
	Exit()
	Closed() bool
	// WhyClosed is kv.ErrClosed, or kv.ErrReopened.
	WhyClosed() error
	// Flush writes what is in memory to files.
	Flush(ctx context.Context) error
}

// Init makes the engine ready for a database that is yet to be opened.
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

// Now is the clock by which retention is judged, in ms since 1970-01-01 UTC.
func (e *Engine) Now() int64 { return max(e.clock().UnixMilli(), e.floor.Load()) }

// RaiseClock keeps the clock from ever being before a moment.
func (e *Engine) RaiseClock(ms int64) {
	for now := e.floor.Load(); now < ms && !e.floor.CompareAndSwap(now, ms); now = e.floor.Load() {
	}
}

// ClockFloor is the moment before which the clock never is.
func (e *Engine) ClockFloor() int64 { return e.floor.Load() }

// WillCommit says that the next commit writes the rows; nobody can see it yet.
func (e *Engine) WillCommit(rows []rowlock.ID) {
	e.Views.WillWrite()
	e.Hot.willChange(e.Views.Now()+1, rows)
}

// WillLoad says that the next commit may write any rows.
func (e *Engine) WillLoad() {
	e.Views.WillWrite()
	e.Hot.willChangeAll(e.Views.Now() + 1)
}
