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

// View is the store at one commit: a snapshot with its catalog. Transactions
// that begin between two commits share one, and the iterators that the others
// have left behind.
type View struct {
	Engine  *Engine
	Clock   uint64 // every commit up to this one is in the view
	Catalog *kv.Catalog
	Retains bool             // some table does not keep everything
	snap    *pebble.Snapshot // nil of one that is for one iterator

	// users can become more by views.acquire and by those that there are.
	users atomic.Int64

	// Guarded by views.mu.
	writers int // the users that may write
	checked int // the writers whose reads are checked

	mu      sync.Mutex
	idle    []*pebble.Iterator
	oneIdle [1]*pebble.Iterator // memory of the first
	out     int                 // iterators that are in use
	old     int                 // of those, from before the idle ones were dropped
	done    bool
	taken   uint64 // how many iterators have been
}

// Role is what a user does with a view.
type Role uint8

const (
	Reader        Role = iota
	Writer             // is told of rows that have changed since
	CheckedWriter      // and of what it has read and has changed since
)

// Views hands out views, and keeps the history that their writers need.
type Views struct {
	engine *Engine

	mu      sync.Mutex
	clock   atomic.Uint64 // commits so far; it changes under mu
	catalog *kv.Catalog
	current *View   // at clock; nil until the next user comes
	writing []*View // those with writers, oldest first
	live    map[*View]struct{}
	checked int // the writers whose reads are checked
	history history
	undurable

	// lookup serves those who look for a key of a row that they have locked; nil
	// until the next one comes. looked counts them.
	lookup *View
	looked int
}

func (vs *Views) init(e *Engine) {
	vs.engine = e
	vs.history.init(&e.Tuning)
	vs.live = map[*View]struct{}{}
}

// NewestCatalog is the catalog at the last commit.
func (vs *Views) NewestCatalog() *kv.Catalog {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.catalog
}

// Acquire gives the view at the last commit; the caller is inside
// keeper.Enter. A commit that is just becoming visible may be in the snapshot
// though not in the clock: a writer then sees a conflict too many, never one
// too few.
func (vs *Views) Acquire(r Role) *View {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.newest(r)
}

// newest is acquire; mu is held.
func (vs *Views) newest(r Role) *View {
	v := vs.current
	if v == nil {
		v = &View{Engine: vs.engine, Clock: vs.clock.Load(), Catalog: vs.catalog, Retains: vs.catalog.Retains(),
			snap: vs.engine.DB.NewSnapshot()}
		vs.current = v
		vs.live[v] = struct{}{}
	}
	v.users.Add(1)
	if r != Reader {
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

// Release ends a use; the caller is inside Keeper.Enter.
func (v *View) Release(r Role) error {
	vs := &v.Engine.Views
	if v.snap == nil {
		return v.releaseDirect()
	}
	if r == Reader && v.users.Add(-1) > 0 {
		return nil
	}
	vs.mu.Lock()
	unused := false
	if r == Reader {
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
	if r != Reader {
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

// advanceDurably counts a commit that is durable, and so all before it. mu is held.
func (vs *Views) advanceDurably() {
	vs.advance()
	vs.written, vs.coming = vs.clock.Load(), false
	for _, v := range vs.letGo(vs.written) {
		_ = v.dispose() // nothing of it is in use: closing cannot fail
	}
}

// Committed counts a commit of a transaction that read the view, or none, and
// whose reads were checked or not, and gives its clock. It is remembered while another writer has an
// older view.
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
// of those that share its rows' locks.
func (v *View) TableWrittenSince(t *kv.Table) bool {
	vs := &v.Engine.Views
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.clock.Load() != v.Clock && vs.history.wroteSince(v.Clock, t)
}

// Begin sets the catalog of a store that is being opened.
func (vs *Views) Begin(c *kv.Catalog) { vs.catalog = c }

// Publish makes a catalog visible together with what apply writes, durably: no view is
// taken between. It counts as a commit of any rows. Where apply fails, whatever it has
// written is seen by no view.
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
	_ = vs.dropLookup() // cells may have come to other key spaces; closing loses nothing
	return nil
}

// CommitsSince are the commits after the clock, and false where some of them
// are forgotten.
func (vs *Views) CommitsSince(clock uint64) ([]*Commit, bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.history.since(clock)
}

// RemembersNothing reports whether no writer has an older view for which commits
// would be remembered.
func (vs *Views) RemembersNothing() bool {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	h := &vs.history
	return len(h.changed)+len(h.commits)+len(h.loads) == 0 && h.bytes == 0
}

// prune forgets what no writer's view is older than. mu is held.
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

// Close disposes of the views of idle transactions, which can no longer enter
// the store.
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

// DropIdle lets go of the iterators that nobody uses: they keep flushed
// memory and compacted files alive.
func (e *Engine) DropIdle() {
	if e.Keeper.Enter() != nil {
		return
	}
	defer e.Keeper.Exit()
	e.Views.ForgetLookup()
	e.files.drop()
	for _, v := range e.Views.all() {
		_ = closeAll(v.takeIdle(false)) // idle iterators have no error left to tell
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

// Take gives an iterator of the view without bounds or filters.
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

// TakeFiltered gives an iterator that passes over blocks or cells.
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

// Put gives an iterator back, for the next user where that is possible.
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

// Park puts an iterator that has no bounds where unpark finds it, if nobody takes one before.
func (v *View) Park(it *pebble.Iterator) (stamp uint64, err error) {
	v.mu.Lock()
	stamp = v.taken
	v.mu.Unlock()
	return stamp, v.Put(it, true)
}

// Unpark takes an iterator that was parked, where it stands, or reports false where others may have
// had it.
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
