package block

import (
	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/xwb1989/sqlparser"
)

// Block is a SELECT without its set operations: its expressions are bound to the columns of one frame. How
// the rows of FROM are found is not decided yet.
type Block struct {
	Node  *sqlparser.Select
	Scope *relation.Scope
	Meter *cancelcheck.Meter
	// Correlations are what the block reads of the outer blocks.
	Correlations []Correlation
	Subqueries   []query.Planned
	Width        int // of the frame

	// From, Nodes and Out are what is left to complete: FROM, the expressions of the projection, and the
	// block.
	From  From
	Nodes []expr.Node
	Out   *query.Select
	// Given says that WHERE reads values that are given when the block is opened. isVolatile caches Volatile.
	Given      bool
	isVolatile *bool
	// Changes says that the rows will be changed. AnyValue says that a column which is not grouped may have
	// the value of any row of its group.
	Changes, AnyValue bool

	Items      []Item
	Keys       []agg.GroupKey
	KeyIndex   *condition.Index // of keys; nil for none
	Aggs       []agg.AggSlot
	AggIndex   map[string][]agg.AggSlot // aggs by their text
	Aggregated bool
	Rollup     rollup
	Windows    *Windows // nil for none
	Where      []expr.Node
	Having     expr.Node
	Order      []order.OrderItem
}

// Item is one column of the select list.
type Item struct {
	Label string
	Node  expr.Node
	// Origin is the relation's column that the item is, or nil.
	Origin *relation.Column
}

// Alloc gives a new column of the frame.
func (b *Block) Alloc() int {
	b.Width++
	return b.Width - 1
}

// ResultColumns describes the result.
func (b *Block) ResultColumns() []relation.Column {
	out := make([]relation.Column, len(b.Items))
	for i, it := range b.Items {
		c := relation.Column{}
		if it.Origin != nil {
			c = *it.Origin
		}
		c.Name, c.Type, c.Hex = it.Label, it.Node.Type(), bind.IsHex(it.Node)
		out[i] = c
	}
	return out
}

// Correlation is an expression of the outer blocks that a subquery reads. Slot is the column of the
// subquery's frame that holds its value.
type Correlation struct {
	Outer expr.Node
	Slot  int
}
