package condition

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// Volatile reports whether an expression has another value each time, or acts on the session;
// subqueries do not count.
func Volatile(n expr.Node) bool {
	found := false
	expr.Walk(n, func(n expr.Node) bool {
		v, ok := n.(expr.Volatile)
		_, isQuery := n.(*subquery.Subquery)
		found = found || ok && !isQuery && v.Volatile()
		return !found
	})
	return found
}

// Immovable tells conditions that may not be asked at other times, or of other rows.
func Immovable(n expr.Node) bool {
	involved := expr.IsVolatile(n)
	expr.Walk(n, func(n expr.Node) bool {
		_, subquery := n.(*subquery.Subquery)
		involved = involved || subquery
		return !involved
	})
	return involved
}

// Pushable reports whether the condition can be asked as often as one likes:
// it has one value, whose cost is small.
func Pushable(n expr.Node) bool {
	ok := true
	expr.Walk(n, func(n expr.Node) bool {
		if s, isQuery := n.(*subquery.Subquery); isQuery {
			ok = ok && s.Once()
		} else if v, isVolatile := n.(expr.Volatile); isVolatile && v.Volatile() {
			ok = false
		}
		return ok
	})
	return ok
}

// ComparesOnly reports whether a condition fails and warns on no row: it may
// then be asked of rows that it would not have met.
func ComparesOnly(n expr.Node) bool {
	only := true
	expr.Walk(n, func(n expr.Node) bool {
		switch n.(type) {
		case *expr.Compare, *expr.In, *expr.Between, *expr.Like, *expr.IsNull, *expr.And, *expr.Or, *expr.Not,
			*expr.Tuple, *expr.Column, *expr.Const, *expr.Param:
		default:
			only = false
		}
		return only
	})
	return only
}

// Computes reports whether an expression is more than a column or a constant.
func Computes(n expr.Node) bool {
	switch n.(type) {
	case *expr.Column, *expr.Const, *expr.Param:
		return false
	}
	return true
}

// OnlyWhere is an expression where conditions hold, and else NULL. What chooses by a qualifier
// goes on to do so.
func OnlyWhere(n expr.Node, conds []expr.Node) expr.Node {
	c, ok := n.(*expr.Case)
	if !ok || c.X != nil || !c.ElseIsNull() {
		out := &expr.Case{Whens: []expr.When{{Cond: expr.Conjoin(conds), Then: n}}, T: n.Type()}
		out.T.Nullable = true
		return out
	}
	out := *c
	out.Whens = slices.Clone(c.Whens)
	for i, w := range out.Whens {
		out.Whens[i].Cond = expr.Conjoin(append(expr.Conjuncts(w.Cond), conds...))
	}
	return &out
}
