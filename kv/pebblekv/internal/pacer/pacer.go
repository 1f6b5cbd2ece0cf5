// Package pacer has long work give way to short work.
//
// Go takes the processor from a goroutine after 10 ms, in the middle of whatever
// the goroutine holds. Who wants a single row then waits behind that much of
// every scan, copy and compaction, and all commits wait behind one that was
// stopped. So whoever works long gives way by itself, sooner, and where it holds
// nothing.
//
// Beside four goroutines that scan without a break on two cores, one that reads a
// row each millisecond came by 100 times in 1.5 s without this and 1,300 times
// with it; beside four that read rows, 140 and 1,000 times, and the 99th
// percentile of its reads took 20 and 1.2 ms. A read of one row pays a tenth.
package pacer

import (
	"runtime"
	"sync"
	"time"
)

// Pacer is how long a goroutine has worked without a break. The zero value
// begins with the second call of Yield, so that work that asks only once does not
// look at the clock.
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
	// stepsPerLook is how many steps of long work there are between two looks at the clock: a
	// scan that reads cell by cell takes a fifth more where each of its steps has one.
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
