package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// buildByKey plans the derived table on a join's right side a second time, to be opened with the keys of one
// left row. It is nil if the keys do not lead to rows.
func (b *builder) buildByKey(j *block.Join, l *block.Leaf, right, both []expr.Node) (op.Node, error) {
	isKey := func(index int) bool {
		i := index - l.First
		return i >= 0 && i < len(l.Relation.Columns) && l.Derived.LeadsToRows(i)
	}
	if l.Derived == nil || l.Again == nil || !b.looksUpByKey(j, both, isKey) ||
		slices.ContainsFunc(right, condition.Settles(isKey)) {
		return nil, nil
	}
	q, err := l.Again()
	if q == nil || err != nil {
		return nil, err
	}
	n := newDerived(l, q)
	rest := b.pushInto(n, slices.Concat(right, l.On, both))
	for _, cond := range rest {
		b.use(cond)
	}
	prune(q, func(i int) bool { return b.used[l.First+i] })
	return filtered(n.Derived, expr.Conjoin(rest)), Complete(q)
}

// looksUpByKey reports whether a condition sets a column of a derived table that isKey accepts equal to an
// expression of the left side.
func (b *builder) looksUpByKey(j *block.Join, both []expr.Node, isKey func(index int) bool) bool {
	column, _ := b.keyOf(j, both, isKey)
	return column != nil
}

// keyOf is a column that isKey accepts, and the expression of the left side that a condition sets it equal
// to; nil for none.
func (b *builder) keyOf(j *block.Join, both []expr.Node, isKey func(index int) bool) (*expr.Column, expr.Node) {
	for _, n := range both {
		for _, side := range expr.Equated(n) {
			c, ok := side[0].(*expr.Column)
			if ok && isKey(c.Index) && b.within(j.Left, side[1]) && condition.ComparesAs(c, side[1]) &&
				(c.T.Kind != value.Bytes || condition.ByteKind(side[1])) {
				return c, side[1]
			}
		}
	}
	return nil, nil
}
