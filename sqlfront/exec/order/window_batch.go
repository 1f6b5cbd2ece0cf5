package order

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// windowBatch makes the batches of a Window whose rows are sorted in memory and whose calls do not
// warn. Captured columns are filled when they are asked for.
type windowBatch struct {
	out   *kernel.Batch
	calls []value.Vector // the results
	from  int64          // the first row among all kept rows
	err   error          // of the row after the last batch
}

// startBatches makes a Window return batches, if it can.
func (w *windowed) startBatches() {
	w.tried = true
	if w.in.x.Context.BatchCells < 0 {
		return
	}
	kept, err := w.in.Kept()
	if kept == nil || kept.Rows() == 0 || err != nil {
		return
	}
	var schema kernel.Schema
	for at, c := range w.Captured {
		schema = append(schema, kernel.Field{Index: c, Kind: op.VectorKind(kept.KindOf(at))})
	}
	for i := range w.Calls {
		if w.Calls[i].MayWarn() {
			return
		}
		schema = append(schema, kernel.Field{Index: w.Calls[i].Slot})
	}
	keys := w.in.sort.knownKeys()
	b := &windowBatch{calls: make([]value.Vector, len(w.Calls))}
	given := len(schema)
	for _, k := range keys {
		schema = append(schema, kernel.Field{Index: kernel.NoIndex, Kind: kept.KindOf(k.column), Node: k.node})
	}
	b.out = kernel.NewBatch(schema, func(at int, v *value.Vector) {
		v.Start(schema[at].Kind, b.out.N)
		if at >= given {
			at = keys[at-given].column
		}
		kept.Fill(v, at, b.from)
	})
	w.batch = b
}

// knownKey is a key of a sort whose values operators above read instead of evaluating its
// expression again.
type knownKey struct {
	node   expr.Node
	column int
}

// knownKeys returns the keys of kept rows. Evaluating one again would warn again, so there are none
// if any row has warned.
func (s *windowSort) knownKeys() (out []knownKey) {
	for i, p := range s.places {
		n := s.keys[i].Expr
		if _, plain := n.(*expr.Column); plain || s.warned || op.VectorKind(s.sorter.KindOf(p.Column)) == value.Null ||
			!kernel.Pure(n) {
			continue
		}
		out = append(out, knownKey{n, p.Column})
	}
	return out
}

// nextBatch returns the next batch, or nil.
func (w *windowed) nextBatch() (*kernel.Batch, error) {
	if !w.tried {
		w.startBatches()
	}
	b := w.batch
	if b == nil {
		return nil, nil
	}
	if b.err != nil {
		return nil, b.err
	}
	b.from = w.run.Number() + 1
	n := int(min(int64(w.in.x.Context.BatchSize()), w.in.sort.sorter.Rows()-b.from))
	if n <= 0 { // it may be called again after the end
		return nil, nil
	}
	for at := range b.calls {
		b.calls[at].Start(value.Null, n)
	}
	if n, b.err = w.run.Fill(b.calls, n); n == 0 {
		return nil, b.err
	}
	b.out.Start(n)
	for at := range b.calls {
		b.out.Share(len(w.Captured)+at, &b.calls[at])
	}
	w.given += int64(n)
	return b.out, w.in.x.Ticks(n)
}
