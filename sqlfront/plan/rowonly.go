package plan

import "github.com/hbasekv/hbasekv/sqlfront/expr"

// rowOnly reports whether the expressions read nothing but K and what is
// computed from it, of the only relation, so that one cell of a row is as good
// as all of them. Nil expressions read nothing.
func (b *builder) rowOnly(from fromItem, nodes []expr.Node) bool {
	l, ok := from.(*leaf)
	if !ok || !l.relation.Stored() {
		return false
	}
	at := l.relation.KeyColumns(l.first)
	known := func(i int) bool { return at.OfRow(i) || b.scope.At(i) == nil }
	for _, n := range nodes {
		if n != nil && (expr.IsVolatile(n) || !expr.OnlyColumns(n, known)) {
			return false
		}
	}
	return true
}
