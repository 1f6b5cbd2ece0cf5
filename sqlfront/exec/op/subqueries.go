package op

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// Asker evaluates the subqueries of a statement's expressions.
type Asker interface {
	expr.Subqueries
	// Answer is an expression over the rows of an operator with what is known of its subqueries in
	// their place. These run now, whether or not there comes a row.
	Answer(x *Frame, n expr.Node, of Operator) (expr.Node, error)
}

// Asks is an expression that asks for rows of a query.
type Asks interface {
	expr.Node
	AsksQuery()
}

// HasSubquery reports whether an expression asks for rows of a query.
func HasSubquery(n expr.Node) bool {
	found := false
	expr.Walk(n, func(n expr.Node) bool {
		_, asks := n.(Asks)
		found = found || asks
		return !found
	})
	return found
}

// Answer is Asker.Answer, or the expression itself where nothing is to run, or rows are locked.
// Errors are those of the subquery.
func (x *Frame) Answer(n expr.Node, of Operator) (expr.Node, error) {
	if x.Stmt.Explain || x.Lock != nil || !HasSubquery(n) {
		return n, nil
	}
	return x.Stmt.Asker.Answer(x, n, of)
}

// AnswerAll is Answer of several expressions. Errors are those of the subqueries.
func (x *Frame) AnswerAll(nodes []expr.Node, of Operator) (_ []expr.Node, err error) {
	out := slices.Clone(nodes)
	for i, n := range nodes {
		if out[i], err = x.Answer(n, of); err != nil {
			return nil, err
		}
	}
	return out, nil
}
