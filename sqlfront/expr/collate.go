package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Collate is X COLLATE Name for text, or a string with the collation of the comparison that it is in.
type Collate struct {
	X  Node
	By value.Collated
	// Binary is true for COLLATE binary, which leaves bytes as they are.
	Binary bool
	// Implied is true without a COLLATE in the text: numbers then stay numbers, and bytes become text.
	Implied bool
}

// Eval gives the text with the collation.
func (c *Collate) Eval(env *Env) (value.Value, error) {
	v, err := c.X.Eval(env)
	if err != nil {
		return v, err
	}
	return c.of(env, v)
}

func (c *Collate) of(_ *Env, v value.Value) (value.Value, error) {
	switch {
	case v.IsNull() || c.Implied && !v.IsString():
		return v, nil
	case v.Kind() == value.Bytes && c.Binary:
		return v, nil
	case v.Kind() == value.Bytes && !c.Implied:
		return v, charset.Mismatch(c.By.Collation.String(), charset.Binary)
	}
	return value.NewText(v.AsBytes()).WithCollation(c.By.Collation), nil
}

// Type is text.
func (c *Collate) Type() value.Type {
	t := c.X.Type()
	if !c.Binary && (!c.Implied || t.Kind.IsString()) {
		t.Kind, t.Name = value.Text, ""
	}
	t.Collated, t.Members = c.By, nil
	return t
}

// AppendTo appends the expression with COLLATE, which distinguishes it from X, even if it is implied.
func (c *Collate) AppendTo(dst []byte) []byte {
	name := c.By.Collation.String()
	if c.Binary {
		name = charset.Binary
	}
	return append(append(c.X.AppendTo(dst), " collate "...), name...)
}

// Children are X.
func (c *Collate) Children() []Node { return []Node{c.X} }

// With is the same for another operand.
func (c *Collate) With(n []Node) Node {
	out := *c
	out.X = n[0]
	return &out
}
