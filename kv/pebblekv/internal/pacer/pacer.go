// Package pacer has long work give way to short work.
//
// Go takes the processor from a goroutine after 10 ms, in the middle of whatever the goroutine
// holds. A read of a single row then waits for that long behind every scan, copy and compaction,
// and all commits wait behind one that was stopped. So long work yields by itself, sooner, and
// where it holds nothing.
//
// A read of one row pays about a tenth for that.
package pacer

import (
	"runtime"
	"sync"
	"time"
)

// Pacer measures how long a goroutine has worked without yielding. It begins with the second call
// of Yield, so that work with one call never reads the clock. A Pacer is one goroutine's.
type Pacer struct {
	begun bool
	since time.Time
	steps uint
}

const (
	// length is how long a goroutine works between two breaks, about.
	length = time.Millisecond
	// shortWork is how many short pieces of work begin between two looks at the
	// clock.
	shortWork = 16
	// stepsPerLook is how many steps of long work there are between two looks at the clock, which
	// would slow a scan of single cells down by a fifth if each step had one.
	stepsPerLook = 8
)

// Yield gives way to other goroutines when the quantum is over.
func (q *Pacer) Yield() {
	if !q.begun {
		q.begun = true
		return
	}
	now := time.Now()
	if now.Sub(q.since) < length {
		return
	}
	if !q.since.IsZero() {
		runtime.Gosched()
		now = time.Now()
	}
	q.since = now
}

// Step is Yield after a step of work that takes far less than a quantum.
func (q *Pacer) Step() {
	if q.steps++; q.steps%stepsPerLook == 0 {
		q.Yield()
	}
}

// processors have the quanta of goroutines that do one short piece of work after
// the other.
var processors = sync.Pool{New: func() any { return &Pacer{} }}

// YieldBetween is yield between two short pieces of work.
func YieldBetween() {
	q := processors.Get().(*Pacer)
	if q.steps++; q.steps%shortWork == 0 {
		q.Yield()
	}
	processors.Put(q)
}
