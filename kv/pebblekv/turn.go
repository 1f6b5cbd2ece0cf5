package pebblekv

import (
	"runtime"
	"sync"
	"time"
)

// turn is how long a goroutine has worked without a break. Go takes the
// processor away after 10 ms, in the middle of whatever the goroutine holds: one
// who wants a single row then waits behind that much of every scan, copy and
// compaction, and all commits wait behind one that was stopped. So whoever works
// long gives way by itself, sooner, and where it holds nothing.
type turn struct {
	since time.Time
	asked int
}

const (
	// turnLength is how long a turn takes, about.
	turnLength = time.Millisecond
	// shortWork is how many transactions begin between two looks at the clock.
	shortWork = 16
)

// pass gives way to other goroutines when the turn is over.
func (t *turn) pass() {
	now := time.Now()
	if now.Sub(t.since) < turnLength {
		return
	}
	if !t.since.IsZero() {
		runtime.Gosched()
		now = time.Now()
	}
	t.since = now
}

// turns are those of goroutines that run one short transaction after the other:
// one for each processor.
var turns = sync.Pool{New: func() any { return &turn{} }}

// passBetween is pass between two transactions.
func passBetween() {
	t := turns.Get().(*turn)
	if t.asked++; t.asked%shortWork == 0 {
		t.pass()
	}
	turns.Put(t)
}
