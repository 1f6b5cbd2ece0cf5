package txn

import (
	"bytes"
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// DeleteRanges deletes a range of rows by a few records in the log, however many cells are in it. The
// rows are locked as a whole, so that none is written between the snapshot, in which the cells are
// counted, and the commit. That lock is available only if nobody else has a lock in the table or has
// written to it since the snapshot. Otherwise the caller deletes the cells one by one, and conflicts
// are found by row.

// MinDeleted is the number of cells from which a span of keys is deleted as a whole: each such record
// slows down all reads until a compaction has applied it. Tests lower it.
var MinDeleted = 512

const (
	// maxDeletions bounds the deleted spans of a transaction, which its reads search.
	maxDeletions = 4096
	// The number of rows that are known one by one, and of bits that stand for more, as for bulk loads.
	exactDeleted, deletedBits = 64 << 10, 1 << 26
	countBatch                = 512
)

// DeleteRanges implements kv.RangeDeleter.
func (t *Txn) DeleteRanges(ctx context.Context, table *kv.Table, s *kv.Scan) (out kv.RangesDeleted, err error) {
	if !canDelete(table, s) {
		return out, nil
	}
	if err := t.startWrite(ctx); err != nil {
		return out, err
	}
	defer t.m.host.Exit()
	lock, err := t.lockRanges(table, s)
	if lock == nil || err != nil {
		return out, err
	}
	spans := read.SpansOf(table, s)
	rows := rowlock.NewSet(exactDeleted, deletedBits)
	out, err = t.countCells(ctx, table, s, &rows)
	out.Done = err == nil && out.Cells > 0 && out.Cells >= int64(MinDeleted*len(spans)) &&
		t.own.Deletions()+len(spans) <= maxDeletions
	if !out.Done {
		t.m.Locks.ReleaseSpan(lock)
		return out, err
	}
	t.endDeleting()
	t.deletedRows = append(t.deletedRows, &rows)
	t.deleteSpans(table, spans)
	for p := range table.Partitioning.NumLeaves() {
		t.CountWrite(ctx, table, p, nil)
	}
	return out, nil
}

// deleteSpans writes the deletions of spans of a table, whose rows are locked.
func (t *Txn) deleteSpans(table *kv.Table, spans []cellkey.Span) {
	t.own.DeleteSpans(spans)
	t.writes.Store(uint64(t.own.Len()))
	t.nexts, t.swept, t.deleted, t.unwritten = nil, nil, true, false
	t.touch(table)
}

// canDelete reports whether the scan covers all versions in its ranges, and deleting them uncovers
// none that the table's retention hides.
func canDelete(table *kv.Table, s *kv.Scan) bool {
	if s.Qualifiers != nil || s.Wanted != nil || s.Time.Bounded || s.MaxVersions > 1 || s.FirstPerRow || s.At != nil ||
		s.Leaves != nil || s.Rows.Start != nil || s.Rows.End != nil ||
		s.Slices != nil && table.Retention.Counts() {
		return false
	}
	for i := range s.Ranges {
		r := &s.Ranges[i]
		if r.Start.Depth == kv.DepthCell || r.End.Depth == kv.DepthCell || r.Within() != kv.DepthNone {
			return false
		}
	}
	return true
}

// lockRanges locks the rows of the ranges in the snapshot, which it takes if there is none yet. It
// returns nil if they cannot be locked at once.
func (t *Txn) lockRanges(table *kv.Table, s *kv.Scan) (*rowlock.Span, error) {
	if len(t.m.Moves.Of([]*kv.Table{table})) > 0 {
		return nil, nil
	}
	var from, to []byte
	if n := len(s.Ranges); n > 0 {
		from, to = read.RowRange(&s.Ranges[0]).Start, read.RowRange(&s.Ranges[n-1]).End
	}
	return t.lockSpan(table, from, to)
}

// lockSpan is lockRanges for the rows from one, inclusive, to another, exclusive.
func (t *Txn) lockSpan(table *kv.Table, from, to []byte) (*rowlock.Span, error) {
	t.lockIn(table)
	lock := t.m.Locks.TrySpan(&t.owner, t.lastNS, from, to)
	if lock == nil {
		return nil, nil
	}
	if t.snapshot(); t.stuck != nil {
		return nil, t.stuck
	}
	if t.view.TableWrittenSince(table) {
		t.m.Locks.ReleaseSpan(lock)
		return nil, nil
	}
	return lock, nil
}

// countCells counts the cells of a scan, and adds their rows to rows.
func (t *Txn) countCells(ctx context.Context, table *kv.Table, s *kv.Scan, rows *rowlock.Set) (out kv.RangesDeleted, err error) {
	keys := *s
	keys.NeedValue, keys.Ordered, keys.Reverse, keys.Limit = false, false, false, 0
	cur, err := t.Scan(ctx, []*kv.Table{table}, &keys)
	if err != nil {
		return out, err
	}
	b := kv.Batch{Shares: true, Unread: kv.PartQualifier | kv.PartValue}
	var last []byte
	for cur.(kv.Batcher).NextBatch(&b, countBatch) {
		for _, row := range b.Rows() {
			if last == nil || !bytes.Equal(row, last) {
				rows.Add(t.m.engine.Hash.Row(t.lastNS, row))
				last = row
			}
		}
		last = bytes.Clone(last) // the batch will be reused
		out.Cells += int64(b.Len())
	}
	rows.Settle()
	out.Read = cur.Stats()
	return out, errors.Join(cur.Err(), cur.Close())
}

// rowsDeleted returns the rows of all ranges that were deleted and of the writes on disk; nil if there
// are neither.
func (t *Txn) rowsDeleted() *rowlock.Set {
	if len(t.own.Deleted()) == 0 && t.written == nil {
		return nil
	}
	all := rowlock.NewSet(exactDeleted, deletedBits)
	if rows, known := t.own.RowsOnDisk(); !known {
		all.Merge(t.written)
	} else {
		for _, id := range rows {
			all.Add(id)
		}
	}
	for _, s := range t.deletedRows {
		s.Settle()
		all.Merge(s)
	}
	all.Settle()
	return &all
}

// Columns that are deleted in the order of their keys, without any key between them, form a stretch. After
// its first columns a single deletion of a span replaces the deletions of cells, and a lock from the first
// to the last row replaces the locks of rows: a DELETE of all cells by a condition on their values takes 0.6
// of the processor time and a tenth of the memory (go -C conformance/peers test -bench
// ManyCells/hbasekv/delete, November 2026).

// stretch is the current stretch. It ends with any other write, any read, and a savepoint.
type stretch struct {
	columns int           // deleted without a key between them, before there is a span
	lock    *rowlock.Span // nil before there is a span
	row     []byte        // the last row
	space   keyspace.ID
	// clock is a moment up to which no one else has written the table since the snapshot.
	clock uint64
}

// MinStretch is the number of columns after which a stretch becomes a span, for the same reason as
// MinDeleted. Tests make it smaller.
var MinStretch = 512

// fewStretches is the number of spans that are locked from their first to their last row. For more, the
// table is locked, since each lock of a row is compared with all locked spans.
const fewStretches = 16

// count counts the column that was deleted last.
func (s *stretch) count(versions *read.Versions) {
	if s.lock = nil; versions.Adjoins() {
		s.columns++
	} else {
		s.columns = 0
	}
}

// mayStretch begins a span with the column that was deleted last if the stretch is long enough.
func (t *Txn) mayStretch(table *kv.Table, row []byte) error {
	if t.deleting == nil || t.stretch.columns < MinStretch {
		return nil
	}
	return t.beginStretch(table, row)
}

// beginStretch begins a span with the column in columnBuf, if the span can be locked.
func (t *Txn) beginStretch(table *kv.Table, row []byte) error {
	s := &t.stretch
	s.columns = 0
	if t.own.Deletions() >= maxDeletions || len(t.m.Moves.Of([]*kv.Table{table})) > 0 {
		return nil
	}
	lock, err := t.stretchLock(table, row)
	if lock == nil || err != nil {
		return err
	}
	s.lock, s.row, s.clock = lock, append(s.row[:0], row...), t.view.Clock
	s.space, _ = cellkey.Space(t.columnBuf)
	t.deleteSpans(table, []cellkey.Span{{Lower: t.columnBuf, Upper: cellkey.MakeBehind(bytes.Clone(t.columnBuf))}})
	t.deletedAt = t.own.Len()
	if t.stretched == nil {
		rows := rowlock.NewSet(exactDeleted, deletedBits)
		t.stretched = &rows
		t.deletedRows = append(t.deletedRows, t.stretched)
	}
	t.stretched.Add(t.m.engine.Hash.Row(t.lastNS, row))
	return nil
}

// stretchLock locks the first row of a span, or the table. The lock is nil if that is not possible at once.
func (t *Txn) stretchLock(table *kv.Table, row []byte) (lock *rowlock.Span, err error) {
	switch {
	case t.own.Deletions() < fewStretches:
		return t.lockSpan(table, row, cellkey.Behind(row))
	case t.whole != nil && t.whole.In() == t.lastNS:
		return t.whole, nil
	}
	if lock, err = t.lockSpan(table, nil, nil); lock != nil {
		t.whole = lock
	}
	return lock, err
}

// lengthen deletes a column by extending the span to its end, and reports whether it has: the column must
// adjoin the last one, and its row must be free.
func (t *Txn) lengthen(ctx context.Context, table *kv.Table, partition int, row, qualifier []byte) (bool, error) {
	s := &t.stretch
	leaf := table.Partitioning.Leaf(partition, 0)
	space := keyspace.Of(table).Spaces[leaf]
	if s.lock == nil || table != t.last || space != s.space || t.deletedAt != t.own.Len() || t.startWrite(ctx) != nil {
		return false, nil
	}
	defer t.m.host.Exit()
	t.columnBuf = cellkey.AppendColumn(t.columnBuf[:0], space, row, qualifier)
	exists, err := t.existsAdjoining(ctx, table)
	if !exists || err != nil || !t.lockStretch(table, row) || !t.own.ExtendDeletion(cellkey.MakeBehind(t.columnBuf)) {
		t.endDeleting()
		return false, err
	}
	t.CountWrite(ctx, table, leaf, row)
	return true, nil
}

// existsAdjoining reports whether the column to be deleted adjoins the last one and has a version that is
// kept.
func (t *Txn) existsAdjoining(ctx context.Context, table *kv.Table) (exists bool, err error) {
	if !t.deleting.IsBefore(t.columnBuf) {
		return false, nil
	}
	err = t.deleting.EachAdjoining(ctx, t.columnBuf, func(key []byte) error {
		exists = exists || table.Retention.Keeps(0, cellkey.Timestamp(key), t.now)
		return nil
	})
	return exists, err
}

// lockStretch extends the lock to a row, and reports whether it has: no one else may have written the table
// since the snapshot.
func (t *Txn) lockStretch(table *kv.Table, row []byte) bool {
	s := &t.stretch
	if bytes.Equal(row, s.row) {
		return true
	}
	if !t.m.Locks.Extend(s.lock, row) {
		return false
	}
	if now := t.m.engine.Views.Now(); now != s.clock {
		if t.m.engine.Views.TableWrittenSince(s.clock, table) {
			return false
		}
		s.clock = now
	}
	s.row = append(s.row[:0], row...)
	t.stretched.Add(t.m.engine.Hash.Row(t.lastNS, row))
	return true
}
