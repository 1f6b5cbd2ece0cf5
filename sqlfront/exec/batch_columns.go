package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// columnSet is columns of a frame, and those of them whose values are read: of others
// it is enough to know how long they are, or whether they are NULL.
type columnSet struct{ known, values columnBits }

// columnBits are columns, by bits; the last stands for all from it on.
type columnBits uint64

func (c columnBits) has(index int) bool { return c&columnBits(0).add(index) != 0 }

func (c columnBits) add(index int) columnBits { return c | 1<<min(index, 63) }

var allColumns = columnSet{^columnBits(0), ^columnBits(0)}

func (c columnSet) has(index int) bool { return c.known.has(index) }

func (c columnSet) add(index int) columnSet {
	return columnSet{c.known.add(index), c.values.add(index)}
}

func (c columnSet) union(d columnSet) columnSet {
	return columnSet{c.known | d.known, c.values | d.values}
}

// reading adds the columns that expressions read: all where one may run a subquery.
func (c columnSet) reading(nodes ...expr.Node) columnSet {
	for _, n := range nodes {
		if n != nil && !kernel.Pure(n) {
			return allColumns
		}
		expr.Walk(n, func(n expr.Node) bool {
			if column := measured(n); column != nil {
				c.known = c.known.add(column.Index)
				return false
			}
			if column, is := n.(*expr.Column); is {
				c = c.add(column.Index)
			}
			return true
		})
	}
	return c
}

// measured is the column of which an expression is the length, or whether it is NULL;
// nil of another expression.
func measured(n expr.Node) *expr.Column {
	var x expr.Node
	switch n := n.(type) {
	case *expr.IsNull:
		x = n.X
	case *expr.Call:
		if n.Name == "LENGTH" || n.Name == "OCTET_LENGTH" {
			x = n.Args[0]
		}
	}
	column, _ := x.(*expr.Column)
	return column
}

// columnReader is what reads the rows of a source, and nobody else does.
type columnReader interface {
	// columnsRead are the frame's columns that it reads. It is asked once, before the
	// first batch: reads that are too small for one need not know.
	columnsRead() columnSet
}

// sparing is a batched source whose rows, in batches and one by one where they are put
// back, can do without columns that its reader does not read.
type sparing interface{ readFor(r columnReader) }

func (n *Aggregate) columnsRead() columnSet {
	c := columnSet{}.reading(n.keyNodes()...)
	for _, index := range n.Captured {
		c = c.add(index)
	}
	for _, a := range n.Aggs {
		c = c.reading(a.Agg.Args...)
	}
	return c
}

func (h *hashGroups) columnsRead() columnSet {
	c := h.Aggregate.columnsRead()
	if h.rowAt >= 0 {
		c = c.add(h.rowAt)
	}
	return c
}

func (p *projection) columnsRead() columnSet { return columnSet{}.reading(p.nodes...) }

func (b *batchRows) columnsRead() columnSet { return columnSet{}.reading(b.nodes...) }

func (f *filter) columnsRead() columnSet { return f.above.columnsRead().reading(f.cond) }

func (f *filter) readFor(r columnReader) {
	f.above = r
	f.reader.readFor(f)
}

func (r *batchReader) readFor(above columnReader) {
	if s, ok := r.source.(sparing); ok {
		s.readFor(above)
	}
}

func (t *timed) readFor(r columnReader) {
	if s, ok := t.source.(sparing); ok {
		s.readFor(r)
	}
}

func (s *scan) readFor(r columnReader) { s.batch.above = r }

// columnsRead are the columns that anybody reads of the scan's batches.
func (s *scan) columnsRead() columnSet {
	if s.batch.above == nil {
		return allColumns
	}
	return s.access.readTwin(s.batch.above.columnsRead().reading(s.keys...).reading(s.values...))
}

// readTwin adds the relation's columns that are read of its twin.
func (a *Access) readTwin(c columnSet) columnSet {
	if a.Twin == nil {
		return c
	}
	for at := range a.Width {
		if c.known.has(a.Twin.First + at) {
			c.known = c.known.add(a.First + at)
		}
		if c.values.has(a.Twin.First + at) {
			c.values = c.values.add(a.First + at)
		}
	}
	return c
}

// unread are the parts of cells that no column that is read is made of.
func (s *scan) unread(read columnSet) (out kv.Parts) {
	at := &s.access.Columns
	row := read.has(at.K)
	for _, p := range at.Prefixes {
		row = row || read.has(p.Index)
	}
	if !row {
		out |= kv.PartRow
	}
	if !read.has(at.Q) {
		out |= kv.PartQualifier
	}
	switch {
	case !s.kv.NeedValue || !read.has(at.V):
		out |= kv.PartValue
	case !read.values.has(at.V):
		out |= kv.PartValueBytes
	}
	return out
}
