package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// readOutside marks the columns that are read by more than the conditions of
// their own relation.
func (b *blockPlanner) readOutside() {
	b.used = condition.ColumnsIn(b.computed())
	for _, n := range readByLaterals(b.from) {
		b.use(n)
	}
}

func (b *blockPlanner) use(n expr.Node) {
	expr.Columns(n, func(c *expr.Column) { b.used[c.Index] = true })
}

// build makes the node of a table expression whose rows satisfy the
// conditions.
func (b *blockPlanner) build(from fromItem, conds []expr.Node) (exec.Node, error) {
	if l, ok := from.(*leaf); ok {
		return b.buildLeaf(l, conds)
	}
	j := from.(*joinItem)
	if !b.ordering {
		b.ordering = true
		n, err := b.ordered(j, conds)
		if b.ordering = false; n != nil || err != nil {
			return n, err
		}
	}
	return b.buildJoin(j, conds)
}

func (b *blockPlanner) buildLeaf(l *leaf, conds []expr.Node) (exec.Node, error) {
	where := expr.Conjoin(conds)
	switch l.relation.Kind {
	case relation.KindTable, relation.KindGroup:
		needV := b.used[l.relation.KeyColumns(l.first).V]
		return b.access(l, where, needV), nil
	case relation.KindVirtual:
		r := l.relation
		return &exec.Virtual{Database: r.Database, Name: r.Name, Alias: r.Alias, Table: r.Virtual, First: l.first,
			Where: where}, nil
	case relation.KindDerived:
		return b.buildDerived(l, conds)
	case relation.KindJSON:
		return b.buildJSONTable(l, where)
	case relation.KindWorking:
		r := l.relation
		return filtered(&exec.Working{Of: r.Working, Alias: r.Alias, First: l.first, Columns: len(r.Columns)}, where), nil
	}
	return filtered(exec.Dual{}, where), nil
}

// buildDerived makes the node of a subquery in FROM, which is asked for no
// more than is read of it.
func (b *blockPlanner) buildDerived(l *leaf, conds []expr.Node) (exec.Node, error) {
	n := newDerived(l, l.derived)
	n.giveLateral(l)
	rest := append(slices.Clone(conds), l.on...)
	if n.Over = l.over; n.Over == nil {
		rest = b.pushInto(n, rest)
	} else {
		n.fillGiven() // and no condition: Over has none
	}
	n.Same = n.same()
	for _, cond := range rest {
		b.use(cond)
	}
	l.derived.prune(func(i int) bool { return b.used[l.first+i] })
	return filtered(n.Derived, expr.Conjoin(rest)), l.derived.complete()
}

func (b *blockPlanner) access(l *leaf, where expr.Node, needV bool) *exec.Access {
	a := l.relation.Access(l.first, where, needV)
	if len(b.correlations) > 0 || b.given {
		a.Given = func(index int) bool { return b.scope.At(index) == nil }
	}
	return a
}

func filtered(child exec.Node, where expr.Node) exec.Node {
	if where == nil {
		return child
	}
	return &exec.Filter{Child: child, Cond: where, Title: "where"}
}

// buildJoin gives each side the conditions that only it has to do with, and
// those that follow from the other side's. Of an outer join, conditions of
// WHERE on the side that may be missing are asked above the join, and
// conditions of ON on the other side inside it.
func (b *blockPlanner) buildJoin(j *joinItem, conds []expr.Node) (exec.Node, error) {
	j = j.simplified(conds)
	c := b.divide(j, conds)
	for _, n := range append(append([]expr.Node(nil), c.both...), c.above...) {
		b.use(n)
	}
	b.spreadOver(j, &c)
	if b.startsRight(j, &c) {
		j = &joinItem{left: j.right, right: j.left}
		c.left, c.right = c.right, c.left
	}
	joined, err := b.joinNode(j, c.left, c.right, c.both)
	if err != nil {
		return nil, err
	}
	joined.Anti = j.anti(c.above)
	return filtered(joined, expr.Conjoin(c.above)), nil
}

// startsRight reports whether an inner join had better begin with its right
// side: that is a row, or what a recursion has given last, and leads to rows of the
// left side.
func (b *blockPlanner) startsRight(j *joinItem, c *joinConditions) bool {
	left, ok := j.left.(*leaf)
	right, both := j.right.(*leaf)
	if j.outer || !ok || !both || isRow(left, c.left) || !isRow(right, c.right) && right.relation.Working == nil {
		return false
	}
	return b.leadsToRows(&joinItem{left: j.right, right: j.left}, left, c.both)
}

// isRow reports whether the conditions say which row of a stored relation is
// read.
func isRow(l *leaf, conds []expr.Node) bool {
	if !l.relation.Stored() {
		return false
	}
	k := l.relation.KeyColumns(l.first).K
	for _, n := range conds {
		for _, side := range expr.Equated(n) {
			if column, ok := side[0].(*expr.Column); ok && column.Index == k && expr.IsConst(side[1]) {
				return true
			}
		}
	}
	return false
}

// joinConditions are what a join's conditions are about: one side, both, or
// the rows above the join.
type joinConditions struct{ left, right, both, above []expr.Node }

// divide sorts the conditions of WHERE and ON.
func (b *blockPlanner) divide(j *joinItem, conds []expr.Node) joinConditions {
	var c joinConditions
	for _, n := range conds {
		switch {
		case expr.IsVolatile(n):
			c.above = append(c.above, n)
		case b.within(j.left, n):
			c.left = append(c.left, n)
		case j.outer:
			c.above = append(c.above, n)
		case b.within(j.right, n):
			c.right = append(c.right, n)
		default:
			c.both = append(c.both, n)
		}
	}
	for _, n := range j.on {
		switch {
		case b.within(j.right, n) && !expr.IsVolatile(n):
			c.right = append(c.right, n)
		case !j.outer && b.within(j.left, n) && !expr.IsVolatile(n):
			c.left = append(c.left, n)
		default:
			c.both = append(c.both, n)
		}
	}
	return c
}

// simplified is the join as an inner one where a condition refuses the rows
// that it makes of NULLs.
func (j *joinItem) simplified(conds []expr.Node) *joinItem {
	if !j.outer {
		return j
	}
	for _, n := range conds {
		if refusesNull(n, j.right) {
			inner := *j
			inner.outer = false
			return &inner
		}
	}
	return j
}

// spreadOver adds to each side the conditions that follow from the other's and
// from what is equal: a.K = b.K AND a.K > 'x' restricts b too. All rows of an
// outer join's left side are wanted, whatever is asked of the right one.
func (b *blockPlanner) spreadOver(j *joinItem, c *joinConditions) {
	equal := append(append(append([]expr.Node(nil), c.left...), c.right...), c.both...)
	equal = append(append(equal, equalities(j.left)...), equalities(j.right)...)
	toRight := b.spread(append(append([]expr.Node(nil), c.left...), c.both...), equal, j.right)
	if !j.outer {
		c.left = condition.AddNew(&b.Meter, c.left, b.spread(append(append([]expr.Node(nil), c.right...), c.both...), equal, j.left))
	}
	c.right = condition.AddNew(&b.Meter, c.right, toRight)
}

// within reports whether n reads no relation's column outside of the item's.
func (b *blockPlanner) within(from fromItem, n expr.Node) bool {
	return expr.OnlyColumns(n, func(index int) bool { return holds(from, index) || b.scope.At(index) == nil })
}

// holds reports whether the column is one of the item's relations.
func holds(from fromItem, index int) bool {
	if j, ok := from.(*joinItem); ok {
		return holds(j.left, index) || holds(j.right, index)
	}
	first, end := from.span()
	return index >= first && index < end
}

// joinNode makes the node of a join: the right side is looked up for each left
// row where a condition leads to its keys, else it is read once.
func (b *blockPlanner) joinNode(j *joinItem, left, right, both []expr.Node) (*exec.Join, error) {
	l, err := b.build(j.left, left)
	if err != nil {
		return nil, err
	}
	both = b.throughOuter(j.left, b.ofFirst(j.left, both))
	out := &exec.Join{Left: l, Outer: j.outer, On: expr.Conjoin(both), Sequence: joinedSequence(sequenceOf(l), both)}
	out.RightFirst, out.RightEnd = j.right.span()
	out.Kept = b.readOf(out.RightFirst, out.RightEnd)
	out.LeftFirst, out.LeftEnd = j.left.span()
	rememberEqual(out, both)
	b.setKeys(out, j, both)
	if readsOther(j.right, j.left) != nil {
		out.Each, err = b.build(j.right, right)
		return out, err
	}
	if leaf, ok := j.right.(*leaf); ok && b.leadsToRows(j, leaf, both) {
		needV := b.used[leaf.relation.KeyColumns(leaf.first).V]
		out.Lookup = b.lookup(leaf, j.left, append(slices.Clone(right), both...), needV)
		if out.Merge = b.mergePlan(j, leaf, l, right, both); out.Merge == nil {
			return out, b.addOnce(out, j, right)
		}
		out.Same = b.sameAccess(j, out.Merge, left, right)
		return out, nil
	}
	if leaf, ok := j.right.(*leaf); ok {
		if out.Few, err = b.buildFew(j, leaf, right, both); err != nil {
			return nil, err
		}
	}
	if out.Right, err = b.build(j.right, right); err != nil {
		return nil, err
	}
	turned := &joinItem{left: j.right, right: j.left}
	if leaf, ok := j.left.(*leaf); ok && !j.outer && b.leadsToRows(turned, leaf, both) {
		needV := b.used[leaf.relation.KeyColumns(leaf.first).V]
		out.Back = b.lookup(leaf, j.right, append(slices.Clone(left), both...), needV)
	}
	return out, nil
}

// readOf are the columns of a span that are read by more than the conditions of their own
// relation.
func (b *blockPlanner) readOf(first, end int) (out []int) {
	for index := first; index < end; index++ {
		if b.used[index] {
			out = append(out, index)
		}
	}
	return out
}

// lookup is the access to a relation with the values of another side of a join.
func (b *blockPlanner) lookup(l *leaf, other fromItem, conds []expr.Node, needV bool) *exec.Access {
	a := b.access(l, expr.Conjoin(conds), needV)
	outside := a.Given
	a.Given = func(index int) bool { return holds(other, index) || outside != nil && outside(index) }
	return a
}

// addOnce adds to a join by lookups how the right side is read once instead.
func (b *blockPlanner) addOnce(n *exec.Join, j *joinItem, right []expr.Node) (err error) {
	if len(n.LeftKeys) > 0 {
		n.Right, err = b.build(j.right, right)
	}
	return err
}

// leadsToRows reports whether a condition sets the K of a stored relation
// equal to something of the left side.
func (b *blockPlanner) leadsToRows(j *joinItem, l *leaf, both []expr.Node) bool {
	if !l.relation.Stored() {
		return false
	}
	k := l.relation.KeyColumns(l.first).K
	return b.leadsToKey(j, both, func(index int) bool { return index == k })
}

// leadsToKey reports whether a condition sets a column that isKey accepts, or a function
// that leads to it, equal to something of the left side.
func (b *blockPlanner) leadsToKey(j *joinItem, both []expr.Node, isKey func(index int) bool) bool {
	for _, n := range both {
		for _, side := range expr.Equated(n) {
			if b.within(j.left, side[1]) && condition.LeadsBy(side[0], side[1], isKey) {
				return true
			}
		}
	}
	return false
}

// rememberEqual notes which columns of the two sides are equal in all rows.
func rememberEqual(n *exec.Join, both []expr.Node) {
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
