package plan

import (
	"cmp"
	"maps"
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/window"
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

// dropIdleWindows forgets the windows that nothing is computed over.
func (b *blockPlanner) dropIdleWindows() {
	w := b.windows
	if w == nil {
		return
	}
	w.all = slices.DeleteFunc(w.all, func(each *boundWindow) bool {
		return !slices.ContainsFunc(w.calls, func(c windowCall) bool { return c.over == each })
	})
	if len(w.calls) == 0 {
		b.windows = nil
	}
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

// pruneWindows forgets the calls whose results nobody reads.
func (b *blockPlanner) pruneWindows() {
	if b.windows == nil {
		return
	}
	all := *b.windows
	b.windows = nil
	read := condition.ColumnsIn(b.upper())
	b.windows = &all
	all.calls = slices.DeleteFunc(all.calls, func(c windowCall) bool {
		return !read[c.slot] && !slices.ContainsFunc(c.call.Parts(), condition.Volatile)
	})
	b.dropIdleWindows()
}

// addWindows puts the windows over what the block has come to: those of most keys
// first, whose order may serve the others.
func (b *blockPlanner) addWindows(out *exec.Select) {
	if b.windows == nil {
		return
	}
	out.RowOnly = false
	var nodes []*exec.Window
	for _, c := range b.windows.calls {
		call := exec.WindowCall{Call: window.Call{WindowCall: c.call, Frame: c.over.frameOf()}, Slot: c.slot}
		i := slices.IndexFunc(nodes, func(n *exec.Window) bool { return c.over.agrees(n) })
		if i < 0 {
			i = len(nodes)
			nodes = append(nodes, &exec.Window{Partition: b.partitionKeys(c.over), Order: c.over.order, Width: b.width})
		}
		nodes[i].Calls = append(nodes[i].Calls, call)
	}
	slices.SortStableFunc(nodes, func(x, y *exec.Window) int {
		return cmp.Compare(len(y.Partition)+len(y.Order), len(x.Partition)+len(x.Order))
	})
	captured := b.capturedByWindows(nodes)
	for _, n := range nodes {
		n.Child, n.Captured = out.Source, slices.Clone(captured)
		for _, c := range n.Calls {
			captured = append(captured, c.Slot)
		}
		out.Source = n
	}
}

// capturedByWindows are the frame's columns that are read above the first window and
// are there below it.
func (b *blockPlanner) capturedByWindows(nodes []*exec.Window) []int {
	read := condition.ColumnsIn(append(b.upper(), b.nodes...))
	for _, n := range nodes {
		for _, c := range n.Calls {
			delete(read, c.Slot)
		}
	}
	return slices.Sorted(maps.Keys(read))
}

// frameOf is the window's frame, or the one that it has where none is written: the
// rows up to the present one's peers, or all.
func (w *boundWindow) frameOf() window.Frame {
	if w.frame != nil {
		return *w.frame
	}
	out := window.Frame{End: window.Bound{Kind: clause.UnboundedFollowing}, Window: w.name}
	if len(w.order) > 0 {
		out.Range, out.End.Kind = true, clause.CurrentRow
	}
	return out
}

// agrees reports whether the node is of the window's partitioning and order.
func (w *boundWindow) agrees(n *exec.Window) bool {
	same := func(a ordering.Key, b ordering.Key) bool { return a.Expr == b.Expr && a.Desc == b.Desc }
	if len(w.partition) != len(n.Partition) || !slices.EqualFunc(w.order, n.Order, same) {
		return false
	}
	return !slices.ContainsFunc(n.Partition, func(k ordering.Key) bool { return !slices.Contains(w.partition, k.Expr) })
}

// partitionKeys are the partition's in the order in which a store may have them:
// the columns first as they are in the relation, in the direction that the order
// goes on in.
func (b *blockPlanner) partitionKeys(w *boundWindow) []ordering.Key {
	reverse := len(w.order) > 0 && w.order[0].Desc != b.isTime(w.order[0].Expr)
	var out []ordering.Key
	for _, n := range w.partition {
		if !slices.ContainsFunc(out, func(k ordering.Key) bool { return k.Expr == n }) {
			out = append(out, ordering.Key{Expr: n, Desc: reverse != b.isTime(n)})
		}
	}
	slices.SortStableFunc(out, func(x, y ordering.Key) int { return cmp.Compare(placeOf(x.Expr), placeOf(y.Expr)) })
	return out
}

// isTime reports whether n is the T of a stored relation, which comes newest first.
func (b *blockPlanner) isTime(n expr.Node) bool {
	c, ok := n.(*expr.Column)
	if !ok {
		return false
	}
	p, _ := b.scope.Place(c.Index)
	return p != nil && p.Relation.Stored() && p.Relation.KeyColumns(p.Nodes[0].Index).T == c.Index
}

func placeOf(n expr.Node) int {
	if c, ok := n.(*expr.Column); ok {
		return c.Index
	}
	return 1 << 30
}
