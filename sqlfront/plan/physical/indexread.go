package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/lookup"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// byIndexes is the node of a typed table whose rows are found by another one where no index has them in an order that
// is asked for, or all columns that are read. other is the side of a join whose columns have their values before, nil for
// none.
func (b *builder) byIndexes(l *block.Leaf, other block.From, conds []expr.Node, rows op.Node) op.Node {
	r := l.Relation
	if !usesIndexes(r) || r.Selected() != nil || slices.ContainsFunc(conds, asksMore) {
		return rows
	}
	given := b.givenBy(other)
	where := slices.DeleteFunc(slices.Clone(conds), func(n expr.Node) bool { _, ok := n.(*lookup.Keys); return ok })
	out := &lookup.Reader{Rows: rows, Table: r.Family(), Face: r.Typed, Alias: r.Alias, First: l.First, Where: where,
		OnKey: onKey(conds, l.First, r.Typed.Key, func(part int) expr.Node { return r.Typed.PartOf(rowK, part) }, given)}
	b.addRead(out, l, conds)
	for _, w := range waysOf(l, conds, given) {
		out.Paths = append(out.Paths, lookup.Path{Way: w, Covers: covers(&w, r, out.Read)})
	}
	return out
}

// addRead finds the columns that are read, also by conditions, and those that virtual ones of these are computed of.
func (b *builder) addRead(out *lookup.Reader, l *block.Leaf, conds []expr.Node) {
	read := map[int]bool{}
	add := func(c *expr.Column) { read[c.Index-l.First] = true }
	for _, n := range conds {
		expr.Columns(n, add)
	}
	for _, at := range b.readOf(l.Span()) {
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
			out.Read = append(out.Read, i)
		}
	}
}

// covers reports whether the entries of an index, and the keys of the rows that they lead to, have some columns.
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
