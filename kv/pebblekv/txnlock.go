package pebblekv

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
)

// LockRow implements kv.Txn.
func (t *txn) LockRow(ctx context.Context, table *kv.Table, row []byte, how kv.RowLock) error {
	if err := t.lockRow(ctx, table, row, how); err != nil {
		return err
	}
	t.store.exit()
	return nil
}

// lockCell locks the cell's row and gives the cell's key, valid until the next
// call. Where it succeeds the transaction is inside the store until exit.
func (t *txn) lockCell(ctx context.Context, table *kv.Table, row, qualifier []byte, ts int64) ([]byte, error) {
	leaf, ok := table.Partitioning.Place(row, ts)
	if !ok {
		return nil, kv.ErrNoPartition
	}
	if err := t.lockRow(ctx, table, row, kv.RowLock{}); err != nil {
		return nil, err
	}
	t.countWrite(table, leaf)
	t.keyBuf = cellkey.AppendCell(t.keyBuf[:0], table.Spaces[leaf], row, qualifier, ts)
	return t.keyBuf, nil
}

// countWrite counts a write to a leaf of a table.
func (t *txn) countWrite(table *kv.Table, leaf int) {
	if t.loads == nil || t.loaded != table {
		t.loaded, t.loads = table, t.store.engine.Loads.Of(table)
	}
	t.loads[leaf].Writes.Add(1)
}

// lockRow is begin with a row locked, and not changed since the snapshot. The
// lock comes before the snapshot where the transaction has none yet, so that
// a first write that waits sees what it waited for.
func (t *txn) lockRow(ctx context.Context, table *kv.Table, row []byte, how kv.RowLock) error {
	if err := t.startWrite(ctx); err != nil {
		return err
	}
	err := t.lock(ctx, table, row, how)
	if err != nil {
		t.store.exit()
	}
	return err
}

func (t *txn) startWrite(ctx context.Context) error {
	switch {
	case t.over:
		return kv.ErrClosed
	case t.stuck != nil:
		return t.stuck
	case t.opts.ReadOnly:
		return kv.ErrReadOnly
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return t.store.enter()
}

func (t *txn) lock(ctx context.Context, table *kv.Table, row []byte, how kv.RowLock) error {
	if t.last != table {
		t.last, t.lastNS = table, t.store.engine.Hash.Namespace(table)
	}
	id := t.store.engine.Hash.Row(t.lastNS, row)
	if t.lastOK && id == t.lastRow && (how.Shared || !t.lastHow.Shared) {
		return nil
	}
	err := t.store.locks.Acquire(ctx, &t.owner, id, how, t.opts.LockTimeout, t.store.life)
	if err != nil {
		if errors.Is(err, kv.ErrDeadlock) {
			t.stuck = err
		}
		return err
	}
	if !t.late() {
		t.snapshot()
	}
	if t.view != nil && t.view.ChangedSince(id) {
		t.stuck = kv.ErrConflict
		return t.stuck
	}
	t.lastRow, t.lastHow, t.lastOK = id, how, true
	return nil
}

// Renew implements kv.Txn.
func (t *txn) Renew() error {
	switch {
	case t.over:
		return kv.ErrClosed
	case t.stuck != nil && !errors.Is(t.stuck, kv.ErrConflict):
		return t.stuck
	}
	if err := t.store.enter(); err != nil {
		return err
	}
	defer t.store.exit()
	t.stuck = nil
	if t.view == nil && t.late() {
		return nil
	}
	if t.reads != nil {
		t.reads = &read.ReadSet{}
	}
	if t.view == nil || t.view.IsNewest() {
		return nil
	}
	old := t.view
	t.view = t.store.engine.Views.Acquire(t.role())
	t.gaps, t.nexts, t.lastOK = gaps{}, nil, false
	t.stuck = t.rekey(t.view.Catalog)
	return errors.Join(t.stuck, old.Release(t.role()))
}
