package rows

import (
	"cmp"
	"io"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// insertion is a planned INSERT or REPLACE of a typed table.
type insertion struct {
	relation *relation.Relation
	// columns are the target columns, in the order of the given values.
	columns []int
	// rows are the values; a nil expression is DEFAULT. If source is set, its rows are the values
	// instead.
	rows   [][]expr.Node
	source *plan.Select
	// extra are the columns that source gives after the values, for onDuplicate.
	extra           []*sqlparser.ColName
	exprs           *plan.RowExprs
	rereads         bool
	onDuplicate     []change.Assignment
	duplicates      bool // with ON DUPLICATE KEY UPDATE
	replace, ignore bool
	rules           typed.Rules
}

// Insert plans an INSERT or REPLACE. Its errors are those of names, types and privileges.
func Insert(p *change.Preparer, r *relation.Relation, st *ast.Insert, replace bool) (change.Statement, error) {
	s := &insertion{relation: r, ignore: st.Ignore, replace: replace, duplicates: len(st.Node.OnDup) > 0}
	s.exprs = p.RowExprs(p.Parsed, st.Hints, r)
	var err error
	if s.rules, err = p.Rules(r); err != nil {
		return nil, err
	}
	if s.columns, err = change.InsertColumns(r, st.Node); err != nil {
		return nil, err
	}
	if err := bindRows(p, s, st); err != nil {
		return nil, err
	}
	if s.duplicates {
		d := change.Duplicates{Exprs: s.exprs, Relation: r, Source: s.source, Given: len(s.columns), Extra: s.extra}
		if s.onDuplicate, err = assignments(r, d.Binder(), sqlparser.UpdateExprs(st.Node.OnDup)); err != nil {
			return nil, err
		}
	}
	s.rereads = change.Rereads(r, s.exprs.Reads()) ||
		s.source != nil && len(s.source.Reads()) > 1 && change.Rereads(r, s.source.Reads())
	return s, nil
}

// bindRows binds the values, or plans the SELECT that gives them.
func bindRows(p *change.Preparer, s *insertion, st *ast.Insert) (err error) {
	switch rows := st.Node.Rows.(type) {
	case sqlparser.Values:
		b := s.exprs.Binder(nil)
		for i, tuple := range rows {
			if len(tuple) != len(s.columns) {
				return change.WrongCount(i + 1)
			}
			nodes, err := bindTuple(b, s, tuple)
			if err != nil {
				return err
			}
			s.rows = append(s.rows, nodes)
		}
	case sqlparser.SelectStatement:
		rows, s.extra = change.WithExtra(s.relation, rows, sqlparser.UpdateExprs(st.Node.OnDup))
		s.source, err = p.Select(p.Parsed, &ast.Select{Node: rows, Hints: st.SelectHints})
		if err == nil && len(s.source.Columns) != len(s.columns)+len(s.extra) {
			err = change.WrongCount(1)
		}
		for _, column := range s.columns {
			if err == nil && s.relation.Typed.IsGenerated(column) {
				err = s.relation.Typed.GivenGenerated(column, s.relation.Name)
			}
		}
	}
	return err
}

// bindTuple binds a row of VALUES; nil is DEFAULT.
func bindTuple(b *bind.Binder, s *insertion, tuple sqlparser.ValTuple) ([]expr.Node, error) {
	nodes := make([]expr.Node, len(tuple))
	for j, e := range tuple {
		if change.IsDefault(e, s.relation.Columns[s.columns[j]].Name) {
			continue
		}
		if face := s.relation.Typed; face.IsGenerated(s.columns[j]) {
			return nil, face.GivenGenerated(s.columns[j], s.relation.Name)
		}
		var err error
		if nodes[j], err = bindValue(b, e); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// bindValue binds the value of a column. The column converts a placeholder, whatever its type.
func bindValue(b *bind.Binder, e sqlparser.Expr) (expr.Node, error) {
	if p, ok := e.(*ast.Param); ok {
		return &expr.Param{Index: p.Index}, nil
	}
	return b.Bind(e)
}

// Run implements Statement.
func (s *insertion) Run(ctx *exec.Context) (change.Result, error) {
	change.Before(ctx, s.rereads, s.ignore)
	w := writerIn(ctx)
	w.stmt = s
	w.begin(ctx, s.relation, s.ignore, s.exprs)
	w.rules = s.rules
	err := w.startNumbers()
	switch {
	case err != nil:
	case s.source != nil:
		err = w.fromSelect()
	default:
		err = w.fromValues()
	}
	w.noteGiven()
	return w.Result, w.End(err)
}

// Reads returns the SELECT that gives the rows, or nil for VALUES.
func (s *insertion) Reads() *plan.Select { return s.source }

// Exprs returns the expressions of VALUES and of the assignments.
func (s *insertion) Exprs() *plan.RowExprs { return s.exprs }

// Target returns the table's name.
func (s *insertion) Target() string { return s.relation.Name }

type insertWriter struct {
	writer
	stmt    *insertion
	numbers numbers
	// extra are the values that the SELECT gives after those of the current row.
	extra []value.Value
	// Reused for each row, see blank.
	rowValues []value.Value
	rowGiven  []bool
}

func (w *insertWriter) fromValues() error {
	for _, row := range w.stmt.rows {
		w.Row++
		w.Result.Matched++
		if err := w.Skip(w.undone(func() error { return w.insertNodes(row) })); err != nil {
			return err
		}
	}
	return nil
}

func (w *insertWriter) fromSelect() error {
	rows, err := w.stmt.source.Open(w.Context)
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		given, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		w.Row++
		w.Result.Matched++
		if err := w.Skip(w.undone(func() error { return w.insertGiven(given) })); err != nil {
			return err
		}
	}
}

// insertNodes inserts a row of VALUES; each value sees those before it.
func (w *insertWriter) insertNodes(nodes []expr.Node) error {
	w.Values.Held.NewRow()
	row, set := w.blank()
	w.Values.Row = row
	for i, node := range nodes {
		if node == nil {
			continue
		}
		v, err := node.Eval(&w.Values)
		if err != nil {
			return err
		}
		if err := w.take(row, set, w.stmt.columns[i], v); err != nil {
			return err
		}
	}
	return w.insert(row, set)
}

// insertGiven inserts a row of the SELECT.
func (w *insertWriter) insertGiven(given []value.Value) error {
	row, set := w.blank()
	for i, column := range w.stmt.columns {
		if err := w.take(row, set, column, given[i]); err != nil {
			return err
		}
	}
	w.extra = given[len(w.stmt.columns):]
	return w.insert(row, set)
}

// take sets a column of the row to a value. A value that requests a number from the table's counter
// does not count as set.
func (w *insertWriter) take(row []value.Value, set []bool, column int, v value.Value) (err error) {
	numbered := column == w.numbers.column
	if numbered && v.IsNull() {
		row[column] = w.face.Columns[column].Type.Implicit()
		return nil
	}
	row[column], err = w.convert(column, v)
	set[column] = !numbered || w.numbers.keepsZero || row[column].AsFloat() != 0
	return err
}

// fill sets the columns that were given no value.
func (w *insertWriter) fill(values []value.Value, set []bool) (err error) {
	for i := range values {
		switch {
		case set[i] || w.face.IsGenerated(i) || w.rules.Default(i) != nil:
		case i == w.numbers.column:
			values[i], err = w.number()
		default:
			values[i], err = w.initial(i)
		}
		if err != nil {
			return err
		}
	}
	unset := func(column int) bool { return !set[column] }
	return cmp.Or(w.compute(values, w.rules.Defaults, unset), w.generate(values))
}

// insert writes a row; set says which columns were given a value.
func (w *insertWriter) insert(values []value.Value, set []bool) error {
	if err := w.fill(values, set); err != nil {
		return err
	}
	w.noteID(values)
	if err := w.check(values); err != nil {
		return err
	}
	key, err := w.face.AppendRow(nil, values)
	if err != nil {
		return err
	}
	row, err := w.lock(key)
	if err != nil {
		return err
	}
	switch {
	case w.stmt.replace:
		return w.replaceRow(row, values, set)
	case !row.there:
		return w.insertRow(row, values, set)
	case w.stmt.duplicates:
		return w.change(row, values)
	}
	return w.duplicateRow(values)
}

// initial returns the default of a column, which may be an expression over the row of w.Values. The
// error is 1364 if it has none and is NOT NULL.
func (w *writer) initial(column int) (value.Value, error) {
	c := &w.face.Columns[column]
	switch {
	case c.Default != nil && c.Default.Expr != "":
		v, err := w.rules.Default(column).Eval(&w.Values)
		if err != nil {
			return value.Value{}, err
		}
		return w.convert(column, v)
	case c.Default != nil && c.Default.Clock:
		return w.convert(column, w.clock())
	case c.Default != nil && !c.Default.Null:
		return w.convert(column, value.NewText(c.Default.Text))
	case !c.NotNull:
		return value.Value{}, nil
	}
	err := relation.NoDefault(c.Name)
	if w.Env.Strict {
		return value.Value{}, err
	}
	if !w.announced {
		w.Warn(err)
	}
	return c.Type.Implicit(), nil
}

// change is ON DUPLICATE KEY UPDATE for an existing row. A row that changes counts as two.
func (w *insertWriter) change(row *storedRow, given []value.Value) error {
	old, err := w.values(row)
	if err != nil {
		return err
	}
	seen := append(append(append([]value.Value{}, old...), w.face.AllShown(&w.Values, given)...), w.extra...)
	changed, err := w.assign(row, seen, w.stmt.onDuplicate)
	if err == nil {
		w.noteID(seen)
	}
	if changed && err == nil {
		return w.Count(2, nil)
	}
	if err == nil {
		w.Result.Found++
	}
	return err
}
