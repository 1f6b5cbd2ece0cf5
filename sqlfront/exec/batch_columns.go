package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// sparing is a batched source whose rows, in batches and one by one where they are put
// back, can do without columns that its reader does not read.
type sparing interface{ readFor(r kernel.Reader) }

// ColumnsRead implements kernel.Reader.
func (n *Aggregate) ColumnsRead() kernel.Columns {
	c := kernel.Columns{}.Reading(n.keyNodes()...)
	for _, index := range n.Captured {
		c = c.Add(index)
	}
	for _, a := range n.Aggs {
		c = c.Reading(a.Agg.Reads()...)
	}
	return c
}

// ColumnsRead implements kernel.Reader.
func (h *hashGroups) ColumnsRead() kernel.Columns {
	c := h.Aggregate.ColumnsRead()
	if h.rowAt >= 0 {
		c = c.Add(h.rowAt)
	}
	return c
}

// ColumnsRead implements kernel.Reader.
func (p *projection) ColumnsRead() kernel.Columns { return kernel.Columns{}.Reading(p.nodes...) }

// ColumnsRead implements kernel.Reader.
func (b *batchRows) ColumnsRead() kernel.Columns { return kernel.Columns{}.Reading(b.nodes...) }

// ColumnsRead implements kernel.Reader.
func (f *filter) ColumnsRead() kernel.Columns { return f.above.ColumnsRead().Reading(f.cond) }

func (f *filter) readFor(r kernel.Reader) {
	f.above = r
	f.reader.readFor(f)
}

func (r *batchReader) readFor(above kernel.Reader) {
	if s, ok := r.source.(sparing); ok {
		s.readFor(above)
	}
}

func (t *timed) readFor(r kernel.Reader) {
	if s, ok := t.source.(sparing); ok {
		s.readFor(r)
	}
}

func (s *scan) readFor(r kernel.Reader) { s.batch.above = r }

// ColumnsRead are the columns that anybody reads of the scan's batches.
func (s *scan) ColumnsRead() kernel.Columns {
	if s.batch.above == nil {
		return kernel.AllColumns
	}
	return s.access.readTwin(s.batch.above.ColumnsRead().Reading(s.keys...).Reading(s.values...))
}

// readTwin adds the relation's columns that are read of its twin.
func (a *Access) readTwin(c kernel.Columns) kernel.Columns {
	if a.Twin == nil {
		return c
	}
	for at := range a.Width {
		c = c.AddAs(a.First+at, a.Twin.First+at)
	}
	return c
}

// unread are the parts of cells that no column that is read is made of.
func (s *scan) unread(read kernel.Columns) (out kv.Parts) {
	at := &s.access.Columns
	row := read.Has(at.K)
	for _, p := range at.Prefixes {
		row = row || read.Has(p.Index)
	}
	if !row {
		out |= kv.PartRow
	}
	if !read.Has(at.Q) {
		out |= kv.PartQualifier
	}
	switch {
	case !s.kv.NeedValue || !read.Has(at.V):
		out |= kv.PartValue
	case !read.HasValues(at.V):
		out |= kv.PartValueBytes
	}
	return out
}
