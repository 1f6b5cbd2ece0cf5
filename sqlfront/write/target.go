package write

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
)

// The columns of every table, by their index. Generated columns follow.
const (
	colK = iota
	colQ
	colT
	colV
)

// target is the table that UPDATE and DELETE change, and how its rows are
// found.
type target struct {
	table    *kv.Table
	relation *plan.Relation
	rows     *plan.Select
}

// Reads is the SELECT that finds the rows.
func (s *target) Reads() *plan.Select { return s.rows }

// Target is the table's alias.
func (s *target) Target() string { return s.relation.Alias }

// view is the view that the statement acts through. Those that restrict times
// are for reading (1235).
func (s *target) view(ctx *plan.Context) (plan.View, error) {
	view, err := s.relation.View().Resolve(ctx.View, ctx.Env.Params)
	if err == nil && !view.Writable() {
		err = mysqlerr.Unsupported("UPDATE or DELETE of an as-of, time-range or period view")
	}
	return view, err
}

// preparer plans one statement.
type preparer struct {
	*plan.Planner
	parsed *parse.Parsed
}

// Prepare plans an INSERT, REPLACE, UPDATE or DELETE.
func Prepare(p *plan.Planner, parsed *parse.Parsed) (Statement, error) {
	prep := &preparer{Planner: p, parsed: parsed}
	switch st := parsed.Stmt.(type) {
	case *parse.Insert:
		return prep.insert(st)
	case *parse.Update:
		return prep.update(st)
	case *parse.Delete:
		return prep.delete(st)
	}
	return nil, mysqlerr.Unsupported("this statement")
}

// named finds a table that can be changed; verb is for the error's sentence.
func (p *preparer) named(name sqlparser.TableName, hints parse.Hints, alias, verb string) (*plan.Relation, error) {
	r, err := p.TableNamed(p.parsed, hints, parse.Table(name), alias)
	if err != nil {
		return nil, err
	}
	if r.Table() == nil {
		return nil, mysqlerr.New(mysqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", r.Name, verb)
	}
	return r, nil
}

// single is the one table of UPDATE or DELETE.
func (p *preparer) single(from sqlparser.TableExprs, hints parse.Hints, alias, verb string) (*plan.Relation, error) {
	if len(from) != 1 {
		return nil, mysqlerr.Unsupported("multi-table " + verb)
	}
	aliased, ok := from[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return nil, mysqlerr.Unsupported("multi-table " + verb)
	}
	name, ok := aliased.Expr.(sqlparser.TableName)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable",
			aliased.As.String(), verb)
	}
	if alias == "" {
		alias = aliased.As.String()
	} else {
		aliased.As = sqlparser.NewTableIdent(alias)
	}
	return p.named(name, hints, alias, verb)
}

// find plans the SELECT of the columns of the rows to change; no columns are
// all of them.
func (p *preparer) find(r *plan.Relation, hints parse.Hints, sel *sqlparser.Select, columns ...string) (target, error) {
	for _, c := range columns {
		sel.SelectExprs = append(sel.SelectExprs, &sqlparser.AliasedExpr{Expr: &sqlparser.ColName{Name: sqlparser.NewColIdent(c)}})
	}
	if len(columns) == 0 {
		sel.SelectExprs = sqlparser.SelectExprs{&sqlparser.StarExpr{}}
	}
	rows, err := p.Select(p.parsed, &parse.Select{Node: sel, Hints: hints})
	return target{table: r.Table(), relation: r, rows: rows}, err
}

func (p *preparer) update(st *parse.Update) (Statement, error) {
	r, err := p.single(st.Node.TableExprs, st.Hints, "", "UPDATE")
	if err != nil {
		return nil, err
	}
	t, err := p.find(r, st.Hints, &sqlparser.Select{From: st.Node.TableExprs, Where: st.Node.Where,
		OrderBy: st.Node.OrderBy, Limit: st.Node.Limit})
	if err != nil {
		return nil, err
	}
	binder := &expr.Binder{Scope: r.Scope("field list"), Literals: p.parsed.Literals}
	set, err := p.assignments(r, binder, st.Node.Exprs)
	if err != nil {
		return nil, err
	}
	return &Update{target: t, set: set, ignore: st.Ignore}, nil
}

func (p *preparer) delete(st *parse.Delete) (Statement, error) {
	if len(st.Node.Targets) > 0 {
		return nil, mysqlerr.Unsupported("multi-table DELETE")
	}
	r, err := p.single(st.Node.TableExprs, st.Hints, st.Alias, "DELETE")
	if err != nil {
		return nil, err
	}
	t, err := p.find(r, st.Hints, &sqlparser.Select{From: st.Node.TableExprs, Where: st.Node.Where,
		OrderBy: st.Node.OrderBy, Limit: st.Node.Limit}, plan.ColumnK, plan.ColumnQ, plan.ColumnT)
	if err != nil {
		return nil, err
	}
	return &Delete{target: t, ignore: st.Ignore}, nil
}

// assignments binds SET or ON DUPLICATE KEY UPDATE. An assignment of DEFAULT
// to a generated column says nothing and is left out.
func (p *preparer) assignments(r *plan.Relation, b *expr.Binder, exprs sqlparser.UpdateExprs) ([]assignment, error) {
	out := []assignment{}
	for _, e := range exprs {
		column, err := columnOf(r, e.Name)
		if err != nil {
			return nil, err
		}
		a := assignment{column: column}
		if !isDefault(e.Expr) {
			if column > colV {
				return nil, generatedValue(r.Table(), column)
			}
			if a.node, err = b.Bind(e.Expr); err != nil {
				return nil, err
			}
		}
		if column <= colV {
			out = append(out, a)
		}
	}
	return out, nil
}

// columnOf is the column that an assignment's left side names.
func columnOf(r *plan.Relation, name *sqlparser.ColName) (int, error) {
	qualifier := parse.Table(name.Qualifier)
	if qualifier.Name != "" && qualifier.Name != r.Alias {
		return 0, unknownColumn(qualifier.Name + "." + name.Name.String())
	}
	return columnNamed(r, name.Name.String())
}

func columnNamed(r *plan.Relation, name string) (int, error) {
	if i := r.Find(name); i >= 0 {
		return i, nil
	}
	return 0, unknownColumn(name)
}

func unknownColumn(name string) error {
	return mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'field list'", name)
}

// isDefault reports whether the expression is DEFAULT, or DEFAULT of a column:
// all of a column's defaults are the same.
func isDefault(e sqlparser.Expr) bool {
	_, ok := e.(*sqlparser.Default)
	return ok
}

func (p *preparer) insert(st *parse.Insert) (Statement, error) {
	r, err := p.named(st.Node.Table, st.Hints, "", "INSERT")
	if err != nil {
		return nil, err
	}
	s := &Insert{table: r.Table(), partitions: r.Selected(), ignore: st.Ignore,
		replace: strings.EqualFold(st.Node.Action, sqlparser.ReplaceStr)}
	if s.columns, err = insertColumns(r, st.Node); err != nil {
		return nil, err
	}
	if err := p.insertRows(s, r, st); err != nil {
		return nil, err
	}
	if len(st.Node.OnDup) > 0 {
		s.onDuplicate, err = p.onDuplicate(r, sqlparser.UpdateExprs(st.Node.OnDup))
	}
	return s, err
}

// insertColumns are the named columns, or all of the table's. An INSERT of
// nothing but defaults names none.
func insertColumns(r *plan.Relation, node *sqlparser.Insert) ([]int, error) {
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

func (p *preparer) insertRows(s *Insert, r *plan.Relation, st *parse.Insert) (err error) {
	switch rows := st.Node.Rows.(type) {
	case sqlparser.Values:
		return p.insertValues(s, r, rows)
	case sqlparser.SelectStatement:
		s.source, err = p.Select(p.parsed, &parse.Select{Node: rows, Hints: st.SelectHints})
		if err == nil && len(s.source.Columns) != len(s.columns) {
			err = wrongCount(1)
		}
	}
	return err
}

func wrongCount(row int) error {
	return mysqlerr.New(mysqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row %d", row)
}

func (p *preparer) insertValues(s *Insert, r *plan.Relation, rows sqlparser.Values) error {
	b := &expr.Binder{Literals: p.parsed.Literals, Scope: r.Scope("field list")}
	for i, tuple := range rows {
		if len(tuple) != len(s.columns) {
			return wrongCount(i + 1)
		}
		nodes := make([]expr.Node, len(tuple))
		for j, e := range tuple {
			if isDefault(e) {
				continue
			}
			var err error
			if nodes[j], err = b.Bind(e); err != nil {
				return err
			}
			s.refers = s.refers || readsColumns(nodes[j])
		}
		s.rows = append(s.rows, nodes)
	}
	return nil
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

// onDuplicate binds ON DUPLICATE KEY UPDATE over the existing row and, behind
// it, the given one. Unqualified columns are the existing row's.
func (p *preparer) onDuplicate(r *plan.Relation, exprs sqlparser.UpdateExprs) ([]assignment, error) {
	b := &expr.Binder{Scope: r.Scope("field list"), Literals: p.parsed.Literals}
	b.Values = func(name string) (expr.Node, error) {
		i, err := columnNamed(r, name)
		if err != nil {
			return nil, err
		}
		return &expr.Column{Index: len(r.Columns) + i, Name: name, T: r.Columns[i].Type}, nil
	}
	return p.assignments(r, b, exprs)
}
