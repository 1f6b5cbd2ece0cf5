package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// RowValue binds an expression in the declaration of a typed table, over the table's columns from 0 on. Its
// literals do not become arguments of the current statement, and it needs no privileges.
func (p *Planner) RowValue(r *relation.Relation, text string) (expr.Node, error) {
	own := *p
	own.Access, own.Arguments = nil, nil
	parsed, e, err := relation.ParseValue(text)
	if err != nil {
		return nil, err
	}
	exprs := own.RowExprs(parsed, ast.Hints{}, r)
	return exprs.Binder(ownColumns{exprs}).Bind(e)
}

// ownColumns is a scope of the columns of one table, which may have been renamed since the expression was
// written.
type ownColumns struct{ *RowExprs }

// Resolve finds a column.
func (o ownColumns) Resolve(_, column string) (expr.Node, error) {
	return o.RowExprs.Resolve("", column)
}
