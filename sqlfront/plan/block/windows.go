package block

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/window"
)

// Windows are those of a block; nil has none.
type Windows struct {
	// Known are the windows that are bound, by their syntax trees; a nil one is being bound.
	Known map[*ast.Window]*Window
	All   []*Window
	Calls []WindowCall
	// Binding is the name of the window that is being bound.
	Binding string
}

// Window is a bound window.
type Window struct {
	Name      string
	Partition []expr.Node
	Order     []ordering.Key
	Frame     *window.Frame // nil if none is written
	Item      int           // index in the select list
}

// WindowCall is a call over a window and the frame's column of its result.
type WindowCall struct {
	Call *setfunc.WindowCall
	Text string
	Over *Window
	Slot int
}

// parts are the expressions that are evaluated on rows.
func (w *Windows) parts() []expr.Node {
	if w == nil {
		return nil
	}
	var out []expr.Node
	for _, each := range w.All {
		out = append(out, each.Partition...)
		for _, k := range each.Order {
			out = append(out, k.Expr)
		}
	}
	for _, c := range w.Calls {
		out = append(out, c.Call.Parts()...)
	}
	return out
}

// DividedBy reports whether no window has rows with different values of n: then leaving out all rows of one
// value changes no result of another.
func (w *Windows) DividedBy(n expr.Node) bool {
	if w == nil {
		return true
	}
	c, plain := n.(*expr.Column)
	return plain && condition.Exact(c.T) && !slices.ContainsFunc(w.Calls, func(call WindowCall) bool {
		return !slices.ContainsFunc(call.Over.Partition, func(p expr.Node) bool {
			other, ok := p.(*expr.Column)
			return ok && other.Index == c.Index
		})
	})
}

// FrameOf is the window's frame, or the default: the rows up to the current row's peers, or all.
func (w *Window) FrameOf() window.Frame {
	if w.Frame != nil {
		return *w.Frame
	}
	out := window.Frame{End: window.Bound{Kind: clause.UnboundedFollowing}, Window: w.Name}
	if len(w.Order) > 0 {
		out.Range, out.End.Kind = true, clause.CurrentRow
	}
	return out
}

// Agrees reports whether the node has the window's partitioning and order.
func (w *Window) Agrees(n *order.Window) bool {
	same := func(a ordering.Key, b ordering.Key) bool { return a.Expr == b.Expr && a.Desc == b.Desc }
	if len(w.Partition) != len(n.Partition) || !slices.EqualFunc(w.Order, n.Order, same) {
		return false
	}
	return !slices.ContainsFunc(n.Partition, func(k ordering.Key) bool { return !slices.Contains(w.Partition, k.Expr) })
}

// DropIdleWindows removes the windows over which nothing is computed.
func (b *Block) DropIdleWindows() {
	w := b.Windows
	if w == nil {
		return
	}
	w.All = slices.DeleteFunc(w.All, func(each *Window) bool {
		return !slices.ContainsFunc(w.Calls, func(c WindowCall) bool { return c.Over == each })
	})
	if len(w.Calls) == 0 {
		b.Windows = nil
	}
}

// PruneWindows removes the calls whose results are not used.
func (b *Block) PruneWindows() {
	if b.Windows == nil {
		return
	}
	all := *b.Windows
	b.Windows = nil
	read := condition.ColumnsIn(b.Upper())
	b.Windows = &all
	all.Calls = slices.DeleteFunc(all.Calls, func(c WindowCall) bool {
		return !read[c.Slot] && !slices.ContainsFunc(c.Call.Parts(), condition.Volatile)
	})
	b.DropIdleWindows()
}
