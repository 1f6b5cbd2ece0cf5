// Package keyspans makes spans of rows of conditions on columns of a typed table's primary key, which rows
// are encoded from: equalities of the first columns, and a range of the next one.
package keyspans

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/rowcodec"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Constants evaluates what columns of a key are compared with.
type Constants struct {
	// Value is the value of an expression that is the same for all rows; false for any other.
	Value func(expr.Node) (value.Value, bool)
	// Head is what all texts that satisfy a condition begin with, if nothing else is known of them; false if
	// that is unknown.
	Head func(*expr.Like) (head value.Value, ok bool)
	// Env is the environment in which values are converted: a conversion that would warn fails.
	Env func() *function.Env
}

// maxValues bounds the values in a list from which spans are made.
const maxValues = 4096

// Of are the spans of the rows that satisfy all conditions; a condition that is not on columns of a key
// allows all. implied are the conditions that hold for every row of the spans whose key can be read. ok is
// false if the conditions do not restrict the key's first column, or the spans would be too many.
func (c *Constants) Of(conditions []expr.Node) (spans []interval.PlaceSpan, implied []bool, ok bool) {
	if in := tuplesIn(conditions); in != nil {
		return c.anyOf(in)
	}
	return c.together(conditions)
}

// together are the spans of conditions without lists of tuples.
func (c *Constants) together(conditions []expr.Node) (spans []interval.PlaceSpan, implied []bool, ok bool) {
	limits := map[int]*partLimits{}
	implied = make([]bool, len(conditions))
	for i, condition := range conditions {
		implied[i] = true
		for _, n := range itemsEqual(condition) {
			l, ok := c.limits(n)
			if !ok {
				implied[i] = false
				continue
			}
			l.conditions = []int{i}
			narrow(limits, l)
		}
	}
	if limits[0] == nil {
		return nil, nil, false
	}
	k := keySpans{limits: limits, table: limits[0].part.Table, exact: true}
	if !k.from(nil) {
		return nil, nil, false
	}
	for part, l := range limits {
		if !k.implies(part, l) {
			for _, i := range l.conditions {
				implied[i] = false
			}
		}
	}
	return k.spans, implied, true
}

// tuplesIn is the only condition of the form (a, b) IN (...); nil if there is none, or there are several.
func tuplesIn(conditions []expr.Node) *expr.In {
	if len(conditions) != 1 {
		return nil
	}
	in, ok := conditions[0].(*expr.In)
	if !ok || in.Not || len(in.List) > maxValues {
		return nil
	}
	if _, ok := in.X.(*expr.Tuple); !ok {
		return nil
	}
	return in
}

// anyOf are the spans of (a, b) IN ((c, d), ..).
func (c *Constants) anyOf(in *expr.In) (spans []interval.PlaceSpan, implied []bool, ok bool) {
	implied = []bool{true}
	for _, item := range in.List {
		one, is, ok := c.together([]expr.Node{&expr.Compare{Op: expr.Eq, L: in.X, R: item}})
		if !ok {
			return nil, nil, false
		}
		spans = append(spans, one...)
		implied[0] = implied[0] && is[0]
	}
	return spans, implied, true
}

// itemsEqual are the comparisons of the items of (a, b) = (c, d), or the condition itself.
func itemsEqual(n expr.Node) []expr.Node {
	c, ok := n.(*expr.Compare)
	if !ok || c.Op != expr.Eq {
		return []expr.Node{n}
	}
	l, ok := c.L.(*expr.Tuple)
	r, also := c.R.(*expr.Tuple)
	if !ok || !also || len(l.Items) != len(r.Items) {
		return []expr.Node{n}
	}
	out := make([]expr.Node, len(l.Items))
	for i := range l.Items {
		out[i] = &expr.Compare{Op: expr.Eq, L: l.Items[i], R: r.Items[i]}
	}
	return out
}

// fewParts is the maximum number of key columns for which Row finds the row.
const fewParts = 4

// Row is the only row that satisfies the conditions, in dst's memory if that is large enough. Each condition
// must set one of the key's few columns equal to a constant, and none may be left. params are the values of
// placeholders, env is as in Constants. It is false for other conditions.
func Row(dst []byte, conditions []expr.Node, params []value.Value, env func() *function.Env) ([]byte, bool) {
	var tuple [fewParts]value.Value
	var table *typed.Table
	for _, n := range conditions {
		c, ok := n.(*expr.Compare)
		if !ok || c.Op != expr.Eq {
			return nil, false
		}
		p, ok := c.L.(*typed.Part)
		if !ok || p.Table.OneLen() != len(conditions) || len(conditions) > fewParts || !tuple[p.Part].IsNull() {
			return nil, false
		}
		v := value.Value{}
		switch r := c.R.(type) {
		case *expr.Const:
			v = r.V
		case *expr.Param:
			if r.Index < len(params) {
				v = params[r.Index]
			}
		}
		if v.IsNull() {
			return nil, false
		}
		if tuple[p.Part], ok = p.Exactly(env, v); !ok {
			return nil, false
		}
		if _, less := p.Cut(v); less {
			return nil, false
		}
		table = p.Table
	}
	row, err := table.AppendOne(dst[:0], tuple[:len(conditions)])
	return row, err == nil
}

// partLimits are the restrictions of conditions on one column of the key.
type partLimits struct {
	part *typed.Part
	// numbers says that an ENUM or SET is compared by the numbers of its members: low and high are numbers,
	// too.
	numbers bool
	// equal are the values that it may have; nil if they are not listed.
	equal []value.Value
	low   rowcodec.Bound
	high  rowcodec.Bound
	// conditions are the sources of the limits; several says that more than one of them restricts values.
	conditions []int
	several    bool
	// head is what its texts begin with; empty if unknown.
	head []byte
	// cut says that the key may hold less than the column's values.
	cut bool
}

// narrow combines a condition's limits on a column with those of others. Of two lists of values it keeps the
// shorter one: the filter checks both.
func narrow(limits map[int]*partLimits, l partLimits) {
	old := limits[l.part.Part]
	if old == nil {
		limits[l.part.Part] = &l
		return
	}
	old.conditions = append(old.conditions, l.conditions...)
	old.cut = old.cut || l.cut
	old.several = old.several || l.equal != nil || old.equal != nil || l.head != nil || old.head != nil
	if l.equal != nil && (old.equal == nil || len(l.equal) < len(old.equal)) {
		old.equal = l.equal
	}
	if len(l.head) > len(old.head) {
		old.head = l.head
	}
	if tighter(l.low, old.low, 1) {
		old.low = l.low
	}
	if tighter(l.high, old.high, -1) {
		old.high = l.high
	}
}

// tighter reports whether a bound leaves out more than another one; beyond is the sign of the order in which
// tighter ones come.
func tighter(b, than rowcodec.Bound, beyond int) bool {
	switch {
	case b.Value.IsNull():
		return false
	case than.Value.IsNull():
		return true
	}
	order := value.Order(b.Value, than.Value)
	return order == beyond || order == 0 && b.Open
}

// limits recognizes a comparison of a column of the key with constants.
func (c *Constants) limits(n expr.Node) (l partLimits, ok bool) {
	switch n := n.(type) {
	case *expr.Compare:
		op, x, y := n.Op, n.L, n.R
		if !l.isOf(x) {
			if op, x, y = op.Swap(), y, x; !l.isOf(x) {
				return l, false
			}
		}
		v, ok := c.value(&l, y)
		return l, ok && l.limit(op, v)
	case *expr.In:
		if n.Not || len(n.List) > maxValues || !l.isOf(n.X) {
			return l, false
		}
		for _, item := range n.List {
			v, ok := c.value(&l, item)
			if !ok {
				return l, false
			}
			l.equal = append(l.equal, l.held(v))
		}
		return l, true
	case *expr.Between:
		if n.Not || !l.isOf(n.X) {
			return l, false
		}
		low, ok := c.value(&l, n.Lo)
		high, also := c.value(&l, n.Hi)
		return l, ok && also && l.limit(expr.Ge, low) && l.limit(expr.Le, high)
	case *expr.IsNull:
		if l.part, ok = n.X.(*typed.Part); !n.Not {
			l.equal = []value.Value{{}}
		}
		return l, ok && l.part.Nullable()
	case *expr.Like:
		if l.part, ok = n.X.(*typed.Part); !ok || n.Not {
			return l, false
		}
		head, ok := c.Head(n)
		if !ok || !l.part.HoldsStrings() || !l.part.Comparable(head) {
			return l, false
		}
		head, _ = l.part.Cut(head)
		l.head = head.Raw()
		return l, len(l.head) > 0
	}
	return l, false
}

// isOf reports whether an expression is a column of the key, or its numbers, and sets the column in the
// limits.
func (l *partLimits) isOf(n expr.Node) (ok bool) {
	n, l.numbers = member.Column(n)
	l.part, ok = n.(*typed.Part)
	return ok
}

// held is as much of a value as the key holds; for a number, the member.
func (l *partLimits) held(v value.Value) value.Value {
	if l.numbers {
		v, _ = l.part.Member(v)
	} else {
		v, l.cut = l.part.Cut(v)
	}
	return v
}

// limit adds a comparison of a column with a value. If the key holds less than the column's values, bounds
// are inclusive: other values share their rows.
func (l *partLimits) limit(op expr.CompareOp, v value.Value) bool {
	switch op {
	case expr.Eq, expr.NullSafeEq:
		l.equal = []value.Value{l.held(v)}
		return true
	}
	if l.part.Sorts(!l.numbers) { // texts of members are ordered differently from the key
		return false
	}
	if !l.numbers {
		v, l.cut = l.part.Cut(v)
	}
	switch op {
	case expr.Lt, expr.Le:
		l.high = rowcodec.Bound{Value: v, Open: op == expr.Lt && !l.cut}
	case expr.Gt, expr.Ge:
		l.low = rowcodec.Bound{Value: v, Open: op == expr.Gt && !l.cut}
	default:
		return false
	}
	return true
}

// value is a constant as a column of the key holds it, if comparing that gives the same result; or the number
// of a member.
func (c *Constants) value(l *partLimits, n expr.Node) (value.Value, bool) {
	v, ok := c.Value(n)
	switch {
	case !ok || v.IsNull():
		return value.Value{}, false
	case l.numbers:
		_, ok := l.part.Member(v)
		return v, ok
	}
	return l.part.Exactly(c.Env, v)
}

// keySpans collects the spans of rows.
type keySpans struct {
	limits map[int]*partLimits
	table  *typed.Table
	spans  []interval.PlaceSpan
	exact  bool // each span is
	bound  int  // the number of columns, from the first, from which the spans are made
}

// implies reports whether the limits of a column hold for every key in the spans.
func (k *keySpans) implies(part int, l *partLimits) bool {
	return k.exact && !l.several && part < k.bound && !l.cut
}

// maxKeySpans bounds the spans that result from combining the lists of several columns.
const maxKeySpans = 1 << 14

// from adds the spans of the rows whose first columns have these values. It is false if there are too many,
// or values that a key cannot have.
func (k *keySpans) from(first []value.Value) bool {
	l := k.limits[len(first)]
	switch {
	case len(k.spans) > maxKeySpans:
		return false
	case l == nil || len(first) == k.table.KeyLen():
		k.bound = len(first)
		k.add(k.table.RowsEqual(first))
		return true
	case l.equal == nil:
		k.between(first, l)
		return true
	}
	for _, v := range l.equal {
		if !k.from(append(slices.Clip(first), v)) {
			return false
		}
	}
	return true
}

// between adds the span of the rows whose next column is within its limits.
func (k *keySpans) between(first []value.Value, l *partLimits) {
	switch {
	case !l.part.Sorts(l.numbers):
		k.bound = len(first)
		k.add(k.table.RowsEqual(first))
		return
	case l.low.Value.IsNull() && l.high.Value.IsNull():
		k.add(k.table.RowsStarting(first, l.head))
		return
	}
	k.bound = len(first) + 1
	low, high := l.low, l.high
	if l.numbers {
		low.Value, _ = l.part.Member(low.Value)
		high.Value, _ = l.part.Member(high.Value)
	}
	k.add(k.table.RowsBetween(first, low, high))
}

// add adds a span of rows.
func (k *keySpans) add(s rowcodec.Span) {
	k.exact = k.exact && s.Exact
	out := interval.PlaceSpan{Lo: interval.BeforeRow(s.Start), Hi: interval.Place{After: true}}
	if s.End != nil {
		out.Hi = interval.BeforeRow(s.End)
	}
	k.spans = append(k.spans, out)
}
