package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// addAggregate assigns an aggregate a column of the frame; the error is 1111 if aggregates are not allowed.
func (b *blockPlanner) addAggregate(a *setfunc.Aggregate) (expr.Node, error) {
	n, err := b.placeAggregate(a)
	if n == nil && err == nil {
		err = groupFunctionMisused()
	}
	return n, err
}

func groupFunctionMisused() error {
	return mysqlerr.New(mysqlerr.InvalidGroupFuncUse, "Invalid use of group function")
}

// placeAggregate assigns an aggregate a column of the frame, the same one for equal aggregates. An aggregate
// that only reads columns of the outer block belongs to that block if it allows aggregates, as in MySQL
// (https://dev.mysql.com/doc/refman/8.0/en/aggregate-functions.html). The result is nil if no aggregate is
// allowed.
func (b *blockPlanner) placeAggregate(a *setfunc.Aggregate) (expr.Node, error) {
	if b.outer != nil && b.readsOnlyOutside(a) {
		n, err := b.outer.placeAggregate(b.outside(a))
		if err != nil {
			return nil, err
		}
		if n != nil {
			return &expr.Column{Index: b.correlate(n), Name: expr.Print(n), T: n.Type()}, nil
		}
	}
	if !b.aggregates || slices.ContainsFunc(a.Reads(), b.ReadsAggregate) {
		return nil, nil
	}
	b.Aggregated = true
	return b.AggregateColumn(a)
}

// readsOnlyOutside reports whether the aggregate reads columns, and all of them belong to outer blocks.
func (b *blockPlanner) readsOnlyOutside(a *setfunc.Aggregate) bool {
	any, inside := false, false
	for _, n := range a.Reads() {
		expr.Columns(n, func(c *expr.Column) {
			any = true
			inside = inside || b.outsideOf(c) == nil
		})
	}
	return any && !inside
}

// outsideOf is the expression of the outer block whose value a column of the frame has, or nil.
func (b *blockPlanner) outsideOf(c *expr.Column) expr.Node {
	for _, each := range b.Correlations {
		if each.Slot == c.Index {
			return each.Outer
		}
	}
	return nil
}

// outside is the aggregate over the columns of the outer block.
func (b *blockPlanner) outside(a *setfunc.Aggregate) *setfunc.Aggregate {
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

// dropUnread removes the correlations that only served aggregates which now belong to an outer block.
func (b *blockPlanner) dropUnread() {
	if len(b.Correlations) > 0 {
		read := condition.ColumnsIn(append(b.All(), block.ReadByLaterals(b.From)...))
		b.Correlations = slices.DeleteFunc(b.Correlations, func(c block.Correlation) bool { return !read[c.Slot] })
	}
}
