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
	Text   string `json:"text"` // what stood in the parentheses
	Stored bool   `json:"stored,omitempty"`
}

// Rules are what a table's declaration says of rows that are written, as expressions over the columns
// of the table.
type Rules struct {
	Checks []BoundCheck
	// Defaults are the defaults that are expressions, and Generated the values of generated columns,
	// each in the order of the columns.
	Defaults, Generated []BoundColumn
}

// BoundColumn is what a column is given.
type BoundColumn struct {
	Column int
	Node   expr.Node
}

// Default is the expression that is the default of a column, nil where it has none such.
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

// GivenGenerated is 3105, the error of a statement that gives a generated column of the table of that
// name a value other than DEFAULT.
func (t *Table) GivenGenerated(column int, table string) error {
	return mysqlerr.New(mysqlerr.NonDefaultGenerated,
		"The value specified for generated column '%s' in table '%s' is not allowed.", t.Columns[column].Name, table)
}

// virtual is a generated column that is not stored, as an expression over others of its row.
type virtual struct {
	X      expr.Node
	table  *Table
	column int
}

// VirtualOf is a virtual column, of which x is the expression.
func (t *Table) VirtualOf(x expr.Node, column int) expr.Node { return &virtual{x, t, column} }

// Eval is the value. Where the column cannot hold it, it is cut, with a warning, in strict mode too:
// no statement that reads can mend it.
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

// Type is the column's. Its rows may have been there before it was declared NOT NULL.
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

// DefaultValue is the literal that is the default of a column, which has one, as the column has it: times are
// those of the session that reads them.
func (t *Table) DefaultValue(column int) (value.Value, error) {
	env := &function.Env{Strict: true, Session: &function.Session{Now: time.Unix(0, 0).UTC()}}
	return t.Converter(column).Convert(&coltype.Writing{Env: env, Row: 1}, value.NewText(t.Columns[column].Default.Text))
}
