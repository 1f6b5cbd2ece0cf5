package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
	"github.com/xwb1989/sqlparser"
)

// Block is a SELECT without its set operations: its expressions are bound to the columns of
// one frame, and say nothing yet of how the rows of FROM are found.
type Block struct {
	node  *sqlparser.Select
	scope *relation.Scope
	meter *steps.Meter
	// correlations are what the block reads of those around.
	correlations []correlation
	subqueries   []*exec.Subquery
	width        int // of the frame

	// from, nodes and out are what is left to complete: FROM, the
	// expressions of the projection, and the block.
	from  fromItem
	nodes []expr.Node
	out   *exec.Select
	// given says that WHERE reads values that are given when the block is
	// opened; isVolatile keeps the answer of volatile.
	given      bool
	isVolatile *bool
	// changes says that the rows are to be changed, anyValue that a column which is not
	// grouped may have the value of any row of its group.
	changes, anyValue bool

	items      []item
	keys       []exec.GroupKey
	keyIndex   *condition.Index // of keys; nil for none
	aggs       []exec.AggSlot
	aggIndex   map[string][]exec.AggSlot // aggs by their text
	aggregated bool
	rollup     rollup
	windows    *windows // nil for none
	where      []expr.Node
	having     expr.Node
	order      []exec.OrderItem
}

// item is one column of the select list.
type item struct {
	label string
	node  expr.Node
	// origin is the relation's column that the item is, or nil.
	origin *relation.Column
}

// alloc gives a new column of the frame.
func (b *Block) alloc() int {
	b.width++
	return b.width - 1
}

// resultColumns describes the result.
func (b *Block) resultColumns() []relation.Column {
	out := make([]relation.Column, len(b.items))
	for i, it := range b.items {
		c := relation.Column{}
		if it.origin != nil {
			c = *it.origin
		}
		c.Name, c.Type, c.Hex = it.label, it.node.Type(), expr.IsHex(it.node)
		out[i] = c
	}
	return out
}

// correlation is something of the blocks around that a subquery reads: slot is
// the column of the subquery's frame that holds its value.
type correlation struct {
	outer expr.Node
	slot  int
}
