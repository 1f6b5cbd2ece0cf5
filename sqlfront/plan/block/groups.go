package block

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/xwb1989/sqlparser"
)

// rollup is the state of WITH ROLLUP in a block
// (https://dev.mysql.com/doc/refman/8.0/en/group-by-modifiers.html).
type rollup struct {
	// Keys are the numbers of the grouping expressions, in the order of GROUP BY. A repeated one has a level
	// of its own.
	Keys      []int
	Groupings []Grouping
}

// Grouping is a call of GROUPING() with the frame's column of its result.
type Grouping struct {
	Args   []expr.Node
	Levels []int // of the arguments, once they are known
	Slot   int
}

// AddKey adds a grouping expression, unless it is there already. A column's value is kept as it is, except in
// a rollup, where it is NULL in some rows. The error is cancellation of planning.
func (b *Block) AddKey(n expr.Node) error {
	if b.KeyIndex == nil {
		b.KeyIndex = condition.NewIndex(b.Meter)
	}
	at := b.KeyIndex.Find(n)
	if b.KeyIndex.Err != nil {
		return b.KeyIndex.Err
	}
	if at < 0 {
		at = len(b.Keys)
		b.KeyIndex.Add(n, at)
		k := agg.GroupKey{Node: n, Slot: -1}
		if _, plain := n.(*expr.Column); !plain || b.RolledUp() != nil {
			k.Slot = b.Alloc()
		}
		b.Keys = append(b.Keys, k)
	}
	b.Rollup.Keys = append(b.Rollup.Keys, at)
	return nil
}

// RolledUp is the GROUP BY if it ends in WITH ROLLUP, or nil.
func (b *Block) RolledUp() *ast.Rollup {
	if len(b.Node.GroupBy) != 1 {
		return nil
	}
	r, _ := b.Node.GroupBy[0].(*ast.Rollup)
	return r
}

// GroupBy are the expressions of GROUP BY.
func (b *Block) GroupBy() []sqlparser.Expr {
	if r := b.RolledUp(); r != nil {
		return r.ValTuple
	}
	return b.Node.GroupBy
}

// keyColumn is the column of the frame that holds a grouping expression, NULL in super-aggregate rows.
func (b *Block) keyColumn(n expr.Node, slot int) *expr.Column {
	out := expr.Column{Name: expr.Print(n), T: n.Type()}
	if c, ok := n.(*expr.Column); ok {
		out = *c
	}
	out.Index, out.T.Nullable = slot, out.T.Nullable || b.RolledUp() != nil
	return &out
}

// OverKey replaces grouping expressions by their columns, the largest first: others may be operands of them.
func (b *Block) OverKey(n expr.Node) expr.Node {
	if _, constant := n.(*expr.Const); constant && b.RolledUp() == nil {
		return n
	}
	if i := b.KeyIndex.Find(n); i >= 0 && b.Keys[i].Slot >= 0 {
		return b.keyColumn(n, b.Keys[i].Slot)
	}
	return expr.RewriteOperands(n, b.OverKey)
}

// OverRows rewrites a column over groups as an expression over their rows, if it is a key.
func (b *Block) OverRows(c *expr.Column) (n expr.Node) {
	n = c
	for _, k := range b.Keys {
		if k.Slot == c.Index {
			n = k.Node
		}
	}
	return n
}

// Grouped are the columns that have one value in each group and are identical in all its rows.
func (b *Block) Grouped() map[int]bool {
	out := map[int]bool{}
	for _, k := range b.Keys {
		if c, ok := k.Node.(*expr.Column); ok && condition.Exact(c.T) {
			out[c.Index] = true
		}
	}
	for _, p := range b.Scope.Parts {
		p.SettleByKey(out)
	}
	return out
}

// Settled are the columns that have one value in each group: the grouped ones, those that WHERE or the
// conditions of joins set equal to constants or to settled ones, and those of a table whose primary key is
// settled. In a rollup nothing follows from grouped columns, which are NULL in some rows.
func (b *Block) Settled() map[int]bool {
	out := map[int]bool{}
	for _, k := range b.Keys {
		if c, ok := k.Node.(*expr.Column); ok {
			out[c.Index] = true
		}
	}
	for before := -1; before < len(out) && b.RolledUp() == nil; {
		before = len(out)
		for _, n := range b.Where {
			condition.SettleByEquality(n, out, func(int) bool { return true })
		}
		settleByJoins(b.From, out)
		for _, p := range b.Scope.Parts {
			p.SettleByKey(out)
		}
	}
	return out
}

// AggregateColumn is the column of the frame for an aggregate. The error is cancellation of planning.
func (b *Block) AggregateColumn(a *setfunc.Aggregate) (*expr.Column, error) {
	text := expr.Print(a)
	slot, err := b.aggregateSlot(a, text)
	return &expr.Column{Index: slot, Name: text, T: a.Type()}, err
}

// aggregateSlot is the frame's column for an aggregate; a new one if there is none yet.
func (b *Block) aggregateSlot(a *setfunc.Aggregate, text string) (int, error) {
	c := condition.Comparison{Meter: b.Meter}
	for _, s := range b.AggIndex[text] {
		if c.SameAggregate(s.Agg, a) {
			return s.Slot, nil
		}
	}
	if b.AggIndex == nil {
		b.AggIndex = map[string][]agg.AggSlot{}
	}
	s := agg.AggSlot{Agg: a, Slot: b.Alloc()}
	b.Aggs, b.AggIndex[text] = append(b.Aggs, s), append(b.AggIndex[text], s)
	return s.Slot, c.Err
}

// ReadsAggregate reports whether an expression reads the result of an aggregate.
func (b *Block) ReadsAggregate(n expr.Node) bool {
	return expr.Reads(n, func(index int) bool {
		for _, a := range b.Aggs {
			if a.Slot == index {
				return true
			}
		}
		return false
	})
}

// Settle finds the arguments of GROUPING() among the grouping expressions.
func (r *rollup) Settle(keys *condition.Index) error {
	for i := range r.Groupings {
		g := &r.Groupings[i]
		for at, n := range g.Args {
			key := keys.Find(n)
			if keys.Err != nil {
				return keys.Err
			}
			if key < 0 {
				return mysqlerr.New(mysqlerr.GroupingOfNoKey, "Argument #%d of GROUPING function is not in GROUP BY", at+1)
			}
			g.Levels = append(g.Levels, slices.Index(r.Keys, key))
		}
	}
	return nil
}
