package write

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

func (p *preparer) insert(st *ast.Insert) (Statement, error) {
	want, replace := rights.Insert, strings.EqualFold(st.Node.Action, sqlparser.ReplaceStr)
	if replace {
		want |= rights.Delete
	}
	if len(st.Node.OnDup) > 0 {
		want |= rights.Update
	}
	r, err := p.named(st.Target(), st.Hints, "", "INSERT", want)
	if err != nil {
		return nil, err
	}
	s := &Insert{table: r.Table(), selection: r.Selected(), ignore: st.Ignore, replace: replace}
	s.exprs = p.RowExprs(p.parsed, st.Hints, r)
	if s.columns, err = insertColumns(r, st.Node); err != nil {
		return nil, err
	}
	if err := p.insertRows(s, r, st); err != nil {
		return nil, err
	}
	s.plain = s.plain && len(st.Node.OnDup) == 0
	if len(st.Node.OnDup) > 0 {
		if s.onDuplicate, err = s.bindDuplicate(r, sqlparser.UpdateExprs(st.Node.OnDup)); err != nil {
			return nil, err
		}
	}
	s.rereads = s.readsItself(r)
	return s, nil
}

// readsItself reports whether the statement reads its table more than once, so
// that it could read its own rows.
func (s *Insert) readsItself(r *relation.Relation) bool {
	return rereads(r, s.exprs.Reads()) ||
		s.source != nil && len(s.source.Reads()) > 1 && rereads(r, s.source.Reads())
}

// insertColumns are the named columns, or all of the table's. An INSERT of
// nothing but defaults names none.
func insertColumns(r *relation.Relation, node *sqlparser.Insert) ([]int, error) {
	var out []int
	if len(node.Columns) == 0 {
		if rows, ok := node.Rows.(sqlparser.Values); ok && len(rows) > 0 && len(rows[0]) == 0 {
			return nil, nil
		}
		for i := range r.Columns {
			out = append(out, i)
		}
		return out, nil
	}
	seen := map[int]bool{}
	if err := checkCounts(node); err != nil {
		return nil, err
	}
	for _, name := range node.Columns {
		i, err := columnNamed(r, name.String())
		if err != nil {
			return nil, err
		}
		if seen[i] {
			return nil, mysqlerr.New(mysqlerr.FieldSpecifiedTwice, "Column '%s' specified twice", name.String())
		}
		seen[i] = true
		out = append(out, i)
	}
	return out, nil
}

func (p *preparer) insertRows(s *Insert, r *relation.Relation, st *ast.Insert) (err error) {
	switch rows := st.Node.Rows.(type) {
	case sqlparser.Values:
		return p.insertValues(s, r, rows)
	case sqlparser.SelectStatement:
		rows, s.extra = withExtra(r, rows, sqlparser.UpdateExprs(st.Node.OnDup))
		s.source, err = p.Select(p.parsed, &ast.Select{Node: rows, Hints: st.SelectHints})
		if err == nil && len(s.source.Columns) != len(s.columns)+len(s.extra) {
			err = wrongCount(1)
		}
		if err == nil {
			at := slices.Index(s.columns, colT)
			s.hexTime = at >= 0 && s.source.Columns[at].Hex
			s.charsets = charsetsOf(s.source.Columns)
		}
	}
	return err
}

// charsetsOf are the character sets of columns; nil where all are UTF-8.
func charsetsOf(columns []relation.Column) []string {
	if !slices.ContainsFunc(columns, func(c relation.Column) bool { return c.Type.Charset != "" }) {
		return nil
	}
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Type.Charset
	}
	return out
}

// checkCounts looks at the first of the rows, as MySQL does before it looks at the
// columns, and leaves SELECTs of stars to the planner.
func checkCounts(node *sqlparser.Insert) error {
	given := -1
	switch rows := node.Rows.(type) {
	case sqlparser.Values:
		given = len(rows[0])
	case *sqlparser.Select:
		given = len(rows.SelectExprs)
		for _, e := range rows.SelectExprs {
			if _, star := e.(*sqlparser.StarExpr); star {
				return nil
			}
		}
	}
	if given >= 0 && given != len(node.Columns) {
		return wrongCount(1)
	}
	return nil
}

func wrongCount(row int) error {
	return mysqlerr.New(mysqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row %d", row)
}

func (p *preparer) insertValues(s *Insert, r *relation.Relation, rows sqlparser.Values) error {
	b := s.exprs.Binder(nil)
	s.plain = true
	for i, tuple := range rows {
		if len(tuple) != len(s.columns) {
			return wrongCount(i + 1)
		}
		nodes := make([]expr.Node, len(tuple))
		for j, e := range tuple {
			if isDefault(e, r.Columns[s.columns[j]].Name) {
				continue
			}
			var err error
			if nodes[j], err = bindValue(b, s.columns[j], e); err != nil {
				return err
			}
			s.refers = s.refers || readsColumns(nodes[j])
			s.plain = s.plain && isPlain(nodes[j])
		}
		s.rows = append(s.rows, nodes)
	}
	return nil
}

// bindValue binds a value of VALUES. A placeholder is what the column converts,
// whatever its type: the statement is the same for all.
func bindValue(b *bind.Binder, column int, e sqlparser.Expr) (expr.Node, error) {
	if p, ok := e.(*ast.Param); ok {
		return &expr.Param{Index: p.Index}, nil
	}
	return bindFor(b, column, e)
}

// bindFor binds what a column is given.
func bindFor(b *bind.Binder, column int, e sqlparser.Expr) (expr.Node, error) {
	n, err := b.Bind(e)
	switch {
	case err != nil:
		return nil, err
	case column == colT:
		return bind.Bigint(n), nil
	}
	return expr.Encoded(n), nil
}

// isPlain is true of what cannot fail: its value is there.
func isPlain(n expr.Node) bool {
	switch n.(type) {
	case *expr.Param, *expr.Const:
		return true
	}
	return false
}

func readsColumns(n expr.Node) bool {
	found := false
	expr.Walk(n, func(n expr.Node) bool {
		_, ok := n.(*expr.Column)
		found = found || ok
		return !found
	})
	return found
}
