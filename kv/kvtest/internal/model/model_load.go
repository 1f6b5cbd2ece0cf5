package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/hbasekv/hbasekv/kv"
)

var _ kv.BulkLoader = (*Model)(nil)

// BulkLoad implements kv.BulkLoader. Here it is a transaction of puts that never conflicts, because it reads
// nothing.
func (m *Model) BulkLoad(ctx context.Context, tables []*kv.Table, cells iter.Seq2[kv.Cell, error],
	o kv.BulkOptions) (kv.BulkStats, error) {
	if err := m.usable(ctx); err != nil {
		return kv.BulkStats{}, err
	}
	x := m.begin(kv.TxnOptions{LockTimeout: o.LockTimeout})
	defer x.end()
	stats, err := x.takeAll(ctx, tables, cells)
	if err != nil {
		return kv.BulkStats{}, err
	}
	if err := x.placeable(tables); err != nil {
		return kv.BulkStats{}, err
	}
	if err := x.awaitSpans(ctx); err != nil {
		return kv.BulkStats{}, err
	}
	for _, w := range x.writes {
		if err := m.locks.acquire(ctx, x, rowLock(w.table, []byte(w.entry.row)), kv.RowLock{}); err != nil {
			if errors.Is(err, kv.ErrDeadlock) {
				err = kv.ErrLockTimeout
			}
			return kv.BulkStats{}, err
		}
	}
	if len(x.writes) == 0 {
		return stats, nil
	}
	return stats, m.disk.commit(x)
}

// awaitSpans waits for transactions that have locked spans that overlap the rows of the writes: in each key
// space, from the first row to the last.
func (x *txn) awaitSpans(ctx context.Context) error {
	first, last := map[lockKey]lockKey{}, map[lockKey]lockKey{}
	for _, w := range x.writes {
		key := rowLock(w.table, []byte(w.entry.row))
		in := key.space()
		if _, known := first[in]; !known || key.row < first[in].row {
			first[in] = key
		}
		if key.row >= last[in].row {
			last[in] = key
		}
	}
	for in := range first {
		if err := x.model.locks.awaitSpans(ctx, x, first[in], last[in]); err != nil {
			return err
		}
	}
	return nil
}

// takeAll reads the entire source.
func (x *txn) takeAll(ctx context.Context, tables []*kv.Table, cells iter.Seq2[kv.Cell, error]) (stats kv.BulkStats,
	err error) {
	distinct := map[entryKey]bool{}
	for c, err := range cells {
		if err == nil {
			err = x.model.usable(ctx)
		}
		if err != nil {
			return stats, err
		}
		if c.Family < 0 || c.Family >= len(tables) {
			return stats, fmt.Errorf("a cell has family %d, but there are %d tables", c.Family, len(tables))
		}
		t := tables[c.Family]
		e, err := place(t, c.Row, c.Qualifier, c.Timestamp)
		if err != nil {
			return stats, err
		}
		e.value = bytes.Clone(c.Value)
		x.writes = append(x.writes, write{table: t, entry: e})
		stats.Cells++
		distinct[entryKey{t.ID, e.row, e.qualifier, e.timestamp}] = true
	}
	stats.Written = int64(len(distinct))
	return stats, x.model.usable(ctx)
}

// placeable returns an error if the tables are not the current ones.
func (x *txn) placeable(tables []*kv.Table) error {
	if len(x.writes) == 0 {
		return nil
	}
	newest := x.model.disk.current().catalog
	for _, t := range tables {
		if !t.SameButLayout(newest.Table(t.Database, t.Name)) {
			return kv.ErrCatalogChanged
		}
	}
	_, err := placedIn(x.writes, newest)
	return err
}

type entryKey struct {
	table          uint64
	row, qualifier string
	timestamp      int64
}
