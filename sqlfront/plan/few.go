package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// buildFew plans the derived table on a join's right side a second time, to be
// opened with the keys of one left row. It is nil where that leads to no rows.
func (b *builder) buildFew(j *joinItem, l *leaf, right, both []expr.Node) (exec.Node, error) {
	isKey := func(index int) bool {
		i := index - l.first
		return i >= 0 && i < len(l.relation.Columns) && l.derived.leadsToRows(i)
	}
	if l.derived == nil || l.again == nil || !b.leadsToFew(j, both, isKey) ||
		slices.ContainsFunc(right, condition.Settles(isKey)) {
		return nil, nil
	}
	q, err := l.again()
	if q == nil || err != nil {
		return nil, err
	}
	n := newDerived(l, q)
	rest := b.pushInto(n, slices.Concat(right, l.on, both))
	for _, cond := range rest {
		b.use(cond)
	}
	prune(q, func(i int) bool { return b.used[l.first+i] })
	return filtered(n.Derived, expr.Conjoin(rest)), complete(q)
}

// leadsToFew reports whether a condition sets a column of a derived table that isKey accepts
// equal to something of the left side.
func (b *builder) leadsToFew(j *joinItem, both []expr.Node, isKey func(index int) bool) bool {
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
