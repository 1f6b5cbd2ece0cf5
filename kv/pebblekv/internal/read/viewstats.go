package read

import (
	"bytes"
	"context"
	"errors"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// countedCells bounds the cells that statistics count one by one.
const countedCells = 4096

// SpanStats are the sizes of a span.
func (v *View) SpanStats(ctx context.Context, sp cellkey.Span, exact bool) (kv.PartitionStats, error) {
	limit := int64(countedCells)
	if exact {
		limit = math.MaxInt64
	}
	counted, err := v.count(ctx, sp, limit)
	if err != nil || !counted.Estimated {
		return counted, err
	}
	disk, err := v.engine.DB.EstimateDiskUsage(sp.Lower, sp.Upper)
	if err != nil {
		return kv.PartitionStats{}, err
	}
	raw, entries, err := v.filesUnder(sp, disk)
	if err != nil {
		return kv.PartitionStats{}, err
	}
	counted.Cells, counted.Bytes = max(counted.Cells, entries), max(counted.Bytes, raw)
	return counted, nil
}

// filesUnder is the size of the span on disk, and its part of the entries of
// the files that it touches.
func (v *View) filesUnder(sp cellkey.Span, disk uint64) (size, entries int64, err error) {
	levels, err := v.engine.DB.SSTables(pebble.WithProperties(), pebble.WithKeyRangeFilter(sp.Lower, sp.Upper))
	if err != nil {
		return 0, 0, err
	}
	var files, cells uint64
	for _, level := range levels {
		for _, f := range level {
			files += f.Size
			if f.Properties != nil {
				cells += f.Properties.NumEntries - f.Properties.NumDeletions
			}
		}
	}
	if files == 0 {
		return int64(disk), 0, nil
	}
	return int64(disk), int64(float64(cells) * min(1, float64(disk)/float64(files))), nil
}

// count reads up to limit cells; its figures are estimates where there may be
// more.
func (v *View) count(ctx context.Context, sp cellkey.Span, limit int64) (kv.PartitionStats, error) {
	var out kv.PartitionStats
	it, err := v.Take()
	if err != nil {
		return out, err
	}
	it.SetBounds(sp.Lower, sp.Upper)
	out.MinRow, out.MaxRow, err = ends(it)
	for ok := it.First(); ok && out.Cells < limit && err == nil; ok = it.Next() {
		if out.Cells++; out.Cells%countedCells == 0 {
			err = ctx.Err()
		}
		lazy := it.LazyValue()
		out.Bytes += int64(len(it.Key()) + lazy.Len())
	}
	out.Estimated = out.Cells >= limit
	if err == nil {
		err = it.Error()
	}
	if closed := v.Put(it, true); err == nil {
		err = closed
	}
	return out, err
}

// KeptStats are the sizes of what a leaf of a table keeps at a moment.
func (v *View) KeptStats(ctx context.Context, t *kv.Table, leaf int, now int64) (out kv.PartitionStats, err error) {
	partition, _ := t.Partitioning.LeafAt(leaf)
	if err := v.engine.keeper.Enter(); err != nil { // the cursor leaves by itself
		return out, err
	}
	v.Retain()
	s := &kv.Scan{Partitions: []int{partition}, Leaves: []int{leaf}}
	cur, err := Open(ctx, v, nil, nil, []*kv.Table{t}, s, Moment{Now: now})
	if err != nil {
		v.engine.keeper.Exit()
		return out, errors.Join(err, v.Release(Reader))
	}
	for c := cur.(*cursor); c.Next(); out.Cells++ {
		row := c.current.cell.Row
		if out.Cells == 0 {
			out.MinRow, out.MaxRow = append([]byte{}, row...), []byte{}
		}
		if !bytes.Equal(out.MaxRow, row) {
			out.MaxRow = append(out.MaxRow[:0], row...)
		}
		out.Bytes += c.current.storedBytes()
	}
	return out, errors.Join(cur.Err(), cur.Close())
}

// storedBytes is the size of the cell stood at, which no transaction has written.
func (s *stream) storedBytes() int64 {
	it := s.layers.stored.it
	if s.slices != nil {
		it = s.slices.heap[0].stored.it
	}
	value := it.LazyValue()
	return int64(len(it.Key()) + value.Len())
}

// ends are the first and the last row within the iterator's bounds.
func ends(it *pebble.Iterator) (first, last []byte, err error) {
	if it.First() {
		first, err = cellkey.RowOf(it.Key())
	}
	if err == nil && it.Last() {
		last, err = cellkey.RowOf(it.Key())
	}
	return first, last, err
}
