package kernel

import "github.com/hbasekv/hbasekv/sqlfront/expr"

// maxNodes limits the size of expressions that are compiled, which takes time.
const maxNodes = 1 << 10

// Pure reports whether an expression may be evaluated for rows in any order, and repeatedly: it has
// no side effects and runs no subquery. Very large expressions are not pure.
func Pure(n expr.Node) bool {
	pure, nodes := true, 0
	var each func(n expr.Node) bool
	each = func(n expr.Node) bool {
		nodes++
		pure = pure && nodes <= maxNodes && pureNode(n)
		if in, ok := n.(*expr.In); ok && in.ConstantList() {
			expr.Walk(in.X, each)
			return false
		}
		return pure
	}
	expr.Walk(n, each)
	return pure
}

// pureNode is Pure for a node without its children.
func pureNode(n expr.Node) bool {
	switch n := n.(type) {
	case *expr.Call:
		return !n.Volatile()
	case expr.Volatile:
		return false
	case *expr.Column, *expr.Const, *expr.Param, expr.Parent:
		return true
	}
	return false
}
