package kvtest

import (
	"bytes"
	"context"
	"errors"
	"math"

	"github.com/tidwall/btree"

	"github.com/hbasekv/hbasekv/kv"
)

const maxTimestamp = math.MaxInt64

var errOver = errors.New("the transaction is over")

// txn reads its own copy of the cells, to which it has made its writes. The
// same writes, in order, are made to the newest cells at Commit.
type txn struct {
	model *Model
	opts  kv.TxnOptions

	snapshot *state // nil before the first read or write
	cells    *btree.BTreeG[entry]
	writes   []write
	held     map[lockKey]bool

	// failed is the error after which only Rollback is left.
	failed error
	over   bool
}

// write is one cell put or removed.
type write struct {
	table  *kv.Table
	entry  entry
	remove bool
}

func (w write) apply(cells *btree.BTreeG[entry]) {
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
	}
}

// ready is the start of each read and write.
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

// Catalog is part of kv.Txn.
func (x *txn) Catalog() *kv.Catalog {
	x.begin()
	return x.snapshot.catalog
}

// lock is the start of each write: it makes the row the transaction's own.
func (x *txn) lock(ctx context.Context, t *kv.Table, row []byte) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	if x.opts.ReadOnly {
		return kv.ErrReadOnly
	}
	key := rowLock(t, row)
	err := x.model.locks.acquire(ctx, x, key)
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

// place is where a cell of the table is stored.
func place(t *kv.Table, row, qualifier []byte, timestamp int64) (entry, error) {
	partition, ok := t.Partitioning.Locate(row)
	if !ok {
		return entry{}, kv.ErrNoPartition
	}
	return entry{space: t.Spaces[partition], row: string(row), qualifier: string(qualifier), timestamp: timestamp}, nil
}

// lockCell locks the row of a cell and says where the cell is stored.
func (x *txn) lockCell(ctx context.Context, t *kv.Table, c kv.Cell) (entry, error) {
	e, err := place(t, c.Row, c.Qualifier, c.Timestamp)
	if err != nil {
		return entry{}, err
	}
	e.value = bytes.Clone(c.Value)
	return e, x.lock(ctx, t, c.Row)
}

func (x *txn) write(t *kv.Table, e entry, remove bool) {
	w := write{table: t, entry: e, remove: remove}
	w.apply(x.cells)
	x.writes = append(x.writes, w)
}

func (x *txn) exists(e entry) bool {
	_, ok := x.cells.Get(e)
	return ok
}

// Put is part of kv.Txn.
func (x *txn) Put(ctx context.Context, t *kv.Table, c kv.Cell) error {
	e, err := x.lockCell(ctx, t, c)
	if err != nil {
		return err
	}
	x.write(t, e, false)
	return nil
}

// PutIfAbsent is part of kv.Txn.
func (x *txn) PutIfAbsent(ctx context.Context, t *kv.Table, c kv.Cell) (bool, error) {
	e, err := x.lockCell(ctx, t, c)
	if err != nil || x.exists(e) {
		return false, err
	}
	x.write(t, e, false)
	return true, nil
}

// PutNext is part of kv.Txn.
func (x *txn) PutNext(ctx context.Context, t *kv.Table, c kv.Cell) (int64, error) {
	e, err := x.lockCell(ctx, t, c)
	if err != nil {
		return 0, err
	}
	for x.exists(e) {
		if e.timestamp == maxTimestamp {
			return 0, kv.ErrTimestampExhausted
		}
		e.timestamp++
	}
	x.write(t, e, false)
	return e.timestamp, nil
}

// DeleteVersion is part of kv.Txn.
func (x *txn) DeleteVersion(ctx context.Context, t *kv.Table, row, qualifier []byte, timestamp int64) error {
	e, err := x.lockCell(ctx, t, kv.Cell{Row: row, Qualifier: qualifier, Timestamp: timestamp})
	if err != nil {
		return err
	}
	x.write(t, e, true)
	return nil
}

// DeleteColumn is part of kv.Txn.
func (x *txn) DeleteColumn(ctx context.Context, t *kv.Table, row, qualifier []byte) error {
	column, err := x.lockCell(ctx, t, kv.Cell{Row: row, Qualifier: qualifier})
	if err != nil {
		return err
	}
	column.timestamp = maxTimestamp
	for _, e := range entriesWhile(x.cells, column, column.sameColumn) {
		x.write(t, e, true)
	}
	return nil
}

// LockRow is part of kv.Txn.
func (x *txn) LockRow(ctx context.Context, t *kv.Table, row []byte) error {
	return x.lock(ctx, t, row)
}

type savepoint struct {
	writes int
	cells  *btree.BTreeG[entry]
}

// Savepoint is part of kv.Txn.
func (x *txn) Savepoint() kv.Savepoint {
	if x.snapshot == nil {
		return savepoint{}
	}
	return savepoint{writes: len(x.writes), cells: x.cells.Copy()}
}

// RollbackTo is part of kv.Txn.
func (x *txn) RollbackTo(s kv.Savepoint) {
	if x.snapshot == nil {
		return
	}
	to := s.(savepoint)
	if to.cells == nil {
		to.cells = x.snapshot.cells
	}
	x.writes = x.writes[:to.writes]
	x.cells = to.cells.Copy()
}

// Commit is part of kv.Txn.
func (x *txn) Commit(ctx context.Context) error {
	defer x.end()
	if err := x.ready(ctx); err != nil {
		return err
	}
	if len(x.writes) == 0 {
		return nil
	}
	return x.model.disk.commit(x.writes)
}

func (d *disk) commit(writes []write) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := *d.state
	next.seq++
	next.cells = d.state.cells.Copy()
	for _, w := range writes {
		if next.catalog.Table(w.table.Database, w.table.Name) != w.table {
			return kv.ErrCatalogChanged
		}
		w.apply(next.cells)
	}
	for _, w := range writes {
		d.changed[rowLock(w.table, []byte(w.entry.row))] = next.seq
	}
	d.state = &next
	return nil
}

// Rollback is part of kv.Txn.
func (x *txn) Rollback() { x.end() }

func (x *txn) end() {
	if !x.over {
		x.over = true
		x.model.locks.release(x)
		x.model.openTxns.Add(-1)
	}
}
