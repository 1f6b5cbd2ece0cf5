package plan

import (
	"reflect"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// same reports whether two expressions are written alike over the same
// columns, so that they have the same value in every row.
func same(a, b expr.Node) bool {
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
		return a.String() == b.String() && sameAll(a.Children(), b.(expr.Parent).Children())
	}
	return a == b
}

// sameSubquery reports whether two subqueries of one block are written alike and used
// alike. Their text tells literals apart, and tables of one name.
func sameSubquery(s, o *exec.Subquery) bool {
	return (s.Query == o.Query || s.Text != "" && s.Text == o.Text) && s.Use.Kind == o.Use.Kind && s.Use.Op == o.Use.Op &&
		s.Use.Not == o.Use.Not && s.Column == o.Column && sameAll(s.Children(), o.Children())
}

func sameAll(a, b []expr.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

func sameAggregate(a, b *expr.Aggregate) bool {
	if a.String() != b.String() || len(a.Order) != len(b.Order) || !sameAll(a.Args, b.Args) {
		return false
	}
	for i := range a.Order {
		if !same(a.Order[i].X, b.Order[i].X) {
			return false
		}
	}
	return true
}
