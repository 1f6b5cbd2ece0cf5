package estimate

import (
	"context"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// countedCells bounds the cells that are counted one by one for statistics.
const countedCells = 4096

// SpanStats returns the figures of a span: exact, or estimates if it has many
// cells. The error is the disk's or the context's.
func SpanStats(ctx context.Context, v *views.View, sp cellkey.Span, exact bool) (kv.PartitionStats, error) {
	limit := int64(countedCells)
	if exact {
		limit = math.MaxInt64
	}
	counted, err := countCells(ctx, v, sp, limit)
	if err != nil || !counted.Estimated {
		return counted, err
	}
	disk, err := v.Engine.DB.EstimateDiskUsage(sp.Lower, sp.Upper)
	if err != nil {
		return kv.PartitionStats{}, err
	}
	raw, entries, err := filesUnder(v, sp, disk)
	if err != nil {
		return kv.PartitionStats{}, err
	}
	counted.Cells, counted.Bytes = max(counted.Cells, entries), max(counted.Bytes, raw)
	return counted, nil
}

// filesUnder returns the size of the span on disk, and its share of the entries of
// the files that it touches.
func filesUnder(v *views.View, sp cellkey.Span, disk uint64) (size, entries int64, err error) {
	levels, err := v.Engine.DB.SSTables(pebble.WithProperties(), pebble.WithKeyRangeFilter(sp.Lower, sp.Upper))
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

// countCells reads up to limit cells; its figures are estimates if there may be more.
func countCells(ctx context.Context, v *views.View, sp cellkey.Span, limit int64) (kv.PartitionStats, error) {
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

// ends returns the first and the last row within the iterator's bounds.
func ends(it *pebble.Iterator) (first, last []byte, err error) {
	if it.First() {
		first, err = cellkey.RowOf(it.Key())
	}
	if err == nil && it.Last() {
		last, err = cellkey.RowOf(it.Key())
	}
	return first, last, err
}
