package hbasekvtest

import (
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/driver"
)

// Clock is a store's clock that a test sets. It is safe for concurrent use.
type Clock struct {
	mu    sync.Mutex
	at    time.Time
	since time.Time // the machine's time when at was right; zero while the clock stands
}

var _ driver.Clock = (*Clock)(nil)

// NewClock returns a clock that stands at a time.
func NewClock(at time.Time) *Clock { return &Clock{at: at} }

// Now is the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	if c.since.IsZero() {
		return c.at
	}
	return c.at.Add(time.Since(c.since))
}

// Set sets the clock, which then stands or runs as before.
func (c *Clock) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
	if !c.since.IsZero() {
		c.since = time.Now()
	}
}

// Advance moves the clock, backwards if the duration is negative.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}

// Freeze stops the clock.
func (c *Clock) Freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.since = c.now(), time.Time{}
}

// Run lets the clock run at the speed of the machine's.
func (c *Clock) Run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.since = c.now(), time.Now()
}
