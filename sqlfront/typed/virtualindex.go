package typed

import (
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Bind binds an expression in the declaration of the typed table whose rows a family has, over the table's
// columns.
type Bind func(family *kv.Table, text string) (expr.Node, error)

// basis is what the entries of an index depend on.
type basis struct {
	columns map[int]bool
	virtual []BoundColumn // of the columns, those without cells, in order
}

// basisOf is the basis of the n-th index. A generated column does not read generated ones after it.
func (t *Table) basisOf(family *kv.Table, n int, bind Bind) (basis, error) {
	out := basis{columns: map[int]bool{}}
	for _, p := range t.Indexes[n].Parts {
		out.columns[p.Column] = true
	}
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if !out.columns[i] || !t.IsVirtual(i) {
			continue
		}
		n, err := bind(family, t.Columns[i].Generated.Text)
		if err != nil {
			return out, err
		}
		expr.Columns(n, func(c *expr.Column) { out.columns[c.Index] = true })
		out.virtual = slices.Insert(out.virtual, 0, BoundColumn{i, n})
	}
	return out, nil
}

// qualifiersOf are the qualifiers of the cells that entries depend on, in order.
func (t *Table) qualifiersOf(of basis) [][]byte {
	names := []string{Marker}
	for i := range t.Columns {
		if of.columns[i] && t.HasCell(i) {
			names = append(names, t.Columns[i].CellQualifier())
		}
	}
	slices.Sort(names)
	out := make([][]byte, len(names))
	for i, name := range names {
		out[i] = []byte(name)
	}
	return out
}

// compute sets the values of virtual columns, as reading the row gives them to any session. One that cannot
// be computed is NULL: bytes that others have written are not the writing statement's fault.
func (t *Table) compute(virtual []BoundColumn, values []value.Value) {
	if len(virtual) == 0 {
		return
	}
	env := expr.Env{Env: function.Env{Session: &function.Session{Now: time.Unix(0, 0).UTC()}}}
	env.Row = t.AllShown(&env, values)
	for _, c := range virtual {
		v, err := c.Node.Eval(&env)
		if err == nil && !v.IsNull() {
			v, err = t.Converter(c.Column).Convert(&coltype.Writing{Env: &env.Env, Row: 1}, v)
		}
		if err != nil {
			v = value.Value{}
		}
		values[c.Column], env.Row[c.Column] = v, t.Shown(&env, c.Column, v)
	}
}
