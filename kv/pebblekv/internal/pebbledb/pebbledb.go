// Package pebbledb opens databases of Pebble so that nothing of them remains if that fails.
package pebbledb

import (
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Open is pebble.Open. If that fails after the database was registered for compactions, Pebble 2.1.7 leaves a
// goroutine that grants it compactions for ever, and holds its memory. Open ends it.
func Open(dir string, o *pebble.Options) (*pebble.DB, error) {
	s := &scheduler{
		ConcurrencyLimitScheduler: pebble.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest(),
		poked:                     make(chan struct{}, 1), ended: make(chan struct{}),
	}
	o = o.Clone()
	o.Experimental.CompactionScheduler = s
	db, err := pebble.Open(dir, o)
	if err != nil {
		s.Unregister()
	}
	return db, err
}

// scheduler is Pebble's default scheduler. Only the goroutine that grants compactions from time to time is its
// own, since Pebble's can neither be ended twice nor before it began.
type scheduler struct {
	*pebble.ConcurrencyLimitScheduler
	poked    chan struct{}
	ended    chan struct{}
	endOnce  sync.Once
	granting sync.WaitGroup
}

// grantInterval is that of Pebble.
const grantInterval = 100 * time.Millisecond

// Register is called once, by pebble.Open.
func (s *scheduler) Register(goroutines int, db pebble.DBForCompaction) {
	s.ConcurrencyLimitScheduler.Register(goroutines, db)
	s.granting.Go(s.grantRegularly)
}

func (s *scheduler) grantRegularly() {
	ticker := time.NewTicker(grantInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-ticker.C:
		case <-s.poked:
		}
		s.grant()
	}
}

// grant starts waiting compactions, if more are allowed than run: the end of one grants others.
func (s *scheduler) grant() {
	if allowed, none := s.TrySchedule(); allowed {
		none.Done()
	}
}

// UpdateGetAllowedWithoutPermission is called after flushes, which may allow more compactions.
func (s *scheduler) UpdateGetAllowedWithoutPermission() {
	select {
	case s.poked <- struct{}{}:
	default:
	}
}

// Unregister ends the granting; the database is not called any more. Only the first call has an effect.
func (s *scheduler) Unregister() {
	s.endOnce.Do(func() {
		close(s.ended)
		s.granting.Wait()
		s.ConcurrencyLimitScheduler.Unregister()
	})
}
