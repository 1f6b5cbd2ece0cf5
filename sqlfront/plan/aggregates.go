package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// addAggregate gives an aggregate its place, or is 1111 where it has none.
func (b *blockPlanner) addAggregate(a *expr.Aggregate) (expr.Node, error) {
	n, err := b.placeAggregate(a)
	if n == nil && err == nil {
		err = groupFunctionMisused()
	}
	return n, err
}

func groupFunctionMisused() error {
	return mysqlerr.New(mysqlerr.InvalidGroupFuncUse, "Invalid use of group function")
}

// placeAggregate gives an aggregate a column of the frame, the same one to
// those that are alike. One that reads nothing but columns of the block around
// belongs to that block, where aggregates may stand there, as in MySQL
// (https://dev.mysql.com/doc/refman/8.0/en/aggregate-functions.html). It gives
// nil where none may stand.
func (b *blockPlanner) placeAggregate(a *expr.Aggregate) (expr.Node, error) {
	if b.outer != nil && b.readsOnlyOutside(a) {
		n, err := b.outer.placeAggregate(b.outside(a))
		if err != nil {
			return nil, err
		}
		if n != nil {
			return &expr.Column{Index: b.correlate(n), Name: expr.Print(n), T: n.Type()}, nil
		}
	}
	if !b.aggregates || slices.ContainsFunc(a.Reads(), b.readsAggregate) {
		return nil, nil
	}
	b.aggregated = true
	return b.aggregateColumn(a)
}

// aggregateColumn is the column of the frame for an aggregate.
func (b *blockPlanner) aggregateColumn(a *expr.Aggregate) (*expr.Column, error) {
	text := expr.Print(a)
	slot, err := b.aggregateSlot(a, text)
	return &expr.Column{Index: slot, Name: text, T: a.Type()}, err
}

// aggregateSlot is the column of the frame that an aggregate has, or gets.
func (b *blockPlanner) aggregateSlot(a *expr.Aggregate, text string) (int, error) {
	c := condition.Comparison{Meter: &b.Meter}
	for _, s := range b.aggIndex[text] {
		if c.SameAggregate(s.Agg, a) {
			return s.Slot, nil
		}
	}
	if b.aggIndex == nil {
		b.aggIndex = map[string][]exec.AggSlot{}
	}
	s := exec.AggSlot{Agg: a, Slot: b.alloc()}
	b.aggs, b.aggIndex[text] = append(b.aggs, s), append(b.aggIndex[text], s)
	return s.Slot, c.Err
}

// readsOnlyOutside reports whether the aggregate reads columns, all of them of
// the blocks around.
func (b *blockPlanner) readsOnlyOutside(a *expr.Aggregate) bool {
	any, inside := false, false
	for _, n := range a.Reads() {
		expr.Columns(n, func(c *expr.Column) {
			any = true
			inside = inside || b.outsideOf(c) == nil
		})
	}
	return any && !inside
}

// outsideOf is what a column of the frame stands for in the block around, or
// nil.
func (b *blockPlanner) outsideOf(c *expr.Column) expr.Node {
	for _, each := range b.correlations {
		if each.slot == c.Index {
			return each.outer
		}
	}
	return nil
}

// outside is the aggregate as the block around has it.
func (b *blockPlanner) outside(a *expr.Aggregate) *expr.Aggregate {
	out := *a
	out.Args, out.Order = nil, nil
	rewrite := func(n expr.Node) expr.Node {
		return expr.Rewrite(n, func(n expr.Node) expr.Node {
			if c, ok := n.(*expr.Column); ok {
				return b.outsideOf(c)
			}
			return n
		})
	}
	for _, n := range a.Args {
		out.Args = append(out.Args, rewrite(n))
	}
	for _, o := range a.Order {
		o.X = rewrite(o.X)
		out.Order = append(out.Order, o)
	}
	return &out
}

// dropUnread forgets what the block reads of the blocks around for aggregates
// that have become theirs.
func (b *blockPlanner) dropUnread() {
	if len(b.correlations) > 0 {
		read := condition.ColumnsIn(append(b.all(), readByLaterals(b.from)...))
		b.correlations = slices.DeleteFunc(b.correlations, func(c correlation) bool { return !read[c.slot] })
	}
}

// conditionsOf are the conditions of the joins of a table expression.
func conditionsOf(from fromItem) []expr.Node {
	j, ok := from.(*joinItem)
	if !ok {
		return nil
	}
	return append(append(conditionsOf(j.left), conditionsOf(j.right)...), j.on...)
}
