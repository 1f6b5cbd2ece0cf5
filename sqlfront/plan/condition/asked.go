package condition

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// Volatile reports whether an expression has another value each time, or changes the session; subqueries are
// not considered.
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

// Immovable reports whether a condition must not be checked at other times, or on other rows.
func Immovable(n expr.Node) bool {
	involved := expr.IsVolatile(n)
	expr.Walk(n, func(n expr.Node) bool {
		_, subquery := n.(*subquery.Subquery)
		involved = involved || subquery
		return !involved
	})
	return involved
}

// Pushable reports whether the condition may be checked any number of times: it has one value, and is cheap.
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

// ComparesOnly reports whether a condition never fails or warns: it may then be checked on rows that it would
// not have met.
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

// OnlyWhere is an expression if conditions hold, and else NULL. A CASE that chooses by a qualifier remains
// one.
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
