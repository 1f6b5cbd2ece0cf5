package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/join"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// joinConditions are a join's conditions by what they read: one side, both, or the rows above the join.
type joinConditions struct{ left, right, both, above []expr.Node }

// buildJoin gives each side the conditions on it alone, and those that follow from the other side's. In an
// outer join, conditions of WHERE on the side that may be missing are checked above the join, and conditions
// of ON on the other side inside it.
func (b *builder) buildJoin(j *block.Join, conds []expr.Node) (op.Node, error) {
	j = simplified(j, conds)
	c := b.divide(j, conds)
	for _, n := range append(append([]expr.Node(nil), c.both...), c.above...) {
		b.use(n)
	}
	b.spreadOver(j, &c)
	if b.startsRight(j, &c) {
		j = &block.Join{Left: j.Right, Right: j.Left}
		c.left, c.right = c.right, c.left
	}
	joined, err := b.joinNode(j, c.left, c.right, c.both)
	if err != nil {
		return nil, err
	}
	joined.Anti = anti(j, c.above)
	return filtered(joined, expr.Conjoin(c.above)), nil
}

// startsRight reports whether an inner join should begin with its right side: it is a single row, or a
// recursion's last step, and leads to rows of the left side.
func (b *builder) startsRight(j *block.Join, c *joinConditions) bool {
	left, ok := j.Left.(*block.Leaf)
	right, both := j.Right.(*block.Leaf)
	if j.Outer || !ok || !both || isRow(left, c.left) || !isRow(right, c.right) && right.Relation.Working == nil {
		return false
	}
	return b.leadsToRows(&block.Join{Left: j.Right, Right: j.Left}, left, c.both)
}

// isRow reports whether the conditions select one row of a stored relation.
func isRow(l *block.Leaf, conds []expr.Node) bool {
	if !l.Relation.Stored() {
		return false
	}
	k := l.Relation.KeyColumns(l.First).K
	for _, n := range conds {
		for _, side := range expr.Equated(n) {
			if column, ok := side[0].(*expr.Column); ok && column.Index == k && expr.IsConst(side[1]) {
				return true
			}
		}
	}
	return false
}

// divide sorts the conditions of WHERE and ON.
func (b *builder) divide(j *block.Join, conds []expr.Node) joinConditions {
	var c joinConditions
	for _, n := range conds {
		switch {
		case expr.IsVolatile(n):
			c.above = append(c.above, n)
		case b.within(j.Left, n):
			c.left = append(c.left, n)
		case j.Outer:
			c.above = append(c.above, n)
		case b.within(j.Right, n):
			c.right = append(c.right, n)
		default:
			c.both = append(c.both, n)
		}
	}
	for _, n := range j.On {
		switch {
		case b.within(j.Right, n) && !expr.IsVolatile(n):
			c.right = append(c.right, n)
		case !j.Outer && b.within(j.Left, n) && !expr.IsVolatile(n):
			c.left = append(c.left, n)
		default:
			c.both = append(c.both, n)
		}
	}
	return c
}

// spreadOver adds to each side the conditions that follow from the other side's and from equalities: a.K =
// b.K AND a.K > 'x' restricts b too. An outer join needs all rows of its left side, whatever the conditions
// on the right side.
func (b *builder) spreadOver(j *block.Join, c *joinConditions) {
	equal := append(append(append([]expr.Node(nil), c.left...), c.right...), c.both...)
	equal = append(append(equal, equalities(j.Left)...), equalities(j.Right)...)
	toRight := b.spread(append(append([]expr.Node(nil), c.left...), c.both...), equal, j.Right)
	if !j.Outer {
		toLeft := b.spread(append(append([]expr.Node(nil), c.right...), c.both...), equal, j.Left)
		c.left = condition.AddNew(b.Meter, c.left, toLeft)
	}
	c.right = condition.AddNew(b.Meter, c.right, toRight)
}

// joinNode makes the node of a join: the right side is looked up for each left row if a condition leads to
// its keys, else it is read once.
func (b *builder) joinNode(j *block.Join, left, right, both []expr.Node) (*join.Join, error) {
	l, err := b.build(j.Left, left)
	if err != nil {
		return nil, err
	}
	both = b.throughOuter(j.Left, b.ofFirst(j.Left, both))
	out := &join.Join{Left: l, Outer: j.Outer, On: expr.Conjoin(both), Sequence: joinedSequence(sequenceOf(l), both)}
	out.RightFirst, out.RightEnd = j.Right.Span()
	out.Kept = b.readOf(out.RightFirst, out.RightEnd)
	out.LeftFirst, out.LeftEnd = j.Left.Span()
	rememberEqual(out, both)
	b.setKeys(out, j, both)
	if block.ReadsOther(j.Right, j.Left) != nil {
		out.Each, err = b.build(j.Right, right)
		return out, err
	}
	if leaf, ok := j.Right.(*block.Leaf); ok && b.leadsToRows(j, leaf, both) {
		needV := b.used[leaf.Relation.KeyColumns(leaf.First).V]
		out.Lookup = b.lookup(leaf, j.Left, append(slices.Clone(right), both...), needV)
		if out.Merge = b.mergePlan(j, leaf, l, right, both); out.Merge == nil {
			return out, b.addOnce(out, j, right)
		}
		out.Same = b.sameAccess(j, out.Merge, left, right)
		return out, nil
	}
	if leaf, ok := j.Right.(*block.Leaf); ok && leaf.Relation.Typed != nil {
		b.addByKeys(out, j, leaf, right, both)
	} else if ok {
		if out.ByKey, err = b.buildByKey(j, leaf, right, both); err != nil {
			return nil, err
		}
	}
	if out.Right, err = b.build(j.Right, right); err != nil {
		return nil, err
	}
	turned := &block.Join{Left: j.Right, Right: j.Left}
	if leaf, ok := j.Left.(*block.Leaf); ok && !j.Outer && b.leadsToRows(turned, leaf, both) {
		needV := b.used[leaf.Relation.KeyColumns(leaf.First).V]
		out.Back = b.lookup(leaf, j.Right, append(slices.Clone(left), both...), needV)
	}
	return out, nil
}

// lookup is the access to a relation with the values of another side of a join.
func (b *builder) lookup(l *block.Leaf, other block.From, conds []expr.Node, needV bool) *scan.Access {
	a := b.access(l, expr.Conjoin(conds), needV)
	outside := a.Given
	a.Given = func(index int) bool { return block.Holds(other, index) || outside != nil && outside(index) }
	return a
}

// addOnce adds to a join by lookups the plan that reads the right side once instead.
func (b *builder) addOnce(n *join.Join, j *block.Join, right []expr.Node) (err error) {
	if len(n.LeftKeys) > 0 {
		n.Right, err = b.build(j.Right, right)
	}
	return err
}

// leadsToRows reports whether a condition sets K of a stored relation equal to an expression of the left
// side.
func (b *builder) leadsToRows(j *block.Join, l *block.Leaf, both []expr.Node) bool {
	if !l.Relation.Stored() {
		return false
	}
	k := l.Relation.KeyColumns(l.First).K
	return b.leadsToKey(j, both, func(index int) bool { return index == k })
}

// leadsToKey reports whether a condition sets a column that isKey accepts, or a function that leads to it,
// equal to an expression of the left side.
func (b *builder) leadsToKey(j *block.Join, both []expr.Node, isKey func(index int) bool) bool {
	for _, n := range both {
		for _, side := range expr.Equated(n) {
			if b.within(j.Left, side[1]) && condition.LeadsBy(side[0], side[1], isKey) {
				return true
			}
		}
	}
	return false
}

// rememberEqual notes which columns of the two sides are equal in all rows.
func rememberEqual(n *join.Join, both []expr.Node) {
	if n.Outer {
		return
	}
	n.Equal = map[int]*expr.Column{}
	for _, e := range both {
		a, b, ok := condition.EqualColumns(e)
		if !ok {
			continue
		}
		if n.ReadsRight(a) {
			a, b = b, a
		}
		if n.ReadsRight(b) && !n.ReadsRight(a) {
			n.Equal[b.Index] = a
		}
	}
}
