package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function/regex"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Regexp is X [NOT] REGEXP Pattern, in the syntax of Go's regexp package. If either operand is a binary
// string, a character of the pattern is one byte, and case matters.
type Regexp struct {
	X, Pattern Node
	Not        bool
}

// Eval is 1, 0 or NULL; the error is 1139 for an invalid regular expression.
func (n *Regexp) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *Regexp) truth(env *Env) (tri, error) {
	x, err := Operand(n.X, env)
	if err != nil {
		return isNull, err
	}
	p, err := Operand(n.Pattern, env)
	if err != nil {
		return isNull, err
	}
	return n.of(env, x, p)
}

func (n *Regexp) of(env *Env, x, p value.Value) (tri, error) {
	if x.IsNull() || p.IsNull() {
		return isNull, nil
	}
	matches, err := regex.Match(&env.Env, x, p)
	return triOf(matches != n.Not), err
}

func (n *Regexp) Type() value.Type { return BoolType(n.X, n.Pattern) }

func (n *Regexp) AppendTo(dst []byte) []byte {
	return appendInfix(dst, n.X, notWord(n.Not)+"regexp", n.Pattern)
}

func (n *Regexp) Children() []Node   { return []Node{n.X, n.Pattern} }
func (n *Regexp) With(c []Node) Node { return &Regexp{c[0], c[1], n.Not} }
