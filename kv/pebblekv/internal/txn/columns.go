package txn

import (
	"bytes"
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// What a scan has seen between the columns that it finds saves looking for their versions: a DELETE of all
// of 300,000 cells by their values takes 0.42 of the processor time, one of a tenth of them 0.65
// (go -C conformance/peers test -bench ManyCells/hbasekv/delete -many.cells 300000, November 2026).

// found are cells that a scan of the transaction has found, to be deleted with the older versions of their
// columns.
type found struct {
	table *kv.Table
	cells *kv.Batch
}

// DeleteColumns implements kv.ColumnsDeleter.
func (t *Txn) DeleteColumns(ctx context.Context, table *kv.Table, cells *kv.Batch, at []int32) (done bool, err error) {
	if !table.Retention.IsZero() || table.Partitioning.Slices() != nil { // scans do not see all, or in another order
		return false, nil
	}
	f := found{table, cells}
	for len(at) > 0 {
		n := 1
		for n < len(at) && at[n] == at[n-1]+1 && cells.Has(kv.NoOthers, int(at[n-1])) {
			n++
		}
		if err := t.deleteRun(ctx, f, at[:n]); err != nil {
			return true, err
		}
		at = at[n:]
	}
	return true, nil
}

// deleteRun deletes columns that have no others between them. The first of a batch may adjoin the last of the
// batch before.
func (t *Txn) deleteRun(ctx context.Context, f found, run []int32) error {
	first, rest := run[0], run[1:]
	mayAdjoin := first == 0 && t.deleting != nil
	if !mayAdjoin {
		t.stretch.lock, t.stretch.columns = nil, 0
	}
	if err := t.deleteFound(ctx, f, first, mayAdjoin); err != nil || len(rest) == 0 {
		return err
	}
	if done, err := t.deleteAsSpan(ctx, f, rest); done || err != nil {
		return err
	}
	for _, i := range rest {
		columns := t.stretch.columns + 1
		if err := t.deleteFound(ctx, f, i, false); err != nil {
			return err
		}
		t.stretch.columns = columns
	}
	return nil
}

// deleteFound deletes the column of one cell. It looks for its versions if there may be older ones, or if look
// is set. The last column of a batch is looked for, so that it is known whether the next batch adjoins it.
func (t *Txn) deleteFound(ctx context.Context, f found, i int32, look bool) error {
	row, qualifier := f.cells.Rows()[i], f.cells.Qualifiers()[i]
	if look || !f.cells.Has(kv.NoOlder, int(i)) {
		return t.DeleteColumn(ctx, f.table, row, qualifier)
	}
	goesOn := t.deletedAt == t.own.Len()
	err := t.DeleteVersion(ctx, f.table, row, qualifier, f.cells.Timestamps()[i])
	if goesOn {
		t.deletedAt = t.own.Len()
	}
	return err
}

// deleteAsSpan deletes columns, which adjoin the column deleted last, by extending the span of the stretch, or
// a new one, and reports whether it has.
func (t *Txn) deleteAsSpan(ctx context.Context, f found, run []int32) (done bool, err error) {
	if t.deleting == nil || t.deletedAt != t.own.Len() || t.stretch.lock == nil && t.stretch.columns+len(run) < MinStretch {
		return false, nil
	}
	if err := t.startWrite(ctx); err != nil {
		return false, err
	}
	defer t.m.host.Exit()
	first, last := run[0], run[len(run)-1]
	if t.stretch.lock == nil {
		t.columnBuf = f.appendColumn(t.columnBuf[:0], first)
		if err := t.beginStretch(f.table, f.cells.Rows()[first]); err != nil || t.stretch.lock == nil {
			return false, err
		}
	}
	t.noteRows(ctx, f, run)
	t.columnBuf = f.appendColumn(t.columnBuf[:0], last)
	if !t.lockStretch(f.table, f.cells.Rows()[last]) || !t.own.ExtendDeletion(cellkey.MakeBehind(bytes.Clone(t.columnBuf))) {
		t.endDeleting()
		return false, nil
	}
	if int(last) < f.cells.Len()-1 {
		return true, nil
	}
	return true, t.deleting.Each(ctx, t.columnBuf, func([]byte) error { return nil }) // the next batch may adjoin it
}

// noteRows notes that the rows of cells, which are in one leaf, are written.
func (t *Txn) noteRows(ctx context.Context, f found, run []int32) {
	last, leaf := t.stretch.row, f.leaf(f.cells.Rows()[run[0]])
	for _, i := range run {
		row := f.cells.Rows()[i]
		if !bytes.Equal(row, last) {
			t.stretched.Add(t.m.engine.Hash.Row(t.lastNS, row))
			last = row
		}
		t.CountWrite(ctx, f.table, leaf, row)
	}
}

// appendColumn appends the key of a cell's column.
func (f *found) appendColumn(dst []byte, i int32) []byte {
	row := f.cells.Rows()[i]
	return cellkey.AppendColumn(dst, keyspace.Of(f.table).Spaces[f.leaf(row)], row, f.cells.Qualifiers()[i])
}

// leaf returns the leaf of a row that has been read.
func (f *found) leaf(row []byte) int {
	p, _ := f.table.Partitioning.Locate(row)
	return f.table.Partitioning.Leaf(p, 0)
}
