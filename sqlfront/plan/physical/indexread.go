package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/lookup"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// byIndexes is the node of a typed table. It reads entries of an index if their order is useful or if they
// have all columns that are read. other is the side of a join whose rows are known when it is opened, nil for
// none.
func (b *builder) byIndexes(l *block.Leaf, other block.From, conds []expr.Node) op.Node {
	above := b.readOf(l.Span()) // not conditions, some of which the index already covers
	rows, r := b.buildTyped(l, other, conds), l.Relation
	if !usesIndexes(r) || r.Selected() != nil || slices.ContainsFunc(conds, asksMore) {
		return rows
	}
	given := b.givenBy(other)
	out := &lookup.Reader{Rows: rows, Table: r.Family(), Face: r.Typed, Alias: r.Alias, First: l.First}
	out.OnKey, _ = onKey(conds, l.First, r.Typed.Key, func(part int) expr.Node { return r.Typed.PartOf(rowK, part) }, given)
	all := readings(l, above, conds)
	for _, w := range waysOf(l, conds, given) {
		p := lookup.Path{Way: w.Way, All: all, Rest: readings(l, above, w.rest)}
		p.All.Covers, p.Rest.Covers = covers(&w.Way, r, p.All.Columns), covers(&w.Way, r, p.Rest.Columns)
		out.Paths = append(out.Paths, p)
	}
	return out
}

// readings are the columns that are read above, those that conditions read, and those that virtual columns
// are computed from.
func readings(l *block.Leaf, above []int, conds []expr.Node) (out lookup.Readings) {
	out.Filter = slices.DeleteFunc(slices.Clone(conds), func(n expr.Node) bool { _, ok := n.(*lookup.Keys); return ok })
	read := map[int]bool{}
	add := func(c *expr.Column) { read[c.Index-l.First] = true }
	for _, n := range out.Filter {
		expr.Columns(n, add)
	}
	for _, at := range above {
		read[at-l.First] = true
	}
	for i := range l.Relation.Columns {
		if read[i] && l.Relation.Typed.IsVirtual(i) {
			out.Virtual = append(out.Virtual, lookup.Computed{Column: i, X: l.Virtual[i]})
			expr.Columns(l.Virtual[i], add)
		}
	}
	for i := range l.Relation.Columns {
		if read[i] && !l.Relation.Typed.IsVirtual(i) {
			out.Columns = append(out.Columns, i)
		}
	}
	return out
}

// covers reports whether the entries of an index, and the row keys in them, contain the columns.
func covers(w *lookup.Way, r *relation.Relation, columns []int) bool {
	for _, column := range columns {
		part := w.Key.PartAt(column)
		inIndex := part >= 0 && w.Key.Holds(part)
		if !inIndex && (r.Typed.KeyPart(column) < 0 || r.Typed.HasCell(column)) {
			return false
		}
	}
	return true
}
