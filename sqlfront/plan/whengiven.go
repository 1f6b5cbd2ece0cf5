package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
)

// whenGiven marks the items that are evaluated after ORDER BY, when the rows are returned: items that pass
// user variables from row to row, if no key of ORDER BY reads one, and, if LIMIT cuts rows off, items that
// may fail or have subqueries. MySQL evaluates neither for rows that LIMIT leaves out. With DISTINCT, windows
// and groups the items are evaluated as the rows are read, except those that compute with aggregates, as in
// MySQL, which keeps such rows in a temporary table.
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

// waits reports whether an item may fail and is not a key of ORDER BY.
func (b *blockPlanner) waits(i int, item expr.Node) bool {
	return mayfail.Value(item) && (!b.Aggregated || b.ReadsAggregate(item) || op.HasSubquery(item)) &&
		!slices.ContainsFunc(b.Order, func(o order.OrderItem) bool { return o.Column == i })
}
