package hbasekvtest

import (
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/driver"
)

// Clock is a store's clock that a test sets. It is safe for goroutines.
type Clock struct {
	mu    sync.Mutex
	at    time.Time
	since time.Time // of the machine, when at was right; zero while it stands
}

var _ driver.Clock = (*Clock)(nil)

// NewClock is a clock that stands at a moment.
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

// Set puts the clock to a moment; it stands or goes on from there as before.
func (c *Clock) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
	if !c.since.IsZero() {
		c.since = time.Now()
	}
}

// Advance moves the clock, backwards for a negative duration.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}

// Freeze makes the clock stand.
func (c *Clock) Freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.since = c.now(), time.Time{}
}

// Run makes the clock go on with the machine's.
func (c *Clock) Run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.since = c.now(), time.Now()
}
