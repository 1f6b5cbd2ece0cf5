package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/window"
)

// maxWindows is MySQL's limit for one SELECT.
const maxWindows = 127

const unnamedWindow = "<unnamed window>"

func (b *blockPlanner) ownWindows() *windows {
	if b.windows == nil {
		b.windows = &windows{known: map[*ast.Window]*boundWindow{}}
	}
	return b.windows
}

// bindWindow binds a call over a window: in the select list and in ORDER BY.
func (b *blockPlanner) bindWindow(o *ast.Over) (expr.Node, error) {
	if b.windows != nil && b.windows.binding != "" {
		return nil, mysqlerr.New(mysqlerr.WindowNested, "You cannot nest a window function in the specification of window '%s'.",
			b.windows.binding)
	}
	binder := b.binder(b)
	if !b.aggregates || b.clause == "having clause" {
		binder.Window = nil
		return binder.Bind(o) // 3593
	}
	over, err := b.window(o.Scope, o.Window)
	if err != nil {
		return nil, err
	}
	call, err := binder.BindWindowCall(o)
	if err != nil {
		return nil, err
	}
	slot, err := b.windowSlot(call, over)
	return &expr.Column{Index: slot, Name: expr.Print(call), T: call.Type()}, err
}

// windowSlot is the column of the frame that a call has, or gets.
func (b *blockPlanner) windowSlot(call *expr.WindowCall, over *boundWindow) (int, error) {
	w, c := b.ownWindows(), condition.Comparison{Meter: &b.Meter}
	text := expr.Print(call)
	for _, known := range w.calls {
		if known.over == over && known.text == text && c.SameAll(known.call.Parts(), call.Parts()) {
			return known.slot, nil
		}
	}
	slot := b.alloc()
	w.calls = append(w.calls, windowCall{call, text, over, slot})
	return slot, c.Err
}

// window binds what the text says of a window, once.
func (b *blockPlanner) window(scope *ast.Windows, text *ast.Window) (*boundWindow, error) {
	if text.Plain {
		base, err := namedWindow(scope, text.Base)
		if err != nil {
			return nil, err
		}
		return b.window(scope, base)
	}
	w := b.ownWindows()
	if known, ok := w.known[text]; ok {
		if known == nil {
			return nil, mysqlerr.New(mysqlerr.WindowCircularity, "There is a circularity in the window dependency graph.")
		}
		return known, nil
	}
	if len(w.known) == maxWindows {
		return nil, mysqlerr.Unsupported(fmt.Sprintf("more than %d windows in a SELECT", maxWindows))
	}
	w.known[text] = nil
	made, err := b.makeWindow(scope, text)
	if err != nil {
		return nil, err
	}
	made, err = b.knownWindow(made)
	w.known[text] = made
	return made, err
}

// knownWindow is the window that is like this one, or this one.
func (b *blockPlanner) knownWindow(made *boundWindow) (*boundWindow, error) {
	c := condition.Comparison{Meter: &b.Meter}
	for _, other := range b.windows.all {
		if c.SameFrame(made.frame, other.frame) && c.SameAll(made.partition, other.partition) &&
			slices.EqualFunc(made.order, other.order, c.SameOrder) {
			return other, c.Err
		}
	}
	b.windows.all = append(b.windows.all, made)
	return made, c.Err
}

func namedWindow(scope *ast.Windows, name string) (*ast.Window, error) {
	for _, w := range scope.Named {
		if strings.EqualFold(w.Name, name) {
			return w, nil
		}
	}
	return nil, mysqlerr.New(mysqlerr.WindowNoSuchWindow, "Window name '%s' is not defined.", name)
}

func (b *blockPlanner) makeWindow(scope *ast.Windows, text *ast.Window) (*boundWindow, error) {
	out := &boundWindow{name: text.Name, item: len(b.items)}
	if out.name == "" {
		out.name = unnamedWindow
	}
	if text.Base != "" {
		if err := b.inherit(out, scope, text); err != nil {
			return nil, err
		}
	}
	if err := b.bindWindowKeys(out, text); err != nil {
		return nil, err
	}
	if text.Frame == nil {
		return out, nil
	}
	var err error
	out.frame, err = b.bindFrame(out, text.Frame)
	return out, err
}

// inherit takes over what the window goes on from.
func (b *blockPlanner) inherit(out *boundWindow, scope *ast.Windows, text *ast.Window) error {
	named, err := namedWindow(scope, text.Base)
	if err != nil {
		return err
	}
	base, err := b.window(scope, named)
	switch {
	case err != nil:
		return err
	case text.Partition != nil:
		return mysqlerr.New(mysqlerr.WindowNoChildPartitioning, "A window which depends on another cannot define partitioning.")
	case base.frame != nil:
		return mysqlerr.New(mysqlerr.WindowNoInheritFrame,
			"Window '%s' has a frame definition, so cannot be referenced by another window.", named.Name)
	case len(base.order) > 0 && text.Order != nil:
		return mysqlerr.New(mysqlerr.WindowNoRedefineOrderBy,
			"Window '%s' cannot inherit '%s' since both contain an ORDER BY clause.", out.name, named.Name)
	}
	out.partition, out.order = slices.Clone(base.partition), slices.Clone(base.order)
	return nil
}

func (b *blockPlanner) bindWindowKeys(out *boundWindow, text *ast.Window) error {
	b.windows.binding = out.name
	defer func() { b.windows.binding = "" }()
	for _, e := range text.Partition {
		n, err := b.windowKey(out, e, "window partition by")
		if err != nil {
			return err
		}
		out.partition = append(out.partition, n)
	}
	for _, o := range text.Order {
		n, err := b.windowKey(out, o.Expr, "window order by")
		if err != nil {
			return err
		}
		out.order = append(out.order, ordering.Key{Expr: n, Desc: o.Direction == descending})
	}
	return nil
}

// bindFrame binds ROWS or RANGE with its bounds.
func (b *blockPlanner) bindFrame(w *boundWindow, f *ast.Frame) (*window.Frame, error) {
	switch start, end := f.Start.Kind, f.End.Kind; {
	case start == clause.UnboundedFollowing:
		return nil, mysqlerr.New(mysqlerr.WindowFrameStartIllegal, "Window '%s': frame start cannot be UNBOUNDED FOLLOWING.",
			w.name)
	case end == clause.UnboundedPreceding:
		return nil, mysqlerr.New(mysqlerr.WindowFrameEndIllegal, "Window '%s': frame end cannot be UNBOUNDED PRECEDING.", w.name)
	case start > end:
		return nil, window.IllegalFrame(w.name)
	}
	out := &window.Frame{Range: f.Range, Window: w.name}
	var err error
	if out.Start, err = b.bindBound(w, out, &f.Start); err != nil {
		return nil, err
	}
	out.End, err = b.bindBound(w, out, &f.End)
	return out, err
}

func (b *blockPlanner) bindBound(w *boundWindow, f *window.Frame, bound *ast.Bound) (window.Bound, error) {
	out := window.Bound{Kind: bound.Kind, Unit: bound.Unit}
	if bound.N == nil {
		return out, nil
	}
	var err error
	if out.N, err = b.bind(bound.N, "window frame", b, false); err != nil {
		return out, err
	}
	if f.Range {
		err = w.checkDistance(&out)
	} else if bound.Unit != "" {
		err = mysqlerr.New(mysqlerr.WindowRowsInterval, "Window '%s': INTERVAL can only be used with RANGE frames.", w.name)
	} else if n, ok := bound.N.(*ast.Number); ok && !n.Int {
		err = window.IllegalFrame(w.name)
	}
	if err == nil && !expr.IsConst(out.N) {
		err = mysqlerr.New(mysqlerr.WindowRangeBoundNotConstant, "Window '%s' has a non-constant frame bound.", w.name)
	}
	return out, err
}

// checkDistance refuses what cannot be added to the only key of the order.
func (w *boundWindow) checkDistance(bound *window.Bound) error {
	kind := value.Null
	if len(w.order) == 1 {
		kind = w.order[0].Expr.Type().Kind
	}
	switch {
	case !kind.IsNumber() && !kind.IsTemporal():
		return mysqlerr.New(mysqlerr.WindowRangeFrameOrderType, "Window '%s' with RANGE N PRECEDING/FOLLOWING frame requires "+
			"exactly one ORDER BY expression, of numeric or temporal type", w.name)
	case kind.IsTemporal() && bound.Unit == "":
		return mysqlerr.New(mysqlerr.WindowRangeFrameTemporalType, "Window '%s' with RANGE frame has ORDER BY expression of "+
			"datetime type. Only INTERVAL bound value allowed.", w.name)
	case kind.IsNumber() && bound.Unit != "":
		return mysqlerr.New(mysqlerr.WindowRangeFrameNumericType, "Window '%s' with RANGE frame has ORDER BY expression of "+
			"numeric type, INTERVAL bound value not allowed.", w.name)
	}
	return nil
}
