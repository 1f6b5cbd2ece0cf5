package write

import (
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
	"github.com/hbasekv/hbasekv/sqlfront/write/rows"
)

// target is the table that UPDATE and DELETE change, and how its rows are
// found.
type target struct {
	table    *kv.Table
	relation *relation.Relation
	rows     *plan.Select
	exprs    *plan.RowExprs
	// rereads is true where the statement reads its table in subqueries too.
	rereads bool
}

// Exprs are the values of the assignments.
func (s *target) Exprs() *plan.RowExprs { return s.exprs }

// Reads is the SELECT that finds the rows.
func (s *target) Reads() *plan.Select { return s.rows }

// Target is the table's alias.
func (s *target) Target() string { return s.relation.Alias }

// writable is the view that a statement acts through. Those that restrict times
// are for reading (1235).
func writable(ctx *exec.Context, r *relation.Relation) (versions.View, error) {
	view, err := r.View.Resolve(ctx.View, ctx.Env)
	if err == nil && !view.Writable() {
		err = mysqlerr.Unsupported("UPDATE or DELETE of an as-of, time-range or period view")
	}
	return view, err
}

// preparer plans one statement.
type preparer struct{ *change.Preparer }

// Prepare plans an INSERT, REPLACE, UPDATE or DELETE.
func Prepare(p *plan.Planner, parsed *ast.Parsed) (change.Statement, error) {
	prep := &preparer{&change.Preparer{Planner: p, Parsed: parsed}}
	switch st := parsed.Stmt.(type) {
	case *ast.Insert:
		return prep.insert(st)
	case *ast.Update:
		return prep.update(st)
	case *ast.Delete:
		return prep.delete(st)
	}
	return nil, mysqlerr.Unsupported("this statement")
}

// find plans the SELECT of the columns of the rows to change; no columns are
// all of them.
func (p *preparer) find(r *relation.Relation, hints ast.Hints, sel *sqlparser.Select, columns ...string) (target, error) {
	for _, c := range columns {
		sel.SelectExprs = append(sel.SelectExprs, ast.NewItem(&sqlparser.ColName{Name: sqlparser.NewColIdent(c)}))
	}
	if len(columns) == 0 {
		sel.SelectExprs = sqlparser.SelectExprs{&sqlparser.StarExpr{}}
	}
	if err := change.ReadOrder(r, sel.OrderBy); err != nil {
		return target{}, err
	}
	rows, err := p.SelectPlain(p.Parsed, &ast.Select{Node: sel, Hints: hints}, []*relation.Relation{r}, len(sel.SelectExprs))
	if err != nil {
		return target{}, err
	}
	t := target{table: r.Table(), relation: r, rows: rows, exprs: p.RowExprs(p.Parsed, hints, r)}
	t.rereads = change.Rereads(r, rows.Reads()[1:])
	return t, nil
}

func (p *preparer) update(st *ast.Update) (change.Statement, error) {
	if isJoin(st.Node.TableExprs) {
		return p.updateJoin(st)
	}
	r, err := p.Single(st.Node.TableExprs, st.Hints, "UPDATE", rights.Update)
	if err != nil {
		return nil, err
	}
	if r.Typed != nil {
		return rows.Update(p.Preparer, r, st)
	}
	t, err := p.find(r, st.Hints, &sqlparser.Select{From: st.Node.TableExprs, Where: st.Node.Where,
		OrderBy: st.Node.OrderBy, Limit: st.Node.Limit})
	if err != nil {
		return nil, err
	}
	set, err := assignments(r, t.exprs.Binder(nil), st.Node.Exprs)
	if err != nil {
		return nil, err
	}
	t.rereads = t.rereads || change.Rereads(r, t.exprs.Reads())
	return &Update{target: t, set: set, ignore: st.Ignore}, nil
}

func (p *preparer) delete(st *ast.Delete) (change.Statement, error) {
	if st.Node.Targets != nil {
		return p.deleteNamed(st)
	}
	return p.deleteOne(st)
}

func (p *preparer) deleteOne(st *ast.Delete) (change.Statement, error) {
	r, err := p.Single(st.Node.TableExprs, st.Hints, "DELETE", rights.Delete)
	if err != nil {
		return nil, err
	}
	if r.Typed != nil {
		return rows.Delete(p.Preparer, r, st)
	}
	t, err := p.find(r, st.Hints, &sqlparser.Select{From: st.Node.TableExprs, Where: st.Node.Where,
		OrderBy: st.Node.OrderBy, Limit: st.Node.Limit}, relation.ColumnK, relation.ColumnQ, relation.ColumnT)
	if err != nil {
		return nil, err
	}
	return &Delete{target: t, ignore: st.Ignore}, nil
}

// assignments binds SET or ON DUPLICATE KEY UPDATE. An assignment of DEFAULT
// to a generated column says nothing and is left out.
func assignments(r *relation.Relation, b *bind.Binder, exprs sqlparser.UpdateExprs) ([]change.Assignment, error) {
	out := []change.Assignment{}
	for _, e := range exprs {
		column, err := change.ColumnOf(r, e.Name)
		if err != nil {
			return nil, err
		}
		a := change.Assignment{Column: column}
		if !change.IsDefault(e.Expr, r.Columns[column].Name) {
			if column > change.ColV {
				return nil, generatedValue(r.Table(), column)
			}
			if a.Node, err = bindFor(b, column, e.Expr); err != nil {
				return nil, err
			}
		}
		if column <= change.ColV {
			out = append(out, a)
		}
	}
	return out, nil
}
