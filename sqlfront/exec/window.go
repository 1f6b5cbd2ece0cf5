package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/window"
)

// Window computes calls over windows of one partitioning and order. It reads its
// child in that order, or sorts what the child gives.
type Window struct {
	Child Node
	// Partition are the expressions whose equal values make a partition: in
	// whatever order and direction they are sorted, these are as good as any.
	Partition []ordering.Key
	Order     []ordering.Key
	Calls     []WindowCall
	// Captured are the frame's columns that are read above.
	Captured []int
	Width    int
}

// WindowCall is a call, and the column of the executor's frame for its result.
type WindowCall struct {
	window.Call
	Slot int
}

// windows are what package window has to know of the keys.
func (n *Window) windows() *window.Windows {
	w := &window.Windows{Partition: keyNodes(n.Partition), Order: keyNodes(n.Order)}
	w.Desc = len(n.Order) > 0 && n.Order[0].Desc
	return w
}

// keys are what rows are sorted by: where the reader's order begins with them, or
// they with it, one order serves both.
func (n *Window) keys(want []ordering.Key) (keys []ordering.Key, serves bool) {
	own := append(slices.Clone(n.Partition), n.Order...)
	if len(want) == 0 {
		return own, false
	}
	left := slices.Clone(n.Partition)
	for i, k := range want {
		at := slices.IndexFunc(left, func(p ordering.Key) bool { return sameKey(p.Expr, k.Expr) })
		if at >= 0 {
			keys, left = append(keys, k), slices.Delete(left, at, at+1)
			continue
		}
		done := len(keys) - len(n.Partition) // of Order
		switch {
		case len(left) > 0:
			return own, false
		case done < len(n.Order):
			if o := n.Order[done]; o.Desc != k.Desc || !sameKey(o.Expr, k.Expr) {
				return own, false
			}
			keys = append(keys, k)
		case n.computes(want[i:]):
			return own, false
		default:
			return append(keys, want[i:]...), true
		}
	}
	keys = append(keys, left...)
	return append(keys, n.Order[max(len(keys)-len(n.Partition), 0):]...), true
}

// computes reports whether the keys cannot be had below the node.
func (n *Window) computes(keys []ordering.Key) bool {
	return slices.ContainsFunc(keys, func(k ordering.Key) bool {
		return expr.IsVolatile(k.Expr) || expr.Reads(k.Expr, func(index int) bool {
			return slices.ContainsFunc(n.Calls, func(c WindowCall) bool { return c.Slot == index })
		})
	})
}

// ascending are the keys of a sort that nobody else has a wish about: partitions come
// in ascending order then.
func (n *Window) ascending(keys []ordering.Key) []ordering.Key {
	keys = slices.Clone(keys)
	for i := range n.Partition {
		keys[i].Desc = false
	}
	return keys
}

// sameKey reports whether two keys are one: the planner has one node for all that
// are alike.
func sameKey(a, b expr.Node) bool {
	x, ok := a.(*expr.Column)
	y, both := b.(*expr.Column)
	return a == b || ok && both && x.Index == y.Index
}

// gathers reports whether rows that are alike in the nodes come together where they
// are in the order of the keys.
func gathers(keys []ordering.Key, nodes []expr.Node) bool {
	return len(nodes) <= len(keys) && !slices.ContainsFunc(keys[:len(nodes)], func(k ordering.Key) bool {
		return !slices.ContainsFunc(nodes, func(n expr.Node) bool { return sameKey(k.Expr, n) })
	})
}

func (n *Window) open(x *frame, want request) (source, grant, error) {
	keys, serves := n.keys(want.order)
	below := request{order: keys}
	if len(n.Order) == 0 && !serves {
		below = request{together: keyNodes(n.Partition)}
	}
	child, g, err := n.Child.open(x, below)
	if err != nil {
		return nil, g, err
	}
	w := newWindowed(n, x, x.timed(child))
	if len(keys) > 0 && !g.ordered && !g.together {
		if !serves {
			keys = n.ascending(keys)
		}
		w.in.sort = &windowSort{keys: keys}
		w.in.layOut(keys)
	}
	inOrder := g.ordered || w.in.sort != nil
	out := grant{ordered: serves && inOrder, together: len(want.together) > 0 && gathers(keys, want.together) && inOrder}
	return w, out, w.start()
}

func keyNodes(keys []ordering.Key) []expr.Node {
	out := make([]expr.Node, len(keys))
	for i, k := range keys {
		out[i] = k.Expr
	}
	return out
}
