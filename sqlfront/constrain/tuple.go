package constrain

import "github.com/hbasekv/hbasekv/sqlfront/expr"

// compareTuples is the scan range of a row comparison, item by item
// (https://dev.mysql.com/doc/refman/5.7/en/comparison-operators.html).
func (d *deriver) compareTuples(op expr.CompareOp, l *expr.Tuple, rn expr.Node, want bool) scanRange {
	r, ok := rn.(*expr.Tuple)
	if !ok || len(r.Items) != len(l.Items) {
		return unknown()
	}
	switch op {
	case expr.Eq, expr.NullSafeEq:
		return d.tuplesEqual(op, l, r, want)
	case expr.Ne:
		return d.tuplesEqual(expr.Eq, l, r, !want)
	}
	if !want {
		op = op.Negate()
	}
	return d.tuplesOrdered(op, l.Items, r.Items)
}

func (d *deriver) tuplesEqual(op expr.CompareOp, l, r *expr.Tuple, want bool) scanRange {
	if want {
		out := everything()
		for i := range l.Items {
			out = out.intersect(d.compare(op, l.Items[i], r.Items[i], true))
		}
		return out
	}
	ranges := make([]scanRange, len(l.Items))
	for i := range l.Items {
		ranges[i] = d.compare(op, l.Items[i], r.Items[i], false)
	}
	return uniteRanges(ranges)
}

// tuplesOrdered expands (a, b, ..) op (x, y, ..) to a op x, strictly, or a = x and b op y, strictly, and so
// on; the last items may be equal if op allows it.
func (d *deriver) tuplesOrdered(op expr.CompareOp, l, r []expr.Node) scanRange {
	strict := op
	switch op {
	case expr.Le:
		strict = expr.Lt
	case expr.Ge:
		strict = expr.Gt
	}
	ranges := make([]scanRange, len(l))
	tied := everything()
	for i := range l {
		if i == len(l)-1 {
			strict = op
		}
		ranges[i] = tied.intersect(d.compare(strict, l[i], r[i], true))
		tied = tied.intersect(d.compare(expr.Eq, l[i], r[i], true))
	}
	return uniteRanges(ranges)
}
