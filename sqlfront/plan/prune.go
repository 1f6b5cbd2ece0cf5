package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// prune makes the query give NULL in the columns of its result that nobody
// reads.
func prune(q *query, used func(i int) bool) {
	b := q.block
	if b == nil || b.node.Distinct != "" {
		return
	}
	for i := range b.items {
		n := b.items[i].node
		ordered := slices.ContainsFunc(b.order, func(o exec.OrderItem) bool { return o.Column == i })
		if used(i) || ordered || condition.Volatile(n) {
			continue
		}
		b.nodes[i] = &expr.Const{T: n.Type()}
		b.items[i].node = b.nodes[i]
	}
	b.pruneWindows()
	read := condition.ColumnsIn(b.upper())
	b.aggs = slices.DeleteFunc(b.aggs, func(a exec.AggSlot) bool {
		return !read[a.Slot] && !slices.ContainsFunc(a.Agg.Reads(), condition.Volatile)
	})
}
