package plan

import "github.com/hbasekv/hbasekv/sqlfront/exec"

// addGroups puts aggregation and HAVING over the block's source.
func (b *builder) addGroups(out *exec.Select, from fromItem) {
	if b.aggregated {
		rowOnly, counting := b.countingRows(from)
		groups := &exec.Aggregate{
			Child: out.Source, Keys: b.keys, Aggs: b.aggs, Captured: b.captured(),
			RowOnly: rowOnly, Counting: counting, RowColumn: rowColumn(from), Width: b.width,
			Implicit: len(b.node.GroupBy) == 0 && len(b.keys) == 0, AnyValue: b.anyValue,
		}
		out.Source, out.RowOnly = b.overRollup(groups), false
	}
	if b.having != nil {
		out.Source = &exec.Filter{Child: out.Source, Cond: b.having, Title: "having"}
	}
}

// overRollup puts WITH ROLLUP over groups, where it is written.
func (b *builder) overRollup(groups *exec.Aggregate) exec.Node {
	if b.rolledUp() == nil {
		return groups
	}
	out := &exec.Rollup{Aggregate: groups, Levels: b.rollup.keys}
	for _, g := range b.rollup.groupings {
		out.Groupings = append(out.Groupings, exec.Grouping{Levels: g.levels, Slot: g.slot})
	}
	return out
}

func rowColumn(from fromItem) int {
	if l, ok := from.(*leaf); ok && l.relation.Stored() {
		return l.relation.KeyColumns(l.first).K
	}
	return -1
}
