package physical

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/window"
)

// addWindows puts the windows over the block's source: those with most keys first, whose order may serve the
// others.
func (b *builder) addWindows(out *query.Select) {
	if b.Windows == nil {
		return
	}
	out.RowOnly = false
	var nodes []*order.Window
	for _, c := range b.Windows.Calls {
		call := order.WindowCall{Call: window.Call{WindowCall: c.Call, Frame: c.Over.FrameOf()}, Slot: c.Slot}
		i := slices.IndexFunc(nodes, func(n *order.Window) bool { return c.Over.Agrees(n) })
		if i < 0 {
			i = len(nodes)
			nodes = append(nodes, &order.Window{Partition: b.partitionKeys(c.Over), Order: c.Over.Order, Width: b.Width})
		}
		nodes[i].Calls = append(nodes[i].Calls, call)
	}
	slices.SortStableFunc(nodes, func(x, y *order.Window) int {
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

// capturedByWindows are the frame's columns that are read above the first window and have values below it.
func (b *builder) capturedByWindows(nodes []*order.Window) []int {
	read := condition.ColumnsIn(append(b.Upper(), b.Nodes...))
	for _, n := range nodes {
		for _, c := range n.Calls {
			delete(read, c.Slot)
		}
	}
	return slices.Sorted(maps.Keys(read))
}

// partitionKeys are the keys of PARTITION BY in the order in which a store may have them: columns first, as
// they are ordered in the relation, in the direction in which ORDER BY continues.
func (b *builder) partitionKeys(w *block.Window) []ordering.Key {
	reverse := len(w.Order) > 0 && w.Order[0].Desc != b.isTime(w.Order[0].Expr)
	var out []ordering.Key
	for _, n := range w.Partition {
		if !slices.ContainsFunc(out, func(k ordering.Key) bool { return k.Expr == n }) {
			out = append(out, ordering.Key{Expr: n, Desc: reverse != b.isTime(n)})
		}
	}
	slices.SortStableFunc(out, func(x, y ordering.Key) int { return cmp.Compare(placeOf(x.Expr), placeOf(y.Expr)) })
	return out
}

// isTime reports whether n is T of a stored relation, which is ordered newest first.
func (b *builder) isTime(n expr.Node) bool {
	c, ok := n.(*expr.Column)
	if !ok {
		return false
	}
	p, _ := b.Scope.Place(c.Index)
	return p != nil && p.Relation.Stored() && p.Relation.KeyColumns(p.Nodes[0].Index).T == c.Index
}

func placeOf(n expr.Node) int {
	if c, ok := n.(*expr.Column); ok {
		return c.Index
	}
	return 1 << 30
}
