package bind

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// newCompare is a comparison of operands with any collations.
func newCompare(op expr.CompareOp, l, r expr.Node) (expr.Node, error) {
	both, err := collated(op.String(), []expr.Node{l, r})
	if err != nil {
		return nil, err
	}
	return compareCollated(op, both[0], both[1])
}

// compareCollated checks that both sides have the same number of columns, and converts hex literals that are
// compared with numbers.
func compareCollated(op expr.CompareOp, l, r expr.Node) (expr.Node, error) {
	lt, lRow := l.(*expr.Tuple)
	rt, rRow := r.(*expr.Tuple)
	switch {
	case lRow && rRow && len(lt.Items) == len(rt.Items):
		return newTupleCompare(op, lt, rt)
	case lRow:
		return nil, expr.OperandColumns(len(lt.Items))
	case rRow:
		return nil, expr.OperandColumns(1)
	}
	return &expr.Compare{Op: op, L: comparedWith(expr.IntFor(r, l), r), R: comparedWith(expr.IntFor(l, r), l)}, nil
}

func newTupleCompare(op expr.CompareOp, l, r *expr.Tuple) (expr.Node, error) {
	left, right := &expr.Tuple{Items: make([]expr.Node, len(l.Items))}, &expr.Tuple{Items: make([]expr.Node, len(l.Items))}
	for i := range l.Items {
		n, err := compareCollated(op, l.Items[i], r.Items[i])
		if err != nil {
			return nil, err
		}
		pair := n.(*expr.Compare)
		left.Items[i], right.Items[i] = pair.L, pair.R
	}
	return &expr.Compare{Op: op, L: left, R: right}, nil
}

// comparedWith is n in the form in which it is compared with other.
func comparedWith(n, other expr.Node) expr.Node { return comparedAs(n, other.Type().Kind) }

// comparedAs is n in the form in which it is compared with values of a kind: with numbers a hex literal is a
// number, with documents a condition is true or false.
func comparedAs(n expr.Node, kind value.Kind) expr.Node {
	switch {
	case kind.IsNumber():
		return numeric(n)
	case kind == value.Bytes:
		return expr.Encoded(n)
	case kind == value.JSON && n.Type().Bool:
		return &expr.Cast{X: n, To: expr.ToJSON, Length: -1}
	}
	return n
}

// ComparedWith is the left operand, which may be a row, for a subquery whose columns have these types.
func ComparedWith(left expr.Node, types []value.Type) expr.Node {
	t, row := left.(*expr.Tuple)
	switch {
	case row && len(t.Items) == len(types):
		out := &expr.Tuple{Items: make([]expr.Node, len(types))}
		for i, n := range t.Items {
			out.Items[i] = comparedAs(n, types[i].Kind)
		}
		return out
	case !row && len(types) == 1:
		return comparedAs(left, types[0].Kind)
	}
	return left
}

// converted reports whether a comparison has converted the hex literal x to a number, the condition x to a
// document, or the text x to bytes or another collation; for a row, one of its items.
func converted(x, to expr.Node) bool {
	t, row := x.(*expr.Tuple)
	if !row {
		c, cast := to.(*expr.Cast)
		collate, collates := to.(*expr.Collate)
		_, number := to.(*member.Number)
		return isHex(x) && !isHex(to) || number || cast && c.To == expr.ToJSON && c.X == x || collates && collate.X == x ||
			expr.HasCharset(x) && !expr.HasCharset(to)
	}
	for i, n := range to.(*expr.Tuple).Items {
		if converted(t.Items[i], n) {
			return true
		}
	}
	return false
}
