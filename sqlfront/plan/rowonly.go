package plan

import "github.com/hbasekv/hbasekv/sqlfront/expr"

// rowOnly reports whether the expressions read nothing but K and what is
// computed from it, of the only relation, so that one cell of a row is as good
// as all of them. Nil expressions read nothing.
func (b *blockPlanner) rowOnly(from fromItem, nodes []expr.Node) bool {
	l, ok := from.(*leaf)
	if !ok || !l.relation.stored() {
		return false
	}
	at := l.relation.keyColumns(l.first)
	known := func(i int) bool { return at.OfRow(i) || b.scope.at(i) == nil }
	for _, n := range nodes {
		if n != nil && (expr.IsVolatile(n) || !expr.OnlyColumns(n, known)) {
			return false
		}
	}
	return true
}

// groupsByRowOnly is rowOnly of grouping expressions and aggregates. The
// aggregates must be such as do not count equal values twice.
func (b *blockPlanner) groupsByRowOnly(from fromItem) bool {
	var nodes []expr.Node
	for _, k := range b.keys {
		nodes = append(nodes, k.Node)
	}
	for _, a := range b.aggs {
		if !a.Agg.Distinct && a.Agg.Name != "MIN" && a.Agg.Name != "MAX" {
			return false
		}
		nodes = append(nodes, aggregateParts(a.Agg)...)
	}
	for _, c := range b.captured() {
		nodes = append(nodes, &expr.Column{Index: c})
	}
	return b.rowOnly(from, nodes)
}

func rowColumn(from fromItem) int {
	if l, ok := from.(*leaf); ok && l.relation.stored() {
		return l.relation.keyColumns(l.first).K
	}
	return -1
}
