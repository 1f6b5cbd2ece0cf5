package mayfail

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Condition reports whether a condition may warn or fail, so that it shows for how many rows it is evaluated.
func Condition(n expr.Node) bool { return !safe(n) }

// Computes reports whether a value is more than a plain integer or string.
func Computes(n expr.Node) bool { return plainKind(n) == value.Null }

// safe reports whether a condition neither warns nor fails, whatever the row. It
// compares plain values of one kind.
func safe(n expr.Node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case *expr.And:
		return !slices.ContainsFunc(n.List, Condition)
	case *expr.Or:
		return !slices.ContainsFunc(n.List, Condition)
	case *expr.Not:
		return safe(n.X)
	case *expr.IsNull:
		return !Computes(n.X)
	case *expr.Compare:
		return ofOneKind(n.L, n.R)
	case *expr.Between:
		return ofOneKind(n.X, n.Lo, n.Hi)
	case *expr.In:
		return ofOneKind(append([]expr.Node{n.X}, n.List...)...)
	case *expr.Like:
		return n.Escape == nil && ofOneKind(n.X, n.Pattern) && plainKind(n.X) == value.Bytes
	}
	return false
}

// ofOneKind reports whether all are plain integers, or all plain strings, or columns of one other
// kind.
func ofOneKind(nodes ...expr.Node) bool {
	kind := plainKind(nodes[0])
	if kind == value.Null {
		return ofOneColumnKind(nodes)
	}
	return kind != value.Null && !slices.ContainsFunc(nodes, func(n expr.Node) bool { return plainKind(n) != kind })
}

// plainKind is Int for integers and Bytes for strings that are not computed, otherwise Null.
func plainKind(n expr.Node) value.Kind {
	switch n.(type) {
	case *expr.Column, *expr.Const, *expr.Param:
	default:
		return value.Null
	}
	switch k := n.Type().Kind; {
	case k == value.Int || k == value.Uint:
		return value.Int
	case k.IsString():
		return value.Bytes
	}
	return value.Null
}

// ofOneColumnKind reports whether all are columns of numbers or times of one kind, which are compared without
// conversion.
func ofOneColumnKind(nodes []expr.Node) bool {
	kind := nodes[0].Type().Kind
	switch kind {
	case value.Decimal, value.Float, value.Date, value.DateTime, value.Time:
	default:
		return false
	}
	return !slices.ContainsFunc(nodes, func(n expr.Node) bool {
		_, plain := n.(*expr.Column)
		return !plain || n.Type().Kind != kind
	})
}
