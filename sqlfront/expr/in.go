package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// In is X [NOT] IN (List). X is a scalar, or a Tuple, with items that are Tuples of its length.
type In struct {
	X    Node
	List []Node
	Not  bool

	// binary: text is compared by bytes, since one operand is a binary string.
	binary bool
	// items are the List as sets, if it has only constants; arguments says that sets can be made once
	// arguments have values.
	items     constantSets
	arguments bool
}

// NewIn is an In of operands with known types.
func NewIn(x Node, list []Node, not bool) *In {
	n := &In{X: x, List: list, Not: not, binary: anyBinary(x, list...)}
	if n.arguments = len(list) >= minGiven && ofArguments(list); !n.arguments {
		n.items = setsOf(x, list)
	}
	return n
}

// anyBinary reports whether one of the operands is known to be a binary string.
func anyBinary(x Node, list ...Node) bool {
	binary := x.Type().Kind == value.Bytes
	for _, n := range list {
		binary = binary || n.Type().Kind == value.Bytes
	}
	return binary
}

// forced is a text that compares as a binary string does, if binary is set.
func forced(v value.Value, binary bool) value.Value {
	if binary && v.Kind() == value.Text {
		return value.NewBytes(v.Raw())
	}
	return v
}

// Eval is 1, 0 or NULL.
func (n *In) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *In) truth(env *Env) (tri, error) {
	t, err := n.contains(env)
	return t.negated(n.Not), err
}

// of is the condition on the values of the operands.
func (n *In) of(env *Env, operands []value.Value) (tri, error) {
	if operands[0].IsNull() {
		return isNull, nil
	}
	t, err := n.among(env, operands[0], func(i int) (value.Value, error) { return operands[1+i], nil })
	return t.negated(n.Not), err
}

func (n *In) contains(env *Env) (tri, error) {
	if x, ok := n.X.(*Tuple); ok {
		return n.containsTuple(x, env)
	}
	var tmp value.Value
	px, err := refer(n.X, env, &tmp)
	switch {
	case err != nil || px.IsNull():
		return isNull, err
	}
	return n.among(env, *px, func(i int) (value.Value, error) { return Operand(n.List[i], env) })
}

// among reports whether a value, which is not NULL, is one of those that at returns.
func (n *In) among(env *Env, x value.Value, at func(i int) (value.Value, error)) (tri, error) {
	x = forced(x, n.binary)
	if found, known := n.sets(env).contain(x); known {
		return triOf(found), nil
	}
	if numbers := n.sets(env).numbers; numbers.tell(x) {
		return n.amongNumbers(env, x, numbers)
	}
	result := isFalse
	for i, item := range n.List {
		if err := env.Step(1); err != nil {
			return isNull, err
		}
		v, err := at(i)
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
	if found, known, err := n.sets(env).containRow(x, env); known || err != nil {
		return triOf(found), err
	}
	result := isFalse
	for _, item := range n.List {
		if err := env.Step(1); err != nil {
			return isNull, err
		}
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
func (n *In) Type() value.Type { return BoolType(n.Children()...) }

// AppendTo appends the expression.
func (n *In) AppendTo(dst []byte) []byte {
	dst = append(n.X.AppendTo(append(dst, '(')), " "+notWord(n.Not)+"in "...)
	return AppendList(dst, "(", n.List, ",", "))")
}

// Children are X and the items.
func (n *In) Children() []Node { return append([]Node{n.X}, n.List...) }

// With replaces X and the items.
func (n *In) With(c []Node) Node { return NewIn(c[0], c[1:], n.Not) }

// Between is X [NOT] BETWEEN Lo AND Hi.
type Between struct {
	X, Lo, Hi Node
	Not       bool

	// class is the kind in which the operands are compared, if their types determine it; Null if it depends
	// on their values.
	class value.Kind
}

// NewBetween is a Between of operands with known types.
func NewBetween(x, lo, hi Node, not bool) *Between {
	return &Between{X: x, Lo: lo, Hi: hi, Not: not, class: classOfNodes(x, lo, hi)}
}

// classOfNodes is the comparison class of all nodes' types, Null if one of them is unknown.
func classOfNodes(nodes ...Node) value.Kind {
	class := value.Null
	for _, n := range nodes {
		class = value.ClassOf(class, n.Type().Kind)
	}
	return class
}

// Eval is 1, 0 or NULL.
func (n *Between) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *Between) truth(env *Env) (tri, error) {
	var xv, lov, hiv value.Value
	x, err := refer(n.X, env, &xv)
	if err != nil {
		return isNull, err
	}
	lo, err := refer(n.Lo, env, &lov)
	if err != nil {
		return isNull, err
	}
	hi, err := refer(n.Hi, env, &hiv)
	if err != nil {
		return isNull, err
	}
	return n.of(env, x, lo, hi)
}

func (n *Between) of(env *Env, x, lo, hi *value.Value) (tri, error) {
	t, err := n.within(env, x, lo, hi)
	return t.negated(n.Not), err
}

func (n *Between) within(env *Env, x, lo, hi *value.Value) (tri, error) {
	switch {
	case x.IsNull():
		return isNull, nil
	case x.Kind() == value.Int && lo.Kind() == value.Int && hi.Kind() == value.Int:
		return triOf(x.Int() >= lo.Int() && x.Int() <= hi.Int()), nil
	}
	return n.compare(env, *x, *lo, *hi)
}

// compare compares both ends in the single class of all three operands.
func (n *Between) compare(env *Env, x, lo, hi value.Value) (tri, error) {
	class := n.class
	_, a := intConstant(x, lo, n.X, n.Lo)
	_, b := intConstant(x, hi, n.X, n.Hi)
	if a.Kind() == value.Int && b.Kind() == value.Int {
		class, lo, hi = value.Int, a, b
	}
	if class == value.Null {
		class = value.ClassOf(value.ClassOf(x.Kind(), lo.Kind()), hi.Kind())
	}
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
	order, err := env.OrderAs(class, x, end)
	return triOf(op.Accepts(order)), err
}

// Type is a condition's.
func (n *Between) Type() value.Type { return BoolType(n.X, n.Lo, n.Hi) }

// AppendTo appends the expression.
func (n *Between) AppendTo(dst []byte) []byte {
	dst = append(n.X.AppendTo(append(dst, '(')), " "+notWord(n.Not)+"between "...)
	dst = n.Hi.AppendTo(append(n.Lo.AppendTo(dst), " and "...))
	return append(dst, ')')
}

// Children are X, Lo and Hi.
func (n *Between) Children() []Node { return []Node{n.X, n.Lo, n.Hi} }

// With replaces X, Lo and Hi.
func (n *Between) With(c []Node) Node { return NewBetween(c[0], c[1], c[2], n.Not) }
