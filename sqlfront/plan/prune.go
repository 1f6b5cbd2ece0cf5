package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// prune makes the query give NULL in the columns of its result that nobody
// reads.
func (q *query) prune(used func(i int) bool) {
	b := q.planner
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

// keyOf is the place of the i-th column of the query's result among the keys
// K, Q and T of a stored relation, where it is one and conditions on it get
// there; else -1.
func (q *query) keyOf(i int) int {
	if q.cut() {
		return -1
	}
	if q.union != nil {
		return q.union.keyOf(i)
	}
	b := q.planner
	c, ok := b.items[i].node.(*expr.Column)
	if !ok || !b.passesOn(i, c, false) {
		return -1
	}
	return keyIn(b.from, c.Index)
}

// passesOn reports whether conditions on the i-th column of the result, which is made of a
// column of the block's rows, may be asked of these.
func (b *blockPlanner) passesOn(i int, c *expr.Column, cut bool) bool {
	return !cut && !(b.aggregated && (len(b.node.GroupBy) == 0 || b.rolledUp() != nil || !b.grouped()[c.Index])) &&
		b.windows.dividedBy(b.items[i].node) && !b.volatile()
}

// keyOf is that of the first part that has one.
func (u *union) keyOf(i int) int {
	for _, p := range u.parts {
		if k := p.query.keyOf(i); k >= 0 && p.query.columns[i].Type.Kind == u.columns[i].Type.Kind {
			return k
		}
	}
	return -1
}

// keyIn is the place of a column of the frame among the keys of its relation.
func keyIn(from fromItem, index int) int {
	if j, ok := from.(*joinItem); ok {
		return max(keyIn(j.left, index), keyIn(j.right, index))
	}
	l := from.(*leaf)
	if i := index - l.first; l.derived != nil && i >= 0 && i < len(l.relation.Columns) {
		return l.derived.keyOf(i)
	}
	if !l.relation.Stored() {
		return -1
	}
	at := l.relation.KeyColumns(l.first)
	return slices.Index([]int{at.K, at.Q, at.T}, index)
}
