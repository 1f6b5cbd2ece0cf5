package change

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// Assignment is one column = expression of SET or ON DUPLICATE KEY UPDATE. A
// nil expression is DEFAULT.
type Assignment struct {
	Column int
	Node   expr.Node
}

// Assign changes r by the assignments, in order: each sees the changes of those before, as in MySQL
// (https://dev.mysql.com/doc/refman/5.7/en/update.html). env's row starts with the table's columns.
// timed reports whether T was assigned. The error is that of an expression, or that of Set or
// AssignDefault.
func (w *Writer) Assign(r *Version, env *expr.Env, list []Assignment) (timed bool, err error) {
	for _, a := range list {
		if a.Node == nil {
			err = w.AssignDefault(r, a.Column)
		} else {
			err = w.assignValue(r, env, a)
			timed = timed || a.Column == ColT
		}
		if err != nil {
			return timed, err
		}
		copyValue(env, r, a.Column)
	}
	return timed, nil
}

func (w *Writer) assignValue(r *Version, env *expr.Env, a Assignment) error {
	v, err := a.Node.Eval(env)
	if err != nil {
		return err
	}
	if a.Column == ColT {
		r.Clock = false
	}
	return w.Fitted(r, a.Column, &v, r.Set(w.Table, a.Column, &v, w.Row))
}

// AssignDefault sets a column to its default; the error is 1364 if it has none.
func (w *Writer) AssignDefault(r *Version, column int) error {
	if column == ColT {
		r.Clock = true
		return nil
	}
	var set [4]bool
	for i := range set {
		set[i] = i != column
	}
	r.V = nil
	return w.FillDefaults(r, set)
}

func copyValue(env *expr.Env, r *Version, column int) {
	if column <= ColV {
		env.Row[column] = r.Values()[column]
	}
}

// FillDefaults sets the columns without a value to their defaults. If a column has no default, the
// error is 1364. Without strict sql_mode it warns instead, once per statement and column, and the
// column gets MySQL's default of its type.
func (w *Writer) FillDefaults(r *Version, set [4]bool) error {
	for c := Lacking(w.Table, set, 0); c >= 0; c = Lacking(w.Table, set, c+1) {
		err := NoDefault(w.Table, c)
		if !Loose(w.Context) {
			return err
		}
		if !w.warned[c] {
			w.warned[c] = true
			w.Warn(err)
		}
		r.empty(c)
	}
	return nil
}

// Lacking returns the first column, from one on, that has neither a value nor a default, or -1.
func Lacking(t *kv.Table, set [4]bool, from int) int {
	for c := from; c <= ColV; c++ {
		if !set[c] && c != ColT && !(c == ColV && t.Value.Nullable) {
			return c
		}
	}
	return -1
}

// NoDefault returns error 1364.
func NoDefault(t *kv.Table, column int) error {
	return mysqlerr.New(mysqlerr.NoDefaultForField, "Field '%s' doesn't have a default value", schema.Of(t).ColumnNames()[column])
}
