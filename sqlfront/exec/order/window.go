package order

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/window"
)

// Window computes calls over windows with the same partitioning and order. It reads its child in
// that order, or sorts the child's rows.
type Window struct {
	Child op.Node
	// Partition are the expressions by which rows are partitioned; any order and direction of them
	// will do.
	Partition []ordering.Key
	Order     []ordering.Key
	Calls     []WindowCall
	// Captured are the frame's columns that are read above.
	Captured []int
	Width    int
}

// WindowCall is a call, and the frame's column for its result.
type WindowCall struct {
	window.Call
	Slot int
}

// windows converts the keys for package window.
func (n *Window) windows() *window.Windows {
	w := &window.Windows{Partition: ordering.Nodes(n.Partition), Order: ordering.Nodes(n.Order)}
	w.Desc = len(n.Order) > 0 && n.Order[0].Desc
	return w
}

// computes reports whether a column is the result of a call.
func (n *Window) computes(index int) bool {
	return slices.ContainsFunc(n.Calls, func(c WindowCall) bool { return c.Slot == index })
}

func (n *Window) Open(x *op.Frame, want op.Desired) (op.Operator, op.Provided, error) {
	keys, serves := ordering.OfWindow(n.Partition, n.Order, want.Order, n.computes)
	below := op.Desired{Order: keys}
	if len(n.Order) == 0 && !serves {
		below = op.Desired{Together: ordering.Nodes(n.Partition)}
	}
	child, g, err := n.Child.Open(x, below)
	if err != nil {
		return nil, g, err
	}
	w := newWindowed(n, x, x.Timed(child))
	if len(keys) > 0 && !g.Ordered && !g.Together {
		if !serves {
			keys = ordering.Ascending(keys, len(n.Partition))
		}
		w.in.sort = &windowSort{keys: keys}
		w.in.layOut(keys)
	}
	inOrder := g.Ordered || w.in.sort != nil
	out := op.Provided{Ordered: serves && inOrder}
	out.Together = len(want.Together) > 0 && ordering.Gathers(keys, want.Together) && inOrder
	return w, out, w.start()
}
