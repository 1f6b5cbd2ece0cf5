package physical

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
)

// addGroups puts aggregation and HAVING over the block's source.
func (b *builder) addGroups(out *query.Select, from block.From) {
	if b.Aggregated {
		rowOnly, counting := b.countingRows(from)
		groups := &agg.Aggregate{
			Child: out.Source, Keys: b.Keys, Aggs: b.Aggs, Captured: b.Captured(),
			RowOnly: rowOnly, Counting: counting, RowColumn: rowColumn(from), Width: b.Width,
			Implicit: len(b.Node.GroupBy) == 0 && len(b.Keys) == 0, AnyValue: b.AnyValue,
		}
		groups.Settle()
		out.Source, out.RowOnly = b.overRollup(groups), false
	}
	if b.Having != nil {
		out.Source = &pipeline.Filter{Child: out.Source, Cond: b.Having, Title: "having"}
	}
}

// overRollup puts WITH ROLLUP over groups if it is written.
func (b *builder) overRollup(groups *agg.Aggregate) op.Node {
	if b.RolledUp() == nil {
		return groups
	}
	out := &agg.Rollup{Aggregate: groups, Levels: b.Rollup.Keys}
	for _, g := range b.Rollup.Groupings {
		out.Groupings = append(out.Groupings, agg.Grouping{Levels: g.Levels, Slot: g.Slot})
	}
	return out
}

func rowColumn(from block.From) int {
	if l, ok := from.(*block.Leaf); ok && l.Relation.Stored() {
		return l.Relation.KeyColumns(l.First).K
	}
	return -1
}
