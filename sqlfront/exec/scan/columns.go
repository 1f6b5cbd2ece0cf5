package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func (s *Scan) ReadFor(r kernel.Reader) { s.above = r }

// ColumnsRead returns the columns that are read of the scan's batches.
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

// unread returns the parts of cells that are not needed for the columns read.
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

// TellsApart reports whether all rows have distinct values of some arguments, none of them NULL: if they are
// the columns of the key, without T if each cell has one version.
func (s *Scan) TellsApart(args []expr.Node) bool {
	at := &s.Access.Columns
	if at.Typed || len(s.Tables) > 1 || len(args) == 0 {
		return false
	}
	var k, q, t bool
	for _, arg := range args {
		c, ok := arg.(*expr.Column)
		switch {
		case ok && c.Index == at.T:
			t = true
		case ok && c.Index == at.K && c.Type().Kind == value.Bytes:
			k = true
		case ok && c.Index == at.Q && c.Type().Kind == value.Bytes:
			q = true
		default:
			return false
		}
	}
	return k && q && (t || s.view.Versions == 1)
}
