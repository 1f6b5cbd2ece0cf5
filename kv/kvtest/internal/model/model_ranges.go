package model

import (
	"context"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/partition"
)

var _ kv.RangeDeleter = (*txn)(nil)

// DeleteRanges implements kv.RangeDeleter. It deletes only if no other transaction holds a lock in
// the table or has written to it since the snapshot.
func (x *txn) DeleteRanges(ctx context.Context, t *kv.Table, s *kv.Scan) (out kv.RangesDeleted, err error) {
	if !deletesWhole(t, s) {
		return out, nil
	}
	if err := x.ready(ctx); err != nil {
		return out, err
	}
	if x.opts.ReadOnly {
		return out, kv.ErrReadOnly
	}
	space := rowLock(t, nil)
	if !x.model.locks.trySpan(x, space, rowsOf(s)) {
		return out, nil
	}
	cells, _ := collect(x.cells, []*kv.Table{t}, s, x.now)
	if out.Cells, out.Done = int64(len(cells)), len(cells) > 0 && !x.model.disk.writtenSince(space, x.snapshot.seq); !out.Done {
		x.model.locks.dropSpan()
		return out, nil
	}
	all := *s
	all.MaxVersions = 0
	seen, _ := collect(x.cells, []*kv.Table{t}, &all, x.now)
	for leaf := range keyspace.Of(t).Spaces {
		if _, slice := t.Partitioning.LeafAt(leaf); s.Slices != nil && t.Partitioning.Slices() != nil && !slices.Contains(s.Slices, slice) {
			continue
		}
		partition, _ := t.Partitioning.LeafAt(leaf)
		if s.Partitions != nil && !slices.Contains(s.Partitions, partition) {
			continue
		}
		for _, e := range leafEntries(x.cells, t, leaf) {
			f := found{entry: e}
			if !wanted(f, s) {
				continue
			}
			hidden := !slices.ContainsFunc(seen, func(o found) bool { return compareEntries(o.entry, e) == 0 })
			w := write{table: t, entry: e, remove: true, ranged: true, hidden: hidden}
			w.apply(x.cells)
			x.writes = append(x.writes, w)
		}
	}
	return out, nil
}

// deletesWhole reports whether columns are deleted entirely, as a store can do it.
func deletesWhole(t *kv.Table, s *kv.Scan) bool {
	whole := func(r kv.Range) bool {
		return r.Start.Depth != kv.DepthCell && r.End.Depth != kv.DepthCell &&
			(r.Start.Depth == kv.DepthNone || r.End.Depth == kv.DepthNone || string(r.Start.Row) != string(r.End.Row))
	}
	return s.Qualifiers == nil && !s.Time.Bounded && s.MaxVersions <= 1 && !s.FirstPerRow && s.At == nil && s.Leaves == nil &&
		s.Wanted == nil && s.Rows.Start == nil && s.Rows.End == nil && (s.Slices == nil || !t.Retention.Counts()) &&
		!slices.ContainsFunc(s.Ranges, func(r kv.Range) bool { return !whole(r) })
}

// rowsOf returns the rows from the first range to the last.
func rowsOf(s *kv.Scan) (out partition.RowRange) {
	if len(s.Ranges) == 0 {
		return out
	}
	if from := s.Ranges[0].Start; from.Depth != kv.DepthNone {
		out.Start = slices.Clone(from.Row)
		if from.Depth == kv.DepthRow && from.After {
			out.Start = append(out.Start, 0)
		}
	}
	if to := s.Ranges[len(s.Ranges)-1].End; to.Depth != kv.DepthNone {
		if out.End = append([]byte{}, to.Row...); to.Depth > kv.DepthRow || to.After {
			out.End = append(out.End, 0)
		}
	}
	return out
}

func (d *disk) writtenSince(space lockKey, seq uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.written[space] > seq
}

// rangesMove reports whether ranges have been deleted while cells of the written tables have
// different places in the catalog c.
func rangesMove(writes []write, c *kv.Catalog) bool {
	if !slices.ContainsFunc(writes, func(w write) bool { return w.ranged }) {
		return false
	}
	m := &keyspace.Move{}
	for _, w := range writes {
		if !slices.Contains(m.Before, w.table) {
			m.Before, m.After = append(m.Before, w.table), append(m.After, c.Table(w.table.Database, w.table.Name))
		}
	}
	return m.Needed()
}
