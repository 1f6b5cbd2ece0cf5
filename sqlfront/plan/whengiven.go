package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
)

// whenGiven has items evaluated when the rows are given, behind ORDER BY: those that go from row to
// row by user variables, as long as no key of ORDER BY reads one, and of rows that LIMIT cuts those
// that may fail or have subqueries. MySQL evaluates neither for rows that LIMIT leaves out. Of
// DISTINCT rows, of windows and of groups, but where they compute with aggregates, they are
// evaluated as these come, as in MySQL, which keeps such in a table.
func (b *blockPlanner) whenGiven(nodes []expr.Node, distinct, limited bool) []expr.Node {
	if distinct || b.Windows != nil {
		return nodes
	}
	numbers := b.numbersRows(nodes[:len(b.Items)])
	for i := range b.Items {
		n := nodes[i]
		if numbers && expr.TouchesVariables(n) || limited && b.waits(i, n) {
			expr.Columns(n, func(c *expr.Column) { nodes = append(nodes, c) })
			nodes[i] = &pipeline.WhenGiven{X: n}
		}
	}
	return nodes
}

// numbersRows reports whether some item sets a user variable, and no key of ORDER BY reads one.
func (b *blockPlanner) numbersRows(items []expr.Node) bool {
	return !b.Aggregated && slices.ContainsFunc(items, expr.SetsVariables) &&
		!slices.ContainsFunc(b.Order, func(o order.OrderItem) bool { return expr.TouchesVariables(o.Expr) })
}

// waits reports whether an item, which is no key of ORDER BY, may fail.
func (b *blockPlanner) waits(i int, item expr.Node) bool {
	return mayfail.Value(item) && (!b.Aggregated || b.ReadsAggregate(item) || op.HasSubquery(item)) &&
		!slices.ContainsFunc(b.Order, func(o order.OrderItem) bool { return o.Column == i })
}
