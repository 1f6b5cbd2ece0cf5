package read

import (
	"bytes"
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// KeptStats returns the figures of what a leaf of a table keeps at the time now, in ms.
func KeptStats(ctx context.Context, v *views.View, t *kv.Table, leaf int, now int64) (out kv.PartitionStats, err error) {
	partition, _ := t.Partitioning.LeafAt(leaf)
	if err := v.Engine.Keeper.Enter(); err != nil { // the cursor exits by itself
		return out, err
	}
	v.Retain()
	s := &kv.Scan{Partitions: []int{partition}, Leaves: []int{leaf}}
	cur, err := Open(ctx, v, nil, nil, []*kv.Table{t}, s, Moment{Now: now})
	if err != nil {
		v.Engine.Keeper.Exit()
		return out, errors.Join(err, v.Release(views.Reader))
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

// storedBytes returns the stored size of the current cell, which is not a
// transaction's own write.
func (s *stream) storedBytes() int64 {
	it := s.layers.stored.it
	if s.slices != nil {
		it = s.slices.heap[0].stored.it
	}
	value := it.LazyValue()
	return int64(len(it.Key()) + value.Len())
}
