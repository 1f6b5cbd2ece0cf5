package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// windowBatch are the batches of a Window whose rows are sorted in memory and whose
// calls give numbers.
type windowBatch struct {
	out *kernel.Batch
	own []value.Vector // what is captured, and the results
	// off says that there are no more batches: values are of several kinds.
	off bool
}

// batches makes a Window give batches.
func (w *windowed) batches() kernel.Schema {
	if w.in.x.c.BatchCells < 0 {
		return nil
	}
	kept, err := w.in.kept()
	if kept == nil || kept.Rows() == 0 || err != nil {
		return nil
	}
	var schema kernel.Schema
	for at, c := range w.Captured {
		schema = append(schema, kernel.Field{Index: c, Kind: vectorKind(kept.Row(0)[at])})
	}
	for i, c := range w.calls {
		if _, ok := c.(*partitionCall); !ok {
			return nil // whose values may be those of the present row alone
		}
		schema = append(schema, kernel.Field{Index: w.slots[i]})
	}
	w.batch = &windowBatch{out: kernel.NewBatch(schema, nil), own: make([]value.Vector, len(schema))}
	return schema
}

// vectorKind is the kind of a vector that a value fits in.
func vectorKind(v value.Value) value.Kind {
	switch k := v.Kind(); k {
	case value.Int, value.Bytes:
		return k
	}
	return value.Null
}

func (w *windowed) nextBatch() (*kernel.Batch, error) {
	b, kept := w.batch, w.in.sort.sorter
	from := w.rows.first + w.at + 1
	n := int(min(int64(w.in.x.c.batchSize()), kept.Rows()-from))
	if n == 0 || b.off {
		return nil, nil
	}
	b.out.Start(n)
	for i, f := range b.out.Schema() {
		b.own[i].Start(f.Kind, n)
		b.out.Share(i, &b.own[i])
	}
	if b.off = !b.capture(kept, from, len(w.Captured), n); b.off {
		return nil, nil
	}
	for i := range n {
		_, err := w.advance()
		for at, c := range w.calls {
			if err == nil {
				b.own[len(w.Captured)+at].Values[i], err = c.result(w.at)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	w.given += int64(n)
	return b.out, w.in.x.ticks(n)
}

// capture gives the batch the first columns of n rows. It reports false where a value is
// of another kind than its column.
func (b *windowBatch) capture(kept *spill.Sorter, from int64, columns, n int) bool {
	for i := range n {
		row := kept.Row(from + int64(i))
		for at := range columns {
			if !b.own[at].Set(int32(i), row[at]) {
				return false
			}
		}
	}
	return true
}
