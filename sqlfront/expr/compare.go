package expr

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// CompareOp is a comparison operator.
type CompareOp uint8

// The comparison operators.
const (
	Eq CompareOp = iota
	NullSafeEq
	Ne
	Lt
	Le
	Gt
	Ge
)

func (op CompareOp) String() string {
	return [...]string{"=", "<=>", "<>", "<", "<=", ">", ">="}[op]
}

// Swap is the operator with its operands exchanged.
func (op CompareOp) Swap() CompareOp { return [...]CompareOp{Eq, NullSafeEq, Ne, Gt, Ge, Lt, Le}[op] }

// Negate is the operator that is true if op is false, without NULLs.
func (op CompareOp) Negate() CompareOp { return [...]CompareOp{Ne, Ne, Eq, Ge, Gt, Le, Lt}[op] }

// Accepts reports whether operands in that order satisfy the operator.
func (op CompareOp) Accepts(order int) bool {
	switch op {
	case Eq, NullSafeEq:
		return order == 0
	case Ne:
		return order != 0
	case Lt:
		return order < 0
	case Le:
		return order <= 0
	case Gt:
		return order > 0
	}
	return order >= 0
}

// Compare is L Op R. Both are scalars, or both are Tuples of one length.
type Compare struct {
	Op   CompareOp
	L, R Node
}

// Equated are the two sides of an equality, in both orders; none for other conditions.
func Equated(n Node) [][2]Node {
	c, ok := n.(*Compare)
	if !ok || c.Op != Eq {
		return nil
	}
	return [][2]Node{{c.L, c.R}, {c.R, c.L}}
}

func (c *Compare) Eval(env *Env) (value.Value, error) { return evalTruth(c, env) }

func (c *Compare) truth(env *Env) (tri, error) {
	if l, ok := c.L.(*Tuple); ok {
		return compareTuples(c.Op, l, c.R, env)
	}
	var lv, rv value.Value
	l, err := refer(c.L, env, &lv)
	if err != nil {
		return isNull, err
	}
	r, err := refer(c.R, env, &rv)
	if err != nil {
		return isNull, err
	}
	return c.of(env, *l, *r)
}

func (c *Compare) of(env *Env, l, r value.Value) (tri, error) {
	switch {
	case l.Kind() == value.Bytes && r.IsString():
		return c.compareBytes(l.Raw(), r.Raw()), nil
	case l.Kind() == value.Int && r.Kind() == value.Int:
		return triOf(c.Op.Accepts(cmp.Compare(l.Int(), r.Int()))), nil
	}
	return compareValues(env, c.Op, l, r, c.L, c.R)
}

func (c *Compare) compareBytes(l, r []byte) tri {
	if c.Op == Eq {
		return triOf(bytes.Equal(l, r))
	}
	return triOf(c.Op.Accepts(bytes.Compare(l, r)))
}

// refer evaluates n and points to the value: in the row or the node for the most frequent leaves, else in
// tmp.
func refer(n Node, env *Env, tmp *value.Value) (*value.Value, error) {
	switch n := n.(type) {
	case *Column:
		return &env.Row[n.Index], nil
	case *Const:
		return &n.V, nil
	case *Param:
		if n.Index < len(env.Params) {
			return &env.Params[n.Index], nil
		}
	}
	var err error
	*tmp, err = n.Eval(env)
	return tmp, err
}

// Operand evaluates the most frequent leaves without a dynamic call. Its error is that of Eval.
func Operand(n Node, env *Env) (value.Value, error) {
	switch n := n.(type) {
	case *Column:
		return env.Row[n.Index], nil
	case *Const:
		return n.V, nil
	}
	return n.Eval(env)
}

// compareValues compares the values l and r of the nodes ln and rn.
func compareValues(env *Env, op CompareOp, l, r value.Value, ln, rn Node) (tri, error) {
	if l.IsNull() || r.IsNull() {
		if op == NullSafeEq {
			return triOf(l.IsNull() && r.IsNull()), nil
		}
		return isNull, nil
	}
	order, err := orderValues(env, l, r, ln, rn)
	if err != nil {
		return isNull, err
	}
	return triOf(op.Accepts(order)), nil
}

// orderValues orders two values that are not NULL. A bigint column and a constant of another kind compare as
// integers if the constant is one.
func orderValues(env *Env, l, r value.Value, ln, rn Node) (int, error) {
	if err := env.Reads(l, r); err != nil {
		return 0, err
	}
	if l.Kind() != r.Kind() {
		l, r = intConstant(l, r, ln, rn)
		var err error
		if l, r, err = env.Operands(l, r); err != nil {
			return 0, err
		}
	}
	order, _, err := env.Order(l, r)
	return order, err
}

func intConstant(l, r value.Value, ln, rn Node) (value.Value, value.Value) {
	switch {
	case isBigint(ln, l) && constantOperand(rn):
		if i, ok := value.ExactInt(r); ok {
			return l, value.NewInt(i)
		}
	case isBigint(rn, r) && constantOperand(ln):
		if i, ok := value.ExactInt(l); ok {
			return value.NewInt(i), r
		}
	}
	return l, r
}

func isBigint(n Node, v value.Value) bool {
	_, column := n.(*Column)
	return column && v.Kind() == value.Int
}

func constantOperand(n Node) bool {
	switch n.(type) {
	case *Const, *Param:
		return true
	case *Column:
		return false
	}
	return IsConst(n)
}

func (c *Compare) Type() value.Type {
	if c.Op == NullSafeEq {
		return BoolType()
	}
	return BoolType(c.L, c.R)
}

func (c *Compare) AppendTo(dst []byte) []byte { return appendInfix(dst, c.L, c.Op.String(), c.R) }
func (c *Compare) Children() []Node           { return []Node{c.L, c.R} }
func (c *Compare) With(n []Node) Node         { return &Compare{Op: c.Op, L: n[0], R: n[1]} }

// compareTuples compares rows item by item: = and <> by all items, the orders
// by the first that differs
// (https://dev.mysql.com/doc/refman/5.7/en/comparison-operators.html).
func compareTuples(op CompareOp, l *Tuple, rn Node, env *Env) (tri, error) {
	r, ok := rn.(*Tuple)
	if !ok || len(r.Items) != len(l.Items) {
		return isNull, OperandColumns(len(l.Items))
	}
	switch op {
	case Eq, NullSafeEq:
		return tuplesEqual(op, l, r, env)
	case Ne:
		t, err := tuplesEqual(Eq, l, r, env)
		return t.not(), err
	}
	return tuplesOrdered(op, l, r, env)
}

func tuplesEqual(op CompareOp, l, r *Tuple, env *Env) (tri, error) {
	result := isTrue
	for i := range l.Items {
		t, err := (&Compare{Op: op, L: l.Items[i], R: r.Items[i]}).truth(env)
		if err != nil || t == isFalse {
			return t, err
		}
		if t == isNull {
			result = isNull
		}
	}
	return result, nil
}

func tuplesOrdered(op CompareOp, l, r *Tuple, env *Env) (tri, error) {
	order, known, err := orderTuples(l, r, env)
	if err != nil || !known {
		return isNull, err
	}
	return triOf(op.Accepts(order)), nil
}

// orderTuples orders two rows by their first items that differ, evaluating each once; if a NULL precedes
// these, the order is unknown.
func orderTuples(l, r *Tuple, env *Env) (order int, known bool, err error) {
	for i := range l.Items {
		if order, known, err = orderNodes(l.Items[i], r.Items[i], env); order != 0 || !known || err != nil {
			break
		}
	}
	return order, known, err
}

func orderNodes(ln, rn Node, env *Env) (order int, known bool, err error) {
	if l, ok := ln.(*Tuple); ok {
		return orderTuples(l, rn.(*Tuple), env)
	}
	l, err := Operand(ln, env)
	if err != nil {
		return 0, false, err
	}
	r, err := Operand(rn, env)
	if err != nil || l.IsNull() || r.IsNull() {
		return 0, false, err
	}
	order, err = orderValues(env, l, r, ln, rn)
	return order, true, err
}

// IntFor is the constant n as an integer, if it is compared with a bigint column and can be converted without
// loss: this is how MySQL compares it, and nothing has to be converted for each row.
func IntFor(column, n Node) Node {
	col, isColumn := column.(*Column)
	c, isConst := n.(*Const)
	if !isColumn || !isConst || col.T.Kind != value.Int || c.Hex {
		return n
	}
	if i, ok := value.ExactInt(c.V); ok {
		return &Const{V: value.NewInt(i)}
	}
	return n
}
