package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/xwb1989/sqlparser"
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

// addKey adds a grouping expression; repeated ones group nothing. A column's value is its
// own, but in a rollup, where it is NULL in some rows.
func (b *Block) addKey(n expr.Node) error {
	if b.keyIndex == nil {
		b.keyIndex = condition.NewIndex(b.meter)
	}
	at := b.keyIndex.Find(n)
	if b.keyIndex.Err != nil {
		return b.keyIndex.Err
	}
	if at < 0 {
		at = len(b.keys)
		b.keyIndex.Add(n, at)
		k := exec.GroupKey{Node: n, Slot: -1}
		if _, plain := n.(*expr.Column); !plain || b.rolledUp() != nil {
			k.Slot = b.alloc()
		}
		b.keys = append(b.keys, k)
	}
	b.rollup.keys = append(b.rollup.keys, at)
	return nil
}

// rolledUp is the GROUP BY that ends in WITH ROLLUP, or nil.
func (b *Block) rolledUp() *ast.Rollup {
	if len(b.node.GroupBy) != 1 {
		return nil
	}
	r, _ := b.node.GroupBy[0].(*ast.Rollup)
	return r
}

// groupBy are the expressions of GROUP BY.
func (b *Block) groupBy() []sqlparser.Expr {
	if r := b.rolledUp(); r != nil {
		return r.ValTuple
	}
	return b.node.GroupBy
}

// keyColumn is the column of the frame that holds a grouping expression, NULL where groups
// are put together.
func (b *Block) keyColumn(n expr.Node, slot int) *expr.Column {
	out := expr.Column{Name: expr.Print(n), T: n.Type()}
	if c, ok := n.(*expr.Column); ok {
		out = *c
	}
	out.Index, out.T.Nullable = slot, out.T.Nullable || b.rolledUp() != nil
	return &out
}

// overKey replaces the largest grouping expressions: others may be operands of theirs.
func (b *Block) overKey(n expr.Node) expr.Node {
	if _, constant := n.(*expr.Const); constant && b.rolledUp() == nil {
		return n
	}
	if i := b.keyIndex.Find(n); i >= 0 && b.keys[i].Slot >= 0 {
		return b.keyColumn(n, b.keys[i].Slot)
	}
	return expr.RewriteOperands(n, b.overKey)
}

// overRows is a column over groups as an expression over their rows, where it is a key.
func (b *Block) overRows(c *expr.Column) (n expr.Node) {
	n = c
	for _, k := range b.keys {
		if k.Slot == c.Index {
			n = k.Node
		}
	}
	return n
}

// grouped are the columns that have one value in each group, by which the rows
// of a group cannot be told apart.
func (b *Block) grouped() map[int]bool {
	out := map[int]bool{}
	for _, k := range b.keys {
		if c, ok := k.Node.(*expr.Column); ok && condition.Exact(c.T) {
			out[c.Index] = true
		}
	}
	for _, p := range b.scope.Parts {
		p.SettleByKey(out)
	}
	return out
}

// settled are the columns that have one value in each group: the grouped
// ones, those that WHERE sets equal to constants or to settled ones, and those
// of a table whose primary key is settled. In a rollup nothing follows from grouped
// columns, which are NULL in some rows.
func (b *Block) settled() map[int]bool {
	out := map[int]bool{}
	for _, k := range b.keys {
		if c, ok := k.Node.(*expr.Column); ok {
			out[c.Index] = true
		}
	}
	for before := -1; before < len(out) && b.rolledUp() == nil; {
		before = len(out)
		for _, n := range b.where {
			condition.SettleByEquality(n, out)
		}
		for _, p := range b.scope.Parts {
			p.SettleByKey(out)
		}
	}
	return out
}

// aggregateColumn is the column of the frame for an aggregate.
func (b *Block) aggregateColumn(a *expr.Aggregate) (*expr.Column, error) {
	text := expr.Print(a)
	slot, err := b.aggregateSlot(a, text)
	return &expr.Column{Index: slot, Name: text, T: a.Type()}, err
}

// aggregateSlot is the column of the frame that an aggregate has, or gets.
func (b *Block) aggregateSlot(a *expr.Aggregate, text string) (int, error) {
	c := condition.Comparison{Meter: b.meter}
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

func (b *Block) readsAggregate(n expr.Node) bool {
	return expr.Reads(n, func(index int) bool {
		for _, a := range b.aggs {
			if a.Slot == index {
				return true
			}
		}
		return false
	})
}
