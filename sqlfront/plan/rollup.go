package plan

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// rollup is what a block has of WITH ROLLUP
// (https://dev.mysql.com/doc/refman/8.0/en/group-by-modifiers.html).
type rollup struct {
	// keys are the numbers of the grouping expressions, in the order of GROUP BY. One
	// that comes again has a level of its own.
	keys      []int
	groupings []grouping
}

// grouping is a call of GROUPING() with the frame's column of its result.
type grouping struct {
	args   []expr.Node
	levels []int // of the arguments, once they are known
	slot   int
}

// rolledUp is the GROUP BY that ends in WITH ROLLUP, or nil.
func (b *blockPlanner) rolledUp() *ast.Rollup {
	if len(b.node.GroupBy) != 1 {
		return nil
	}
	r, _ := b.node.GroupBy[0].(*ast.Rollup)
	return r
}

// groupBy are the expressions of GROUP BY.
func (b *blockPlanner) groupBy() []sqlparser.Expr {
	if r := b.rolledUp(); r != nil {
		return r.ValTuple
	}
	return b.node.GroupBy
}

// keyColumn is the column of the frame that holds a grouping expression, NULL where groups
// are put together.
func (b *blockPlanner) keyColumn(n expr.Node, slot int) *expr.Column {
	out := expr.Column{Name: expr.Print(n), T: n.Type()}
	if c, ok := n.(*expr.Column); ok {
		out = *c
	}
	out.Index, out.T.Nullable = slot, out.T.Nullable || b.rolledUp() != nil
	return &out
}

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

// overRollup puts WITH ROLLUP over groups, where it is written.
func (b *blockPlanner) overRollup(groups *exec.Aggregate) exec.Node {
	if b.rolledUp() == nil {
		return groups
	}
	out := &exec.Rollup{Aggregate: groups, Levels: b.rollup.keys}
	for _, g := range b.rollup.groupings {
		out.Groupings = append(out.Groupings, exec.Grouping{Levels: g.levels, Slot: g.slot})
	}
	return out
}
