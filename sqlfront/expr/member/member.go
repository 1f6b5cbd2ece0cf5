// Package member is columns of ENUM and SET as numbers: in numeric context they are the numbers of their
// members, by which they also sort.
package member

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Number is a column of ENUM or SET as a number.
type Number struct {
	X  expr.Node
	of *value.Members
}

// Is reports whether an expression is a column of ENUM or SET.
func Is(n expr.Node) bool { return membersOf(n) != nil }

// membersOf are those of a column of ENUM or SET, nil for another expression. Operators are not asked for
// their types, which depend on those of their operands: for each operator of a long chain that would take its
// whole length.
func membersOf(n expr.Node) *value.Members {
	switch n.(type) {
	case *expr.Arith, *expr.Neg, *expr.BitNot, *expr.Not, *expr.And, *expr.Or, *expr.Xor:
		return nil
	}
	return n.Type().Members
}

// Numeric is n in numeric context, or as a sort key: a column of ENUM or SET becomes its Number.
func Numeric(n expr.Node) expr.Node {
	if of := membersOf(n); of != nil {
		return &Number{n, of}
	}
	return n
}

// Column is the column of a Number, with ok true; any other n is returned as it is.
func Column(n expr.Node) (column expr.Node, ok bool) {
	if number, ok := n.(*Number); ok {
		return number.X, true
	}
	return n, false
}

// Eval is the number of the value.
func (n *Number) Eval(env *expr.Env) (value.Value, error) {
	v, err := n.X.Eval(env)
	if err != nil || v.IsNull() {
		return v, err
	}
	return value.NewUint(n.of.Ordinal(v)), nil
}

// Type is an integer's.
func (n *Number) Type() value.Type {
	return value.Type{Kind: value.Uint, Nullable: n.X.Type().Nullable}
}

// AppendTo appends an expression with the same value in SQL.
func (n *Number) AppendTo(dst []byte) []byte {
	return append(n.X.AppendTo(append(dst, '(')), " + 0)"...)
}

// Children is the column.
func (n *Number) Children() []expr.Node { return []expr.Node{n.X} }

// With is the number for another expression with the same values.
func (n *Number) With(c []expr.Node) expr.Node { return &Number{c[0], n.of} }
