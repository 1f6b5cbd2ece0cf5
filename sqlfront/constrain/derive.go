package constrain

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/keyspans"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// deriver derives scan ranges from conditions.
type deriver struct {
	cols Columns
	env  *expr.Env
	// quiet evaluates constants: an expression that would warn fails, and stays in the filter. It is made
	// when it is first needed.
	quiet *expr.Env
	// nulls counts the NULLs that columns were compared with: a condition
	// without any is true or false for every row.
	nulls int
	// err is the context's error, once it is done.
	err error
}

// itemUnits is the approximate cost of an item of a list, in units of cancellation checks.
const itemUnits = 128

// steps counts an item, and is false once the context is done.
func (d *deriver) steps() bool {
	if d.err == nil {
		d.err = d.env.Step(itemUnits)
	}
	return d.err == nil
}

// sortLong sorts a list; if the context is done before a long one is sorted, the result is false.
func sortLong[T any](d *deriver, list []T, compare func(a, b T) int) bool {
	if len(list) > maxHoles && d.err == nil {
		d.err = cancelcheck.Sort(d.env.Meter(), list, compare)
	}
	return d.err == nil
}

// derive is the scan range of the rows for which n is true or, if want is false, false.
func (d *deriver) derive(n expr.Node, want bool) scanRange {
	if d.cols.Typed && want {
		alone := []conjunct{{node: n}}
		if r := d.ofTypedKey(alone); r.spans != nil {
			r.exact = alone[0].scanRange.exact
			return r
		}
	}
	switch n := n.(type) {
	case *expr.Compare:
		if b, ok := d.compareColumns(n.Op, n.L, n.R, want); ok {
			return b
		}
		if d.isOther(n.L) || d.isOther(n.R) {
			return unknown()
		}
	case *expr.And:
		return d.list(n.List, want, want)
	case *expr.Or:
		return d.list(n.List, want, !want)
	case *expr.Not:
		return d.derive(n.X, !want)
	case *expr.In:
		return d.in(n, want != n.Not)
	case *expr.Between:
		return d.between(n, want != n.Not)
	case *expr.Like:
		return d.like(n, want != n.Not)
	case *expr.IsNull:
		return d.isNull(n, want)
	case *expr.IsTruth:
		return d.isTruth(n, want)
	}
	return d.leaf(n, want)
}

// list is the scan range of the rows for which all, or any, of the conditions have the wanted value.
func (d *deriver) list(nodes []expr.Node, want, all bool) scanRange {
	if all {
		list := make([]conjunct, len(nodes))
		for i, n := range nodes {
			list[i] = conjunct{node: n, negate: !want}
		}
		return d.conjunction(list)
	}
	ranges := make([]scanRange, 0, len(nodes))
	for _, n := range nodes {
		ranges = d.alternatives(ranges, n, want)
	}
	return uniteRanges(ranges)
}

// conjunction is the scan range of the rows for which all conditions hold; it sets the scan range of
// each. A disjunction that could not be united exactly is tried again within the scan range of the
// other conditions: K >= a AND (K > a OR Q > b) is exact although K > a OR Q > b is not.
func (d *deriver) conjunction(list []conjunct) scanRange {
	again := false
	for i := range list {
		c := &list[i]
		if isDisjunction(c.node, !c.negate) {
			c.alternatives = d.alternatives(nil, c.node, !c.negate)
			c.scanRange = uniteRanges(slices.Clone(c.alternatives))
			again = again || !c.scanRange.exact
		} else {
			c.scanRange = d.derive(c.node, !c.negate)
		}
	}
	total := d.intersection(list)
	if len(list) > 1 && d.cols.Typed {
		total = total.intersect(d.ofTypedKey(list))
	}
	if !again || len(list) == 1 || total.empty() {
		return total
	}
	return distribute(total, list)
}

// intersection intersects the scan ranges of all conditions. It divides the list in halves: one by one, a
// scan range with many holes would be copied for each later condition.
func (d *deriver) intersection(list []conjunct) scanRange {
	switch len(list) {
	case 0:
		return everything()
	case 1:
		return list[0].scanRange
	}
	half := len(list) / 2
	a, b := d.intersection(list[:half]), d.intersection(list[half:])
	for range (len(a.spans) + len(b.spans) + maxHoles) / maxHoles {
		if !d.steps() {
			return unknown()
		}
	}
	return a.intersect(b)
}

// distribute unites the alternatives of inexact disjunctions within total, the scan range of all
// conditions.
func distribute(total scanRange, list []conjunct) scanRange {
	exact := true
	for i := range list {
		c := &list[i]
		if c.alternatives != nil && !c.scanRange.exact {
			total.exact = true
			for j := range c.alternatives {
				c.alternatives[j] = c.alternatives[j].intersect(total)
			}
			c.scanRange = uniteRanges(c.alternatives)
			total = total.intersect(c.scanRange)
		}
		exact = exact && c.scanRange.exact
	}
	total.exact = exact || total.empty()
	return total
}

// isDisjunction reports whether n has the wanted value if any of several conditions has.
func isDisjunction(n expr.Node, want bool) bool {
	switch n := n.(type) {
	case *expr.Or:
		return want
	case *expr.And:
		return !want
	case *expr.Not:
		return isDisjunction(n.X, !want)
	}
	return false
}

// alternatives appends the scan ranges of the alternatives of a disjunction, including nested ones, so that a
// long chain of ORs is united only once.
func (d *deriver) alternatives(ranges []scanRange, n expr.Node, want bool) []scanRange {
	if !isDisjunction(n, want) {
		return append(ranges, d.derive(n, want))
	}
	if not, ok := n.(*expr.Not); ok {
		return d.alternatives(ranges, not.X, !want)
	}
	for _, each := range n.(expr.Parent).Children() {
		ranges = d.alternatives(ranges, each, want)
	}
	return ranges
}

func (d *deriver) isNull(n *expr.IsNull, want bool) scanRange {
	if d.neverNull(n.X) {
		return always(want == n.Not)
	}
	return d.leaf(n, want)
}

// neverNull reports whether n is a key column, or the beginning of one.
func (d *deriver) neverNull(n expr.Node) bool {
	if c, ok := n.(*expr.Column); ok && c.Index == d.cols.F {
		return true
	}
	k, ok := d.key(n)
	return ok && !k.loose
}

func (d *deriver) isTruth(n *expr.IsTruth, want bool) scanRange {
	b := d.derive(n.X, n.Want)
	if want == n.Not {
		// IS NOT TRUE includes the rows for which the operand is NULL.
		return b.complement()
	}
	return b
}

// leaf is the scan range of any other condition: of constants, and of conditions on the family alone, which
// are evaluated for each family.
func (d *deriver) leaf(n expr.Node, want bool) scanRange {
	family, others := false, false
	expr.Columns(n, func(c *expr.Column) {
		others = others || d.isOther(c)
		family = family || !others
	})
	switch {
	case others || family && d.cols.Families == nil:
		return unknown()
	case family:
		return d.families(n, want)
	case !expr.IsConst(n):
		return unknown()
	}
	truth, ok := d.truth(n, nil)
	if !ok {
		return unknown()
	}
	return always(truth == truthOf(want))
}

// truth3 is a truth value of SQL: true, false or NULL.
type truth3 uint8

const (
	isFalse truth3 = iota
	isTrue
	isNull
)

func truthOf(b bool) truth3 {
	if b {
		return isTrue
	}
	return isFalse
}

// truth evaluates a condition that reads only the columns in row. ok is false if that fails or warns.
func (d *deriver) truth(n expr.Node, row []value.Value) (t truth3, ok bool) {
	env := d.quietEnv()
	env.Row = row
	for _, want := range []bool{true, false} {
		v, err := (&expr.IsTruth{X: n, Want: want}).Eval(env)
		if err != nil {
			return isNull, false
		}
		if v.Int() != 0 {
			return truthOf(want), true
		}
	}
	d.nulls++
	return isNull, true
}

func (d *deriver) families(n expr.Node, want bool) scanRange {
	if !constButColumns(n) {
		return unknown()
	}
	row := make([]value.Value, d.cols.F+1)
	out := scanRange{families: make([]bool, len(d.cols.Families)), exact: true}
	for i, family := range d.cols.Families {
		row[d.cols.F] = value.NewBytes([]byte(family))
		truth, ok := d.truth(n, row)
		if !ok {
			return unknown()
		}
		out.families[i] = truth == truthOf(want)
	}
	if out.empty() {
		return nothing()
	}
	return out
}

// isOther reports whether n is a column other than the family.
func (d *deriver) isOther(n expr.Node) bool {
	c, ok := n.(*expr.Column)
	return ok && c.Index != d.cols.F
}

// constButColumns reports whether n has the same value for all rows with the same columns.
func constButColumns(n expr.Node) bool {
	return expr.IsConst(expr.Rewrite(n, func(n expr.Node) expr.Node {
		if _, ok := n.(*expr.Column); ok {
			return &expr.Const{}
		}
		return n
	}))
}

// constant is the value of an expression without columns. ok is false for other expressions, and if it has no
// value yet, fails or warns.
func (d *deriver) constant(n expr.Node) (v value.Value, ok bool) {
	switch n := n.(type) {
	case *expr.Const:
		return n.V, true
	case *expr.Param:
		if n.Index < len(d.env.Params) {
			return d.env.Params[n.Index], true
		}
		return value.Value{}, false
	case *expr.Column:
		return value.Value{}, false
	}
	if !expr.IsConst(n) {
		return value.Value{}, false
	}
	v, err := n.Eval(d.quietEnv())
	return v.Clone(), err == nil
}

func (d *deriver) quietEnv() *expr.Env {
	if d.quiet == nil {
		d.quiet = &expr.Env{Params: d.env.Params, Env: function.Env{Ctx: d.env.Ctx, Strict: true}}
		if d.env.Session != nil {
			session := *d.env.Session
			session.AddWarning = nil
			d.quiet.Session = &session
		}
	}
	return d.quiet
}

// ofTypedKey is the scan range of all of the conditions, as far as they are on columns of a typed table's
// key. Conditions that hold for all rows in it get it as their own, exact one.
func (d *deriver) ofTypedKey(list []conjunct) scanRange {
	var conditions []expr.Node
	var of []*conjunct
	for i := range list {
		if !list[i].negate {
			conditions, of = append(conditions, list[i].node), append(of, &list[i])
		}
	}
	constants := keyspans.Constants{Value: d.constant, Head: d.head, Env: func() *function.Env { return &d.quietEnv().Env }}
	spans, implied, ok := constants.Of(conditions)
	if !ok {
		return unknown()
	}
	joint := scanRange{spans: interval.Normalize(spans)}
	for i, c := range of {
		if implied[i] {
			c.scanRange = joint
			c.scanRange.exact = true
		}
	}
	return joint
}
