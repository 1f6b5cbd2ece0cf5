package member

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/ascii"
)

// found is FIND_IN_SET of a constant in a column of SET. If the constant names a member, MySQL looks at the member's
// bit and returns its place among those that the column declares, not among those that the value has. Names differ in
// more than the case of ASCII letters, whatever the collation. Any other constant is searched for in the text.
type found struct {
	call, text, column expr.Node
	of                 *value.Members
}

// Find is a call of FIND_IN_SET for a constant text in a column of SET, and call itself for any other operand.
func Find(call, text, column expr.Node) expr.Node {
	if of := membersOf(column); of != nil && of.Names != nil {
		return &found{call, text, column, of}
	}
	return call
}

// Eval is the member's number from 1, 0 if the value does not have it.
func (n *found) Eval(env *expr.Env) (value.Value, error) {
	text, err := n.text.Eval(env)
	if err != nil {
		return text, err
	}
	name := text.AsBytes()
	at := slices.IndexFunc(n.of.Names, func(member string) bool { return ascii.EqualFold(member, name) })
	if text.IsNull() || at < 0 {
		return n.call.Eval(env)
	}
	v, err := n.column.Eval(env)
	if err != nil || v.IsNull() {
		return v, err
	}
	if n.of.Ordinal(v)>>at&1 == 0 {
		return value.NewInt(0), nil
	}
	return value.NewInt(int64(at) + 1), nil
}

// Type is the call's.
func (n *found) Type() value.Type { return n.call.Type() }

// AppendTo appends the call.
func (n *found) AppendTo(dst []byte) []byte { return n.call.AppendTo(dst) }

// Children are the call and its operands.
func (n *found) Children() []expr.Node { return []expr.Node{n.call, n.text, n.column} }

// With is the number for other expressions with the same values.
func (n *found) With(c []expr.Node) expr.Node { return &found{c[0], c[1], c[2], n.of} }
