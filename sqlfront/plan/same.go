package plan

import (
	"reflect"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// same reports whether two expressions are written alike over the same
// columns, so that they have the same value in every row.
func same(a, b expr.Node) bool {
	if _, operands := a.(expr.Parent); !operands {
		return alike(a, b)
	}
	return alike(a, b) && expr.Print(a) == expr.Print(b)
}

// alike leaves out what only the text of an expression tells.
func alike(a, b expr.Node) bool {
	if a == nil || b == nil || reflect.TypeOf(a) != reflect.TypeOf(b) {
		return a == nil && b == nil
	}
	switch a := a.(type) {
	case *expr.Column:
		return a.Index == b.(*expr.Column).Index
	case *expr.Param:
		return a.Index == b.(*expr.Param).Index
	case *expr.Const:
		return reflect.DeepEqual(a, b)
	case *exec.Subquery:
		return sameSubquery(a, b.(*exec.Subquery))
	case expr.Parent:
		return slices.EqualFunc(a.Children(), b.(expr.Parent).Children(), alike)
	}
	return a == b
}

// sameSubquery reports whether two subqueries of one block are written alike and used
// alike. Their text tells literals apart, and tables of one name.
func sameSubquery(s, o *exec.Subquery) bool {
	return (s.Query == o.Query || s.Text != "" && s.Text == o.Text) && s.Use.Kind == o.Use.Kind && s.Use.Op == o.Use.Op &&
		s.Use.Not == o.Use.Not && s.Column == o.Column && sameAll(s.Children(), o.Children())
}

func sameAll(a, b []expr.Node) bool { return slices.EqualFunc(a, b, same) }

func sameAggregate(a, b *expr.Aggregate) bool {
	if expr.Print(a) != expr.Print(b) || len(a.Order) != len(b.Order) || !sameAll(a.Args, b.Args) {
		return false
	}
	for i := range a.Order {
		if !same(a.Order[i].X, b.Order[i].X) {
			return false
		}
	}
	return true
}
