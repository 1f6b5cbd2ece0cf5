package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// prune makes the query return NULL in the columns of its result that are not used.
func prune(q *block.Query, used func(i int) bool) {
	b := q.Block
	if b == nil || b.Node.Distinct != "" {
		return
	}
	for i := range b.Items {
		n := b.Items[i].Node
		ordered := slices.ContainsFunc(b.Order, func(o order.OrderItem) bool { return o.Column == i })
		if used(i) || ordered || condition.Volatile(n) {
			continue
		}
		b.Nodes[i] = &expr.Const{T: n.Type()}
		b.Items[i].Node = b.Nodes[i]
	}
	b.PruneWindows()
	read := condition.ColumnsIn(b.Upper())
	b.Aggs = slices.DeleteFunc(b.Aggs, func(a agg.AggSlot) bool {
		return !read[a.Slot] && !slices.ContainsFunc(a.Agg.Reads(), condition.Volatile)
	})
}
