package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// tri is a truth value of three-valued logic.
type tri int8

const (
	isFalse tri = iota
	isTrue
	isNull
)

func triOf(b bool) tri {
	if b {
		return isTrue
	}
	return isFalse
}

func (t tri) not() tri {
	if t == isNull {
		return t
	}
	return isTrue - t
}

func (t tri) negated(not bool) tri {
	if not {
		return t.not()
	}
	return t
}

func (t tri) value() value.Value {
	if t == isNull {
		return value.Value{}
	}
	return value.NewInt(int64(t))
}

func (t tri) xor(u tri) tri {
	if t == isNull || u == isNull {
		return isNull
	}
	return triOf(t != u)
}

// predicate is a node that returns a truth value without making a Value.
type predicate interface {
	Node
	truth(env *Env) (tri, error)
}

// truthOf is n as a condition.
func truthOf(n Node, env *Env) (tri, error) {
	switch n := n.(type) { // the most frequent first: this runs for each cell of a scan
	case *Compare:
		return n.truth(env)
	case *And:
		return n.truth(env)
	case *In:
		return n.truth(env)
	case *Like:
		return n.truth(env)
	}
	if p, ok := n.(predicate); ok {
		return p.truth(env)
	}
	v, err := n.Eval(env)
	if err != nil {
		return isNull, err
	}
	return truthOfValue(env, v)
}

func truthOfValue(env *Env, v value.Value) (tri, error) {
	if v.IsString() {
		f, err := env.Float(v)
		return triOf(f != 0), err
	}
	truth, null := value.Truth(v)
	if null {
		return isNull, nil
	}
	return triOf(truth), nil
}

// Holds reports whether the condition is true in env: neither false nor NULL. A nil condition holds. The
// error is that of evaluating the operands that decide.
func Holds(n Node, env *Env) (bool, error) {
	if n == nil {
		return true, nil
	}
	switch n := n.(type) {
	case *And:
		return n.holds(env)
	case *Or:
		return n.holds(env)
	}
	mark := env.Held.Mark()
	t, err := truthOf(n, env)
	env.Held.Release(mark)
	return t == isTrue && err == nil, err
}

// holds also stops at NULL: what follows cannot make the conjunction true, and neither fails nor warns, as in
// MySQL.
func (a *And) holds(env *Env) (bool, error) {
	for _, n := range a.List {
		if ok, err := Holds(n, env); !ok {
			return false, err
		}
	}
	return true, nil
}

func (o *Or) holds(env *Env) (bool, error) {
	for _, n := range o.List {
		if ok, err := Holds(n, env); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func evalTruth(p predicate, env *Env) (value.Value, error) {
	mark := env.Held.Mark()
	t, err := p.truth(env)
	env.Held.Release(mark)
	if err != nil {
		return value.Value{}, err
	}
	return t.value(), nil
}

// BoolType is the type of conditions: MySQL's INT of 0 and 1.
func BoolType(operands ...Node) value.Type {
	return value.Type{Kind: value.Int, Name: "INT", Nullable: anyNullable(operands), Length: 1, Bool: true}
}

func anyNullable(nodes []Node) bool {
	for _, n := range nodes {
		if t, ok := n.(*Tuple); ok && anyNullable(t.Items) || n.Type().Nullable {
			return true
		}
	}
	return false
}

// And is a conjunction of two or more conditions.
type And struct{ List []Node }

func (a *And) Eval(env *Env) (value.Value, error) { return evalTruth(a, env) }

func (a *And) truth(env *Env) (tri, error) {
	result := isTrue
	mark := env.Held.Mark()
	for _, n := range a.List {
		t, err := truthOf(n, env)
		env.Held.Release(mark)
		if err != nil || t == isFalse {
			return t, err
		}
		if t == isNull {
			result = isNull
		}
	}
	return result, nil
}

func (a *And) Type() value.Type           { return BoolType(a.List...) }
func (a *And) AppendTo(dst []byte) []byte { return AppendList(dst, "(", a.List, " and ", ")") }
func (a *And) Children() []Node           { return a.List }
func (a *And) With(c []Node) Node         { return &And{c} }

// Or is a disjunction of two or more conditions.
type Or struct{ List []Node }

func (o *Or) Eval(env *Env) (value.Value, error) { return evalTruth(o, env) }

func (o *Or) truth(env *Env) (tri, error) {
	result := isFalse
	mark := env.Held.Mark()
	for _, n := range o.List {
		t, err := truthOf(n, env)
		env.Held.Release(mark)
		if err != nil || t == isTrue {
			return t, err
		}
		if t == isNull {
			result = isNull
		}
	}
	return result, nil
}

func (o *Or) Type() value.Type           { return BoolType(o.List...) }
func (o *Or) AppendTo(dst []byte) []byte { return AppendList(dst, "(", o.List, " or ", ")") }
func (o *Or) Children() []Node           { return o.List }
func (o *Or) With(c []Node) Node         { return &Or{c} }

// Xor is a XOR b.
type Xor struct{ L, R Node }

func (x *Xor) Eval(env *Env) (value.Value, error) { return evalTruth(x, env) }

func (x *Xor) truth(env *Env) (tri, error) {
	l, err := truthOf(x.L, env)
	if err != nil {
		return l, err
	}
	r, err := truthOf(x.R, env)
	return l.xor(r), err
}

func (x *Xor) of(env *Env, operands []value.Value) (tri, error) {
	l, err := truthOfValue(env, operands[0])
	if err != nil {
		return l, err
	}
	r, err := truthOfValue(env, operands[1])
	return l.xor(r), err
}

func (x *Xor) Type() value.Type           { return BoolType(x.L, x.R) }
func (x *Xor) AppendTo(dst []byte) []byte { return appendInfix(dst, x.L, "xor", x.R) }
func (x *Xor) Children() []Node           { return []Node{x.L, x.R} }
func (x *Xor) With(c []Node) Node         { return &Xor{c[0], c[1]} }

// Not is a negation.
type Not struct{ X Node }

func (n *Not) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *Not) truth(env *Env) (tri, error) {
	t, err := truthOf(n.X, env)
	return t.not(), err
}

func (n *Not) Type() value.Type           { return BoolType(n.X) }
func (n *Not) AppendTo(dst []byte) []byte { return n.X.AppendTo(append(dst, '!')) }
func (n *Not) Children() []Node           { return []Node{n.X} }
func (n *Not) With(c []Node) Node         { return &Not{c[0]} }

// IsNull is X IS [NOT] NULL.
type IsNull struct {
	X   Node
	Not bool
}

func (n *IsNull) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *IsNull) truth(env *Env) (tri, error) {
	var tmp value.Value
	v, err := refer(n.X, env, &tmp)
	if err != nil {
		return isNull, err
	}
	return triOf(v.IsNull() != n.Not), nil
}

func (n *IsNull) Type() value.Type           { return BoolType() }
func (n *IsNull) AppendTo(dst []byte) []byte { return appendIs(dst, n.X, n.Not, "null") }
func (n *IsNull) Children() []Node           { return []Node{n.X} }
func (n *IsNull) With(c []Node) Node         { return &IsNull{c[0], n.Not} }

// IsTruth is X IS [NOT] TRUE or FALSE. IS UNKNOWN is an IsNull.
type IsTruth struct {
	X    Node
	Want bool
	Not  bool
}

func (n *IsTruth) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *IsTruth) truth(env *Env) (tri, error) {
	t, err := truthOf(n.X, env)
	return n.is(t), err
}

func (n *IsTruth) is(t tri) tri { return triOf((t == triOf(n.Want)) != n.Not) }

func (n *IsTruth) Type() value.Type { return BoolType() }

func (n *IsTruth) AppendTo(dst []byte) []byte {
	word := "false"
	if n.Want {
		word = "true"
	}
	return appendIs(dst, n.X, n.Not, word)
}

func (n *IsTruth) Children() []Node   { return []Node{n.X} }
func (n *IsTruth) With(c []Node) Node { return &IsTruth{c[0], n.Want, n.Not} }
