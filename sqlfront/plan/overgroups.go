package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// overKeys replaces grouping expressions by their columns in the frame, and checks the rest. A constant
// is not replaced: it may be an operand of another grouping expression.
func (b *blockPlanner) overKeys(at *expr.Node, settled map[int]bool, i int, list string) error {
	if b.KeyIndex != nil {
		*at = b.OverKey(*at)
		if b.KeyIndex.Err != nil {
			return b.KeyIndex.Err
		}
	}
	return b.checkGrouped(*at, settled, i, list)
}

// checkGrouped refuses columns that are neither grouped, nor determined by grouped ones, nor within
// ANY_VALUE, as MySQL does under ONLY_FULL_GROUP_BY
// (https://dev.mysql.com/doc/refman/5.7/en/group-by-handling.html).
func (b *blockPlanner) checkGrouped(n expr.Node, settled map[int]bool, i int, list string) error {
	if b.AnyValue {
		return nil
	}
	var bad *relation.Column
	expr.Walk(n, func(n expr.Node) bool {
		switch n := n.(type) {
		case *expr.Call:
			return n.Name != "ANY_VALUE"
		case *expr.Column:
			if at := b.Scope.At(n.Index); at != nil && !settled[n.Index] && bad == nil {
				bad = at
			}
		}
		return true
	})
	if bad == nil {
		return nil
	}
	name := bad.Database + "." + bad.Table + "." + bad.Name
	if len(b.Node.GroupBy) == 0 {
		return mysqlerr.New(mysqlerr.MixOfGroupFuncAndFields, "In aggregated query without GROUP BY, expression #%d of "+
			"%s contains nonaggregated column '%s'; this is incompatible with sql_mode=only_full_group_by", i+1, list, name)
	}
	return mysqlerr.New(mysqlerr.WrongFieldWithGroup, "Expression #%d of %s is not in GROUP BY clause and contains "+
		"nonaggregated column '%s' "+
		"which is not functionally dependent on columns in GROUP BY clause; this is incompatible with "+
		"sql_mode=only_full_group_by", i+1, list, name)
}

// overGroups turns the expressions after GROUP BY into expressions over the rows of groups, and refuses those
// without one value for each group.
func (b *blockPlanner) overGroups() error {
	if err := b.Rollup.Settle(b.KeyIndex); err != nil {
		return err
	}
	settled := b.Settled()
	for i := range b.Items {
		if err := b.overKeys(&b.Items[i].Node, settled, i, "SELECT list"); err != nil {
			return err
		}
	}
	if b.Having != nil {
		if err := b.overKeys(&b.Having, settled, 0, "HAVING clause"); err != nil {
			return err
		}
	}
	for i := range b.Order {
		if err := b.overKeys(&b.Order[i].Expr, settled, i, "ORDER BY clause"); err != nil {
			return err
		}
	}
	return b.windowsOverKeys(settled)
}
