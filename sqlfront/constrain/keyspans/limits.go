package keyspans

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/rowcodec"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

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
	case *expr.Compare, *expr.In:
		return c.compared(n)
	case *expr.Or:
		return c.anyEqual(n.List)
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

// compared recognizes a comparison with a constant, or a list of these.
func (c *Constants) compared(n expr.Node) (l partLimits, ok bool) {
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
		return l, c.listed(&l, n.List)
	}
	return l, false
}

// listed limits a column to the values of a list, without NULL, which nothing equals.
func (c *Constants) listed(l *partLimits, list []expr.Node) bool {
	l.equal = make([]value.Value, 0, len(list))
	for _, item := range list {
		v, ok := c.Value(item)
		if ok && v.IsNull() {
			continue
		}
		if v, ok = c.exactly(l, v, ok); !ok {
			return false
		}
		l.equal = append(l.equal, l.held(v))
	}
	return true
}

// anyEqual recognizes a = 1 OR a = 2 and the like, which is a list.
func (c *Constants) anyEqual(list []expr.Node) (all partLimits, ok bool) {
	all.equal = make([]value.Value, 0, len(list))
	for i, n := range list {
		l, ok := c.compared(n)
		if !ok || len(all.equal) > maxValues || l.equal == nil || i > 0 && (l.part.Part != all.part.Part || l.numbers != all.numbers) {
			return all, false
		}
		all.part, all.numbers, all.cut = l.part, l.numbers, all.cut || l.cut
		all.equal = append(all.equal, l.equal...)
	}
	return all, true
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
		return v
	}
	v, cut := l.part.Cut(v)
	l.cut = l.cut || cut
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
	return c.exactly(l, v, ok)
}

// exactly is value for the value of a constant, if ok is set.
func (c *Constants) exactly(l *partLimits, v value.Value, ok bool) (value.Value, bool) {
	switch {
	case !ok || v.IsNull():
		return value.Value{}, false
	case l.numbers:
		_, ok := l.part.Member(v)
		return v, ok
	}
	return l.part.Exactly(c.Env, v)
}
