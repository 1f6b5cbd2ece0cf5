package plan

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

const descending = sqlparser.DescScr

// windowKey binds an expression of PARTITION BY or ORDER BY of a window, which is
// no position.
func (b *blockPlanner) windowKey(w *block.Window, e sqlparser.Expr, clause string) (expr.Node, error) {
	if n, ok := e.(*ast.Number); ok && n.Int {
		return nil, mysqlerr.New(mysqlerr.WindowIllegalOrderBy, "Window '%s': ORDER BY or PARTITION BY uses legacy position "+
			"indication which is not supported, use expression.", w.Name)
	}
	return b.bind(e, clause, b, true)
}

// checkWindows binds the windows that nothing is computed over, and refuses those
// of rows that are to be changed.
func (b *blockPlanner) checkWindows() error {
	if b.parsed != nil && b.parsed.Windows[b.Node] != nil {
		scope := b.parsed.Windows[b.Node]
		for _, w := range scope.Named {
			if _, err := b.window(scope, w); err != nil {
				return err
			}
		}
	}
	if b.Windows != nil && len(b.Windows.Calls) > 0 && b.Node == b.changed {
		return expr.WindowMisused(b.Windows.Calls[0].Call.Name)
	}
	b.DropIdleWindows()
	return nil
}

// checkAlias refuses a label of what is computed over a window where windows are
// not computed yet.
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

// windowsOverKeys is overKeys of the windows and of what is computed over them.
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

// uniteWindowKeys makes one node of keys that are alike, and of expressions over the
// windows that are like a key, by which they are known to the executor.
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
