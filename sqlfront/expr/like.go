package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Like is X [NOT] LIKE Pattern [ESCAPE Escape]. If either operand is a binary string it compares bytes, else
// characters by the case-insensitive collation; trailing spaces count.
type Like struct {
	X, Pattern Node
	Escape     Node // nil: the backslash
	Not        bool
}

func (n *Like) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *Like) truth(env *Env) (tri, error) {
	x, err := Operand(n.X, env)
	if err != nil {
		return isNull, err
	}
	p, err := Operand(n.Pattern, env)
	if err != nil || x.IsNull() || p.IsNull() {
		return isNull, err
	}
	escape, err := n.EscapeByte(env)
	if err != nil {
		return isNull, err
	}
	return n.of(env, x, p, escape)
}

// of matches a value against a pattern.
func (n *Like) of(env *Env, x, p value.Value, escape rune) (tri, error) {
	matches, err := text.LikeMatch(x, p, escape, env.Meter())
	return triOf(matches != n.Not), err
}

// ofValues is the condition on the values of the operands.
func (n *Like) ofValues(env *Env, operands []value.Value) (tri, error) {
	x, p, escape := operands[0], operands[1], '\\'
	if x.IsNull() || p.IsNull() {
		return isNull, nil
	}
	if n.Escape != nil {
		var err error
		if escape, err = escapeOf(operands[2]); err != nil {
			return isNull, err
		}
	}
	return n.of(env, x, p, escape)
}

// EscapeByte is the character that escapes % and _, -1 if there is none. The error is 1210 for more than one
// character.
func (n *Like) EscapeByte(env *Env) (rune, error) {
	if n.Escape == nil {
		return '\\', nil
	}
	v, err := n.Escape.Eval(env)
	if err != nil {
		return 0, err
	}
	return escapeOf(v)
}

func escapeOf(v value.Value) (rune, error) {
	if v.IsNull() {
		return '\\', nil
	}
	text := []rune(string(v.AsBytes()))
	switch len(text) {
	case 0:
		return -1, nil
	case 1:
		return text[0], nil
	}
	return 0, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to ESCAPE")
}

func (n *Like) Type() value.Type { return BoolType(n.X, n.Pattern) }

func (n *Like) AppendTo(dst []byte) []byte {
	dst = append(n.X.AppendTo(append(dst, '(')), " "+notWord(n.Not)+"like "...)
	dst = n.Pattern.AppendTo(dst)
	if n.Escape != nil {
		dst = n.Escape.AppendTo(append(dst, " escape "...))
	}
	return append(dst, ')')
}

// Children are X, the pattern and, where given, the escape.
func (n *Like) Children() []Node {
	if n.Escape == nil {
		return []Node{n.X, n.Pattern}
	}
	return []Node{n.X, n.Pattern, n.Escape}
}

func (n *Like) With(c []Node) Node {
	out := &Like{X: c[0], Pattern: c[1], Not: n.Not}
	if len(c) > 2 {
		out.Escape = c[2]
	}
	return out
}
