package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// RowValue is an expression of a table's declaration, over the table's columns from 0 on. Its literals
// are its own: the arguments of the statement at hand are none of them.
func (p *Planner) RowValue(r *relation.Relation, text string) (expr.Node, error) {
	own := *p
	own.Access, own.Arguments = nil, nil
	parsed, err := parse.Parse("SELECT (" + text + "\n)")
	if err != nil {
		return nil, err
	}
	list := parsed.Stmt.(*ast.Select).Node.(*sqlparser.Select).SelectExprs
	return own.RowExprs(parsed, ast.Hints{}, r).Binder(nil).Bind(list[0].(*ast.Item).Expr)
}

// Checks are the constraints that rows of a typed table have to keep.
func (p *Planner) Checks(r *relation.Relation) (out []typed.BoundCheck, err error) {
	for _, c := range r.Typed.Checks {
		if c.NotEnforced {
			continue
		}
		n, err := p.RowValue(r, c.Text)
		if err != nil {
			return nil, err
		}
		out = append(out, typed.BoundCheck{Name: c.Name, Node: n})
	}
	return out, nil
}
