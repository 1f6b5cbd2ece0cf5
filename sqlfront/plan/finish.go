package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// finish checks the bound clauses and makes a SELECT of them, without the way in which its rows are
// found: that depends on the reader and is chosen by physical.Complete.
func (b *blockPlanner) finish(from block.From) error {
	b.From = from
	if b.Aggregated {
		if err := b.overGroups(); err != nil {
			return err
		}
	}
	b.dropUnread()
	limit, err := NewLimit(b.Node.Limit, b.carried())
	if err != nil {
		return err
	}
	out := &query.Select{Columns: len(b.Items), Distinct: b.Node.Distinct != "", Limit: limit,
		Lock: newLocking(b.lockClause(), b.lockWait)}
	if err := b.uniteWindowKeys(); err != nil {
		return err
	}
	if b.Nodes, err = b.outputs(out.Distinct, limit.Present); err != nil {
		return err
	}
	out.Order = b.Order
	b.Out = out
	return nil
}

// outputs are the expressions of the projection: the items, and after them the keys of ORDER BY that are not
// items.
func (b *blockPlanner) outputs(distinct, limited bool) ([]expr.Node, error) {
	var nodes []expr.Node
	for _, it := range b.Items {
		nodes = append(nodes, it.Node)
	}
	if len(b.Order) == 0 {
		return nodes, nil
	}
	index := condition.NewIndex(b.Meter)
	for i, n := range nodes {
		index.Add(n, i)
	}
	for i := range b.Order {
		o := &b.Order[i]
		if o.Column = index.Find(o.Expr); o.Column >= 0 {
			continue
		}
		if distinct && index.Err == nil {
			if err := b.checkDistinctOrder(i, index); err != nil {
				return nil, err
			}
		}
		o.Column = len(nodes)
		index.Add(o.Expr, len(nodes))
		nodes = append(nodes, o.Expr)
	}
	return b.whenGiven(nodes, distinct, limited), index.Err
}

// checkDistinctOrder refuses a key of ORDER BY that is not determined by the items of SELECT DISTINCT.
func (b *blockPlanner) checkDistinctOrder(i int, items *condition.Index) error {
	var missing *relation.Column
	expr.Columns(b.Order[i].Expr, func(c *expr.Column) {
		at := b.Scope.At(c.Index)
		if at == nil {
			at = &relation.Column{Name: c.Name}
		}
		if items.Find(c) < 0 {
			missing = at
		}
	})
	if missing == nil {
		return nil
	}
	return mysqlerr.New(mysqlerr.FieldInOrderNotSelect, "Expression #%d of ORDER BY clause is not in SELECT list, "+
		"references column '%s.%s.%s' "+
		"which is not in SELECT list; this is incompatible with DISTINCT", i+1, missing.Database, missing.Table, missing.Name)
}
