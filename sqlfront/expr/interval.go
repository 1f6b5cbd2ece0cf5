package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/function/temporal"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// DateAdd is X + INTERVAL Amount Unit, or minus with Sub.
type DateAdd struct {
	X, Amount Node
	Unit      string // upper case, one of MySQL's units
	Sub       bool
}

// Eval is NULL, with a warning, if X is not a date.
func (n *DateAdd) Eval(env *Env) (value.Value, error) {
	x, err := n.X.Eval(env)
	if err != nil {
		return x, err
	}
	amount, err := n.Amount.Eval(env)
	if err != nil {
		return value.Value{}, err
	}
	return n.of(env, x, amount)
}

func (n *DateAdd) of(env *Env, x, amount value.Value) (value.Value, error) {
	if x.IsNull() || amount.IsNull() {
		return value.Value{}, nil
	}
	return temporal.AddInterval(&env.Env, x, amount, n.Unit, n.Sub)
}

// Type is a date or time for dates and times, else a text.
func (n *DateAdd) Type() value.Type {
	return temporal.IntervalType(n.X.Type(), n.Amount.Type(), n.Unit)
}

func (n *DateAdd) AppendTo(dst []byte) []byte {
	sign := " + "
	if n.Sub {
		sign = " - "
	}
	dst = append(n.X.AppendTo(append(dst, '(')), sign...)
	dst = n.Amount.AppendTo(append(dst, "interval "...))
	return append(append(append(dst, ' '), n.Unit...), ')')
}

func (n *DateAdd) Children() []Node   { return []Node{n.X, n.Amount} }
func (n *DateAdd) With(c []Node) Node { return &DateAdd{c[0], c[1], n.Unit, n.Sub} }
