package expr

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Operation computes an expression from the values of its operands, in the order of Children.
type Operation func(env *Env, operands []value.Value) (value.Value, error)

// OperationOf is the Operation of an expression; nil if it does not always evaluate all operands, or if they
// are rows.
func OperationOf(n Node) Operation {
	p, ok := n.(Parent)
	if !ok || slices.ContainsFunc(p.Children(), func(n Node) bool { _, row := n.(*Tuple); return row }) {
		return nil
	}
	switch n := n.(type) {
	case *Call:
		if n.lazy == nil {
			return n.of
		}
	case *Arith:
		return func(env *Env, o []value.Value) (value.Value, error) { return n.of(env, o[0], o[1]) }
	case *DateAdd:
		return func(env *Env, o []value.Value) (value.Value, error) { return n.of(env, o[0], o[1]) }
	case unary:
		return func(env *Env, o []value.Value) (value.Value, error) { return n.of(env, o[0]) }
	}
	return testOf(n)
}

// unary is an operator with one operand.
type unary interface {
	of(env *Env, v value.Value) (value.Value, error)
}

// Truth is the value of its only operand as a condition.
var Truth = test(func(env *Env, o []value.Value) (tri, error) { return truthOfValue(env, o[0]) })

// testOf is OperationOf for a condition, nil for anything else.
func testOf(n Node) Operation {
	switch n := n.(type) {
	case *Compare:
		return test(func(env *Env, o []value.Value) (tri, error) { return n.of(env, o[0], o[1]) })
	case *In:
		return test(n.of)
	case *Between:
		return test(func(env *Env, o []value.Value) (tri, error) { return n.of(env, &o[0], &o[1], &o[2]) })
	case *Like:
		return test(n.ofValues)
	case *Regexp:
		return test(func(env *Env, o []value.Value) (tri, error) { return n.of(env, o[0], o[1]) })
	case *Xor:
		return test(n.of)
	case *Not:
		return test(func(env *Env, o []value.Value) (tri, error) {
			t, err := truthOfValue(env, o[0])
			return t.not(), err
		})
	case *IsTruth:
		return test(func(env *Env, o []value.Value) (tri, error) {
			t, err := truthOfValue(env, o[0])
			return n.is(t), err
		})
	}
	return nil
}

// test is the operation of a condition.
func test(of func(env *Env, operands []value.Value) (tri, error)) Operation {
	return func(env *Env, operands []value.Value) (value.Value, error) {
		t, err := of(env, operands)
		return t.value(), err
	}
}
