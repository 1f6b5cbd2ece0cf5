package member

import (
	"math/bits"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// found is FIND_IN_SET of a constant in a column of SET. MySQL compares bits and returns the place of the member among
// those that the column declares, not among those that the value has.
type found struct {
	call, text expr.Node
	of         *value.Members
}

// Find is a call of FIND_IN_SET for a constant text in a column of SET, and call itself for any other operand.
func Find(call, text, column expr.Node) expr.Node {
	if of := membersOf(column); of != nil && of.Set {
		return &found{call, text, of}
	}
	return call
}

// Eval is the member's number from 1, 0 if the value does not have it.
func (n *found) Eval(env *expr.Env) (value.Value, error) {
	at, err := n.call.Eval(env)
	if err != nil || at.IsNull() || at.Int() == 0 {
		return at, err
	}
	text, err := n.text.Eval(env)
	if err != nil {
		return at, err
	}
	return value.NewInt(int64(bits.TrailingZeros64(n.of.Ordinal(text))) + 1), nil
}

// Type is the call's.
func (n *found) Type() value.Type { return n.call.Type() }

// AppendTo appends the call.
func (n *found) AppendTo(dst []byte) []byte { return n.call.AppendTo(dst) }

// Children are the call and the text.
func (n *found) Children() []expr.Node { return []expr.Node{n.call, n.text} }

// With is the number for other expressions with the same values.
func (n *found) With(c []expr.Node) expr.Node { return &found{c[0], c[1], n.of} }
