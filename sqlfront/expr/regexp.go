package expr

import (
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Regexp is X [NOT] REGEXP Pattern, in the syntax of Go's regexp package. Where
// either operand is a binary string a pattern's character is one byte, and
// case matters.
type Regexp struct {
	X, Pattern Node
	Not        bool
}

// Eval is 1, 0 or NULL; 1139 for a pattern that is no regular expression.
func (n *Regexp) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *Regexp) truth(env *Env) (tri, error) {
	x, err := operand(n.X, env)
	if err != nil {
		return isNull, err
	}
	p, err := operand(n.Pattern, env)
	if err != nil || x.IsNull() || p.IsNull() {
		return isNull, err
	}
	binary := x.Kind() == value.Bytes || p.Kind() == value.Bytes
	c, err := env.regexp(p.AsBytes(), binary, x.IsCaseSensitive() || p.IsCaseSensitive())
	if err != nil {
		return isNull, err
	}
	matches, err := c.match(x.AsBytes(), env.Meter())
	return triOf(matches != n.Not), err
}

// latin1 makes each byte the character of its number, so that a regular
// expression over characters matches bytes.
func latin1(b []byte) []byte {
	if isASCII(b) {
		return b
	}
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}

func isASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// nextRune is utf8.DecodeRune that never confuses a broken byte with a
// character of the text.
func nextRune(b []byte) (rune, int) {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size <= 1 {
		return -2, 1
	}
	return r, size
}

// Type is a condition's.
func (n *Regexp) Type() value.Type { return boolType(n.X, n.Pattern) }

// AppendTo appends the expression.
func (n *Regexp) AppendTo(dst []byte) []byte {
	return appendInfix(dst, n.X, notWord(n.Not)+"regexp", n.Pattern)
}

// Children are X and the pattern.
func (n *Regexp) Children() []Node { return []Node{n.X, n.Pattern} }

// With replaces X and the pattern.
func (n *Regexp) With(c []Node) Node { return &Regexp{c[0], c[1], n.Not} }
