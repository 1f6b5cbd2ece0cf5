package op

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// Asker evaluates the subqueries of a statement's expressions.
type Asker interface {
	expr.Subqueries
	// Answer returns an expression over the rows of an operator in which subqueries are replaced by
	// what is known of them. These run now, even if there are no rows.
	Answer(x *Frame, n expr.Node, of Operator) (expr.Node, error)
}

// Asks is an expression that reads rows of a query.
type Asks interface {
	expr.Node
	AsksQuery()
}

// HasSubquery reports whether an expression reads rows of a query.
func HasSubquery(n expr.Node) bool {
	found := false
	expr.Walk(n, func(n expr.Node) bool {
		_, asks := n.(Asks)
		found = found || asks
		return !found
	})
	return found
}

// Answer is Asker.Answer; it returns the expression itself if nothing is to be run, or rows are
// locked. Errors are those of the subquery.
func (x *Frame) Answer(n expr.Node, of Operator) (expr.Node, error) {
	if x.Stmt.Explain || x.Lock != nil || !HasSubquery(n) {
		return n, nil
	}
	return x.Stmt.Asker.Answer(x, n, of)
}

// AnswerAll is Answer for several expressions. Errors are those of the subqueries.
func (x *Frame) AnswerAll(nodes []expr.Node, of Operator) (_ []expr.Node, err error) {
	out := slices.Clone(nodes)
	for i, n := range nodes {
		if out[i], err = x.Answer(n, of); err != nil {
			return nil, err
		}
	}
	return out, nil
}
