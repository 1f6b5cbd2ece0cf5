package main

import (
	"context"
	"time"

	"github.com/hbasekv/hbasekv/driver"
)

// healthEvery is how often to check whether the store accepts writes.
const healthEvery = time.Second

// watchHealth logs when the store refuses writes because of a disk error, and when it
// accepts them again, until ctx ends.
func (c *serveCommand) watchHealth(ctx context.Context, of *driver.Sessions) {
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	var before driver.Health
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now, err := of.Health(); err == nil {
			c.logHealth(before, now)
			before = now
		}
	}
}

// logHealth logs what has changed, including an error that is already over.
func (c *serveCommand) logHealth(before, now driver.Health) {
	switch {
	case now.Err != nil && before.Err == nil:
		c.log.Error("writes are refused", "error", now.Err)
	case now.Err == nil && before.Err != nil:
		c.log.Info("writes are taken again", "failures", now.Failures, "reopened", now.Reopened)
	case now.Err == nil && now.Failures > before.Failures:
		c.log.Error("the store had failed, and was opened again", "failures", now.Failures, "reopened", now.Reopened)
	}
}
