package plan

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

const descending = sqlparser.DescScr

// windowKey binds an expression of PARTITION BY or ORDER BY of a window, which is
// no position.
func (b *blockPlanner) windowKey(w *boundWindow, e sqlparser.Expr, clause string) (expr.Node, error) {
	if n, ok := e.(*ast.Number); ok && n.Int {
		return nil, mysqlerr.New(mysqlerr.WindowIllegalOrderBy, "Window '%s': ORDER BY or PARTITION BY uses legacy position "+
			"indication which is not supported, use expression.", w.name)
	}
	return b.bind(e, clause, b, true)
}

// checkWindows binds the windows that nothing is computed over, and refuses those
// of rows that are to be changed.
func (b *blockPlanner) checkWindows() error {
	if b.parsed != nil && b.parsed.Windows[b.node] != nil {
		scope := b.parsed.Windows[b.node]
		for _, w := range scope.Named {
			if _, err := b.window(scope, w); err != nil {
				return err
			}
		}
	}
	if b.windows != nil && len(b.windows.calls) > 0 && b.node == b.changed {
		return expr.WindowMisused(b.windows.calls[0].call.Name)
	}
	b.dropIdleWindows()
	return nil
}

// checkAlias refuses a label of what is computed over a window where windows are
// not computed yet.
func (b *blockPlanner) checkAlias(it *item) error {
	if it == nil || b.windows == nil || b.clause == "order clause" || !b.readsWindow(it.node) {
		return nil
	}
	return mysqlerr.New(mysqlerr.WindowInvalidAliasUse,
		"You cannot use the alias '%s' of an expression containing a window function in this context.'", it.label)
}

func (b *blockPlanner) readsWindow(n expr.Node) bool {
	return expr.Reads(n, func(index int) bool {
		return slices.ContainsFunc(b.windows.calls, func(c windowCall) bool { return c.slot == index })
	})
}

// windowsOverKeys is overKeys of the windows and of what is computed over them.
func (b *blockPlanner) windowsOverKeys(settled map[int]bool) error {
	if b.windows == nil {
		return nil
	}
	over := func(n *expr.Node, item int) error { return b.overKeys(n, settled, item, "SELECT list") }
	for _, w := range b.windows.all {
		for i := range w.partition {
			if err := over(&w.partition[i], w.item); err != nil {
				return err
			}
		}
		for i := range w.order {
			if err := over(&w.order[i].Expr, w.item); err != nil {
				return err
			}
		}
	}
	for i := range b.windows.calls {
		c := &b.windows.calls[i]
		parts := slices.Clone(c.call.Parts())
		for k := range parts {
			if err := over(&parts[k], c.over.item); err != nil {
				return err
			}
		}
		c.call = c.call.WithParts(parts)
	}
	return nil
}

// uniteWindowKeys makes one node of keys that are alike, and of expressions over the
// windows that are like a key, by which they are known to the executor.
func (b *blockPlanner) uniteWindowKeys() error {
	if b.windows == nil {
		return nil
	}
	index := condition.NewIndex(&b.Meter)
	var nodes []expr.Node
	unite := func(n *expr.Node) {
		if at := index.Find(*n); at >= 0 {
			*n = nodes[at]
			return
		}
		index.Add(*n, len(nodes))
		nodes = append(nodes, *n)
	}
	for _, w := range b.windows.all {
		for i := range w.partition {
			unite(&w.partition[i])
		}
		for i := range w.order {
			unite(&w.order[i].Expr)
		}
	}
	keys := len(nodes)
	for i := range b.order {
		unite(&b.order[i].Expr)
	}
	for i := range b.items {
		b.items[i].node = expr.Rewrite(b.items[i].node, func(n expr.Node) expr.Node {
			if at := index.Find(n); at >= 0 && at < keys && !condition.Immovable(n) {
				return nodes[at]
			}
			return n
		})
	}
	return index.Err
}
