package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// groupSide is one of two derived tables that group one table by the same columns. Its
// expressions are moved to the left one's block.
type groupSide struct {
	*block.Leaf
	block *block.Block
	table *block.Leaf
	where []expr.Node
	aggs  []agg.AggSlot
	// keyConds, on keys, hold for all rows of a group, or for none; cellConds may hold for some rows.
	keyConds, cellConds []expr.Node
	// slots maps the aggregates' columns to those of the left block. has are the conditions for a group of
	// the result to be a group of this side.
	slots map[int]*expr.Column
	has   []expr.Node
}

// groupJoin is two derived tables that are to become one.
type groupJoin struct {
	left, right groupSide
	outer       bool
	// sameCells says that both have the same conditions on cells.
	sameCells bool
	// same says that both have the same rows in the same groups. Otherwise nothing in them may warn or fail.
	same bool
}

// groupJoinOf is nil for joins that cannot be combined.
func groupJoinOf(j *block.Join) *groupJoin {
	l, left := j.Left.(*block.Leaf)
	r, right := j.Right.(*block.Leaf)
	if !left || !right || l.Derived == nil || r.Derived == nil || j.Outer && len(r.On) > 0 ||
		l.First+len(l.Relation.Columns) != r.First && r.First+len(r.Relation.Columns) != l.First {
		return nil
	}
	return newGroupJoin(l, r, j.Outer)
}

func newGroupJoin(l, r *block.Leaf, outer bool) *groupJoin {
	if !groups(l.Derived) || !groups(r.Derived) {
		return nil
	}
	g := &groupJoin{left: newGroupSide(l), right: newGroupSide(r), outer: outer}
	keys, others := g.left.keys(), g.right.keys()
	isKey := func(k int) bool { return slices.Contains(keys, k-g.right.table.First+g.left.table.First) }
	if !g.left.table.Relation.SameRows(g.right.table.Relation) || len(keys) != len(others) ||
		slices.ContainsFunc(others, func(k int) bool { return !isKey(k) }) {
		return nil
	}
	g.divide()
	g.same = g.sameConds(g.left.where, g.right.where) && !g.left.limited() && !g.right.limited()
	if g.conditionsMayFail() || !g.same && !g.separable() {
		return nil
	}
	return g
}

// groups reports whether a query's result consists of groups of a stored table by plain columns.
func groups(q *block.Query) bool {
	if !q.OfTable() {
		return false
	}
	b := q.Block
	return len(b.Keys) > 0 && b.RolledUp() == nil && len(b.Order) == 0 && !b.Out.Distinct && len(b.Correlations) == 0 &&
		!slices.ContainsFunc(b.Keys, func(k agg.GroupKey) bool {
			return !condition.IsColumn(k.Node) || !condition.Exact(k.Node.Type())
		})
}

func newGroupSide(l *block.Leaf) groupSide {
	b := l.Derived.Block
	return groupSide{Leaf: l, block: b, table: b.From.(*block.Leaf), aggs: b.Aggs}
}

// keys are the columns of its block that a side groups by.
func (s *groupSide) keys() (out []int) {
	for _, k := range s.block.Keys {
		out = append(out, k.Node.(*expr.Column).Index)
	}
	return out
}

// divide moves the conditions of both sides to the left block, and separates those on groups from those on
// single rows.
func (g *groupJoin) divide() {
	grouped := g.left.block.Grouped()
	for _, s := range []*groupSide{&g.left, &g.right} {
		for _, n := range s.block.Where {
			n = moveSame(g.left.block.Scope, n, s.table, g.left.table)
			s.where = append(s.where, n)
			if expr.OnlyColumns(n, func(i int) bool { return grouped[i] }) {
				s.keyConds = append(s.keyConds, n)
			} else {
				s.cellConds = append(s.cellConds, n)
			}
		}
	}
	g.sameCells = g.sameConds(g.left.cellConds, g.right.cellConds)
}

func (g *groupJoin) sameConds(a, b []expr.Node) bool {
	c := condition.Comparison{Meter: g.left.block.Meter}
	return c.SameAll(a, b)
}

// mayFail reports whether an aggregate, or an item over aggregates, may warn or fail.
func (s *groupSide) mayFail() bool {
	b := s.block
	return slices.ContainsFunc(b.Aggs, func(a agg.AggSlot) bool { return mayfail.Aggregate(a.Agg) }) ||
		slices.ContainsFunc(b.Items, func(i block.Item) bool { return mayfail.Value(i.Node) })
}

// conditionsMayFail reports whether a condition of either side may warn or fail.
func (g *groupJoin) conditionsMayFail() bool {
	return slices.ContainsFunc(slices.Concat(g.left.where, g.right.where), mayfail.Condition) ||
		mayfail.Condition(g.left.block.Having) || mayfail.Condition(g.right.block.Having)
}

// limited reports whether some groups of a side may not join.
func (s *groupSide) limited() bool {
	nullable := func(k agg.GroupKey) bool { return k.Node.Type().Nullable }
	return s.block.Having != nil || slices.ContainsFunc(s.block.Keys, nullable)
}

// separable reports whether the rows of both sides may be read at once although they differ: nothing warns or
// fails, only columns that are the same in a whole group are read over it, and neither side would read less
// alone.
func (g *groupJoin) separable() bool {
	return !g.left.mayFail() && !g.right.mayFail() && g.left.readsGroups() && g.right.readsGroups() &&
		(g.sameCells || g.ofQualifiers(g.left.cellConds) && g.ofQualifiers(g.right.cellConds))
}

func (s *groupSide) readsGroups() bool {
	grouped := s.block.Grouped()
	return !slices.ContainsFunc(s.block.Captured(), func(c int) bool { return !grouped[c] })
}

// ofQualifiers reports whether conditions are on qualifiers, and on their values.
func (g *groupJoin) ofQualifiers(conds []expr.Node) bool {
	at := g.left.table.Relation.KeyColumns(g.left.table.First)
	values := func(i int) bool { return i == at.Q || i == at.V }
	return slices.ContainsFunc(conds, g.ofQualifier) &&
		!slices.ContainsFunc(conds, func(n expr.Node) bool { return !expr.OnlyColumns(n, values) })
}

// ofQualifier reports whether a condition is on Q alone.
func (g *groupJoin) ofQualifier(n expr.Node) bool {
	q := g.left.table.Relation.KeyColumns(g.left.table.First).Q
	isQ := func(i int) bool { return i == q }
	return expr.Reads(n, isQ) && expr.OnlyColumns(n, isQ)
}

// equated is the key, in the left block, that a condition sets equal on both sides; -1 for none.
func (g *groupJoin) equated(n expr.Node) int {
	a, b, ok := condition.EqualColumns(n)
	if !ok {
		return -1
	}
	for _, side := range [][2]int{{a.Index, b.Index}, {b.Index, a.Index}} {
		l, r := g.left.keyAt(side[0]), g.right.keyAt(side[1])
		if l >= 0 && r >= 0 && l-g.left.table.First == r-g.right.table.First {
			return l
		}
	}
	return -1
}

func (g *groupJoin) equates(n expr.Node) bool { return g.equated(n) >= 0 }

// keyAt is the key of its block behind a column of the relation, or -1.
func (s *groupSide) keyAt(index int) int {
	if !block.Holds(s.Leaf, index) {
		return -1
	}
	c, ok := s.block.Items[index-s.First].Node.(*expr.Column)
	if !ok || !slices.Contains(s.keys(), c.Index) {
		return -1
	}
	return c.Index
}
