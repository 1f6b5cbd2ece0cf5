// Package counter is the counters of tables (kv.Counters).
//
// A counter's record holds a number that the counter has not reached yet. It is written without
// waiting for the disk: a row that is written after it becomes durable no sooner. So the numbers
// below it cost no write, and after a crash the counter continues with it.
package counter

import (
	"context"
	"strconv"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// ahead is how many numbers a record is at most ahead of its counter, and a crash skips.
const ahead = 128

// Host is the store as the counters know it.
type Host interface {
	Enter() error
	Exit()
	// Writable returns the reason why the store accepts no writes now, or nil.
	Writable(ctx context.Context) error
	// Exclude runs fn while there is no commit and no change of the catalog.
	Exclude(fn func())
}

// ID identifies a counter.
type ID struct{ table, epoch uint64 }

func of(t *kv.Table) ID { return ID{t.ID, t.Counter.Epoch} }

func (id ID) record() string {
	return "counter/" + strconv.FormatUint(id.table, 10) + "/" + strconv.FormatUint(id.epoch, 10)
}

// Set is the counters of a store.
type Set struct {
	engine *views.Engine
	host   Host
	mu     sync.Mutex
	byID   map[ID]*state
}

// state is a counter: its next number, and the recorded one.
type state struct{ next, recorded uint64 }

// Init prepares the set for a database that will be opened.
func (s *Set) Init(e *views.Engine, h Host) {
	s.engine, s.host, s.byID = e, h, map[ID]*state{}
}

// Count returns the first of n numbers; see kv.Counters. It returns kv.ErrCounterEnd if they are
// exhausted, and kv.ErrCatalogChanged if the table has been replaced.
func (s *Set) Count(ctx context.Context, t *kv.Table, n uint64) (first uint64, err error) {
	err = s.change(ctx, t, func(next uint64) (uint64, error) {
		first = next
		if n > kv.MaxCount || next > kv.MaxCount-n+1 {
			return next, kv.ErrCounterEnd
		}
		return next + n, nil
	})
	return first, err
}

// CountFrom makes the counter give no number below next; see kv.Counters.
func (s *Set) CountFrom(ctx context.Context, t *kv.Table, next uint64) error {
	return s.change(ctx, t, func(now uint64) (uint64, error) { return max(now, min(next, kv.MaxCount+1)), nil })
}

// change sets a counter to the result of fn, with a record that is ahead of it.
func (s *Set) change(ctx context.Context, t *kv.Table, fn func(next uint64) (uint64, error)) error {
	if err := s.host.Enter(); err != nil {
		return err
	}
	defer s.host.Exit()
	if err := s.host.Writable(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.load(t)
	if err != nil {
		return err
	}
	next, err := fn(c.next)
	if err != nil {
		return err
	}
	if next > c.recorded {
		if err := s.record(t, c, next+min(ahead, kv.MaxCount+1-next)); err != nil {
			return err
		}
	}
	c.next = next
	s.byID[of(t)] = c
	return nil
}

// load returns the counter of a table. mu is held.
func (s *Set) load(t *kv.Table) (*state, error) {
	if c := s.byID[of(t)]; c != nil {
		return c, nil
	}
	recorded, _, err := layout.Number(s.engine.DB.Get, of(t).record())
	return &state{next: max(1, t.Counter.From, recorded), recorded: recorded}, err
}

// record writes a counter's record, unless the table has been replaced: nobody would remove the record.
func (s *Set) record(t *kv.Table, c *state, number uint64) (err error) {
	s.host.Exclude(func() {
		now := s.engine.Views.NewestCatalog().Table(t.Database, t.Name)
		if now == nil || of(now) != of(t) {
			err = kv.ErrCatalogChanged
			return
		}
		err = faultfs.DiskError(s.set(of(t), number))
	})
	if err == nil {
		c.recorded = number
	}
	return err
}

func (s *Set) set(id ID, number uint64) error {
	return s.engine.DB.Set(cellkey.SystemKey(id.record()), strconv.AppendUint(nil, number, 10), pebble.NoSync)
}

// Next returns the number that Count would return; see kv.Counters.
func (s *Set) Next(t *kv.Table) (uint64, error) {
	if err := s.host.Enter(); err != nil {
		return 0, err
	}
	defer s.host.Exit()
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.load(t)
	return c.next, err
}

// Settle writes the numbers that the counters have reached, so that nothing is skipped after the
// store is opened again. Nobody may count any more. If a write fails, the records stay ahead.
func (s *Set) Settle() {
	for id, c := range s.byID {
		if c.next < c.recorded {
			_ = s.set(id, c.next)
		}
	}
}

// Over returns the counters that tables had before a change of the catalog and no longer have.
func Over(changed []kv.Changed[kv.Table]) (over []ID) {
	for _, c := range changed {
		if c.Was != nil && (c.Is == nil || of(c.Is) != of(c.Was)) {
			over = append(over, of(c.Was))
		}
	}
	return over
}

// Delete adds the deletion of counters' records to the batch.
func Delete(b *pebble.Batch, over []ID) error {
	for _, id := range over {
		if err := b.Delete(cellkey.SystemKey(id.record()), nil); err != nil {
			return err
		}
	}
	return nil
}

// Forget drops counters whose records are deleted.
func (s *Set) Forget(over []ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range over {
		delete(s.byID, id)
	}
}
