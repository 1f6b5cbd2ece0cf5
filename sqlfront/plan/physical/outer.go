package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// simplified turns an outer join into an inner one if a condition refuses the rows that it fills with NULLs.
func simplified(j *block.Join, conds []expr.Node) *block.Join {
	if !j.Outer {
		return j
	}
	for _, n := range conds {
		if refusesNull(n, j.Right) {
			inner := *j
			inner.Outer = false
			return &inner
		}
	}
	return j
}

// refusesNull reports whether a condition is never true if the item's columns are NULL: an outer join under
// it is an inner one.
func refusesNull(n expr.Node, item block.From) bool {
	c, ok := n.(*expr.Compare)
	if !ok || c.Op == expr.NullSafeEq {
		return false
	}
	for _, side := range []expr.Node{c.L, c.R} {
		if column, ok := side.(*expr.Column); ok && block.Holds(item, column.Index) {
			return true
		}
	}
	return false
}

// anti reports whether an outer join need only find the rows without a partner: a condition above demands
// NULL in a column that is never NULL in a partner, and ON neither warns nor fails.
func anti(j *block.Join, above []expr.Node) bool {
	right, ok := j.Right.(*block.Leaf)
	if !ok || !j.Outer || slices.ContainsFunc(j.On, mayfail.Condition) {
		return false
	}
	return slices.ContainsFunc(above, func(n expr.Node) bool {
		is, ok := n.(*expr.IsNull)
		if !ok || is.Not {
			return false
		}
		c, ok := is.X.(*expr.Column)
		return ok && (isKey(right, c.Index) || block.Holds(right, c.Index) && compares(j, c.Index))
	})
}

// compares reports whether ON compares a column, which is then not NULL in partners.
func compares(j *block.Join, index int) bool {
	return slices.ContainsFunc(j.On, func(n expr.Node) bool {
		c, ok := n.(*expr.Compare)
		return ok && c.Op != expr.NullSafeEq && (condition.IsColumnAt(c.L, index) || condition.IsColumnAt(c.R, index))
	})
}

// isKey reports whether a column of the frame is a key of a stored relation.
func isKey(l *block.Leaf, index int) bool { return l.Relation.Stored() && block.KeyIn(l, index) >= 0 }
