package rows

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// find plans the SELECT of columns of the rows to change.
func find(
	p *change.Preparer, r *relation.Relation, values *plan.RowExprs, hints ast.Hints, sel *sqlparser.Select, columns []int,
) (change.Found, error) {
	of := sqlparser.TableName{Name: sqlparser.NewTableIdent(r.Alias)}
	for _, i := range columns {
		sel.SelectExprs = append(sel.SelectExprs, ast.NewItem(&sqlparser.ColName{Name: sqlparser.NewColIdent(r.Columns[i].Name), Qualifier: of}))
	}
	return p.Find(r, values, hints, sel)
}

// updating is a planned UPDATE.
type updating struct {
	change.Found
	ignore  bool
	set     []change.Assignment
	columns []int // whose values the SELECT gives
	rules   typed.Rules
}

// Update plans an UPDATE. Its errors are those of names, types and privileges.
func Update(p *change.Preparer, r *relation.Relation, st *ast.Update) (change.Statement, error) {
	values := p.RowExprs(p.Parsed, st.Hints, r)
	set, failed := assignments(r, values.Binder(nil), st.Node.Exprs)
	columns := seenBy(r, values, set)
	t, err := find(p, r, values, st.Hints, &sqlparser.Select{From: st.Node.TableExprs, Where: st.Node.Where,
		OrderBy: st.Node.OrderBy, Limit: st.Node.Limit}, columns)
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	t.Rereads = t.Rereads || change.Rereads(r, values.Reads())
	rules, err := p.Rules(r)
	return &updating{Found: t, ignore: st.Ignore, set: set, columns: columns, rules: rules}, err
}

// seenBy returns the columns that changing a row needs: those of the key, and those that assignments read.
// Subqueries, and defaults that are expressions, may read any.
func seenBy(r *relation.Relation, values *plan.RowExprs, set []change.Assignment) []int {
	seen := make([]bool, len(r.Columns))
	for _, at := range r.Typed.Key {
		seen[at] = true
	}
	all := values.Subqueries()
	for _, a := range set {
		if a.Node != nil {
			expr.Columns(a.Node, func(c *expr.Column) { seen[c.Index] = true })
			continue
		}
		of := r.Typed.Columns[a.Column].Default
		all = all || of != nil && of.Expr != ""
	}
	var out []int
	for i := range seen {
		if all || seen[i] {
			out = append(out, i)
		}
	}
	return out
}

// assignments binds SET or ON DUPLICATE KEY UPDATE; a nil expression is DEFAULT. An assignment of DEFAULT to
// a generated column has no effect and is left out.
func assignments(r *relation.Relation, b *bind.Binder, exprs sqlparser.UpdateExprs) ([]change.Assignment, error) {
	var out []change.Assignment
	for _, e := range exprs {
		column, err := change.ColumnOf(r, e.Name)
		if err != nil {
			return nil, err
		}
		a := change.Assignment{Column: column}
		isDefault := change.IsDefault(e.Expr, r.Columns[column].Name)
		switch {
		case r.Typed.IsGenerated(column) && !isDefault:
			return nil, r.Typed.GivenGenerated(column, r.Name)
		case r.Typed.IsGenerated(column):
			continue
		case !isDefault:
			if a.Node, err = b.Bind(e.Expr); err != nil {
				return nil, err
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// Run implements Statement.
func (s *updating) Run(ctx *exec.Context) (change.Result, error) {
	// A moved row must not be found again, so all rows are found before any is changed.
	change.Before(ctx, true, s.ignore)
	w := &writerIn(ctx).writer
	w.begin(ctx, s.Relation, s.ignore, s.Values)
	w.rules = s.rules
	var named func(*exec.Rows) (bool, error)
	if !slices.ContainsFunc(s.columns, w.face.IsVirtual) {
		named = w.named(!s.mayMove(), func(row *storedRow, tuple []value.Value) error {
			return w.updateRow(row, w.seen(row, tuple, s.columns), s.set)
		})
	}
	err := change.EachRow(ctx, s.Rows, named, func(row []value.Value) error {
		w.Found()
		found := make([]value.Value, len(w.face.Columns))
		for i, at := range s.columns {
			found[at] = row[i]
		}
		return w.Skip(w.Whole(func() error { return w.update(found, s.set) }))
	})
	return w.Result, w.End(err)
}

// mayMove reports whether the key of a row may change. A row could then become another one that the statement names.
func (s *updating) mayMove() bool {
	face := s.Relation.Typed
	return slices.ContainsFunc(face.Key, func(column int) bool {
		return face.IsGenerated(column) || face.Columns[column].OnUpdate ||
			slices.ContainsFunc(s.set, func(a change.Assignment) bool { return a.Column == column })
	})
}

// update changes a row with the assignments; found has the values that the statement sees, and is
// overwritten.
func (w *writer) update(found []value.Value, set []change.Assignment) error {
	row, err := w.lockFound(w.keyOf(found))
	if err != nil || !row.there {
		return err
	}
	return w.updateRow(row, found, set)
}

// updateRow is update for a locked row.
func (w *writer) updateRow(row *storedRow, found []value.Value, set []change.Assignment) error {
	w.Values.Held.NewRow()
	changed, err := w.assign(row, found, set)
	if changed {
		w.Result.Changed++
	}
	return err
}

// keyOf returns the key's values in a row of all columns.
func (w *writer) keyOf(found []value.Value) []value.Value {
	tuple := make([]value.Value, len(w.face.Key))
	for i, at := range w.face.Key {
		tuple[i] = found[at]
	}
	return tuple
}

// rowOf returns the HBase row for the key's values from a SELECT.
func (w *writer) rowOf(tuple []value.Value) ([]byte, error) {
	values := make([]value.Value, len(w.face.Columns))
	for i, at := range w.face.Key {
		values[at] = tuple[i]
		if w.face.Columns[at].Type.Base != coltype.Timestamp {
			continue // the value does not depend on the session's time zone
		}
		var err error
		if values[at], err = w.convert(at, tuple[i]); err != nil {
			return nil, err
		}
	}
	return w.face.AppendRow(nil, values)
}

// lockFound locks the row for the key's values from a SELECT.
func (w *writer) lockFound(tuple []value.Value) (*storedRow, error) {
	key, err := w.rowOf(tuple)
	if err != nil {
		return nil, err
	}
	return w.lock(key)
}

// assign changes a row by the assignments, in order: each sees the changes of those before, as in MySQL
// (https://dev.mysql.com/doc/refman/5.7/en/update.html). seen begins with the row's values.
func (w *writer) assign(row *storedRow, seen []value.Value, set []change.Assignment) (changed bool, err error) {
	next, err := w.face.Stored(row.key, row.cells)
	if err != nil {
		return false, err
	}
	w.Values.Row = seen
	given := make([]bool, len(next))
	for i := range given {
		given[i] = w.face.Columns[i].Generated != nil
	}
	row.given = given
	for _, a := range set {
		given[a.Column] = true
		if a.Node == nil {
			next[a.Column], err = w.initial(a.Column)
		} else {
			var v value.Value
			if v, err = a.Node.Eval(&w.Values); err == nil {
				next[a.Column], err = w.convert(a.Column, v)
			}
		}
		if err != nil {
			return false, err
		}
		seen[a.Column] = w.face.Shown(&w.Values, a.Column, next[a.Column])
	}
	return w.rewrite(row, next, given)
}

// rewrite replaces the values of a row. If any changes, ON UPDATE CURRENT_TIMESTAMP columns that are not
// given get the statement's time.
func (w *writer) rewrite(row *storedRow, next []value.Value, given []bool) (changed bool, err error) {
	if err := w.generate(next); err != nil {
		return false, err
	}
	if changed, err = w.differs(row, next); !changed || err != nil {
		return false, err
	}
	if err := cmp.Or(w.stamp(next, given), w.check(next)); err != nil {
		return false, err
	}
	switch moved, err := w.moves(row, next); {
	case err != nil:
		return false, err
	case moved:
		if row, err = w.move(row, bytes.Clone(w.key), next); err == nil {
			_, err = w.putChanged(row, next)
		}
		return err == nil, w.entryError(err, next)
	}
	err = w.putRow(row, next)
	return err == nil, w.entryError(err, next)
}

// stamp sets ON UPDATE CURRENT_TIMESTAMP columns that are not given to the statement's time.
func (w *writer) stamp(next []value.Value, given []bool) (err error) {
	stamped := false
	for i := range w.face.Columns {
		if !w.face.Columns[i].OnUpdate || given[i] {
			continue
		}
		if next[i], err = w.convert(i, w.clock()); err != nil {
			return err
		}
		stamped = true
	}
	if stamped {
		err = w.generate(next)
	}
	return err
}

// clock returns the statement's time, in the session's time zone.
func (w *writer) clock() value.Value {
	return value.NewDateTime(calendar.FieldsOf(w.Values.Session.Now), maxFraction)
}

// maxFraction is the maximum number of decimals of a second.
const maxFraction = 6

// putChanged is putRow for a row that may be new, or the same as before, and reports whether it changes.
func (w *writer) putChanged(row *storedRow, values []value.Value) (changed bool, err error) {
	if row.there {
		if changed, err = w.differs(row, values); !changed || err != nil {
			return false, err
		}
	}
	return true, w.putRow(row, values)
}

// moves reports whether values have another key than their row; key is then the new one.
func (w *writer) moves(row *storedRow, next []value.Value) (_ bool, err error) {
	w.key, err = w.face.AppendRow(w.key[:0], next)
	return !bytes.Equal(w.key, row.key), err
}

// differs reports whether a row would change.
func (w *writer) differs(row *storedRow, next []value.Value) (bool, error) {
	if moved, err := w.moves(row, next); moved || err != nil {
		return true, err
	}
	for i := range next {
		if !w.face.HasCell(i) || row.keeps(i, next[i]) {
			continue
		}
		b, err := w.cellOf(i, next[i])
		if err != nil || !sameCell(b, row.cell(i)) {
			return true, err
		}
	}
	return false, nil
}

// move moves a row, with all versions of its cells, to another key. The error is 1062 if that is taken.
func (w *writer) move(row *storedRow, key []byte, next []value.Value) (*storedRow, error) {
	to, err := w.lock(key)
	if err != nil {
		return nil, err
	}
	if to.there {
		return nil, w.duplicateRow(next)
	}
	if slices.Contains(to.has, true) { // cells of NULL, or without a row, would hide what is moved
		if err := w.deleteRow(to); err != nil {
			return nil, err
		}
	}
	scan, ranges := w.face.Cells(), rowRange(row.key)
	scan.Ranges, scan.MaxVersions = ranges[:], 0
	err = w.EachOf(w.families, &scan, func(c *kv.Cell, v []byte) error {
		if !w.face.IsMarker(c.Qualifier) && w.face.OfCell(c.Family, c.Qualifier) < 0 {
			return nil
		}
		return w.put(c.Family, change.Version{K: key, Q: bytes.Clone(c.Qualifier), T: c.Timestamp, V: change.CloneValue(v)})
	})
	if err != nil {
		return nil, err
	}
	if err := w.deleteRow(row); err != nil {
		return nil, err
	}
	moved := *row
	moved.key, moved.newest = key, max(row.newest, to.newest)
	return &moved, nil
}

// deletion is a planned DELETE.
type deletion struct {
	change.Found
	ignore bool
}

// Delete plans a DELETE. Its errors are those of names and privileges.
func Delete(p *change.Preparer, r *relation.Relation, st *ast.Delete) (change.Statement, error) {
	t, err := find(p, r, p.RowExprs(p.Parsed, st.Hints, r), st.Hints, &sqlparser.Select{From: st.Node.TableExprs,
		Where: st.Node.Where, OrderBy: st.Node.OrderBy, Limit: st.Node.Limit}, r.Typed.Key)
	if err != nil {
		return nil, err
	}
	return &deletion{t, st.Ignore}, nil
}

// Run implements Statement.
func (s *deletion) Run(ctx *exec.Context) (change.Result, error) {
	change.Before(ctx, s.Rereads, s.ignore)
	w := &writerIn(ctx).writer
	w.begin(ctx, s.Relation, s.ignore, s.Values)
	named := w.named(true, func(row *storedRow, _ []value.Value) error { return w.deleteCounted(row) })
	err := change.EachRow(ctx, s.Rows, named, func(found []value.Value) error {
		w.Found()
		return w.Skip(w.delete(found))
	})
	return w.Result, w.End(err)
}

// delete removes the row with a key, with all its versions.
func (w *writer) delete(tuple []value.Value) error {
	row, err := w.lockFound(tuple)
	if err != nil || !row.there {
		return err
	}
	return w.deleteCounted(row)
}

func (w *writer) deleteCounted(row *storedRow) error {
	err := w.deleteRow(row)
	if err == nil {
		w.Result.Changed++
	}
	return err
}
