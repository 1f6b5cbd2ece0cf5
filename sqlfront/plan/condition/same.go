package condition

import (
	"reflect"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/window"
)

// Comparison compares expressions under a context.
type Comparison struct {
	Meter *cancelcheck.Meter
	Err   error // of the context: nothing is the same from then on
}

// nodeUnits is the approximate cost of looking at a node.
const nodeUnits = 16

// step counts the work for a node, and reports whether to go on.
func (c *Comparison) step() bool {
	if c.Err == nil {
		c.Err = c.Meter.Step(nodeUnits)
	}
	return c.Err == nil
}

// same reports whether two expressions are written alike over the same columns, so that they have the same
// value in every row.
func (c *Comparison) same(a, b expr.Node) bool {
	if _, operands := a.(expr.Parent); !operands {
		return c.alike(a, b)
	}
	return c.alike(a, b) && expr.Print(a) == expr.Print(b)
}

// alike does not compare what only the text of an expression tells.
func (c *Comparison) alike(a, b expr.Node) bool {
	if a == nil || b == nil || reflect.TypeOf(a) != reflect.TypeOf(b) {
		return a == nil && b == nil
	}
	if !c.step() {
		return false
	}
	switch a := a.(type) {
	case *expr.Column:
		return a.Index == b.(*expr.Column).Index
	case *expr.Param:
		return a.Index == b.(*expr.Param).Index
	case *expr.Const:
		o := b.(*expr.Const)
		return a.Hex == o.Hex && a.T == o.T && value.Identical(a.V, o.V)
	case *subquery.Subquery:
		return c.sameSubquery(a, b.(*subquery.Subquery))
	case expr.Parent:
		return slices.EqualFunc(a.Children(), b.(expr.Parent).Children(), c.alike)
	}
	return a == b
}

// sameSubquery reports whether two subqueries of one block are written and used alike. Their text tells apart
// literals, and tables of the same name.
func (c *Comparison) sameSubquery(s, o *subquery.Subquery) bool {
	return (s.Query == o.Query || s.Text != "" && s.Text == o.Text) && s.Use.Kind == o.Use.Kind &&
		s.Use.Op == o.Use.Op && s.Use.Not == o.Use.Not && s.Column == o.Column && c.SameAll(s.Children(), o.Children())
}

// SameAll reports whether two lists have the same expressions in the same order.
func (c *Comparison) SameAll(a, b []expr.Node) bool { return slices.EqualFunc(a, b, c.same) }

// SameAggregate is same for aggregates that print alike.
func (c *Comparison) SameAggregate(a, b *setfunc.Aggregate) bool {
	return c.SameAll(a.Reads(), b.Reads()) && len(a.Order) == len(b.Order)
}

// SameOrder reports whether two keys order rows in the same way.
func (c *Comparison) SameOrder(a, b ordering.Key) bool {
	return a.Desc == b.Desc && c.same(a.Expr, b.Expr)
}

// SameFrame reports whether two frames of windows are written alike; nil is no frame.
func (c *Comparison) SameFrame(a, b *window.Frame) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Range == b.Range && c.sameBound(&a.Start, &b.Start) && c.sameBound(&a.End, &b.End)
}

func (c *Comparison) sameBound(a, b *window.Bound) bool {
	return a.Kind == b.Kind && a.Unit == b.Unit && (a.N == nil) == (b.N == nil) && (a.N == nil || c.same(a.N, b.N))
}
