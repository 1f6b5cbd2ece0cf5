package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

func (s *Scan) ReadFor(r kernel.Reader) { s.above = r }

// ColumnsRead are the columns that anybody reads of the scan's batches.
func (s *Scan) ColumnsRead() kernel.Columns {
	return s.Access.readTwin(op.ReadOf(s.above).Reading(s.Keys...).Reading(s.Values...))
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
func (s *Scan) unread(read kernel.Columns) (out kv.Parts) {
	at := &s.Access.Columns
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
	case !s.StoreScan.NeedValue || !read.Has(at.V):
		out |= kv.PartValue
	case !read.HasValues(at.V):
		out |= kv.PartValueBytes
	}
	return out
}
