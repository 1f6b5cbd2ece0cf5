package model

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/tidwall/btree"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
)

const maxTimestamp = math.MaxInt64

var errOver = errors.New("the transaction is over")

// txn reads its own copy of the cells, which includes its writes. Commit makes
// the same writes, in order, to the newest cells.
type txn struct {
	model *Model
	opts  kv.TxnOptions

	snapshot *state // nil before the first read or write
	now      int64  // ms, at the snapshot
	until    int64  // ms: a commit after that could make hidden versions reappear
	cells    *btree.BTreeG[entry]
	writes   []write
	held     map[lockKey]bool
	reads    []read // if the transaction is serializable

	// failed is the error after which only Rollback is possible.
	failed error
	over   bool
}

// write is a cell that is put or removed.
type write struct {
	table  *kv.Table
	entry  entry
	remove bool
	// ranged means that the cell is deleted with a range, and hidden that nobody
	// sees it.
	ranged, hidden bool
}

func (w write) apply(cells *btree.BTreeG[entry]) {
	if w.entry.space == 0 {
		return
	}
	if w.remove {
		cells.Delete(w.entry)
		return
	}
	cells.Set(w.entry)
}

// begin takes the snapshot, once.
func (x *txn) begin() {
	if x.snapshot == nil {
		x.snapshot = x.model.disk.current()
		x.cells = x.snapshot.cells.Copy()
		x.now = x.model.disk.now()
	}
}

// Now implements kv.Txn.
func (x *txn) Now() int64 {
	x.begin()
	return x.now
}

// ready begins each read and write.
func (x *txn) ready(ctx context.Context) error {
	switch {
	case x.over:
		return errOver
	case x.failed != nil:
		return x.failed
	}
	if err := x.model.usable(ctx); err != nil {
		return err
	}
	x.begin()
	return nil
}

// Catalog implements kv.Txn.
func (x *txn) Catalog() *kv.Catalog {
	x.begin()
	return x.snapshot.catalog
}

// lock begins each write: it locks the row for the transaction.
func (x *txn) lock(ctx context.Context, t *kv.Table, row []byte, how kv.RowLock) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	if x.opts.ReadOnly {
		return kv.ErrReadOnly
	}
	key := rowLock(t, row)
	err := x.model.locks.acquire(ctx, x, key, how)
	if err == nil && x.model.disk.changedSince(key, x.snapshot.seq) {
		err = kv.ErrConflict
	}
	if errors.Is(err, kv.ErrDeadlock) || errors.Is(err, kv.ErrConflict) {
		x.failed = err
	}
	return err
}

func (d *disk) changedSince(key lockKey, seq uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed[key] > seq
}

// place returns where a cell of the table is stored.
func place(t *kv.Table, row, qualifier []byte, timestamp int64) (entry, error) {
	leaf, ok := t.Partitioning.Place(row, timestamp)
	if !ok {
		return entry{}, kv.ErrNoPartition
	}
	return entry{space: keyspace.Of(t).Spaces[leaf], row: string(row), qualifier: string(qualifier), timestamp: timestamp}, nil
}

// lockCell locks the row of a cell and returns where the cell is stored.
func (x *txn) lockCell(ctx context.Context, t *kv.Table, c kv.Cell) (entry, error) {
	e, err := place(t, c.Row, c.Qualifier, c.Timestamp)
	if err != nil {
		return entry{}, err
	}
	e.value = bytes.Clone(c.Value)
	e.expires, _ = c.Expires()
	return e, x.lock(ctx, t, c.Row, kv.RowLock{})
}

func (x *txn) write(t *kv.Table, e entry, remove bool) {
	w := write{table: t, entry: e, remove: remove}
	w.apply(x.cells)
	x.writes = append(x.writes, w)
}

func (x *txn) exists(t *kv.Table, e entry) bool {
	_, ok := x.cells.Get(e)
	return ok && isKept(x.cells, t, e, x.now)
}

// Put implements kv.Txn.
func (x *txn) Put(ctx context.Context, t *kv.Table, c kv.Cell) error {
	e, err := x.lockCell(ctx, t, c)
	if err != nil {
		return err
	}
	x.write(t, e, false)
	return nil
}

// PutIfAbsent implements kv.Txn.
func (x *txn) PutIfAbsent(ctx context.Context, t *kv.Table, c kv.Cell) (bool, error) {
	e, err := x.lockCell(ctx, t, c)
	if err != nil || x.exists(t, e) {
		return false, err
	}
	x.write(t, e, false)
	return true, nil
}

// PutNext implements kv.Txn.
func (x *txn) PutNext(ctx context.Context, t *kv.Table, c kv.Cell) (int64, error) {
	e, err := x.lockCell(ctx, t, c)
	if err != nil {
		return 0, err
	}
	found, _ := kept(x.cells, t, e.row, e.qualifier, x.now)
	if most := t.Retention.MaxVersions; most > 0 && len(found) >= most && found[most-1].timestamp > e.timestamp {
		at, err := place(t, c.Row, c.Qualifier, found[most-1].timestamp)
		if err != nil {
			return 0, err
		}
		e.space, e.timestamp = at.space, at.timestamp
	}
	for slices.ContainsFunc(found, func(v entry) bool { return v.timestamp == e.timestamp }) {
		if e.timestamp == maxTimestamp {
			return 0, kv.ErrTimestampExhausted
		}
		e.timestamp++
		at, err := place(t, c.Row, c.Qualifier, e.timestamp)
		if err != nil {
			return 0, err
		}
		e.space = at.space
	}
	x.write(t, e, false)
	return e.timestamp, nil
}

// DeleteVersion implements kv.Txn.
func (x *txn) DeleteVersion(ctx context.Context, t *kv.Table, row, qualifier []byte, timestamp int64) error {
	e, err := x.lockCell(ctx, t, kv.Cell{Row: row, Qualifier: qualifier, Timestamp: timestamp})
	if err != nil {
		return err
	}
	if t.Retention.Counts() {
		x.sweep(t, e)
	}
	x.write(t, e, true)
	return nil
}

// DeleteColumn implements kv.Txn.
func (x *txn) DeleteColumn(ctx context.Context, t *kv.Table, row, qualifier []byte) error {
	p, ok := t.Partitioning.Locate(row)
	if !ok {
		return kv.ErrNoPartition
	}
	if err := x.lock(ctx, t, row, kv.RowLock{}); err != nil {
		return err
	}
	if found, _ := kept(x.cells, t, string(row), string(qualifier), x.now); len(found) == 0 {
		return nil
	}
	column := entry{row: string(row), qualifier: string(qualifier), timestamp: maxTimestamp}
	for slice := range t.Partitioning.NumSlices() {
		column.space = keyspace.Space(t, p, slice)
		for _, e := range entriesWhile(x.cells, column, column.sameColumn) {
			x.write(t, e, true)
		}
	}
	return nil
}

// LockRow implements kv.Txn.
func (x *txn) LockRow(ctx context.Context, t *kv.Table, row []byte, how kv.RowLock) error {
	return x.lock(ctx, t, row, how)
}

// Renew implements kv.Txn.
func (x *txn) Renew(context.Context) error {
	switch {
	case x.over:
		return errOver
	case x.failed != nil && !errors.Is(x.failed, kv.ErrConflict):
		return x.failed
	case x.snapshot == nil:
		return nil
	}
	x.failed, x.snapshot, x.reads = nil, nil, nil
	if len(x.writes) == 0 {
		x.until = maxTimestamp
	}
	x.begin()
	if x.writes, x.failed = placedIn(x.writes, x.snapshot.catalog); x.failed != nil {
		return x.failed
	}
	for _, w := range x.writes {
		w.apply(x.cells)
	}
	return nil
}

// placedIn returns the writes with the cells in their places according to the
// catalog. Removed cells do not need a place.
func placedIn(writes []write, c *kv.Catalog) ([]write, error) {
	out := slices.Clone(writes)
	for _, w := range out {
		if !w.table.SameButLayout(c.Table(w.table.Database, w.table.Name)) {
			return nil, kv.ErrCatalogChanged
		}
	}
	if rangesMove(out, c) {
		return nil, kv.ErrCatalogChanged
	}
	for i := range out {
		w := &out[i]
		now := c.Table(w.table.Database, w.table.Name)
		e, err := place(now, []byte(w.entry.row), []byte(w.entry.qualifier), w.entry.timestamp)
		if err != nil && !w.remove {
			return nil, err
		}
		w.table, w.entry.space = now, e.space // the zero space if there is no place
	}
	return out, nil
}

// read is a scan that was executed.
type read struct {
	tables []*kv.Table
	scan   kv.Scan
}

// same reports whether the scan returns the same in both states.
func (r *read) same(a, b *state, moment int64) bool {
	then, _ := collect(a.cells, r.tables, &r.scan, moment)
	now, _ := collect(b.cells, r.tables, &r.scan, moment)
	return slices.EqualFunc(then, now, func(a, b found) bool {
		return a.family == b.family && compareEntries(a.entry, b.entry) == 0 && bytes.Equal(a.value, b.value) &&
			(a.value == nil) == (b.value == nil)
	})
}

// checkReads compares what was read with what would be read now. (If a scan was
// not read to its end, a store may check only the part that was read.)
func (x *txn) checkReads(now *state) error {
	if len(x.reads) > 0 && now.catalog != x.snapshot.catalog {
		return kv.ErrCatalogChanged
	}
	return x.sameReads(now)
}

func (x *txn) sameReads(now *state) error {
	for i := range x.reads {
		if !x.reads[i].same(x.snapshot, now, x.now) {
			return kv.ErrConflict
		}
	}
	return nil
}

// savepoint is the number of writes so far and the time until which they may be
// committed.
type savepoint struct {
	writes int
	until  int64
}

// Savepoint implements kv.Txn.
func (x *txn) Savepoint() kv.Savepoint { return savepoint{len(x.writes), x.until} }

// RollbackTo implements kv.Txn.
func (x *txn) RollbackTo(s kv.Savepoint) {
	if x.snapshot == nil {
		return
	}
	to := s.(savepoint)
	x.writes, x.until = slices.Clip(x.writes[:to.writes]), to.until
	x.cells = x.snapshot.cells.Copy()
	for _, w := range x.writes {
		w.apply(x.cells)
	}
}

// Commit implements kv.Txn.
func (x *txn) Commit(ctx context.Context) error {
	defer x.end()
	if err := x.ready(ctx); err != nil {
		return err
	}
	if len(x.writes) == 0 {
		return nil
	}
	return x.model.disk.commit(x)
}

func (d *disk) commit(x *txn) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := x.checkReads(d.state); err != nil {
		return err
	}
	writes, err := placedIn(x.writes, d.state.catalog)
	if err != nil {
		return err
	}
	if d.now() > x.until {
		return kv.ErrConflict
	}
	next := *d.state
	next.seq++
	next.cells = d.state.cells.Copy()
	for _, w := range writes {
		w.apply(next.cells)
	}
	for _, w := range writes {
		key := rowLock(w.table, []byte(w.entry.row))
		if d.written[key.space()] = next.seq; !w.hidden {
			d.changed[key] = next.seq
		}
	}
	d.state = &next
	return nil
}

// Rollback implements kv.Txn.
func (x *txn) Rollback() { x.end() }

func (x *txn) end() {
	if !x.over {
		x.over = true
		x.model.locks.release(x)
		x.model.openTxns.Add(-1)
	}
}
