package expr

import "github.com/hbasekv/hbasekv/sqlfront/value"

// newCompare is a comparison of operands as they come.
func newCompare(op CompareOp, l, r Node) (Node, error) {
	both, err := collated(op.String(), []Node{l, r})
	if err != nil {
		return nil, err
	}
	return compareCollated(op, both[0], both[1])
}

// compareCollated checks that both sides have the same shape and makes numbers of
// hex literals that are compared with numbers.
func compareCollated(op CompareOp, l, r Node) (Node, error) {
	lt, lRow := l.(*Tuple)
	rt, rRow := r.(*Tuple)
	switch {
	case lRow && rRow && len(lt.Items) == len(rt.Items):
		return newTupleCompare(op, lt, rt)
	case lRow:
		return nil, OperandColumns(len(lt.Items))
	case rRow:
		return nil, OperandColumns(1)
	}
	return &Compare{Op: op, L: comparedWith(IntFor(r, l), r), R: comparedWith(IntFor(l, r), l)}, nil
}

func newTupleCompare(op CompareOp, l, r *Tuple) (Node, error) {
	left, right := &Tuple{make([]Node, len(l.Items))}, &Tuple{make([]Node, len(l.Items))}
	for i := range l.Items {
		n, err := compareCollated(op, l.Items[i], r.Items[i])
		if err != nil {
			return nil, err
		}
		pair := n.(*Compare)
		left.Items[i], right.Items[i] = pair.L, pair.R
	}
	return &Compare{Op: op, L: left, R: right}, nil
}

// comparedWith is n as it is compared with other.
func comparedWith(n, other Node) Node { return comparedAs(n, other.Type().Kind) }

// comparedAs is n as it is compared with values of a kind: a hex literal with numbers as a number,
// a condition with documents as true or false.
func comparedAs(n Node, kind value.Kind) Node {
	switch {
	case kind.IsNumber():
		return numeric(n)
	case kind == value.Bytes:
		return Encoded(n)
	case kind == value.JSON && n.Type().Bool:
		return &Cast{X: n, To: ToJSON, Length: -1}
	}
	return n
}

// ComparedWith is the left operand, which may be a row, of a subquery whose columns have such types.
func ComparedWith(left Node, types []value.Type) Node {
	t, row := left.(*Tuple)
	switch {
	case row && len(t.Items) == len(types):
		out := &Tuple{make([]Node, len(types))}
		for i, n := range t.Items {
			out.Items[i] = comparedAs(n, types[i].Kind)
		}
		return out
	case !row && len(types) == 1:
		return comparedAs(left, types[0].Kind)
	}
	return left
}

// converted reports whether a comparison has made a number of the hex literal x, a document of
// the condition x, or bytes or text of another collation of the text x; of a row, of one of
// its items.
func converted(x, to Node) bool {
	t, row := x.(*Tuple)
	if !row {
		c, cast := to.(*Cast)
		collate, collates := to.(*Collate)
		return isHex(x) && !isHex(to) || cast && c.To == ToJSON && c.X == x || collates && collate.X == x ||
			HasCharset(x) && !HasCharset(to)
	}
	for i, n := range to.(*Tuple).Items {
		if converted(t.Items[i], n) {
			return true
		}
	}
	return false
}
