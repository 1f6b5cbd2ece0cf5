package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/join"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// sameAccess reads both sides of a join at once if they are the same table in the same view and equal in K
// and Q, so that each row joins itself. Conditions of both sides are then checked on each row, so none may
// warn or fail on a row that the join would not have checked; those on the right side of an outer join must
// not leave rows out. It is nil for other joins.
func (b *builder) sameAccess(j *block.Join, m *join.MergePlan, left, right []expr.Node) *scan.Access {
	l, ok := j.Left.(*block.Leaf)
	r := j.Right.(*block.Leaf)
	if !ok || b.Changes || len(m.Left) < 2 || !l.Relation.SameRows(r.Relation) {
		return nil
	}
	moved := make([]expr.Node, 0, len(right)+1)
	for _, n := range append(slices.Clone(right), expr.Conjuncts(m.Rest)...) {
		moved = append(moved, moveSame(b.Scope, n, r, l))
	}
	where := condition.AddNew(b.Meter, slices.Clone(left), moved)
	further := len(where) > len(left)
	if further && (j.Outer || slices.ContainsFunc(left, mayfail.Condition)) ||
		slices.ContainsFunc(moved, mayfail.Condition) {
		return nil
	}
	v := l.Relation.KeyColumns(0).V
	a := b.access(l, expr.Conjoin(where), b.used[l.First+v] || b.used[r.First+v])
	a.Twin = &scan.Twin{Alias: r.Relation.Alias, First: r.First}
	return a
}

// moveSame replaces the columns of a relation by those of another one that has the same.
func moveSame(scope *relation.Scope, n expr.Node, from, to *block.Leaf) expr.Node {
	return expr.Rewrite(n, func(n expr.Node) expr.Node {
		if c, ok := n.(*expr.Column); ok && block.Holds(from, c.Index) {
			return scope.ColumnAt(c.Index - from.First + to.First)
		}
		return n
	})
}
