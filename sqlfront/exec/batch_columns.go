package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// sparing is a source whose rows of batches can do without columns that its reader does not read.
type sparing interface{ readFor(r kernel.Reader) }

// readOf are the columns that a reader reads, all where it is not known.
func readOf(r kernel.Reader) kernel.Columns {
	if r == nil {
		return kernel.AllColumns
	}
	return r.ColumnsRead()
}

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
func (b *batchRows) ColumnsRead() kernel.Columns { return kernel.Columns{}.Reading(b.nodes...) }

// ColumnsRead implements kernel.Reader.
func (f *filter) ColumnsRead() kernel.Columns { return readOf(f.above).Reading(f.cond) }

func (f *filter) readFor(r kernel.Reader) {
	f.above = r
	f.input.readFor(f)
}

func (in *input) readFor(above kernel.Reader) {
	if s, ok := in.source.(sparing); ok {
		s.readFor(above)
	}
}

func (s *scan) readFor(r kernel.Reader) { s.above = r }

// ColumnsRead are the columns that anybody reads of the scan's batches.
func (s *scan) ColumnsRead() kernel.Columns {
	return s.access.readTwin(readOf(s.above).Reading(s.keys...).Reading(s.values...))
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
