package mayfail

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Value reports whether an expression may warn or fail.
func Value(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Column, *expr.Const, *expr.Param:
		return false
	case *expr.Case:
		whenMayFail := func(w expr.When) bool { return Condition(condition(n, w)) || branchMayFail(n, w.Then) }
		return slices.ContainsFunc(n.Whens, whenMayFail) ||
			n.Else != nil && branchMayFail(n, n.Else)
	}
	return Condition(n)
}

// condition is what a branch of a CASE checks.
func condition(of *expr.Case, w expr.When) expr.Node {
	if of.X == nil {
		return w.Cond
	}
	return &expr.Compare{Op: expr.Eq, L: of.X, R: w.Cond}
}

// branchMayFail reports whether a value of a CASE may warn or fail, or is converted.
func branchMayFail(of *expr.Case, n expr.Node) bool {
	return Value(n) || n.Type().Kind != of.T.Kind && !expr.IsConst(n)
}

// Aggregate reports whether an aggregate may warn or fail.
func Aggregate(a *setfunc.Aggregate) bool {
	switch a.Name {
	case "COUNT", "MIN", "MAX":
	case "SUM", "AVG":
		if kind := a.Args[0].Type().Kind; kind != value.Int && kind != value.Uint {
			return true
		}
	default:
		return true
	}
	return slices.ContainsFunc(a.Args, Value)
}
