package write

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
	"github.com/hbasekv/hbasekv/sqlfront/write/rows"
)

func (p *preparer) insert(st *ast.Insert) (change.Statement, error) {
	want, replace := rights.Insert, strings.EqualFold(st.Node.Action, sqlparser.ReplaceStr)
	if replace {
		want |= rights.Delete
	}
	if len(st.Node.OnDup) > 0 {
		want |= rights.Update
	}
	r, err := p.Named(st.Target(), st.Hints, "", "INSERT", want)
	if err != nil {
		return nil, err
	}
	if r.Typed != nil {
		return rows.Insert(p.Preparer, r, st, replace)
	}
	s := &Insert{table: r.Table(), selection: r.Selected(), ignore: st.Ignore, replace: replace}
	s.exprs = p.RowExprs(p.Parsed, st.Hints, r)
	if s.columns, err = change.InsertColumns(r, st.Node); err != nil {
		return nil, err
	}
	if err := p.insertRows(s, r, st); err != nil {
		return nil, err
	}
	s.plain = s.plain && len(st.Node.OnDup) == 0
	if len(st.Node.OnDup) > 0 {
		d := change.Duplicates{Exprs: s.exprs, Relation: r, Source: s.source, Given: len(s.columns), Extra: s.extra}
		if s.onDuplicate, err = assignments(r, d.Binder(), sqlparser.UpdateExprs(st.Node.OnDup)); err != nil {
			return nil, err
		}
	}
	s.rereads = s.readsItself(r)
	return s, nil
}

// readsItself reports whether the statement reads its table more than once, so
// that it could read its own rows.
func (s *Insert) readsItself(r *relation.Relation) bool {
	return change.Rereads(r, s.exprs.Reads()) ||
		s.source != nil && len(s.source.Reads()) > 1 && change.Rereads(r, s.source.Reads())
}

func (p *preparer) insertRows(s *Insert, r *relation.Relation, st *ast.Insert) (err error) {
	switch rows := st.Node.Rows.(type) {
	case sqlparser.Values:
		return p.insertValues(s, r, rows)
	case sqlparser.SelectStatement:
		rows, s.extra = change.WithExtra(r, rows, sqlparser.UpdateExprs(st.Node.OnDup))
		s.source, err = p.Select(p.Parsed, &ast.Select{Node: rows, Hints: st.SelectHints})
		if err == nil && len(s.source.Columns) != len(s.columns)+len(s.extra) {
			err = change.WrongCount(1)
		}
		if err == nil {
			at := slices.Index(s.columns, change.ColT)
			s.hexTime = at >= 0 && s.source.Columns[at].Hex
			s.charsets = charsetsOf(s.source.Columns)
		}
	}
	return err
}

// charsetsOf returns the character sets of columns; nil if all are UTF-8.
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

func (p *preparer) insertValues(s *Insert, r *relation.Relation, rows sqlparser.Values) error {
	b := s.exprs.Binder(nil)
	s.plain = true
	for i, tuple := range rows {
		if len(tuple) != len(s.columns) {
			return change.WrongCount(i + 1)
		}
		nodes := make([]expr.Node, len(tuple))
		for j, e := range tuple {
			if change.IsDefault(e, r.Columns[s.columns[j]].Name) {
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

// bindValue binds a value of VALUES. The column converts a placeholder, whatever its type, so that
// the statement is the same for all types.
func bindValue(b *bind.Binder, column int, e sqlparser.Expr) (expr.Node, error) {
	if p, ok := e.(*ast.Param); ok {
		return &expr.Param{Index: p.Index}, nil
	}
	return bindFor(b, column, e)
}

// bindFor binds the value of a column.
func bindFor(b *bind.Binder, column int, e sqlparser.Expr) (expr.Node, error) {
	n, err := b.Bind(e)
	switch {
	case err != nil:
		return nil, err
	case column == change.ColT:
		return bind.Bigint(n), nil
	}
	return expr.Encoded(n), nil
}

// isPlain reports whether a value is known and its evaluation cannot fail.
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
