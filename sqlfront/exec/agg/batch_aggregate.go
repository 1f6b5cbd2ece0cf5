package agg

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// aggregateBatches evaluates keys and arguments for each batch. Arguments that count only for rows
// of one class are evaluated at these rows.
type aggregateBatches struct {
	in         *op.Input
	schema     kernel.Schema // of the input
	keys       []kernel.Kernel
	keyVectors []*value.Vector
	parts      []kernel.Part
	classes    *kernel.Classes
	pivot      *pivotRows // nil if the input is cells
}

// newAggregateBatches returns nil if something must be evaluated row by row.
func (n *Aggregate) newAggregateBatches(in *op.Input, schema kernel.Schema, read kernel.Columns) *aggregateBatches {
	c := in.Compiler(schema)
	b := &aggregateBatches{in: in, schema: schema, classes: kernel.NewClasses(c)}
	var ok bool
	if b.keys, ok = c.CompileAll(n.of().keys); !ok {
		return nil
	}
	for _, a := range n.Aggs {
		p, ok := b.classes.Part(a.Agg)
		if !ok {
			return nil
		}
		b.parts = append(b.parts, p)
	}
	b.asksRows(n, read)
	return b
}

// eval evaluates keys and arguments.
func (b *aggregateBatches) eval(in *kernel.Batch) (ok bool) {
	if b.keyVectors, ok = kernel.EvalAll(b.keys, in, in.Rows, b.keyVectors); !ok {
		return false
	}
	if b.pivot != nil {
		b.pivot.start(in.N)
	} else if !b.classes.Find(in) {
		return false
	}
	for i := range b.parts {
		p, of := &b.parts[i], in
		if p.Rows = in.Rows; p.Class != kernel.NoClass {
			p.Rows = b.rowsOf(p.Class)
		}
		if b.pivot != nil {
			of = b.pivot.classes[p.Class]
		}
		if !p.Eval(of) {
			return false
		}
	}
	return true
}

// rowsOf returns the batch's rows of a class.
func (b *aggregateBatches) rowsOf(class int) []int32 {
	if b.pivot != nil {
		return b.pivot.scan.Cells.EntriesOf(class)
	}
	return b.classes.Rows[class]
}

// putBack returns a batch to the input, to be read row by row.
func (b *aggregateBatches) putBack(in *kernel.Batch) {
	if b.pivot != nil {
		in = b.pivot.cellsOf()
	}
	b.in.PutBack(in)
}

// ColumnsRead implements kernel.Reader.
func (n *Aggregate) ColumnsRead() kernel.Columns {
	c := kernel.Columns{}.Reading(n.of().keys...)
	for _, index := range n.Captured {
		c = c.Add(index)
	}
	for _, a := range n.Aggs {
		c = c.Reading(a.Agg.Reads()...)
	}
	return c
}

// groupColumns prepares batches of groups like those of h; nil if h has not read batches.
func groupColumns(h *hashGroups) *groupBatches {
	if h.batch == nil {
		return nil
	}
	schema := h.Aggregate.schema(h.batch.schema, h.batch.keys,
		func(i int) value.Kind { return h.batch.parts[i].ResultKind() })
	return &groupBatches{out: kernel.NewBatch(schema, nil), own: make([]value.Vector, len(schema))}
}

// schema returns the columns of groups: captured columns, keys, and results.
func (n *Aggregate) schema(in kernel.Schema, keys []kernel.Kernel, kindOf func(i int) value.Kind) (out kernel.Schema) {
	for _, index := range n.Captured {
		out = append(out, kernel.Field{Index: index, Kind: in.KindOf(index)})
	}
	for i, k := range n.Keys {
		if k.Slot >= 0 {
			out = append(out, kernel.Field{Index: k.Slot, Kind: keys[i].Kind()})
		}
	}
	for i, a := range n.Aggs {
		out = append(out, kernel.Field{Index: a.Slot, Kind: kindOf(i)})
	}
	return out
}
