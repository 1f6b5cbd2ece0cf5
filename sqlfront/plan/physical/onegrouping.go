package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
)

// Derived tables that group one table by the same columns, as pivots do, and are joined by these columns are
// planned as one derived table with the columns of both. Rows that one of them leaves out count only for the
// other's aggregates, and groups join if both have rows. An expression that may warn or fail is evaluated for
// the same rows as in the join.

// inOneGrouping replaces each such join of a table expression by one relation. whole says that WHERE applies
// to all its rows.
func (b *builder) inOneGrouping(from block.From, whole bool) (block.From, error) {
	j, ok := from.(*block.Join)
	if !ok || b.Changes {
		return from, nil
	}
	out := *j
	var err error
	if out.Left, err = b.inOneGrouping(j.Left, whole); err != nil {
		return nil, err
	}
	if out.Right, err = b.inOneGrouping(j.Right, whole && !j.Outer); err != nil {
		return nil, err
	}
	var where []expr.Node
	if whole {
		where = b.Where
	}
	joined := simplified(&out, where)
	g := groupJoinOf(joined)
	if g == nil || !g.joinedBy(joined.On, where) || !b.asksAlike(g) {
		return &out, nil
	}
	on := slices.DeleteFunc(slices.Concat(g.left.On, g.right.On, joined.On), g.equates)
	if !joined.Outer && whole {
		b.Where = slices.DeleteFunc(slices.Clone(where), g.equates)
	}
	one, err := g.leaf()
	if err == nil {
		one.On = on
	}
	return one, err
}

// joinedBy reports whether the conditions set all keys equal. ON of an outer join must have no other
// conditions.
func (g *groupJoin) joinedBy(on, where []expr.Node) bool {
	if g.outer {
		where = nil
	}
	for _, k := range g.left.keys() {
		equal := func(n expr.Node) bool { return g.equated(n) == k }
		if !slices.ContainsFunc(on, equal) && !slices.ContainsFunc(where, equal) {
			return false
		}
	}
	return !g.outer || !slices.ContainsFunc(on, func(n expr.Node) bool { return !g.equates(n) })
}

// asksAlike reports whether the block's conditions are checked on the same rows of the combined table as of
// the join: they neither warn nor fail, or those of one side come first and no group has been left out.
func (b *builder) asksAlike(g *groupJoin) bool {
	quiet, ofLeft, ofRight := true, true, true
	for _, n := range append(block.ConditionsOf(b.From), b.Where...) {
		switch {
		case expr.IsVolatile(n):
			return false
		case g.equates(n) || !readsOf(n, g.left.Leaf) && !readsOf(n, g.right.Leaf):
			continue
		}
		quiet = quiet && !mayfail.Condition(n)
		ofLeft, ofRight = ofLeft && b.within(g.left.Leaf, n), ofRight && b.within(g.right.Leaf, n)
	}
	return quiet || g.same && (ofLeft || ofRight)
}

func readsOf(n expr.Node, from block.From) bool {
	return expr.Reads(n, func(index int) bool { return block.Holds(from, index) })
}
