package pebblekv

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// view is the store at one commit: a snapshot with its catalog. Transactions
// that begin between two commits share one, and the iterators that the others
// have left behind.
type view struct {
	store   *Store
	clock   uint64 // every commit up to this one is in the view
	catalog *kv.Catalog
	snap    *pebble.Snapshot // nil of one that is for one iterator

	// users can become more by views.acquire and by those that there are.
	users atomic.Int64

	// Guarded by views.mu.
	writers int // the users that may write
	checked int // the writers whose reads are checked

	mu      sync.Mutex
	idle    []*pebble.Iterator
	oneIdle [1]*pebble.Iterator // memory of the first
	done    bool
}

// role is what a user does with a view.
type role uint8

const (
	reader        role = iota
	writer             // is told of rows that have changed since
	checkedWriter      // and of what it has read and has changed since
)

// views hands out views, and keeps the history that their writers need.
type views struct {
	store *Store

	mu      sync.Mutex
	clock   atomic.Uint64 // commits so far; it changes under mu
	catalog *kv.Catalog
	current *view   // at clock; nil until the next user comes
	writing []*view // those with writers, oldest first
	live    map[*view]struct{}
	checked int // the writers whose reads are checked
	history history

	// lookup serves those who look for a key of a row that they have locked; nil
	// until the next one comes. looked counts them.
	lookup *view
	looked int
}

func (vs *views) init(s *Store) {
	vs.store = s
	vs.history.init()
	vs.live = map[*view]struct{}{}
}

func (vs *views) newestCatalog() *kv.Catalog {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.catalog
}

// acquire gives the view at the last commit; the caller is inside
// Store.enter. A commit that is just becoming visible may be in the snapshot
// though not in the clock: a writer then sees a conflict too many, never one
// too few.
func (vs *views) acquire(r role) *view {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.newest(r)
}

// newest is acquire; mu is held.
func (vs *views) newest(r role) *view {
	v := vs.current
	if v == nil {
		v = &view{store: vs.store, clock: vs.clock.Load(), catalog: vs.catalog, snap: vs.store.db.NewSnapshot()}
		vs.current = v
		vs.live[v] = struct{}{}
	}
	v.users.Add(1)
	if r != reader {
		if v.writers == 0 {
			vs.writing = append(vs.writing, v)
		}
		v.writers++
	}
	if r == checkedWriter {
		v.checked++
		vs.checked++
	}
	return v
}

// now is the number of commits so far.
func (vs *views) now() uint64 { return vs.clock.Load() }

// isNewest reports whether no commit has come after the view.
func (vs *views) isNewest(v *view) bool {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.current == v
}

// retain adds a reader to a view that is in use.
func (v *view) retain() { v.users.Add(1) }

// release ends a use; the caller is inside Store.enter.
func (vs *views) release(v *view, r role) error {
	if v.snap == nil {
		return v.releaseDirect()
	}
	if r == reader && v.users.Add(-1) > 0 {
		return nil
	}
	vs.mu.Lock()
	unused := false
	if r == reader {
		unused = vs.drop(v)
	} else {
		unused = vs.leave(v, r)
	}
	vs.mu.Unlock()
	if unused {
		return v.dispose()
	}
	return nil
}

// leave ends a use, and reports whether it was the last. mu is held.
func (vs *views) leave(v *view, r role) (unused bool) {
	if r == checkedWriter {
		v.checked--
		vs.checked--
	}
	if r != reader {
		v.writers--
		if v.writers == 0 {
			vs.prune()
		}
	}
	v.users.Add(-1)
	return vs.drop(v)
}

// drop takes the view from those that live where nobody uses it and nobody will,
// and reports whether it did. mu is held.
func (vs *views) drop(v *view) bool {
	if _, lives := vs.live[v]; !lives || v.users.Load() > 0 || v == vs.current {
		return false
	}
	delete(vs.live, v)
	return true
}

// advance counts a commit. mu is held.
func (vs *views) advance() {
	vs.clock.Add(1)
	v := vs.current
	vs.current = nil
	if v != nil && v.users.Load() == 0 {
		delete(vs.live, v)
		_ = v.dispose() // nothing of it is in use: closing cannot fail
	}
}

// committed counts a commit, and remembers it while a writer other than the
// committing one has an older view.
func (vs *views) committed(t *txn, rows []rowlock.ID) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.advance()
	if len(rows) > vs.store.tuning.looks {
		vs.dropLookup()
	}
	if len(vs.writing) == 0 || len(vs.writing) == 1 && vs.writing[0] == t.view && t.view.writers == 1 {
		return
	}
	others := vs.checked
	if t.reads != nil {
		others--
	}
	vs.history.add(vs.clock.Load(), rows, &t.own, others > 0)
}

// changedSince reports whether a commit after the view has written the row.
func (vs *views) changedSince(v *view, id rowlock.ID) bool {
	if vs.clock.Load() == v.clock {
		return false
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.history.changedSince(v.clock, id)
}

// commitsSince are the commits after the clock, and false where some of them
// are forgotten.
func (vs *views) commitsSince(clock uint64) ([]*commit, bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.history.since(clock)
}

// prune forgets what no writer's view is older than. mu is held.
func (vs *views) prune() {
	live := vs.writing[:0]
	for _, v := range vs.writing {
		if v.writers > 0 {
			live = append(live, v)
		}
	}
	clear(vs.writing[len(live):])
	vs.writing = live
	oldest := vs.clock.Load()
	if len(live) > 0 {
		oldest = live[0].clock
	}
	vs.history.forget(oldest)
}

// close disposes of the views of idle transactions, which can no longer enter
// the store.
func (vs *views) close() error {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	var err error
	for v := range vs.live {
		err = errors.Join(err, v.dispose())
	}
	vs.live, vs.current, vs.lookup = nil, nil, nil
	return err
}

// dropIdle lets go of the iterators that nobody uses: they keep flushed
// memory and compacted files alive.
func (s *Store) dropIdle() {
	if s.enter() != nil {
		return
	}
	defer s.exit()
	s.views.forgetLookup()
	for _, v := range s.views.all() {
		_ = closeAll(v.takeIdle(false)) // idle iterators have no error left to tell
	}
}

func (vs *views) all() []*view {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return slices.Collect(maps.Keys(vs.live))
}

func (v *view) takeIdle(done bool) []*pebble.Iterator {
	v.mu.Lock()
	defer v.mu.Unlock()
	idle := v.idle
	v.idle = nil
	v.done = v.done || done
	return idle
}

func (v *view) dispose() error {
	return errors.Join(closeAll(v.takeIdle(true)), v.closeSnapshot())
}

func closeAll(its []*pebble.Iterator) error {
	var err error
	for _, it := range its {
		err = errors.Join(err, it.Close())
	}
	return err
}

// take gives an iterator of the view without bounds or filters.
func (v *view) take() (*pebble.Iterator, error) {
	v.store.iterators.Add(1)
	v.mu.Lock()
	if n := len(v.idle); n > 0 {
		it := v.idle[n-1]
		v.idle = v.idle[:n-1]
		v.mu.Unlock()
		return it, nil
	}
	v.mu.Unlock()
	return v.open(&pebble.IterOptions{UseL6Filters: true})
}

// takeFiltered gives an iterator that passes over blocks outside the time
// range.
func (v *view) takeFiltered(r kv.TimeRange) (*pebble.Iterator, error) {
	v.store.iterators.Add(1)
	return v.open(&pebble.IterOptions{
		UseL6Filters:    true,
		PointKeyFilters: []pebble.BlockPropertyFilter{cellkey.NewTimeFilter(r.Min, r.Max)},
	})
}

func (v *view) open(o *pebble.IterOptions) (*pebble.Iterator, error) {
	it, err := v.newIter(o)
	if err != nil {
		v.store.iterators.Add(-1)
		return nil, faultfs.DiskError(err)
	}
	return it, nil
}

// put gives an iterator back, for the next user where that is possible.
func (v *view) put(it *pebble.Iterator, reuse bool) error {
	v.store.iterators.Add(-1)
	if reuse && it.Error() == nil {
		it.SetBounds(nil, nil)
		v.mu.Lock()
		if !v.done && len(v.idle) < v.store.tuning.idleIterators {
			v.idle = append(v.idle, it)
			v.mu.Unlock()
			return nil
		}
		v.mu.Unlock()
	}
	return faultfs.DiskError(it.Close())
}
