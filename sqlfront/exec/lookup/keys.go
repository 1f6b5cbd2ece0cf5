package lookup

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Keys is the condition that a column, or a part of a key, is one of the keys of a join's left rows. It only
// narrows the rows that are read, and evaluates to true: the join compares the keys itself.
type Keys struct {
	X  expr.Node
	Of *op.Keys
	T  value.Type // of the keys
}

// Eval returns true.
func (k *Keys) Eval(*expr.Env) (value.Value, error) { return value.NewBool(true), nil }

// Type returns the type of a condition.
func (k *Keys) Type() value.Type { return all.T }

// AppendTo appends the column.
func (k *Keys) AppendTo(dst []byte) []byte {
	return append(k.X.AppendTo(dst), " in (keys of the other side)"...)
}

// Children returns the column.
func (k *Keys) Children() []expr.Node { return []expr.Node{k.X} }

// With returns the condition on another expression.
func (k *Keys) With(c []expr.Node) expr.Node { return &Keys{c[0], k.Of, k.T} }

// LeadsTo implements scan.KeySubquery.
func (k *Keys) LeadsTo(*scan.Access) bool { return true }

// Known implements scan.KeySubquery.
func (k *Keys) Known(x *op.Frame, _ *scan.Access) (expr.Node, error) {
	n := k.bound(x)
	if in, ok := n.(*expr.In); ok {
		return expr.NewIn(in.X, in.List, false), nil // may be evaluated for rows
	}
	return n, nil
}

// bound returns the condition with the keys, which is not evaluated for rows. In EXPLAIN there are no keys,
// and it is true for all rows.
func (k *Keys) bound(x *op.Frame) expr.Node {
	keys := k.Of.In(x)
	switch {
	case x.Stmt.Explain:
		return all
	case len(keys) == 0:
		return &expr.Const{V: value.NewBool(false), T: all.T}
	}
	in := &expr.In{X: k.X, List: make([]expr.Node, len(keys))}
	consts := make([]expr.Const, len(keys))
	for i, v := range keys {
		consts[i] = expr.Const{V: v, T: k.T}
		in.List[i] = &consts[i]
	}
	return in
}
