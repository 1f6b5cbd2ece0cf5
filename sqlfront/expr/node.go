package expr

import (
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Node is a bound expression.
type Node interface {
	// Eval is the value in env; a condition's is 1, 0 or NULL. Its errors are MySQL's, for values that the
	// expression refuses or for limits of memory (1041), those of reading in a subquery, and cancellation.
	Eval(env *Env) (value.Value, error)
	// Type is what is known of the values before evaluation.
	Type() value.Type
	// AppendTo appends the expression as MySQL would print it.
	AppendTo(dst []byte) []byte
}

// Parent is a node with operands, which Walk and Rewrite descend into.
type Parent interface {
	Node
	Children() []Node
	// With is the same expression over other operands, which correspond to those of Children.
	With(children []Node) Node
}

// Column is a column of the row.
type Column struct {
	Index int
	Name  string
	T     value.Type
	// Table is for printing only; it may be empty.
	Table string
}

// Eval is the column's value in env's row.
func (c *Column) Eval(env *Env) (value.Value, error) { return env.Row[c.Index], nil }

// Type is the column's type.
func (c *Column) Type() value.Type { return c.T }

// AppendTo appends the name.
func (c *Column) AppendTo(dst []byte) []byte {
	if c.Table != "" {
		dst = append(append(append(dst, '`'), c.Table...), "`."...)
	}
	return append(append(append(dst, '`'), c.Name...), '`')
}

// Const is a constant.
type Const struct {
	V value.Value
	// Hex is true for X'..', 0x.., b'..' and 0b.., which are numbers in numeric context.
	Hex bool
	// T is the type of the expression that was folded to V; its zero value means the type of V.
	T value.Type
}

// Eval is the constant.
func (c *Const) Eval(*Env) (value.Value, error) { return c.V, nil }

// Type follows from the constant: an integer literal is INT or BIGINT, as in MySQL's result sets.
func (c *Const) Type() value.Type {
	if c.T.Kind != value.Null {
		return c.T
	}
	t := value.Type{Kind: c.V.Kind(), Nullable: c.V.IsNull()}
	switch t.Kind {
	case value.Int:
		if i := c.V.Int(); i == int64(int32(i)) {
			t.Name = "INT"
		}
		return t.WithDigits(value.WholeDigits(c.V))
	case value.Uint:
		return t.WithDigits(value.WholeDigits(c.V))
	case value.Decimal:
		t.Decimals = c.V.Scale()
		return t.WithDigits(value.WholeDigits(c.V))
	case value.Text, value.Bytes:
		t.Length = len(c.V.Raw())
		if t.Collation = c.V.Collation(); t.Collation != collation.General {
			t.Derivation = value.Implicit
		}
	case value.Time, value.DateTime:
		t.Decimals = c.V.Scale()
	}
	return t
}

// AppendTo appends a literal.
func (c *Const) AppendTo(dst []byte) []byte { return append(dst, value.Print(c.V)...) }

// Tuple is a row constructor (a, b). It has no value of its own; comparisons, IN and BETWEEN use its items.
type Tuple struct{ Items []Node }

// Eval fails, since a row is not a scalar operand (1241).
func (t *Tuple) Eval(*Env) (value.Value, error) { return value.Value{}, OperandColumns(1) }

// Type is the zero Type.
func (t *Tuple) Type() value.Type { return value.Type{} }

// AppendTo appends the items in parentheses.
func (t *Tuple) AppendTo(dst []byte) []byte { return AppendList(dst, "(", t.Items, ",", ")") }

// Children are the items.
func (t *Tuple) Children() []Node { return t.Items }

// With replaces the items.
func (t *Tuple) With(c []Node) Node { return &Tuple{c} }

// OperandColumns is error 1241: an operand does not have n columns.
func OperandColumns(n int) error {
	return mysqlerr.New(mysqlerr.OperandColumns, "Operand should contain %d column(s)", n)
}
