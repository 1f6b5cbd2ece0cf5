package expr

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// When is one branch of a Case.
type When struct{ Cond, Then Node }

// Case is CASE [X] WHEN .. THEN .. ELSE .. END, and IF.
type Case struct {
	X     Node // nil: each Cond is a condition
	Whens []When
	Else  Node // nil: NULL
	T     value.Type

	binary bool // as in In
}

// ElseIsNull reports whether the CASE is NULL if no condition holds.
func (c *Case) ElseIsNull() bool {
	v, ok := c.Else.(*Const)
	return c.Else == nil || ok && v.V.IsNull()
}

// NewCase is a CASE; next to binary strings the texts of its branches are their bytes.
func NewCase(x Node, whens []When, otherwise Node) *Case {
	x, whens, otherwise = branchesBesideBytes(x, whens, otherwise)
	c := &Case{X: x, Whens: whens, Else: otherwise}
	var results []Node
	for _, w := range whens {
		results = append(results, w.Then)
		c.binary = c.binary || x != nil && anyBinary(x, w.Cond)
	}
	if otherwise != nil {
		results = append(results, otherwise)
	}
	c.T = value.Unify(TypesOf(results)...)
	c.T.Nullable = c.T.Nullable || otherwise == nil
	return c
}

// branchesBesideBytes converts texts to bytes next to binary strings, in what is compared and in what is
// chosen.
func branchesBesideBytes(x Node, whens []When, otherwise Node) (Node, []When, Node) {
	compared, chosen := []Node{x}, []Node{otherwise}
	for _, w := range whens {
		compared, chosen = append(compared, w.Cond), append(chosen, w.Then)
	}
	if !slices.ContainsFunc(compared, HasCharset) && !slices.ContainsFunc(chosen, HasCharset) {
		return x, whens, otherwise
	}
	if x != nil {
		compared = BesideBytes(compared)
	}
	chosen = BesideBytes(chosen)
	whens = slices.Clone(whens)
	for i := range whens {
		whens[i] = When{compared[i+1], chosen[i+1]}
	}
	return compared[0], whens, chosen[0]
}

// Eval is the first branch that applies; the others are not evaluated.
func (c *Case) Eval(env *Env) (value.Value, error) {
	mark := env.Held.Mark()
	chosen, err := c.choose(env)
	env.Held.Release(mark)
	if err != nil || chosen == nil {
		return value.Value{}, err
	}
	v, err := chosen.Eval(env)
	return value.Coerce(v, c.T), err
}

func (c *Case) choose(env *Env) (Node, error) {
	var x value.Value
	var err error
	if c.X != nil {
		if x, err = c.X.Eval(env); err != nil {
			return nil, err
		}
	}
	for _, w := range c.Whens {
		t, err := c.applies(env, x, w.Cond)
		if err != nil {
			return nil, err
		}
		if t == isTrue {
			return w.Then, nil
		}
	}
	return c.Else, nil
}

func (c *Case) applies(env *Env, x value.Value, cond Node) (tri, error) {
	if c.X == nil {
		return truthOf(cond, env)
	}
	if x.IsNull() {
		return isNull, nil
	}
	v, err := cond.Eval(env)
	if err != nil {
		return isNull, err
	}
	return compareValues(env, Eq, forced(x, c.binary), v, c.X, cond)
}

// Type is the common type of all results.
func (c *Case) Type() value.Type { return c.T }

func (c *Case) AppendTo(dst []byte) []byte {
	dst = append(dst, "(case "...)
	if c.X != nil {
		dst = append(c.X.AppendTo(dst), ' ')
	}
	for _, w := range c.Whens {
		dst = w.Cond.AppendTo(append(dst, "when "...))
		dst = append(w.Then.AppendTo(append(dst, " then "...)), ' ')
	}
	if c.Else != nil {
		dst = append(c.Else.AppendTo(append(dst, "else "...)), ' ')
	}
	return append(dst, "end)"...)
}

// Children are X, the branches and Else, in the order of the text.
func (c *Case) Children() []Node {
	var out []Node
	if c.X != nil {
		out = append(out, c.X)
	}
	for _, w := range c.Whens {
		out = append(out, w.Cond, w.Then)
	}
	if c.Else != nil {
		out = append(out, c.Else)
	}
	return out
}

func (c *Case) With(n []Node) Node {
	var x, otherwise Node
	if c.X != nil {
		x, n = n[0], n[1:]
	}
	whens := make([]When, len(c.Whens))
	for i := range whens {
		whens[i] = When{n[2*i], n[2*i+1]}
	}
	if c.Else != nil {
		otherwise = n[len(n)-1]
	}
	return NewCase(x, whens, otherwise)
}
