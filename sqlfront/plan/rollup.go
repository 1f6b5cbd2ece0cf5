package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// bindGrouping gives GROUPING() a column of the frame. What its arguments are is known only
// with GROUP BY, which is bound later than the select list.
func (b *blockPlanner) bindGrouping(args []expr.Node) (expr.Node, error) {
	if b.rolledUp() == nil || !b.aggregates {
		return nil, groupFunctionMisused()
	}
	g := grouping{args: args, slot: b.alloc()}
	b.rollup.groupings = append(b.rollup.groupings, g)
	name := "grouping" + expr.Print(&expr.Tuple{Items: args})
	return &expr.Column{Index: g.slot, Name: name, T: value.Type{Kind: value.Int}}, nil
}

// readsGrouping reports whether an expression is about groups that there are not yet.
func (b *blockPlanner) readsGrouping(n expr.Node) bool {
	return expr.Reads(n, func(index int) bool {
		return slices.ContainsFunc(b.rollup.groupings, func(g grouping) bool { return g.slot == index })
	})
}

// settle finds the arguments of GROUPING() among the grouping expressions.
func (r *rollup) settle(keys *condition.Index) error {
	for i := range r.groupings {
		g := &r.groupings[i]
		for at, n := range g.args {
			key := keys.Find(n)
			if keys.Err != nil {
				return keys.Err
			}
			if key < 0 {
				return mysqlerr.New(mysqlerr.GroupingOfNoKey, "Argument #%d of GROUPING function is not in GROUP BY", at+1)
			}
			g.levels = append(g.levels, slices.Index(r.keys, key))
		}
	}
	return nil
}
