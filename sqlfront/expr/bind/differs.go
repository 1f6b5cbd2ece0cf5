package bind

import (
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// Differs reports whether a part of a statement returns another value each time or changes the session, as
// RAND, UUID and assignments to variables do. Reading variables does not count.
func Differs(part sqlparser.SQLNode) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.FuncExpr:
			f, err := expr.Lookup(n.Name.String())
			found = found || err == nil && f.Volatile
		case *ast.SetUserVar:
			found = true
		}
		return !found, nil
	}, part)
	return found
}
