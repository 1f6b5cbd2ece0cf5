package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxTwice bounds how many derived tables of a statement are planned in two
// ways: nested ones double at each step.
const maxTwice = 32

// buildFew plans the derived table on a join's right side a second time, to be
// opened with the keys of one left row. It is nil where that leads to no rows.
func (b *blockPlanner) buildFew(j *joinItem, l *leaf, right, both []expr.Node) (exec.Node, error) {
	isKey := func(index int) bool {
		i := index - l.first
		return i >= 0 && i < len(l.relation.Columns) && l.derived.leadsToRows(i)
	}
	if l.derived == nil || b.twice >= maxTwice || !b.leadsToFew(j, both, isKey) ||
		slices.ContainsFunc(right, condition.Settles(isKey)) {
		return nil, nil
	}
	b.twice++
	reads := b.reads
	q, err := l.again()
	b.reads = reads // what it reads is noted already
	if err != nil {
		return nil, err
	}
	n := newDerived(l, q)
	rest := b.pushInto(n, slices.Concat(right, l.on, both))
	for _, cond := range rest {
		b.use(cond)
	}
	q.prune(func(i int) bool { return b.used[l.first+i] })
	return filtered(n.Derived, expr.Conjoin(rest)), q.complete()
}

// leadsToFew reports whether a condition sets a column of a derived table that isKey accepts
// equal to something of the left side.
func (b *blockPlanner) leadsToFew(j *joinItem, both []expr.Node, isKey func(index int) bool) bool {
	for _, n := range both {
		for _, side := range expr.Equated(n) {
			c, ok := side[0].(*expr.Column)
			if ok && isKey(c.Index) && b.within(j.left, side[1]) && condition.ComparesAs(c, side[1]) &&
				(c.T.Kind != value.Bytes || condition.ByteKind(side[1])) {
				return true
			}
		}
	}
	return false
}

// leadsToRows reports whether the i-th column of the query's result is the K of a stored
// relation, or a function that leads to it, and conditions on it get there.
func (q *query) leadsToRows(i int) bool {
	if q.union != nil {
		return q.union.keyOf(i) == 0
	}
	if q.keyOf(i) == 0 {
		return true
	}
	b := q.planner
	n := expr.Rewrite(b.items[i].node, func(n expr.Node) expr.Node {
		if c, ok := n.(*expr.Column); ok {
			return b.overRows(c)
		}
		return n
	})
	c, _ := constrain.FunctionOf(n)
	return c != nil && b.passesOn(i, c, q.cut()) && keyIn(b.from, c.Index) == 0
}
