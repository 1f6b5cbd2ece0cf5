package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Like is X [NOT] LIKE Pattern [ESCAPE Escape]. Where either operand is a
// binary string it compares bytes, else characters by the case-insensitive
// collation; trailing spaces count.
type Like struct {
	X, Pattern Node
	Escape     Node // nil: the backslash
	Not        bool
}

// Eval is 1, 0 or NULL.
func (n *Like) Eval(env *Env) (value.Value, error) { return evalTruth(n, env) }

func (n *Like) truth(env *Env) (tri, error) {
	x, err := operand(n.X, env)
	if err != nil {
		return isNull, err
	}
	p, err := operand(n.Pattern, env)
	if err != nil || x.IsNull() || p.IsNull() {
		return isNull, err
	}
	escape, err := n.EscapeByte(env)
	if err != nil {
		return isNull, err
	}
	return triOf(LikeMatch(x, p, escape) != n.Not), nil
}

// EscapeByte is the character that takes the meaning of % and _ away, -1 where
// there is none.
func (n *Like) EscapeByte(env *Env) (rune, error) {
	if n.Escape == nil {
		return '\\', nil
	}
	v, err := n.Escape.Eval(env)
	if err != nil {
		return 0, err
	}
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

// LikeMatch reports whether x matches the pattern; neither is NULL.
func LikeMatch(x, pattern value.Value, escape rune) bool {
	s, p := x.AsBytes(), pattern.AsBytes()
	switch {
	case x.Kind() == value.Bytes || pattern.Kind() == value.Bytes:
		return likeBytes(s, p, escape)
	case x.IsCaseSensitive() || pattern.IsCaseSensitive():
		return likeText(s, p, escape, nextCode)
	}
	return likeText(s, p, escape, value.NextWeight)
}

// nextCode is the first character of b as itself, which is how a binary
// collation of text compares it; a byte that is no character has a code apart.
func nextCode(b []byte) (code rune, size int) {
	if code, size = nextRune(b); code < 0 {
		code = -1 - rune(b[0])
	}
	return code, size
}

// likeBytes walks with one point to come back to: the last % and the byte that
// it is tried at.
func likeBytes(s, p []byte, escape rune) bool {
	i, j := 0, 0
	starAt, retry := -1, 0
	for i < len(s) {
		switch {
		case j < len(p) && p[j] == '%' && escape != '%':
			j++
			starAt, retry = j, i
		case j < len(p) && byteFits(s[i], p, &j, escape):
			i++
		case starAt >= 0:
			retry++
			i, j = retry, starAt
		default:
			return false
		}
	}
	return onlyPercents(p[j:], escape)
}

// byteFits matches one byte with the pattern's element at *j and steps over it.
func byteFits(c byte, p []byte, j *int, escape rune) bool {
	at := *j
	if rune(p[at]) == escape && at+1 < len(p) {
		at++
	} else if p[at] == '_' {
		*j = at + 1
		return true
	}
	if p[at] != c {
		return false
	}
	*j = at + 1
	return true
}

func onlyPercents(p []byte, escape rune) bool {
	for _, c := range p {
		if c != '%' || escape == '%' {
			return false
		}
	}
	return true
}

func likeText(s, p []byte, escape rune, next func([]byte) (rune, int)) bool {
	i, j := 0, 0
	starAt, retry := -1, 0
	for i < len(s) {
		weight, size := next(s[i:])
		switch {
		case j < len(p) && p[j] == '%' && escape != '%':
			j++
			starAt, retry = j, i
		case j < len(p) && weightFits(weight, p, &j, escape, next):
			i += size
		case starAt >= 0:
			_, step := next(s[retry:])
			retry += step
			i, j = retry, starAt
		default:
			return false
		}
	}
	return onlyPercents(p[j:], escape)
}

func weightFits(weight rune, p []byte, j *int, escape rune, next func([]byte) (rune, int)) bool {
	at := *j
	if r, size := nextRune(p[at:]); r == escape && at+size < len(p) {
		at += size
	} else if p[at] == '_' {
		*j = at + 1
		return true
	}
	w, size := next(p[at:])
	if w != weight {
		return false
	}
	*j = at + size
	return true
}

// Type is a condition's.
func (n *Like) Type() value.Type { return boolType(n.X, n.Pattern) }

func (n *Like) String() string {
	s := "(" + n.X.String() + " " + notWord(n.Not) + "like " + n.Pattern.String()
	if n.Escape != nil {
		s += " escape " + n.Escape.String()
	}
	return s + ")"
}

// Children are X, the pattern and, where given, the escape.
func (n *Like) Children() []Node {
	if n.Escape == nil {
		return []Node{n.X, n.Pattern}
	}
	return []Node{n.X, n.Pattern, n.Escape}
}

// With replaces what Children gave.
func (n *Like) With(c []Node) Node {
	out := &Like{X: c[0], Pattern: c[1], Not: n.Not}
	if len(c) > 2 {
		out.Escape = c[2]
	}
	return out
}
