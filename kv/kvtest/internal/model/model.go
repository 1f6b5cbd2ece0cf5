// Package model has Model, an in-memory kv.Store that is obviously correct.
package model

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/btree"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
)

// Model is an in-memory kv.Store that is also a kv.StatsReader. Create it with New.
type Model struct {
	disk   *disk
	closed chan struct{}
	close  sync.Once
	locks  *lockTable

	openTxns, openCursors atomic.Int64
	collected             sync.Map // the result of the last collection of a table, by its name
}

// disk is the part that survives Close.
type disk struct {
	clock func() time.Time
	floor atomic.Int64 // the time of the last collection, in ms

	ddl sync.Mutex // held while a catalog change is prepared

	mu    sync.Mutex
	state *state
	// changed contains, for each row, the sequence number of the last commit
	// that wrote it.
	changed map[lockKey]uint64
	// written contains the same for all rows of a group, or of a table without a
	// group.
	written map[lockKey]uint64
}

// state is everything that is committed at one moment. It is immutable.
type state struct {
	seq     uint64 // grows with each commit
	stored  *keyspace.Catalog
	catalog *kv.Catalog
	cells   *btree.BTreeG[entry]
}

// entry is a stored cell.
type entry struct {
	space     keyspace.ID
	row       string
	qualifier string
	timestamp int64
	value     []byte // nil is the null value; never modified
	expires   int64  // when the cell expires by its own TTL; 0 if it does not
}

// hasExpired reports whether the cell has expired by its own TTL.
func (e entry) hasExpired(now int64) bool { return e.expires != 0 && now >= e.expires }

// compareEntries compares in HBase's order within a key space.
func compareEntries(a, b entry) int {
	return cmp.Or(
		cmp.Compare(a.space, b.space),
		strings.Compare(a.row, b.row),
		strings.Compare(a.qualifier, b.qualifier),
		cmp.Compare(b.timestamp, a.timestamp))
}

// defaultLockTimeout is for transactions that do not set one.
const defaultLockTimeout = 10 * time.Second

var (
	_ kv.Store         = (*Model)(nil)
	_ kv.StatsReader   = (*Model)(nil)
	_ kv.Repartitioner = (*Model)(nil)

	_ kv.CheckedChanger = (*Model)(nil)
	_ kv.Collector      = (*Model)(nil)
)

// New creates an empty store, without a database or a table, that uses the
// system clock.
func New() *Model { return NewAt(time.Now) }

// NewAt is like New, with the given clock.
func NewAt(clock func() time.Time) *Model {
	stored := keyspace.New()
	d := &disk{
		clock:   clock,
		changed: map[lockKey]uint64{},
		written: map[lockKey]uint64{},
		state: &state{
			stored:  stored,
			catalog: stored.Catalog,
			cells:   btree.NewBTreeG(func(a, b entry) bool { return compareEntries(a, b) < 0 }),
		},
	}
	d.floor.Store(math.MinInt64)
	return open(d)
}

func open(d *disk) *Model {
	return &Model{disk: d, closed: make(chan struct{}), locks: newLockTable()}
}

// Reopen closes the Model and returns another one with everything that was committed.
func (m *Model) Reopen() *Model {
	m.Close()
	return open(m.disk)
}

// InUse returns the number of transactions that have not ended and of cursors
// that are not closed. After a test these have been leaked by the code under
// test.
func (m *Model) InUse() (txns, cursors int) {
	return int(m.openTxns.Load()), int(m.openCursors.Load())
}

// Catalog implements kv.Store.
func (m *Model) Catalog(context.Context) (*kv.Catalog, error) { return m.disk.current().catalog, nil }

func (d *disk) current() *state {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// ChangeCatalog implements kv.Store.
func (m *Model) ChangeCatalog(ctx context.Context, fn func(*kv.CatalogChange) error) error {
	return m.changeCatalog(ctx, descriptors(fn), func(*state) error { return nil })
}

// ChangeCatalogAfter implements kv.CheckedChanger.
func (m *Model) ChangeCatalogAfter(ctx context.Context, read kv.Txn, fn func(*kv.CatalogChange) error) error {
	return m.changeCatalog(ctx, descriptors(fn), read.(*txn).sameReads)
}

func descriptors(fn func(*kv.CatalogChange) error) func(*keyspace.Change) error {
	return func(c *keyspace.Change) error { return fn(c.CatalogChange) }
}

// changeCatalog is ChangeCatalog with an edit of the cells, which runs before
// the data of dropped tables is removed.
func (m *Model) changeCatalog(ctx context.Context, fn func(*keyspace.Change) error, edit func(*state) error) error {
	m.disk.ddl.Lock()
	defer m.disk.ddl.Unlock()
	if err := m.usable(ctx); err != nil {
		return err
	}
	before := m.disk.current().stored
	change := before.Change()
	if err := fn(change); err != nil {
		return err
	}
	stored, _, freed := change.Finish()
	return m.disk.install(func(s *state) error {
		s.stored, s.catalog = stored, stored.Catalog
		if err := edit(s); err != nil {
			return err
		}
		for _, extent := range freed {
			s.remove(extent)
		}
		return nil
	})
}

// Repartition implements kv.Repartitioner. All cells move at the same moment.
func (m *Model) Repartition(ctx context.Context, database, name string, layout func(*kv.Table) error,
	o kv.MoveOptions) error {
	return m.relocate(ctx, o, func(c *keyspace.Change) (*keyspace.Move, error) { return c.StartMove(database, name, layout) })
}

// Isolate implements kv.Repartitioner.
func (m *Model) Isolate(ctx context.Context, database, name, partition string, o kv.MoveOptions) error {
	return m.relocate(ctx, o, func(c *keyspace.Change) (*keyspace.Move, error) {
		return c.StartIsolation(database, name, partition)
	})
}

// relocate makes a plan and, if cells must move, reports progress twice and
// moves them all at the same moment.
func (m *Model) relocate(ctx context.Context, o kv.MoveOptions, plan func(*keyspace.Change) (*keyspace.Move, error)) error {
	if o.Progress == nil {
		o.Progress = func(kv.MoveProgress) {}
	}
	o.Progress(kv.MoveProgress{})
	for {
		var planned *keyspace.Move
		err := m.changeCatalog(ctx, func(c *keyspace.Change) (err error) {
			planned, err = plan(c)
			return err
		}, func(*state) error { return nil })
		if err != nil {
			return err
		}
		if planned.Needed() {
			o.Progress(kv.MoveProgress{})
			o.Progress(kv.MoveProgress{})
		}
		err = m.finish(ctx, planned)
		if !errors.Is(err, kv.ErrCatalogChanged) {
			return err
		}
	}
}

func (m *Model) finish(ctx context.Context, planned *keyspace.Move) error {
	err := m.changeCatalog(ctx, func(c *keyspace.Change) error { return c.FinishMove(planned) }, func(s *state) error {
		for i, t := range planned.Before {
			if err := s.move(t, planned.After[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return nil
	}
	undo := m.changeCatalog(context.WithoutCancel(ctx), func(c *keyspace.Change) error {
		c.CancelMove(planned)
		return nil
	}, func(*state) error { return nil })
	return errors.Join(err, undo)
}

// move writes the cells to their places in the table's new layout.
func (s *state) move(from, to *kv.Table) error {
	for leaf := range keyspace.Of(from).Spaces {
		for _, e := range leafEntries(s.cells, from, leaf) {
			i, ok := to.Partitioning.Place([]byte(e.row), e.timestamp)
			if !ok {
				return kv.ErrNoPartition
			}
			e.space = keyspace.Of(to).Spaces[i]
			s.cells.Set(e)
		}
	}
	return nil
}

// install creates the next state from a private copy of the newest one. If edit
// fails, the state stays the same.
func (d *disk) install(edit func(*state) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := *d.state
	next.cells = d.state.cells.Copy()
	next.seq++
	if err := edit(&next); err != nil {
		return err
	}
	d.state = &next
	return nil
}

func (s *state) remove(extent keyspace.Extent) {
	for _, e := range spaceEntries(s.cells, extent.Space) {
		if extent.Rows.Contains([]byte(e.row)) {
			s.cells.Delete(e)
		}
	}
}

// spaceEntries returns the cells of a key space.
func spaceEntries(cells *btree.BTreeG[entry], space keyspace.ID) []entry {
	first := entry{space: space, timestamp: maxTimestamp}
	return entriesWhile(cells, first, func(e entry) bool { return e.space == space })
}

// entriesWhile returns the cells from first on, as long as accept returns true.
func entriesWhile(cells *btree.BTreeG[entry], first entry, accept func(entry) bool) []entry {
	var out []entry
	cells.Ascend(first, func(e entry) bool {
		if !accept(e) {
			return false
		}
		out = append(out, e)
		return true
	})
	return out
}

func (e entry) sameColumn(o entry) bool {
	return e.space == o.space && e.row == o.row && e.qualifier == o.qualifier
}

// usable returns an error if the context is done or the store is closed.
func (m *Model) usable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.isClosed() {
		return kv.ErrClosed
	}
	return nil
}

func (m *Model) isClosed() bool {
	select {
	case <-m.closed:
		return true
	default:
		return false
	}
}

// Begin implements kv.Store.
func (m *Model) Begin(_ context.Context, opts kv.TxnOptions) (kv.Txn, error) {
	return m.begin(opts), nil
}

func (m *Model) begin(opts kv.TxnOptions) *txn {
	if opts.LockTimeout == 0 {
		opts.LockTimeout = defaultLockTimeout
	}
	m.openTxns.Add(1)
	return &txn{model: m, opts: opts, until: maxTimestamp, held: map[lockKey]bool{}}
}

// Close implements kv.Store.
func (m *Model) Close() error {
	m.close.Do(func() { close(m.closed) })
	return nil
}

// TableStats implements kv.StatsReader. The figures are exact.
func (m *Model) TableStats(ctx context.Context, t *kv.Table, _ bool) ([]kv.PartitionStats, error) {
	if err := m.usable(ctx); err != nil {
		return nil, err
	}
	out := make([]kv.PartitionStats, t.Partitioning.NumLeaves())
	cells, now := m.disk.current().cells, m.disk.now()
	for leaf := range out {
		for _, e := range keptIn(cells, t, leaf, now) {
			if out[leaf].Cells == 0 {
				out[leaf].MinRow = []byte(e.row)
			}
			out[leaf].MaxRow = []byte(e.row)
			out[leaf].Cells++
			out[leaf].Bytes += int64(len(e.row) + len(e.qualifier) + 8 + len(e.value))
		}
	}
	return out, nil
}

// leafEntries returns the cells of one leaf of a table's partitioning. Other
// leaves may share its key space.
func leafEntries(cells *btree.BTreeG[entry], t *kv.Table, leaf int) []entry {
	return slices.DeleteFunc(spaceEntries(cells, keyspace.Of(t).Spaces[leaf]), func(e entry) bool {
		i, ok := t.Partitioning.Place([]byte(e.row), e.timestamp)
		return !ok || i != leaf
	})
}
