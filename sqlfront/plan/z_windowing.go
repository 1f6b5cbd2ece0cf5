package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/window"
)

// windows are those of a block. A nil *windows has none.
type windows struct {
	// known are the windows that are bound, by what the text says of them; a nil
	// one is being bound.
	known map[*ast.Window]*boundWindow
	all   []*boundWindow
	calls []windowCall
	// binding is the name of the window that is being bound.
	binding string
}

// boundWindow is a bound window.
type boundWindow struct {
	name      string
	partition []expr.Node
	order     []ordering.Key
	frame     *window.Frame // nil where none is written
	item      int           // of the select list, where it stands
}

// windowCall is a call over a window and the frame's column of its result.
type windowCall struct {
	call *expr.WindowCall
	text string
	over *boundWindow
	slot int
}

// parts are the expressions that are evaluated over rows.
func (w *windows) parts() []expr.Node {
	if w == nil {
		return nil
	}
	var out []expr.Node
	for _, each := range w.all {
		out = append(out, each.partition...)
		for _, k := range each.order {
			out = append(out, k.Expr)
		}
	}
	for _, c := range w.calls {
		out = append(out, c.call.Parts()...)
	}
	return out
}

// dividedBy reports whether no window has rows of different values of n: then
// leaving out all rows of one value changes no result of another.
func (w *windows) dividedBy(n expr.Node) bool {
	if w == nil {
		return true
	}
	c, plain := n.(*expr.Column)
	return plain && condition.Exact(c.T) && !slices.ContainsFunc(w.calls, func(call windowCall) bool {
		return !slices.ContainsFunc(call.over.partition, func(p expr.Node) bool {
			other, ok := p.(*expr.Column)
			return ok && other.Index == c.Index
		})
	})
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

// dropIdleWindows forgets the windows that nothing is computed over.
func (b *Block) dropIdleWindows() {
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

// pruneWindows forgets the calls whose results nobody reads.
func (b *Block) pruneWindows() {
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
