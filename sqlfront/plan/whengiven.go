package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// whenGiven has items that go from row to row by user variables evaluated when the rows are
// given, behind ORDER BY, as long as no key of that reads one. Of groups and DISTINCT rows they
// are evaluated as these come, as in MySQL, which keeps such in a table.
func (b *blockPlanner) whenGiven(nodes []expr.Node, distinct bool) []expr.Node {
	items := nodes[:len(b.items)]
	if distinct || b.aggregated || b.windows != nil || !slices.ContainsFunc(items, expr.SetsVariables) ||
		slices.ContainsFunc(b.order, func(o exec.OrderItem) bool { return expr.TouchesVariables(o.Expr) }) {
		return nodes
	}
	for i, n := range items {
		if expr.TouchesVariables(n) && !asksQueries(n) {
			expr.Columns(n, func(c *expr.Column) { nodes = append(nodes, c) })
			nodes[i] = &exec.WhenGiven{X: n}
		}
	}
	return nodes
}

// asksQueries reports whether an expression has subqueries, which are planned as a part of the
// projection.
func asksQueries(n expr.Node) bool {
	found := false
	expr.Walk(n, func(n expr.Node) bool {
		_, isQuery := n.(*exec.Subquery)
		found = found || isQuery
		return !found
	})
	return found
}
