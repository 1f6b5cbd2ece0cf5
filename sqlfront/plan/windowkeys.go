package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// windowsOverKeys is overKeys for the windows and the calls over them.
func (b *blockPlanner) windowsOverKeys(settled map[int]bool) error {
	if b.Windows == nil {
		return nil
	}
	over := func(n *expr.Node, item int) error { return b.overKeys(n, settled, item, "SELECT list") }
	for _, w := range b.Windows.All {
		for i := range w.Partition {
			if err := over(&w.Partition[i], w.Item); err != nil {
				return err
			}
		}
		for i := range w.Order {
			if err := over(&w.Order[i].Expr, w.Item); err != nil {
				return err
			}
		}
	}
	for i := range b.Windows.Calls {
		c := &b.Windows.Calls[i]
		parts := slices.Clone(c.Call.Parts())
		for k := range parts {
			if err := over(&parts[k], c.Over.Item); err != nil {
				return err
			}
		}
		c.Call = c.Call.WithParts(parts)
	}
	return nil
}

// uniteWindowKeys replaces equal keys, and expressions over the windows that equal a key, by one node,
// by whose identity the executor recognizes them.
func (b *blockPlanner) uniteWindowKeys() error {
	if b.Windows == nil {
		return nil
	}
	index := condition.NewIndex(b.Meter)
	var nodes []expr.Node
	unite := func(n *expr.Node) {
		if at := index.Find(*n); at >= 0 {
			*n = nodes[at]
			return
		}
		index.Add(*n, len(nodes))
		nodes = append(nodes, *n)
	}
	for _, w := range b.Windows.All {
		for i := range w.Partition {
			unite(&w.Partition[i])
		}
		for i := range w.Order {
			unite(&w.Order[i].Expr)
		}
	}
	keys := len(nodes)
	for i := range b.Order {
		unite(&b.Order[i].Expr)
	}
	for i := range b.Items {
		b.Items[i].Node = expr.Rewrite(b.Items[i].Node, func(n expr.Node) expr.Node {
			if at := index.Find(n); at >= 0 && at < keys && !condition.Immovable(n) {
				return nodes[at]
			}
			return n
		})
	}
	return index.Err
}

// checkAlias refuses the label of a window function in a clause that is evaluated before windows are.
func (b *blockPlanner) checkAlias(it *block.Item) error {
	if it == nil || b.Windows == nil || b.clause == "order clause" || !b.readsWindow(it.Node) {
		return nil
	}
	return mysqlerr.New(mysqlerr.WindowInvalidAliasUse,
		"You cannot use the alias '%s' of an expression containing a window function in this context.'", it.Label)
}

func (b *blockPlanner) readsWindow(n expr.Node) bool {
	return expr.Reads(n, func(index int) bool {
		return slices.ContainsFunc(b.Windows.Calls, func(c block.WindowCall) bool { return c.Slot == index })
	})
}
