package typed

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Generated is the expression of a generated column. One that is not Stored has no cells.
type Generated struct {
	Text   string `json:"text"` // between the parentheses
	Stored bool   `json:"stored,omitempty"`
}

// Rules are the rules in a table's declaration for written rows, as expressions over the table's columns.
type Rules struct {
	Checks []BoundCheck
	// Defaults are the defaults that are expressions, and Generated are the values of generated columns, both
	// in the order of the columns.
	Defaults, Generated []BoundColumn
}

// BoundColumn is a column with the expression for its value.
type BoundColumn struct {
	Column int
	Node   expr.Node
}

// Default is the default expression of a column, nil if it has none.
func (r *Rules) Default(column int) expr.Node {
	for i := range r.Defaults {
		if r.Defaults[i].Column == column {
			return r.Defaults[i].Node
		}
	}
	return nil
}

// IsGenerated reports whether a column is a generated one.
func (t *Table) IsGenerated(column int) bool { return t.Columns[column].Generated != nil }

// IsVirtual reports whether a column is computed when it is read, and has no cells.
func (t *Table) IsVirtual(column int) bool {
	g := t.Columns[column].Generated
	return g != nil && !g.Stored
}

// HasVirtual reports whether some column is computed when it is read.
func (t *Table) HasVirtual() bool {
	for i := range t.Columns {
		if t.IsVirtual(i) {
			return true
		}
	}
	return false
}

// GivenGenerated is error 3105, for a statement that assigns a value other than DEFAULT to a generated column
// of the named table.
func (t *Table) GivenGenerated(column int, table string) error {
	return mysqlerr.New(mysqlerr.NonDefaultGenerated,
		"The value specified for generated column '%s' in table '%s' is not allowed.", t.Columns[column].Name, table)
}

// virtual is a generated column that is not stored, as an expression over other columns of its row.
type virtual struct {
	X      expr.Node
	table  *Table
	column int
}

// VirtualOf is a virtual column with the expression x.
func (t *Table) VirtualOf(x expr.Node, column int) expr.Node { return &virtual{x, t, column} }

// Eval is the value. If it does not fit the column it is cut, with a warning, even in strict mode: a
// statement that reads cannot correct it.
func (v *virtual) Eval(env *expr.Env) (value.Value, error) {
	x, err := v.X.Eval(env)
	if err != nil || x.IsNull() {
		return value.Value{}, err
	}
	loose := env.Env
	loose.Strict = false
	x, err = v.table.Converter(v.column).Convert(&coltype.Writing{Env: &loose, Row: 1}, x)
	return v.table.Shown(env, v.column, x), err
}

// Type is the column's type. It is nullable, since rows may be older than the column's NOT NULL.
func (v *virtual) Type() value.Type {
	t := v.table.Values(v.column)
	t.Nullable = true
	return t
}

// AppendTo appends the column's name.
func (v *virtual) AppendTo(dst []byte) []byte { return appendName(dst, &v.table.Columns[v.column]) }

// Children is the expression.
func (v *virtual) Children() []expr.Node { return []expr.Node{v.X} }

// With is the column of another expression.
func (v *virtual) With(x []expr.Node) expr.Node { return &virtual{x[0], v.table, v.column} }

// DefaultValue is the literal default of a column, which must have one, converted to the column's type. Times
// are those of the session that reads them.
func (t *Table) DefaultValue(column int) (value.Value, error) {
	env := &function.Env{Strict: true, Session: &function.Session{Now: time.Unix(0, 0).UTC()}}
	return t.Converter(column).Convert(&coltype.Writing{Env: env, Row: 1}, value.NewText(t.Columns[column].Default.Text))
}
