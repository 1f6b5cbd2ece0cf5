package views

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// View is the store at one commit: a snapshot with its catalog. Transactions that begin between two
// commits share one, and the idle iterators in it.
type View struct {
	Engine  *Engine
	Clock   uint64 // every commit up to this one is in the view
	Catalog *kv.Catalog
	Retains bool             // some table has a retention
	snap    *pebble.Snapshot // nil if the view is for one iterator

	// users is only increased by Views.acquire and by existing users.
	users atomic.Int64

	// Guarded by views.mu.
	writers int // how many users may write
	checked int // how many writers have their reads checked

	mu      sync.Mutex
	idle    []*pebble.Iterator
	oneIdle [1]*pebble.Iterator // memory of the first
	out     int                 // iterators that are in use
	old     int                 // of those, opened before the idle ones were dropped
	done    bool
	taken   uint64 // how many iterators have been taken
}

// Role says what a user does with a view.
type Role uint8

const (
	Reader        Role = iota
	DurableReader      // sees only durable commits
	Writer             // learns of rows that have changed since
	CheckedWriter      // also of changes of what it has read
)

// Views hands out views, and keeps the history that their writers need.
type Views struct {
	engine *Engine

	mu      sync.Mutex
	clock   atomic.Uint64 // commits so far; it changes under mu
	catalog *kv.Catalog
	current *View   // at clock; nil until the next use
	writing []*View // those with writers, oldest first
	live    map[*View]struct{}
	checked int // how many writers have their reads checked
	history history
	undurable

	// lookup serves lookups of keys in locked rows; nil until the next one. looked counts them.
	lookup *View
	looked int
}

func (vs *Views) init(e *Engine) {
	vs.engine = e
	vs.history.init(&e.Tuning)
	vs.live = map[*View]struct{}{}
}

// NewestCatalog returns the catalog at the last commit.
func (vs *Views) NewestCatalog() *kv.Catalog {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.catalog
}

// Acquire returns the view at the last commit. The caller is inside Keeper.Enter. A commit that is
// just becoming visible may be in the snapshot but not in the clock: a writer then sees a conflict
// too many, never one too few.
func (vs *Views) Acquire(r Role) *View {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.newest(r)
}

// newest is Acquire; mu is held.
func (vs *Views) newest(r Role) *View {
	if u := &vs.undurable; r == DurableReader && u.durable < u.written {
		v := u.held[0].View
		v.users.Add(1)
		return v
	}
	v := vs.current
	if v == nil {
		v = &View{Engine: vs.engine, Clock: vs.clock.Load(), Catalog: vs.catalog, Retains: vs.catalog.Retains(),
			snap: vs.engine.DB.NewSnapshot()}
		vs.current = v
		vs.live[v] = struct{}{}
	}
	v.users.Add(1)
	if r >= Writer {
		if v.writers == 0 {
			vs.writing = append(vs.writing, v)
		}
		v.writers++
	}
	if r == CheckedWriter {
		v.checked++
		vs.checked++
	}
	return v
}

// Now is the number of commits so far.
func (vs *Views) Now() uint64 { return vs.clock.Load() }

// IsNewest reports whether no commit has come after the view.
func (v *View) IsNewest() bool {
	vs := &v.Engine.Views
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.current == v
}

// Retain adds a reader to a view that is in use.
func (v *View) Retain() { v.users.Add(1) }

// Release ends a use. The caller is inside Keeper.Enter. The error is that of closing the snapshot
// or its iterators.
func (v *View) Release(r Role) error {
	vs := &v.Engine.Views
	if v.snap == nil {
		return v.releaseDirect()
	}
	if r < Writer && v.users.Add(-1) > 0 {
		return nil
	}
	vs.mu.Lock()
	unused := false
	if r < Writer {
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
func (vs *Views) leave(v *View, r Role) (unused bool) {
	if r == CheckedWriter {
		v.checked--
		vs.checked--
	}
	if r >= Writer {
		v.writers--
		if v.writers == 0 {
			vs.prune()
		}
	}
	v.users.Add(-1)
	return vs.drop(v)
}

// drop removes the view from the live ones if it has no user and will get none, and reports whether
// it did. mu is held.
func (vs *Views) drop(v *View) bool {
	if _, lives := vs.live[v]; !lives || v.users.Load() > 0 || v == vs.current {
		return false
	}
	delete(vs.live, v)
	return true
}

// advance counts a commit. mu is held.
func (vs *Views) advance() {
	vs.clock.Add(1)
	v := vs.current
	vs.current = nil
	if v != nil && v.users.Load() == 0 {
		delete(vs.live, v)
		_ = v.dispose() // nothing of it is in use: closing cannot fail
	}
}

// advanceDurably counts a durable commit; all commits before it are then durable, too. mu is held.
func (vs *Views) advanceDurably() {
	vs.advance()
	vs.written, vs.coming = vs.clock.Load(), false
	for _, v := range vs.letGo(vs.written) {
		_ = v.dispose() // nothing of it is in use: closing cannot fail
	}
}

// Committed counts a commit of a transaction and returns its clock. v is the view that the
// transaction had, or nil, and checked tells whether its reads were checked. The commit is
// remembered while another writer has an older view.
func (vs *Views) Committed(v *View, checked bool, w *Written) (clock uint64) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.advance()
	clock = vs.clock.Load()
	if vs.on {
		vs.written, vs.coming = clock, false
	}
	if len(w.Rows) > vs.engine.Tuning.Looks || w.Deleted != nil {
		vs.dropLookup()
	}
	if len(vs.writing) == 0 || len(vs.writing) == 1 && vs.writing[0] == v && v.writers == 1 {
		return clock
	}
	others := vs.checked
	if checked {
		others--
	}
	vs.history.add(clock, w, others > 0)
	return clock
}

// ChangedSince reports whether a commit after the view has written the row.
func (v *View) ChangedSince(id rowlock.ID) bool {
	vs := &v.Engine.Views
	if vs.clock.Load() == v.Clock {
		return false
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.history.changedSince(v.Clock, id)
}

// TableWrittenSince reports whether a commit after the view may have written rows of the table, or
// of tables that share its row locks.
func (v *View) TableWrittenSince(t *kv.Table) bool {
	return v.Engine.Views.TableWrittenSince(v.Clock, t)
}

// TableWrittenSince reports the same for any clock that is not older than the view of an open writer.
func (vs *Views) TableWrittenSince(clock uint64, t *kv.Table) bool {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.clock.Load() != clock && vs.history.wroteSince(clock, t)
}

// Begin sets the catalog of a store that is being opened.
func (vs *Views) Begin(c *kv.Catalog) { vs.catalog = c }

// Publish makes a catalog visible together with what apply writes, atomically and durably. It counts
// as a commit of any rows. If apply fails, no view sees what it has written. The error is apply's.
func (vs *Views) Publish(c *kv.Catalog, apply func() error) error {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.engine.Hot.willChangeAll(vs.Now() + 1)
	vs.hold()
	if err := apply(); err != nil {
		return err
	}
	vs.catalog = c
	vs.advanceDurably()
	_ = vs.dropLookup() // cells may have moved to other key spaces; closing loses nothing
	return nil
}

// CommitsSince returns the commits after the clock, and false if some of them are forgotten.
func (vs *Views) CommitsSince(clock uint64) ([]*Commit, bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.history.since(clock)
}

// RemembersNothing reports whether the history is empty.
func (vs *Views) RemembersNothing() bool {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	h := &vs.history
	return len(h.changed)+len(h.commits)+len(h.loads) == 0 && h.bytes == 0
}

// prune drops commits that are older than all writers' views. mu is held.
func (vs *Views) prune() {
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
		oldest = live[0].Clock
	}
	vs.history.forget(oldest)
}

// Close closes the views of idle transactions, which can no longer enter the store.
func (vs *Views) Close() error {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.engine.files.drop()
	var err error
	for v := range vs.live {
		err = errors.Join(err, v.dispose())
	}
	vs.live, vs.current, vs.lookup = nil, nil, nil
	return err
}

// DropIdle closes idle iterators: they keep flushed memory and compacted files alive.
func (e *Engine) DropIdle() {
	if e.Keeper.Enter() != nil {
		return
	}
	defer e.Keeper.Exit()
	e.Views.ForgetLookup()
	e.files.drop()
	for _, v := range e.Views.all() {
		_ = closeAll(v.takeIdle(false)) // idle iterators have no unreported error
	}
}

func (vs *Views) all() []*View {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return slices.Collect(maps.Keys(vs.live))
}

func (v *View) takeIdle(done bool) []*pebble.Iterator {
	v.mu.Lock()
	defer v.mu.Unlock()
	idle := v.idle
	v.idle, v.old = nil, v.out
	v.done = v.done || done
	return idle
}

func (v *View) dispose() error {
	return errors.Join(closeAll(v.takeIdle(true)), v.closeSnapshot())
}

func closeAll(its []*pebble.Iterator) error {
	var err error
	for _, it := range its {
		err = errors.Join(err, it.Close())
	}
	return err
}

// Take returns an iterator of the view without bounds or filters. It is returned by Put.
func (v *View) Take() (*pebble.Iterator, error) {
	v.Engine.Iterators.Add(1)
	v.mu.Lock()
	v.out++
	v.taken++
	if n := len(v.idle); n > 0 {
		it := v.idle[n-1]
		v.idle = v.idle[:n-1]
		v.mu.Unlock()
		it.SetBounds(nil, nil)
		return it, nil
	}
	v.mu.Unlock()
	return v.open(&pebble.IterOptions{UseL6Filters: true})
}

// TakeFiltered returns an iterator that skips blocks or cells.
func (v *View) TakeFiltered(o *pebble.IterOptions) (*pebble.Iterator, error) {
	v.Engine.Iterators.Add(1)
	v.mu.Lock()
	v.out++
	v.taken++
	v.mu.Unlock()
	o.UseL6Filters = true
	return v.open(o)
}

func (v *View) open(o *pebble.IterOptions) (*pebble.Iterator, error) {
	it, err := v.NewIter(o)
	if err != nil {
		v.Engine.Iterators.Add(-1)
		v.mu.Lock()
		v.out--
		v.mu.Unlock()
		return nil, faultfs.DiskError(err)
	}
	return it, nil
}

// Put takes an iterator back. If reuse is set, it is kept for the next user if possible.
func (v *View) Put(it *pebble.Iterator, reuse bool) error {
	v.Engine.Iterators.Add(-1)
	v.Engine.wasted.note(v.Engine, it)
	reuse = reuse && it.Error() == nil
	v.mu.Lock()
	v.out--
	if v.old > 0 {
		v.old, reuse = v.old-1, false
	}
	if reuse && !v.done && len(v.idle) < v.Engine.Tuning.IdleIterators {
		v.idle = append(v.idle, it)
		v.mu.Unlock()
		return nil
	}
	v.mu.Unlock()
	return faultfs.DiskError(it.Close())
}

// Park puts back an iterator without bounds so that Unpark finds it, if nobody takes one before.
func (v *View) Park(it *pebble.Iterator) (stamp uint64, err error) {
	v.mu.Lock()
	stamp = v.taken
	v.mu.Unlock()
	return stamp, v.Put(it, true)
}

// Unpark takes a parked iterator again, at its position; false if others may have used it.
func (v *View) Unpark(it *pebble.Iterator, stamp uint64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	n := len(v.idle) - 1
	if v.taken != stamp || n < 0 || v.idle[n] != it {
		return false
	}
	v.idle = v.idle[:n]
	v.out++
	v.taken++
	v.Engine.Iterators.Add(1)
	return true
}
