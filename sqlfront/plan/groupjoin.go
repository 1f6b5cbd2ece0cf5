package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/loud"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// groupSide is one of two derived tables that group one table by the same columns. Its
// expressions are moved to the left one's block.
type groupSide struct {
	*leaf
	block *Block
	table *leaf
	where []expr.Node
	aggs  []exec.AggSlot
	// conditions on keys hold for all rows of a group, or for none; those on cells do not.
	keyConds, cellConds []expr.Node
	// slots are the columns of the left block for those of the aggregates, has is what tells
	// whether a group of both is one of this side.
	slots map[int]*expr.Column
	has   []expr.Node
}

// groupJoin are to become one.
type groupJoin struct {
	left, right groupSide
	outer       bool
	// sameCells says that the conditions on cells are the same.
	sameCells bool
	// same says that both have the same rows in the same groups. Else nothing in them may warn
	// or fail.
	same bool
}

// groupJoinOf is nil for joins of other things, or such as nobody can put together.
func groupJoinOf(j *joinItem) *groupJoin {
	l, left := j.left.(*leaf)
	r, right := j.right.(*leaf)
	if !left || !right || l.derived == nil || r.derived == nil || j.outer && len(r.on) > 0 ||
		l.first+len(l.relation.Columns) != r.first && r.first+len(r.relation.Columns) != l.first {
		return nil
	}
	return newGroupJoin(l, r, j.outer)
}

func newGroupJoin(l, r *leaf, outer bool) *groupJoin {
	if !groups(l.derived) || !groups(r.derived) {
		return nil
	}
	g := &groupJoin{left: newGroupSide(l), right: newGroupSide(r), outer: outer}
	keys, others := g.left.keys(), g.right.keys()
	isKey := func(k int) bool { return slices.Contains(keys, k-g.right.table.first+g.left.table.first) }
	if !g.left.table.relation.SameRows(g.right.table.relation) || len(keys) != len(others) ||
		slices.ContainsFunc(others, func(k int) bool { return !isKey(k) }) {
		return nil
	}
	g.divide()
	g.same = g.sameConds(g.left.where, g.right.where) && !g.left.limited() && !g.right.limited()
	if g.asksLoud() || !g.same && !g.separable() {
		return nil
	}
	return g
}

// groups reports whether a query's result are groups of a stored table by plain columns.
func groups(q *query) bool {
	if !q.ofTable() {
		return false
	}
	b := q.block
	return len(b.keys) > 0 && b.rolledUp() == nil && len(b.order) == 0 && !b.out.Distinct && len(b.correlations) == 0 &&
		!slices.ContainsFunc(b.keys, func(k exec.GroupKey) bool { return !condition.IsColumn(k.Node) || !condition.Exact(k.Node.Type()) })
}

func newGroupSide(l *leaf) groupSide {
	b := l.derived.block
	return groupSide{leaf: l, block: b, table: b.from.(*leaf), aggs: b.aggs}
}

// keys are the columns of its block that a grouping is by.
func (s *groupSide) keys() (out []int) {
	for _, k := range s.block.keys {
		out = append(out, k.Node.(*expr.Column).Index)
	}
	return out
}

// divide moves the conditions of both to one block, and tells those of groups from those of
// single rows.
func (g *groupJoin) divide() {
	grouped := g.left.block.grouped()
	for _, s := range []*groupSide{&g.left, &g.right} {
		for _, n := range s.block.where {
			n = moveSame(g.left.block.scope, n, s.table, g.left.table)
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
	c := condition.Comparison{Meter: g.left.block.meter}
	return c.SameAll(a, b)
}

// loud reports whether something in the aggregates or over them may warn or fail.
func (s *groupSide) loud() bool {
	b := s.block
	return slices.ContainsFunc(b.aggs, func(a exec.AggSlot) bool { return loud.Aggregate(a.Agg) }) ||
		slices.ContainsFunc(b.items, func(i item) bool { return loud.Value(i.node) })
}

// asksLoud reports whether a condition of theirs may warn or fail.
func (g *groupJoin) asksLoud() bool {
	return slices.ContainsFunc(slices.Concat(g.left.where, g.right.where), loud.Condition) ||
		loud.Condition(g.left.block.having) || loud.Condition(g.right.block.having)
}

// limited reports whether not all groups of a grouping's rows join.
func (s *groupSide) limited() bool {
	nullable := func(k exec.GroupKey) bool { return k.Node.Type().Nullable }
	return s.block.having != nil || slices.ContainsFunc(s.block.keys, nullable)
}

// separable reports whether the rows of both may be read at once where they differ: nothing
// warns or fails, nothing but what is the same in a group is read over it, and no side is read
// by a part of what the other one reads.
func (g *groupJoin) separable() bool {
	return !g.left.loud() && !g.right.loud() && g.left.readsGroups() && g.right.readsGroups() &&
		(g.sameCells || g.ofQualifiers(g.left.cellConds) && g.ofQualifiers(g.right.cellConds))
}

func (s *groupSide) readsGroups() bool {
	grouped := s.block.grouped()
	return !slices.ContainsFunc(s.block.captured(), func(c int) bool { return !grouped[c] })
}

// ofQualifiers reports whether conditions are on some qualifiers, and on values of theirs.
func (g *groupJoin) ofQualifiers(conds []expr.Node) bool {
	at := g.left.table.relation.KeyColumns(g.left.table.first)
	values := func(i int) bool { return i == at.Q || i == at.V }
	return slices.ContainsFunc(conds, g.ofQualifier) &&
		!slices.ContainsFunc(conds, func(n expr.Node) bool { return !expr.OnlyColumns(n, values) })
}

// ofQualifier reports whether a condition is on Q alone.
func (g *groupJoin) ofQualifier(n expr.Node) bool {
	q := g.left.table.relation.KeyColumns(g.left.table.first).Q
	isQ := func(i int) bool { return i == q }
	return expr.Reads(n, isQ) && expr.OnlyColumns(n, isQ)
}

// equated is the key, in the left block, that a condition sets equal for both; -1 for none.
func (g *groupJoin) equated(n expr.Node) int {
	a, b, ok := condition.EqualColumns(n)
	if !ok {
		return -1
	}
	for _, side := range [][2]int{{a.Index, b.Index}, {b.Index, a.Index}} {
		l, r := g.left.keyAt(side[0]), g.right.keyAt(side[1])
		if l >= 0 && r >= 0 && l-g.left.table.first == r-g.right.table.first {
			return l
		}
	}
	return -1
}

func (g *groupJoin) equates(n expr.Node) bool { return g.equated(n) >= 0 }

// keyAt is the key of its block that a column of the relation is, or -1.
func (s *groupSide) keyAt(index int) int {
	if !holds(s.leaf, index) {
		return -1
	}
	c, ok := s.block.items[index-s.first].node.(*expr.Column)
	if !ok || !slices.Contains(s.keys(), c.Index) {
		return -1
	}
	return c.Index
}
