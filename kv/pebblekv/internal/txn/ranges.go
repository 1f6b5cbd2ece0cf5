package txn

import (
	"bytes"
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
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
	t.own.DeleteSpans(spans)
	t.deletedRows = append(t.deletedRows, &rows)
	t.writes.Store(uint64(t.own.Len()))
	t.nexts, t.swept, t.deleted, t.unwritten = nil, nil, true, false
	t.touch(table)
	for p := range table.Partitioning.NumLeaves() {
		t.CountWrite(ctx, table, p, nil)
	}
	return out, nil
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
		if r.Start.Depth == kv.DepthCell || r.End.Depth == kv.DepthCell || read.WithinRow(r) {
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
		all.Merge(s)
	}
	all.Settle()
	return &all
}
