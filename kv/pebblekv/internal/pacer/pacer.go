// Package pacer has long work give way to short work.
//
// Go preempts a goroutine after 10 ms, whatever it holds at that point. A read of a single row
// then waits that long for every scan, copy and compaction, and all commits wait for one that was
// preempted. So long work yields by itself, sooner, and at points where it holds nothing.
//
// This costs a read of one row about a tenth of its time.
package pacer

import (
	"runtime"
	"sync"
	"time"
)

// Pacer measures how long a goroutine has worked without yielding. It begins with the second call
// of Yield, so that work with one call never reads the clock. A Pacer must be used by one
// goroutine only.
type Pacer struct {
	begun bool
	since time.Time
	steps uint
}

const (
	// length is about how long a goroutine works between two breaks.
	length = time.Millisecond
	// shortWork is how many short pieces of work begin between two readings of the clock.
	shortWork = 16
	// stepsPerLook is how many steps of long work there are between two readings of the clock:
	// reading it at each step would slow down a scan of single cells by a fifth.
	stepsPerLook = 8
)

// Yield gives way to other goroutines if the quantum is over.
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

// processors holds the pacers of goroutines that do one short piece of work after the other.
var processors = sync.Pool{New: func() any { return &Pacer{} }}

// YieldBetween is Yield between two short pieces of work.
func YieldBetween() {
	q := processors.Get().(*Pacer)
	if q.steps++; q.steps%shortWork == 0 {
		q.Yield()
	}
	processors.Put(q)
}
