package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/arithmetic"
	"github.com/hbasekv/hbasekv/sqlfront/value/fixed"
)

// ArithOp is an arithmetic or bit operator.
type ArithOp uint8

// The operators of Arith.
const (
	Plus ArithOp = iota
	Minus
	Times
	Divide
	IntDivide
	Modulo
	BitAnd
	BitOr
	BitXor
	ShiftLeft
	ShiftRight
)

var arithNames = [...]string{"+", "-", "*", "/", "DIV", "MOD", "&", "|", "^", "<<", ">>"}

func (op ArithOp) String() string { return arithNames[op] }

// Arith is L Op R.
type Arith struct {
	Op   ArithOp
	L, R Node
}

// Eval is NULL for a NULL operand and for a division by zero, which also warns.
func (a *Arith) Eval(env *Env) (value.Value, error) {
	l, err := Operand(a.L, env)
	if err != nil {
		return value.Value{}, err
	}
	r, err := Operand(a.R, env)
	if err != nil {
		return value.Value{}, err
	}
	return a.of(env, l, r)
}

func (a *Arith) of(env *Env, l, r value.Value) (value.Value, error) {
	switch {
	case l.IsNull() || r.IsNull():
		return value.Value{}, nil
	case a.Op >= BitAnd:
		return a.evalBits(env, l, r)
	case !l.IsString() && !r.IsString():
		return a.finish(env, l, r)
	}
	number := env.Number
	if a.Op == IntDivide {
		number = env.Exact
	}
	l, err := number(l)
	if err != nil {
		return value.Value{}, err
	}
	if r, err = number(r); err != nil {
		return value.Value{}, err
	}
	return a.finish(env, l, r)
}

func (a *Arith) finish(env *Env, l, r value.Value) (value.Value, error) {
	v, err := a.apply(l, r)
	if err != nil {
		return v, rangeError(env, err, a)
	}
	if v.IsNull() {
		return v, env.DivisionByZero()
	}
	return v, nil
}

func (a *Arith) evalBits(env *Env, l, r value.Value) (value.Value, error) {
	if err := env.CheckInteger(l); err != nil {
		return value.Value{}, err
	}
	if err := env.CheckInteger(r); err != nil {
		return value.Value{}, err
	}
	return arithmetic.Bit(arithmetic.BitOp(a.Op-BitAnd), l, r), nil
}

func (a *Arith) apply(l, r value.Value) (value.Value, error) {
	switch a.Op {
	case Plus:
		return arithmetic.Add(l, r)
	case Minus:
		return arithmetic.Sub(l, r)
	case Times:
		return arithmetic.Mul(l, r)
	case Divide:
		return arithmetic.Div(l, r)
	case IntDivide:
		return arithmetic.IntDiv(l, r)
	}
	return arithmetic.Mod(l, r)
}

// Type follows MySQL's rules of mixed arithmetic.
func (a *Arith) Type() value.Type {
	l, r := a.L.Type(), a.R.Type()
	t := value.Type{Nullable: l.Nullable || r.Nullable}
	if a.Op >= BitAnd {
		t.Kind = value.Uint
		return t
	}
	if a.Op >= Divide && a.Op <= Modulo {
		t.Nullable = true
	}
	t.Kind = arithmetic.Kind(l.NumberKind(), r.NumberKind())
	return a.refine(t, l, r)
}

// refine sets what depends on the operator: the kind of quotients and the digits after the point.
func (a *Arith) refine(t, l, r value.Type) value.Type {
	switch {
	case a.Op == IntDivide:
		t.Kind = value.Int
		if l.Kind == value.Uint || r.Kind == value.Uint {
			t.Kind = value.Uint
		}
	case a.Op == Divide && t.Kind != value.Float:
		t.Kind, t.Decimals = value.Decimal, min(l.Decimals+fixed.DivIncrement, value.MaxScale)
	case a.Op == Modulo && t.Kind == value.Uint && l.Kind != value.Uint:
		t.Kind = value.Int
	case a.Op == Times:
		t.Decimals = min(l.Decimals+r.Decimals, value.MaxScale)
	default:
		t.Decimals = max(l.Decimals, r.Decimals)
	}
	if l.Decimals == value.AnyScale || r.Decimals == value.AnyScale {
		t.Decimals = value.AnyScale
		return t
	}
	t.Digits = min(a.precision(t, l, r), value.MaxDigits)
	return t
}

// precision is the maximum number of digits of the result, by MySQL's rules.
func (a *Arith) precision(t, l, r value.Type) int {
	switch a.Op {
	case Times:
		return l.Precision() + r.Precision()
	case Divide:
		return l.Precision() + r.Decimals + fixed.DivIncrement
	case IntDivide:
		return max(l.Whole(), 1)
	case Modulo:
		return max(l.Precision(), r.Precision())
	}
	return max(l.Whole(), r.Whole()) + 1 + t.Decimals
}

func (a *Arith) AppendTo(dst []byte) []byte { return appendInfix(dst, a.L, a.Op.String(), a.R) }
func (a *Arith) Children() []Node           { return []Node{a.L, a.R} }
func (a *Arith) With(c []Node) Node         { return &Arith{a.Op, c[0], c[1]} }

// Neg is -X.
type Neg struct{ X Node }

// Eval negates; the error is 1690 if the result does not fit into a BIGINT.
func (n *Neg) Eval(env *Env) (value.Value, error) {
	v, err := n.X.Eval(env)
	if err != nil {
		return v, err
	}
	return n.of(env, v)
}

func (n *Neg) of(env *Env, v value.Value) (value.Value, error) {
	v, err := env.Number(v)
	if err != nil {
		return v, err
	}
	v, err = arithmetic.Neg(v)
	if err != nil {
		return v, mysqlerr.New(mysqlerr.DataOutOfRange, "BIGINT value is out of range in '%s'", shown(env, n))
	}
	return v, nil
}

// Type is that of the number.
func (n *Neg) Type() value.Type {
	t := n.X.Type()
	kind := t.NumberKind()
	if kind == value.Uint {
		kind = value.Int
	}
	digits := t.Precision()
	if _, ok := n.X.(*Const); !ok {
		digits++ // MySQL counts the sign
	}
	return value.Type{Kind: kind, Nullable: t.Nullable, Decimals: t.Decimals, Digits: digits}
}

func (n *Neg) AppendTo(dst []byte) []byte { return n.X.AppendTo(append(dst, '-')) }
func (n *Neg) Children() []Node           { return []Node{n.X} }
func (n *Neg) With(c []Node) Node         { return &Neg{c[0]} }

// BitNot is ~X.
type BitNot struct{ X Node }

// Eval is an unsigned integer.
func (n *BitNot) Eval(env *Env) (value.Value, error) {
	v, err := n.X.Eval(env)
	if err != nil {
		return v, err
	}
	return n.of(env, v)
}

func (*BitNot) of(env *Env, v value.Value) (value.Value, error) {
	if v.IsNull() {
		return v, nil
	}
	return arithmetic.BitNot(v), env.CheckInteger(v)
}

// Type is BIGINT UNSIGNED.
func (n *BitNot) Type() value.Type {
	return value.Type{Kind: value.Uint, Nullable: n.X.Type().Nullable}
}

func (n *BitNot) AppendTo(dst []byte) []byte { return n.X.AppendTo(append(dst, '~')) }
func (n *BitNot) Children() []Node           { return []Node{n.X} }
func (n *BitNot) With(c []Node) Node         { return &BitNot{c[0]} }
