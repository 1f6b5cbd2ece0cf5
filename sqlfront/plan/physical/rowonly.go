package physical

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
)

// rowOnly reports whether the expressions read only K, and what is computed from it, of the only relation, so
// that one cell of a row is enough. Nil expressions read nothing.
func (b *builder) rowOnly(from block.From, nodes []expr.Node) bool {
	l, ok := from.(*block.Leaf)
	if !ok || !l.Relation.Stored() {
		return false
	}
	at := l.Relation.KeyColumns(l.First)
	known := func(i int) bool { return at.OfRow(i) || b.Scope.At(i) == nil }
	for _, n := range nodes {
		if n != nil && (expr.IsVolatile(n) || !expr.OnlyColumns(n, known)) {
			return false
		}
	}
	return true
}
