package pebblekv

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/collect"
	"github.com/hbasekv/hbasekv/partition"
)

// What retention hides is removed in the background, table by table, if the
// properties of files say that a good part of a table is no longer kept (package
// collect). They are read after each flush and compaction and, because versions
// expire by time alone, at intervals.

// collections are the collections of a store.
type collections struct {
	asked atomic.Int64 // requests since the last look at the files began
	timer atomic.Pointer[time.Timer]

	mu      sync.Mutex
	running map[uint64]*collection // by the table's ID
	done    map[uint64]kv.Collected
	looks   map[uint64]collect.Look // used by whoever looks, one at a time
}

// collection is a running collection.
type collection struct {
	table    *kv.Table
	since    time.Time
	byItself bool
	soFar    kv.Collected
	over     chan struct{}
}

func (cs *collections) init() {
	cs.running, cs.done, cs.looks = map[uint64]*collection{}, map[uint64]kv.Collected{}, map[uint64]collect.Look{}
}

// Collect implements kv.Collector.
func (s *Store) Collect(
	ctx context.Context, database, name string, o kv.CollectOptions,
) (out kv.Collected, err error) {
	err = s.during(ctx, func(ctx context.Context) error {
		for {
			t := s.catalog().Table(database, name)
			if t == nil {
				return kv.ErrNoTable
			}
			if err := s.awaitMoves(ctx, t); err != nil {
				return err
			}
			did, err := s.collect(ctx, t, false, &collect.Lifetimes{}, func(c kv.Collected) {
				if o.Progress != nil {
					o.Progress(out.Plus(c))
				}
			})
			if out = out.Plus(did); !errors.Is(err, collect.ErrOvertaken) {
				return err
			}
		}
	})
	return out, err
}

// awaitMoves waits for moves of the table's cells.
func (s *Store) awaitMoves(ctx context.Context, t *kv.Table) error {
	for {
		moves := s.txns.Moves.Of([]*kv.Table{t})
		if len(moves) == 0 {
			return nil
		}
		if err := await(ctx, moves[0].Done); err != nil {
			return err
		}
	}
}

func await(ctx context.Context, over <-chan struct{}) error {
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// collect collects one table, after a running collection of it.
func (s *Store) collect(
	ctx context.Context, t *kv.Table, byItself bool, seen *collect.Lifetimes, progress func(kv.Collected),
) (out kv.Collected, err error) {
	if err := s.writable(ctx); err != nil || t.Retention.IsZero() {
		return out, err
	}
	running, err := s.collections.begin(ctx, t, byItself)
	if err != nil {
		return out, err
	}
	defer func() { s.collections.end(running, out, err) }()
	job := collect.Job{
		Engine: &s.engine, Host: door{s}, Watches: &s.txns.Watches, Table: t, Now: s.engine.Now(),
		Full: !byItself, Gentle: byItself, Lifetimes: seen, Progress: func(c kv.Collected) {
			s.collections.progress(running, c)
			progress(c)
		},
	}
	if out, err = job.Run(ctx); err == nil && out.Versions+out.Ranges > 0 {
		door{s}.Exclude(s.engine.Views.Renew)
		err = s.flush(ctx) // removed cells take space until then
	}
	if err == nil {
		out.At = job.Now
	}
	return out, err
}

func (cs *collections) begin(ctx context.Context, t *kv.Table, byItself bool) (*collection, error) {
	c := &collection{table: t, since: time.Now(), byItself: byItself, over: make(chan struct{})}
	for {
		cs.mu.Lock()
		other := cs.running[t.ID]
		if other == nil {
			cs.running[t.ID] = c
		}
		cs.mu.Unlock()
		if other == nil {
			return c, nil
		}
		if err := await(ctx, other.over); err != nil {
			return nil, err
		}
	}
}

func (cs *collections) progress(c *collection, soFar kv.Collected) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.soFar = soFar
}

func (cs *collections) end(c *collection, out kv.Collected, err error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.done[c.table.ID] = cs.done[c.table.ID].Plus(out)
	delete(cs.running, c.table.ID)
	close(c.over)
}

// errNothing aborts a change of the catalog that would change nothing.
var errNothing = errors.New("nothing to change")

// DropExpired implements kv.Collector.
func (s *Store) DropExpired(ctx context.Context, database, name string) (n int, err error) {
	if err := (door{s}).Enter(); err != nil {
		return 0, err
	}
	defer door{s}.Exit()
	var of []*kv.Table
	err = s.changeCatalog(ctx, func(c *keyspace.Change) error {
		t, now := c.Catalog().Table(database, name), s.engine.Now()
		switch {
		case t == nil:
			return kv.ErrNoTable
		case t.Partitioning.Slices() == nil:
			return partition.ErrNotSliced
		}
		if of = c.Catalog().Families(database, t.Group); len(of) == 0 {
			of = []*kv.Table{t}
		}
		if n, err = c.DropExpiredSlices(database, name, now); err != nil {
			return err
		}
		if n == 0 {
			return errNothing
		}
		return collect.KeepClock(&s.engine, door{s}, now)
	}, func() error { return nil })
	switch {
	case errors.Is(err, errNothing):
		return 0, nil
	case err != nil:
		return 0, err
	}
	s.collections.dropped(of, n)
	return n, nil
}

func (cs *collections) dropped(tables []*kv.Table, n int) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, t := range tables {
		cs.done[t.ID] = cs.done[t.ID].Plus(kv.Collected{Partitions: int64(n)})
	}
}

// Collected implements kv.Collector.
func (s *Store) Collected(t *kv.Table) kv.Collected {
	s.collections.mu.Lock()
	defer s.collections.mu.Unlock()
	out := s.collections.done[t.ID]
	if c := s.collections.running[t.ID]; c != nil {
		out = out.Plus(c.soFar)
	}
	return out
}

// Collections implements kv.Collector.
func (s *Store) Collections() (out []kv.Collection) {
	s.collections.mu.Lock()
	defer s.collections.mu.Unlock()
	for _, c := range s.collections.running {
		if c.byItself {
			out = append(out, kv.Collection{Database: c.table.Database, Table: s.catalog().Title(c.table), Since: c.since, SoFar: c.soFar})
		}
	}
	slices.SortFunc(out, func(a, b kv.Collection) int {
		return cmp.Or(cmp.Compare(a.Database, b.Database), cmp.Compare(a.Table, b.Table))
	})
	return out
}

// watchRetention collects what is worth it, unless a call is already doing so: then
// that one looks again.
func (s *Store) watchRetention() {
	cs := &s.collections
	if s.opts.CollectEvery < 0 || s.opts.ReadOnly || !s.regions.ready.Load() || cs.asked.Add(1) > 1 {
		return
	}
	for {
		asked := cs.asked.Load()
		if (door{s}).Enter() != nil {
			return
		}
		_ = s.collectWorthy(s.life) // the next look tries again
		s.lookLater()
		door{s}.Exit()
		if cs.asked.CompareAndSwap(asked, 0) {
			return
		}
	}
}

// stop stops the timer of the next look.
func (cs *collections) stop() {
	if timer := cs.timer.Load(); timer != nil {
		timer.Stop()
	}
}

// lookLater schedules the next look at the files, if some table has a retention.
func (s *Store) lookLater() {
	if s.engine.Closed.Load() || s.opts.CollectEvery < 0 || s.opts.ReadOnly || !s.catalog().Retains() {
		return
	}
	if old := s.collections.timer.Swap(time.AfterFunc(s.opts.CollectEvery, s.watchRetention)); old != nil {
		old.Stop()
	}
}

// collectWorthy collects all tables whose files say that it is worth it.
func (s *Store) collectWorthy(ctx context.Context) error {
	c := s.catalog()
	if !c.Retains() {
		return nil
	}
	for _, d := range c.Databases() {
		for _, t := range c.AllTables(d.Name) {
			if t.Retention.IsZero() || s.isMoving(t) {
				continue
			}
			if err := s.collectIfWorth(ctx, t); err != nil && !errors.Is(err, collect.ErrOvertaken) {
				return err
			}
		}
	}
	return nil
}

// collectIfWorth collects a table if its files say that it is worth it, and
// compacts them to free the space.
func (s *Store) collectIfWorth(ctx context.Context, t *kv.Table) error {
	if t.Retention.DropExpired && t.Partitioning.NumSlices() > 1 && s.catalog().ExpiredSlices(t, s.engine.Now()) > 0 {
		if n, err := s.DropExpired(ctx, t.Database, t.Name); n > 0 || err != nil {
			return err // what is left is looked at next time
		}
	}
	survey, err := collect.NewSurvey(s.db, t)
	if err != nil {
		return err
	}
	if worth, _ := survey.Worth(t, s.engine.Now(), s.collections.looks[t.ID]); !worth {
		return nil
	}
	var seen collect.Lifetimes
	out, err := s.collect(ctx, t, true, &seen, func(kv.Collected) {})
	if err != nil {
		return err
	}
	if survey, err = collect.NewSurvey(s.db, t); err == nil {
		err = s.compact(ctx, survey.Reclaim(t, out.At))
	}
	if err == nil {
		survey, err = collect.NewSurvey(s.db, t)
	}
	if err == nil {
		_, look := survey.Worth(t, out.At, collect.Look{})
		s.collections.looks[t.ID] = look.With(&seen)
	}
	return err
}

// Stands reports whether the descriptor is the newest of its table and the cells
// are not being moved. Nothing is committed during the call.
func (d door) Stands(t *kv.Table) bool {
	return d.store.catalog().Table(t.Database, t.Name) == t && !d.store.isMoving(t)
}
