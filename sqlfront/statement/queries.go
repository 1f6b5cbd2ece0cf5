package statement

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/xwb1989/sqlparser"
)

// HasLimit reports whether a SELECT or a UNION has a LIMIT of its own.
func HasLimit(node sqlparser.SelectStatement) bool {
	switch n := node.(type) {
	case *sqlparser.Select:
		return n.Limit != nil
	case *sqlparser.Union:
		return n.Limit != nil
	case *sqlparser.ParenSelect:
		return HasLimit(n.Select)
	}
	return false
}

// readsTables is like Tree.ReadsTables; for statements other than SELECT it is true.
func readsTables(st ast.Statement) bool {
	query, ok := st.(*ast.Select)
	if !ok {
		return true
	}
	sel, ok := query.Node.(*sqlparser.Select)
	if !ok || len(sel.From) != 1 || sel.Where != nil {
		return true
	}
	from, ok := sel.From[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return true
	}
	name, ok := from.Expr.(*ast.Table)
	return !ok || name.Name.String() != "dual" || bind.HasSubquery(sel.SelectExprs)
}

// Verb is a writing statement's first word.
func Verb(st ast.Statement) string {
	switch st := st.(type) {
	case *ast.Insert:
		return strings.ToUpper(st.Node.Action)
	case *ast.Update:
		return "UPDATE"
	}
	return "DELETE"
}
