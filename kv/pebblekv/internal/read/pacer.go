package read

import (
	"context"
	"time"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// Pacer keeps long work from taking what others need. One goroutine uses it, and
// calls Begin and Pause around each piece of work.
type Pacer struct {
	Engine *views.Engine
	// Gentle makes it pause whether or not there were commits meanwhile, and longer.
	Gentle bool
	clock  uint64
	since  time.Time
}

const (
	// Work continues when Pebble has no more than this to catch up on, or after
	// the longest wait.
	maxMemTables = 2
	maxSublevels = 8
	longestWait  = 250 * time.Millisecond
	longestPause = 20 * time.Millisecond
	waitStep     = 2 * time.Millisecond
	// gentlePauses is how many times longer gentle work pauses than it works.
	gentlePauses = 4
)

// Begin begins a piece of the work.
func (p *Pacer) Begin() { p.since, p.clock = time.Now(), p.Engine.Views.Now() }

// Pause waits as long as the piece took, but not long, if there were commits
// meanwhile, and until Pebble has caught up.
func (p *Pacer) Pause(ctx context.Context) {
	switch took := time.Since(p.since); {
	case p.Gentle:
		sleep(ctx, min(gentlePauses*took, longestPause))
	case p.Engine.Views.Now() != p.clock:
		sleep(ctx, min(took, longestPause))
	}
	for waited := time.Now(); ctx.Err() == nil && time.Since(waited) < longestWait; {
		m := p.Engine.DB.Metrics()
		flushing := m.MemTable.Count > maxMemTables && m.Flush.NumInProgress > 0
		compacting := m.Levels[0].Sublevels > maxSublevels && m.Compact.NumInProgress > 0
		if !flushing && !compacting {
			return
		}
		sleep(ctx, waitStep)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
