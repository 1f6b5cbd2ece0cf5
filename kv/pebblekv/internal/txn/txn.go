package txn

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/pacer"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// Txn implements kv.Txn: a view with an overlay of own writes.
type Txn struct {
	m    *Manager
	opts kv.TxnOptions
	view *views.View // nil until first use
	now  int64       // ms, at the view
	// until is the last moment, in ms, at which its deletions uncover no other versions.
	until int64
	own   overlay.Overlay
	// keyLayout is the catalog whose layout the keys in own have, once the view is
	// taken.
	keyLayout *kv.Catalog
	owner     rowlock.Owner
	wrote     []*kv.Table
	Reads     *read.ReadSet // nil unless it is to be checked at the commit
	role      views.Role    // its role at its view
	late      bool          // the snapshot is taken by the first that needs it
	over      bool
	// writes is own.Len, for other goroutines.
	writes atomic.Uint64
	stuck  error  // after which only Rollback is left
	swept  []byte // the column last swept, to which nothing has been written since
	// deleting finds the versions of columns that are deleted one after the other, nil before the
	// second. deletedAt is own.Len after the last one.
	deleting  *read.Versions
	deletedAt int
	stretch   stretch
	// deletedRows are the rows of the ranges that were deleted as a whole, also of undone deletions.
	deletedRows []*rowlock.Set
	stretched   *rowlock.Set  // those of stretches among them, nil if there are none
	whole       *rowlock.Span // the lock of a whole table for stretches
	// written are the rows of all writes, as bits, once some writes are on disk.
	written *rowlock.Set
	recent  *rowlock.Set // of those in memory

	looks   int // at the store without a snapshot
	gaps    gaps
	nexts   map[string]nextRun
	deleted bool // whether it has deleted anything since its start
	keyBuf  []byte
	// keyRow is the row with whose key keyBuf begins, if it has any bytes, and keyRowLen the length of that.
	keyRow    rowlock.ID
	keyRowLen int
	// columnBuf is the column that is being deleted.
	columnBuf []byte
	loaded    *kv.Table // whose loads are in loads
	loads     []*views.PartLoad
	last      *kv.Table // whose namespace is lastNS
	lastNS    rowlock.ID
	lastRow   rowlock.ID // the row locked last, and found unchanged
	lastHow   kv.RowLock
	lastOK    bool
	// unwritten is true while the row locked last has certainly not been written, since its lock was new.
	unwritten bool

	// What a transaction of one cell needs, allocated with it.
	keyRoom  [64]byte
	wroteOne [1]*kv.Table
}

// readers are zeroed transactions that Release gave back.
var readers = sync.Pool{New: func() any { return &Txn{} }}

// Begin starts a transaction.
func (m *Manager) Begin(o kv.TxnOptions) *Txn {
	pacer.YieldBetween()
	o.ReadOnly = o.ReadOnly || m.readOnly
	if o.LockTimeout <= 0 {
		o.LockTimeout = m.lockTimeout
	}
	var t *Txn
	if o.ReadOnly && m.engine.Tuning.Recycle {
		t = readers.Get().(*Txn)
	} else {
		t = &Txn{}
		t.keyBuf, t.wrote = t.keyRoom[:0], t.wroteOne[:0]
	}
	t.m, t.opts, t.until = m, o, math.MaxInt64
	// Nothing that a reader sees can be lost by a disk fault. Writers may build on what is not durable yet, and
	// learn at their commit whether it is.
	t.role = views.DurableReader
	if !o.ReadOnly {
		t.own.Init(m.engine.DB, &m.engine.Hash, m.maxBytes)
		t.role = views.Writer
		if o.Serializable {
			t.Reads, t.role = &read.ReadSet{}, views.CheckedWriter
		}
	}
	t.late = o.Single && !o.Again && t.Reads == nil
	return t
}

// Of reports whether the transaction is one of the manager's.
func (t *Txn) Of(m *Manager) bool { return t.m == m }

// enter enters the store for one operation. Exit must follow if it succeeds.
func (t *Txn) enter() error {
	if t.over {
		return kv.ErrClosed
	}
	if t.stuck != nil {
		return t.stuck
	}
	return t.m.host.Enter()
}

// begin takes the snapshot unless that has been done.
func (t *Txn) begin() error {
	if t.view != nil {
		return nil
	}
	if err := t.enter(); err != nil {
		return err
	}
	defer t.m.host.Exit()
	t.snapshot()
	return t.stuck
}

// snapshot takes the snapshot unless that has been done. A late one may have another catalog than
// the transaction has used.
func (t *Txn) snapshot() {
	if t.view != nil {
		return
	}
	if t.view = t.m.engine.Views.Acquire(t.role); t.view.Retains {
		t.now = t.m.engine.Now() // after the view: nothing in it was collected by a later time
	}
	if !t.opts.ReadOnly {
		t.takeGaps()
	}
	if t.keyLayout == nil {
		t.keyLayout = t.view.Catalog
	}
	if t.keyLayout != t.view.Catalog {
		if t.stuck = t.rekey(t.view.Catalog); t.stuck == nil {
			t.stuck = kv.ErrConflict
		}
	}
}

// Now implements kv.Txn. For a transaction that ended without a snapshot it is the present.
func (t *Txn) Now() int64 {
	if _ = t.begin(); t.view == nil {
		return t.m.engine.Now()
	}
	if !t.view.Retains && t.now == 0 {
		t.now = t.m.engine.Now()
	}
	return t.now
}

// Catalog implements kv.Txn. For a transaction that ended without a snapshot it is the store's newest.
func (t *Txn) Catalog() *kv.Catalog {
	if t.view == nil && t.late {
		if t.keyLayout == nil {
			t.keyLayout = t.m.engine.Views.NewestCatalog()
		}
		return t.keyLayout
	}
	if t.begin() != nil {
		return t.m.engine.Views.NewestCatalog()
	}
	return t.view.Catalog
}

// Scan implements kv.Txn.
func (t *Txn) Scan(ctx context.Context, tables []*kv.Table, s *kv.Scan) (kv.Cursor, error) {
	err := ctx.Err()
	if err == nil {
		err = t.enter()
	}
	if err != nil {
		return nil, err
	}
	v := t.view
	if v != nil {
		v.Retain()
	} else if v, err = t.scanView(tables, s); err != nil {
		t.m.host.Exit()
		return nil, err
	}
	if t.deleting != nil {
		t.endDeleting()
	}
	var own *overlay.Writes
	if !t.opts.ReadOnly {
		own, err = t.ownFor(tables, s)
	}
	var c kv.Cursor
	if err == nil {
		c, err = read.Open(ctx, v, own, t.Reads, tables, s, read.Moment{Now: t.now})
	}
	if err != nil {
		err = errors.Join(err, v.Release(views.Reader))
		t.m.host.Exit()
		return nil, err
	}
	return c, nil
}

// Put implements kv.Txn.
func (t *Txn) Put(ctx context.Context, table *kv.Table, c kv.Cell) error {
	key, err := t.lockCell(ctx, table, c.Row, c.Qualifier, c.Timestamp)
	if err != nil {
		return err
	}
	defer t.m.host.Exit()
	return t.putCell(table, key, &c)
}

// putCell adds a write of the cell at the key. A TTL that never ends counts as none.
func (t *Txn) putCell(table *kv.Table, key []byte, c *kv.Cell) error {
	if c.TTL == 0 {
		return t.put(table, key, c.Value)
	}
	expires, ok := c.Expires()
	switch {
	case !ok:
		return t.put(table, key, c.Value)
	case !table.Retention.CellTTL || c.Value == nil:
		return kv.ErrUnsupported{What: "a cell TTL for a null value, or in a table without CellTTL"}
	}
	return t.putStored(table, key, cellkey.AppendExpiring(nil, c.Value, expires))
}

// putStored adds a write of a value in its stored form.
func (t *Txn) putStored(table *kv.Table, key, stored []byte) error {
	if err := t.makeRoom(len(key) + len(stored)); err != nil {
		return err
	}
	t.willWrite()
	t.own.PutStored(t.lastRow, key, stored)
	t.wrotePut(table)
	return nil
}

// put adds a write of the cell.
func (t *Txn) put(table *kv.Table, key, value []byte) error {
	if err := t.makeRoom(len(key) + len(value)); err != nil {
		return err
	}
	t.willWrite()
	t.own.Put(t.lastRow, key, value, false)
	t.wrotePut(table)
	return nil
}

// willWrite notes that the row locked last is written.
func (t *Txn) willWrite() {
	if t.unwritten = false; t.written != nil {
		t.written.Add(t.lastRow)
	}
	if t.recent != nil {
		t.recent.Add(t.lastRow)
	}
}

func (t *Txn) wrotePut(table *kv.Table) {
	t.swept = nil
	t.writes.Store(uint64(t.own.Len()))
	t.touch(table)
}

// PutIfAbsent implements kv.Txn.
func (t *Txn) PutIfAbsent(ctx context.Context, table *kv.Table, c kv.Cell) (bool, error) {
	key, err := t.lockCell(ctx, table, c.Row, c.Qualifier, c.Timestamp)
	if err != nil {
		return false, err
	}
	defer t.m.host.Exit()
	found, err := t.existsKept(ctx, table, key, c)
	if err != nil || found {
		return false, err
	}
	if err := t.putCell(table, key, &c); err != nil {
		return false, err
	}
	return true, nil
}

// PutNext implements kv.Txn.
func (t *Txn) PutNext(ctx context.Context, table *kv.Table, c kv.Cell) (int64, error) {
	key, err := t.lockCell(ctx, table, c.Row, c.Qualifier, c.Timestamp)
	if err != nil {
		return 0, err
	}
	defer t.m.host.Exit()
	if key, err = t.toBeKept(ctx, table, key, &c); err != nil {
		return 0, err
	}
	found, err := t.existsKept(ctx, table, key, c)
	if err != nil {
		return 0, err
	}
	if found {
		if key, err = t.firstFree(table, key, c); err != nil {
			return 0, err
		}
	}
	c.Timestamp = cellkey.Timestamp(key)
	return c.Timestamp, t.putCell(table, key, &c)
}

// DeleteVersion implements kv.Txn.
func (t *Txn) DeleteVersion(ctx context.Context, table *kv.Table, row, qualifier []byte, timestamp int64) error {
	key, err := t.lockCell(ctx, table, row, qualifier, timestamp)
	if err != nil {
		return err
	}
	defer t.m.host.Exit()
	if table.Retention.Counts() {
		return t.deleteCounted(ctx, table, key, row, qualifier)
	}
	return t.delete(table, key)
}

func (t *Txn) delete(table *kv.Table, key []byte) error {
	if err := t.makeRoom(len(key)); err != nil {
		return err
	}
	t.willWrite()
	t.own.Put(t.lastRow, key, nil, true)
	t.writes.Store(uint64(t.own.Len()))
	t.nexts, t.deleted = nil, true
	t.touch(table)
	return nil
}

// DeleteColumn implements kv.Txn.
func (t *Txn) DeleteColumn(ctx context.Context, table *kv.Table, row, qualifier []byte) error {
	p, ok := table.Partitioning.Locate(row)
	if !ok {
		return kv.ErrNoPartition
	}
	if t.deleting != nil {
		if done, err := t.lengthen(ctx, table, p, row, qualifier); done || err != nil {
			return err
		}
	}
	if err := t.lockRow(ctx, table, row, kv.RowLock{}); err != nil {
		return err
	}
	defer t.m.host.Exit()
	v, err := t.columnView(table)
	if err != nil {
		return err
	}
	before, exists := t.mark(), table.Retention.IsZero()
	for slice := 0; slice < table.Partitioning.NumSlices() && err == nil; slice++ {
		leaf := table.Partitioning.Leaf(p, slice)
		t.CountWrite(ctx, table, leaf, row)
		t.columnBuf = cellkey.AppendColumn(t.columnBuf[:0], keyspace.Of(table).Spaces[leaf], row, qualifier)
		err = t.eachVersion(ctx, v, t.columnBuf, table.Partitioning.Slices() == nil, func(key []byte) error {
			exists = exists || table.Retention.Keeps(0, cellkey.Timestamp(key), t.now)
			return t.delete(table, key)
		})
	}
	if err != nil || !exists { // a column of hidden versions does not exist: nothing is written
		t.undo(before)
	} else {
		err = t.mayStretch(table, row)
	}
	return errors.Join(err, v.Release(views.Reader))
}

// usualVersions is the number of versions of a column for which there is room before it is deleted.
const usualVersions = 16

// eachVersion calls fn with the versions of a column, which fn may delete. In tables without slices
// of time, a column is found from the one before it if they come in order.
func (t *Txn) eachVersion(ctx context.Context, v *views.View, column []byte, inOrder bool, fn func(key []byte) error) error {
	goesOn := inOrder && v == t.view && t.deletedAt > 0 && t.deletedAt == t.own.Len()
	if t.deleting != nil && !(goesOn && t.deleting.IsBefore(column)) {
		t.endDeleting()
	}
	// A spill here finds nobody who keeps the memory of the writes, but one within Each would.
	if err := t.makeRoom(usualVersions * 2 * len(column)); err != nil {
		return err
	}
	versions := t.deleting
	if versions == nil {
		own, err := t.readable(nil)
		if err != nil {
			return err
		}
		versions = read.VersionsIn(v, own)
	}
	t.deleting = nil // fn may spill, which would close it
	err := versions.Each(ctx, column, fn)
	if goesOn {
		t.deleting = versions
	} else {
		versions.Close()
	}
	t.deletedAt = t.own.Len()
	t.stretch.count(versions)
	return err
}

// endDeleting forgets the position of the column deleted last. It is called before other writes are
// read: a writer continues with a copy of writes that are held.
func (t *Txn) endDeleting() {
	if t.deleting != nil {
		t.deleting.Close()
	}
	t.deleting, t.deletedAt, t.stretch = nil, 0, stretch{}
}

// touch remembers that the table has been written.
func (t *Txn) touch(table *kv.Table) {
	if n := len(t.wrote); n > 0 && t.wrote[n-1] == table {
		return
	}
	if !slices.Contains(t.wrote, table) {
		t.wrote = append(t.wrote, table)
	}
}

// exists reports whether the transaction sees a version at the key. The row is locked.
func (t *Txn) exists(key []byte) (bool, error) {
	if !t.hasNotWritten(t.lastRow) {
		if w, ok, err := t.own.Get(key); ok || err != nil {
			return ok && !w.Deleted, err
		}
	}
	if t.view == nil {
		if t.mayLook() {
			if found, ok, err := t.look(key); ok || err != nil {
				return found, err
			}
		}
		if t.snapshot(); t.stuck != nil {
			return false, t.stuck
		}
	}
	gap := t.gaps.of(key)
	if t.m.engine.Tuning.Gaps && gap.holds(key) {
		return false, nil
	}
	whole := t.gaps.climb(gap, key) > t.m.engine.Tuning.GapClimbs
	if !whole && t.last.Retention == (kv.Retention{}) {
		if absent, err := t.absentInFiles(gap, key); absent || err != nil {
			return false, err
		}
	}
	it, err := t.view.Take()
	if err != nil {
		return false, err
	}
	found, err := gap.look(it, key, whole)
	return found, errors.Join(err, t.view.Put(it, true))
}

// Observe implements kv.Observed.
func (t *Txn) Observe() kv.TxnState {
	s := t.m.Locks.State(&t.owner)
	s.Writes = t.writes.Load()
	return s
}

// Rollback implements kv.Txn.
func (t *Txn) Rollback() {
	t.end()
}

// Release implements kv.Releaser. A transaction that wrote or locked is not reused, since others
// may still refer to it.
func (t *Txn) Release() error {
	t.end()
	if t.opts.ReadOnly && t.m.engine.Tuning.Recycle {
		*t = Txn{}
		readers.Put(t)
	}
	return nil
}

// end releases the locks and the view, unless that has been done.
func (t *Txn) end() {
	if t.over {
		return
	}
	t.over = true
	if !t.opts.ReadOnly {
		t.endWriting()
	}
	if t.view == nil {
		return
	}
	// A closed store disposes of the view itself.
	if t.m.host.Enter() == nil {
		_ = t.view.Release(t.role) // read-only snapshots: nothing can be lost
		t.m.host.Exit()
	}
}

// endWriting discards the writes and releases the locks.
func (t *Txn) endWriting() {
	if t.deleting != nil {
		t.endDeleting()
	}
	_ = t.own.Close() // a batch: nothing can be lost
	t.Reads = nil
	t.m.Locks.Release(&t.owner)
}
