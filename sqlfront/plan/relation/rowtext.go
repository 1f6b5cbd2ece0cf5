package relation

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// ParseValue parses an expression of a table's declaration.
func ParseValue(text string) (*ast.Parsed, sqlparser.Expr, error) {
	parsed, err := parse.Parse("SELECT (" + text + "\n)")
	if err != nil {
		return nil, nil, err
	}
	list := parsed.Stmt.(*ast.Select).Node.(*sqlparser.Select).SelectExprs
	return parsed, list[0].(*ast.Item).Expr, nil
}
