package write

import (
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/xwb1989/sqlparser"

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

// writable returns the view of versions that a statement changes. The error is 1235 for one that
// restricts times, which is read-only.
func writable(ctx *exec.Context, r *relation.Relation) (versions.View, error) {
	view, err := r.View.Resolve(ctx.View, ctx.Env)
	if err == nil && !view.Writable() {
		err = mysqlerr.Unsupported("UPDATE or DELETE through a view of past versions (AS OF, time range or period)")
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

// find plans the SELECT of columns of the rows to change; no columns mean all.
func (p *preparer) find(r *relation.Relation, hints ast.Hints, sel *sqlparser.Select, columns ...string) (change.Found, error) {
	for _, c := range columns {
		sel.SelectExprs = append(sel.SelectExprs, ast.NewItem(&sqlparser.ColName{Name: sqlparser.NewColIdent(c)}))
	}
	if len(columns) == 0 {
		sel.SelectExprs = sqlparser.SelectExprs{&sqlparser.StarExpr{}}
	}
	return p.Find(r, p.RowExprs(p.Parsed, hints, r), hints, sel)
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
	set, err := assignments(r, t.Values.Binder(nil), st.Node.Exprs)
	if err != nil {
		return nil, err
	}
	t.Rereads = t.Rereads || change.Rereads(r, t.Values.Reads())
	return &Update{Found: t, set: set, ignore: st.Ignore}, nil
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
	return &Delete{Found: t, ignore: st.Ignore}, nil
}

// assignments binds SET or ON DUPLICATE KEY UPDATE. An assignment of DEFAULT to a generated column is
// left out.
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
