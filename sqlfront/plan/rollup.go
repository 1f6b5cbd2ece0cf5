package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// bindGrouping assigns GROUPING() a column of the frame. Its arguments are resolved once GROUP BY is
// bound, which is after the select list.
func (b *blockPlanner) bindGrouping(args []expr.Node) (expr.Node, error) {
	if b.RolledUp() == nil || !b.aggregates {
		return nil, groupFunctionMisused()
	}
	g := block.Grouping{Args: args, Slot: b.Alloc()}
	b.Rollup.Groupings = append(b.Rollup.Groupings, g)
	name := "grouping" + expr.Print(&expr.Tuple{Items: args})
	return &expr.Column{Index: g.Slot, Name: name, T: value.Type{Kind: value.Int}}, nil
}

// readsGrouping reports whether an expression has a GROUPING() that is not resolved yet.
func (b *blockPlanner) readsGrouping(n expr.Node) bool {
	return expr.Reads(n, func(index int) bool {
		return slices.ContainsFunc(b.Rollup.Groupings, func(g block.Grouping) bool { return g.Slot == index })
	})
}
