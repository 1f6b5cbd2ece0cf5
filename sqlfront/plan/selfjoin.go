package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/loud"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// sameAccess is how both sides of a join are read at once, where they are one table in one
// view and equal in K and Q: where these tell its rows apart, each joins itself. Conditions
// of both sides are then asked of each row, so that none may warn or fail of a row of which it
// would not have been asked; an outer join is one where none could leave a row out on the
// right side. It is nil for other joins.
func (b *builder) sameAccess(j *joinItem, m *exec.MergePlan, left, right []expr.Node) *exec.Access {
	l, ok := j.left.(*leaf)
	r := j.right.(*leaf)
	if !ok || b.changes || len(m.Left) < 2 || !l.relation.SameRows(r.relation) {
		return nil
	}
	moved := make([]expr.Node, 0, len(right)+1)
	for _, n := range append(slices.Clone(right), expr.Conjuncts(m.Rest)...) {
		moved = append(moved, moveSame(b.scope, n, r, l))
	}
	where := condition.AddNew(b.meter, slices.Clone(left), moved)
	further := len(where) > len(left)
	if further && (j.outer || slices.ContainsFunc(left, loud.Condition)) || slices.ContainsFunc(moved, loud.Condition) {
		return nil
	}
	v := l.relation.KeyColumns(0).V
	a := b.access(l, expr.Conjoin(where), b.used[l.first+v] || b.used[r.first+v])
	a.Twin = &exec.Twin{Alias: r.relation.Alias, First: r.first}
	return a
}

// moveSame is an expression with the columns of a relation in place of those of another one
// that has the same.
func moveSame(scope *relation.Scope, n expr.Node, from, to *leaf) expr.Node {
	return expr.Rewrite(n, func(n expr.Node) expr.Node {
		if c, ok := n.(*expr.Column); ok && holds(from, c.Index) {
			return scope.ColumnAt(c.Index - from.first + to.first)
		}
		return n
	})
}
