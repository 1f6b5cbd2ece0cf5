// Package member is columns of ENUM and SET as numbers: where one is wanted they are the places of their members, and they
// sort by these, though they are texts else.
package member

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Number is what a column of ENUM or SET is as a number.
type Number struct {
	X  expr.Node
	of *value.Members
}

// Is reports whether an expression is a column of ENUM or SET.
func Is(n expr.Node) bool { return membersOf(n) != nil }

// membersOf are those of a column of ENUM or SET, nil of another expression. Operators are not asked for their types,
// which are found by those of their operands: for each operator of a long chain that would take its whole length.
func membersOf(n expr.Node) *value.Members {
	switch n.(type) {
	case *expr.Arith, *expr.Neg, *expr.BitNot, *expr.Not, *expr.And, *expr.Or, *expr.Xor:
		return nil
	}
	return n.Type().Members
}

// Numeric is n where a number is wanted, or rows are sorted by it: a column of ENUM or SET is its Number then.
func Numeric(n expr.Node) expr.Node {
	if of := membersOf(n); of != nil {
		return &Number{n, of}
	}
	return n
}

// Column is what a Number is of, and else n itself; ok is true of a Number.
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

// AppendTo appends what has the same value in SQL.
func (n *Number) AppendTo(dst []byte) []byte {
	return append(n.X.AppendTo(append(dst, '(')), " + 0)"...)
}

// Children is the column.
func (n *Number) Children() []expr.Node { return []expr.Node{n.X} }

// With is the number of another expression of the same values.
func (n *Number) With(c []expr.Node) expr.Node { return &Number{c[0], n.of} }
