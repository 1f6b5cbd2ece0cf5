package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// In is X [NOT] IN (List). X is a scalar, or a Tuple and the items then are
// Tuples of its length.
type In struct {
	X    Node
	List []Node
	Not  bool
}

// Eval is 1, 0 or NULL.
func (n *In) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *In) truth(env *Env) (tri, error) {
	t, err := n.contains(env)
	if n.Not {
		t = t.not()
	}
	return t, err
}

func (n *In) contains(env *Env) (tri, error) {
	if x, ok := n.X.(*Tuple); ok {
		return n.containsTuple(x, env)
	}
	x, err := operand(n.X, env)
	if err != nil || x.IsNull() {
		return isNull, err
	}
	result := isFalse
	for _, item := range n.List {
		v, err := operand(item, env)
		if err != nil {
			return isNull, err
		}
		t, err := compareValues(env, Eq, x, v, n.X, item)
		if err != nil || t == isTrue {
			return t, err
		}
		if t == isNull {
			result = isNull
		}
	}
	return result, nil
}

func (n *In) containsTuple(x *Tuple, env *Env) (tri, error) {
	result := isFalse
	for _, item := range n.List {
		t, err := compareTuples(Eq, x, item, env)
		if err != nil || t == isTrue {
			return t, err
		}
		if t == isNull {
			result = isNull
		}
	}
	return result, nil
}

// Type is a condition's.
func (n *In) Type() value.Type { return boolType(n.Children()...) }

func (n *In) String() string {
	return "(" + n.X.String() + " " + notWord(n.Not) + "in (" + printList(n.List) + "))"
}

// Children are X and the items.
func (n *In) Children() []Node { return append([]Node{n.X}, n.List...) }

// With replaces X and the items.
func (n *In) With(c []Node) Node { return &In{X: c[0], List: c[1:], Not: n.Not} }

// Between is X [NOT] BETWEEN Lo AND Hi.
type Between struct {
	X, Lo, Hi Node
	Not       bool
}

// Eval is 1, 0 or NULL.
func (n *Between) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *Between) truth(env *Env) (tri, error) {
	t, err := n.within(env)
	if n.Not {
		t = t.not()
	}
	return t, err
}

func (n *Between) within(env *Env) (tri, error) {
	x, err := operand(n.X, env)
	if err != nil {
		return isNull, err
	}
	lo, err := operand(n.Lo, env)
	if err != nil {
		return isNull, err
	}
	hi, err := operand(n.Hi, env)
	if err != nil || x.IsNull() {
		return isNull, err
	}
	return n.compare(env, x, lo, hi)
}

// compare compares both ends in the one class that all three operands give.
func (n *Between) compare(env *Env, x, lo, hi value.Value) (tri, error) {
	_, lo = intConstant(x, lo, n.X, n.Lo)
	_, hi = intConstant(x, hi, n.X, n.Hi)
	class := value.ClassOf(value.ClassOf(x.Kind(), lo.Kind()), hi.Kind())
	above, err := env.endHolds(class, Ge, x, lo)
	if err != nil || above == isFalse {
		return above, err
	}
	below, err := env.endHolds(class, Le, x, hi)
	if err != nil || below == isFalse || below == isNull {
		return below, err
	}
	return above, nil
}

func (env *Env) endHolds(class value.Kind, op CompareOp, x, end value.Value) (tri, error) {
	if end.IsNull() {
		return isNull, nil
	}
	if class == value.Float {
		order, err := env.orderFloats(x, end)
		return triOf(op.accepts(order)), err
	}
	return triOf(op.accepts(value.CompareAs(class, x, end))), nil
}

// Type is a condition's.
func (n *Between) Type() value.Type { return boolType(n.X, n.Lo, n.Hi) }

func (n *Between) String() string {
	return "(" + n.X.String() + " " + notWord(n.Not) + "between " + n.Lo.String() + " and " + n.Hi.String() + ")"
}

// Children are X, Lo and Hi.
func (n *Between) Children() []Node { return []Node{n.X, n.Lo, n.Hi} }

// With replaces X, Lo and Hi.
func (n *Between) With(c []Node) Node { return &Between{c[0], c[1], c[2], n.Not} }
