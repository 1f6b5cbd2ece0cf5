package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/window"
	"github.com/xwb1989/sqlparser"
)

// maxWindows is MySQL's limit for one SELECT.
const maxWindows = 127

const unnamedWindow = "<unnamed window>"

func (b *blockPlanner) ownWindows() *block.Windows {
	if b.Windows == nil {
		b.Windows = &block.Windows{Known: map[*ast.Window]*block.Window{}}
	}
	return b.Windows
}

// bindWindow binds a call over a window: in the select list and in ORDER BY.
func (b *blockPlanner) bindWindow(o *ast.Over) (expr.Node, error) {
	if b.Windows != nil && b.Windows.Binding != "" {
		return nil, mysqlerr.New(mysqlerr.WindowNested, "You cannot nest a window function in the specification of window '%s'.",
			b.Windows.Binding)
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

// windowSlot is the frame's column for the result of a call; a new one if the call has none yet.
func (b *blockPlanner) windowSlot(call *setfunc.WindowCall, over *block.Window) (int, error) {
	w, c := b.ownWindows(), condition.Comparison{Meter: b.Meter}
	text := expr.Print(call)
	for _, known := range w.Calls {
		if known.Over == over && known.Text == text && c.SameAll(known.Call.Parts(), call.Parts()) {
			return known.Slot, nil
		}
	}
	slot := b.Alloc()
	w.Calls = append(w.Calls, block.WindowCall{Call: call, Text: text, Over: over, Slot: slot})
	return slot, c.Err
}

// window binds a window specification, once.
func (b *blockPlanner) window(scope *ast.Windows, text *ast.Window) (*block.Window, error) {
	if text.Plain {
		base, err := namedWindow(scope, text.Base)
		if err != nil {
			return nil, err
		}
		return b.window(scope, base)
	}
	w := b.ownWindows()
	if known, ok := w.Known[text]; ok {
		if known == nil {
			return nil, mysqlerr.New(mysqlerr.WindowCircularity, "There is a circularity in the window dependency graph.")
		}
		return known, nil
	}
	if len(w.Known) == maxWindows {
		return nil, mysqlerr.Unsupported(fmt.Sprintf("more than %d windows in a SELECT", maxWindows))
	}
	w.Known[text] = nil
	made, err := b.makeWindow(scope, text)
	if err != nil {
		return nil, err
	}
	made, err = b.knownWindow(made)
	w.Known[text] = made
	return made, err
}

// knownWindow returns an equal window that is already known, otherwise this one.
func (b *blockPlanner) knownWindow(made *block.Window) (*block.Window, error) {
	c := condition.Comparison{Meter: b.Meter}
	for _, other := range b.Windows.All {
		if c.SameFrame(made.Frame, other.Frame) && c.SameAll(made.Partition, other.Partition) &&
			slices.EqualFunc(made.Order, other.Order, c.SameOrder) {
			return other, c.Err
		}
	}
	b.Windows.All = append(b.Windows.All, made)
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

func (b *blockPlanner) makeWindow(scope *ast.Windows, text *ast.Window) (*block.Window, error) {
	out := &block.Window{Name: text.Name, Item: len(b.Items)}
	if out.Name == "" {
		out.Name = unnamedWindow
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
	out.Frame, err = b.bindFrame(out, text.Frame)
	return out, err
}

// inherit copies what a window inherits from the named window that it extends.
func (b *blockPlanner) inherit(out *block.Window, scope *ast.Windows, text *ast.Window) error {
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
	case base.Frame != nil:
		return mysqlerr.New(mysqlerr.WindowNoInheritFrame,
			"Window '%s' has a frame definition, so cannot be referenced by another window.", named.Name)
	case len(base.Order) > 0 && text.Order != nil:
		return mysqlerr.New(mysqlerr.WindowNoRedefineOrderBy,
			"Window '%s' cannot inherit '%s' since both contain an ORDER BY clause.", out.Name, named.Name)
	}
	out.Partition, out.Order = slices.Clone(base.Partition), slices.Clone(base.Order)
	return nil
}

func (b *blockPlanner) bindWindowKeys(out *block.Window, text *ast.Window) error {
	b.Windows.Binding = out.Name
	defer func() { b.Windows.Binding = "" }()
	for _, e := range text.Partition {
		n, err := b.windowKey(out, e, "window partition by")
		if err != nil {
			return err
		}
		out.Partition = append(out.Partition, n)
	}
	for _, o := range text.Order {
		n, err := b.windowKey(out, o.Expr, "window order by")
		if err != nil {
			return err
		}
		out.Order = append(out.Order, ordering.Key{Expr: member.Numeric(n), Desc: o.Direction == descending})
	}
	return nil
}

// bindFrame binds ROWS or RANGE with its bounds.
func (b *blockPlanner) bindFrame(w *block.Window, f *ast.Frame) (*window.Frame, error) {
	switch start, end := f.Start.Kind, f.End.Kind; {
	case start == clause.UnboundedFollowing:
		return nil, mysqlerr.New(mysqlerr.WindowFrameStartIllegal, "Window '%s': frame start cannot be UNBOUNDED FOLLOWING.",
			w.Name)
	case end == clause.UnboundedPreceding:
		return nil, mysqlerr.New(mysqlerr.WindowFrameEndIllegal, "Window '%s': frame end cannot be UNBOUNDED PRECEDING.", w.Name)
	case start > end:
		return nil, window.IllegalFrame(w.Name)
	}
	out := &window.Frame{Range: f.Range, Window: w.Name}
	var err error
	if out.Start, err = b.bindBound(w, out, &f.Start); err != nil {
		return nil, err
	}
	out.End, err = b.bindBound(w, out, &f.End)
	return out, err
}

func (b *blockPlanner) bindBound(w *block.Window, f *window.Frame, bound *ast.Bound) (window.Bound, error) {
	out := window.Bound{Kind: bound.Kind, Unit: bound.Unit}
	if bound.N == nil {
		return out, nil
	}
	var err error
	if out.N, err = b.bind(bound.N, "window frame", b, false); err != nil {
		return out, err
	}
	if f.Range {
		err = checkDistance(w, &out)
	} else if bound.Unit != "" {
		err = mysqlerr.New(mysqlerr.WindowRowsInterval, "Window '%s': INTERVAL can only be used with RANGE frames.", w.Name)
	} else if n, ok := bound.N.(*ast.Number); ok && !n.Int {
		err = window.IllegalFrame(w.Name)
	}
	if err == nil && !expr.IsConst(out.N) {
		err = mysqlerr.New(mysqlerr.WindowRangeBoundNotConstant, "Window '%s' has a non-constant frame bound.", w.Name)
	}
	return out, err
}

// checkDistance refuses a distance that cannot be added to the only key of the order.
func checkDistance(w *block.Window, bound *window.Bound) error {
	kind := value.Null
	if len(w.Order) == 1 {
		kind = w.Order[0].Expr.Type().Kind
	}
	switch {
	case !kind.IsNumber() && !kind.IsTemporal():
		return mysqlerr.New(mysqlerr.WindowRangeFrameOrderType, "Window '%s' with RANGE N PRECEDING/FOLLOWING frame requires "+
			"exactly one ORDER BY expression, of numeric or temporal type", w.Name)
	case kind.IsTemporal() && bound.Unit == "":
		return mysqlerr.New(mysqlerr.WindowRangeFrameTemporalType, "Window '%s' with RANGE frame has ORDER BY expression of "+
			"datetime type. Only INTERVAL bound value allowed.", w.Name)
	case kind.IsNumber() && bound.Unit != "":
		return mysqlerr.New(mysqlerr.WindowRangeFrameNumericType, "Window '%s' with RANGE frame has ORDER BY expression of "+
			"numeric type, INTERVAL bound value not allowed.", w.Name)
	}
	return nil
}

// windowKey binds an expression of PARTITION BY or ORDER BY of a window, in which an integer is not a
// position.
func (b *blockPlanner) windowKey(w *block.Window, e sqlparser.Expr, clause string) (expr.Node, error) {
	if n, ok := ast.Unparenthesized(e).(*ast.Number); ok && n.Int {
		return nil, mysqlerr.New(mysqlerr.WindowIllegalOrderBy, "Window '%s': ORDER BY or PARTITION BY uses legacy position "+
			"indication which is not supported, use expression.", w.Name)
	}
	return b.bind(e, clause, b, true)
}

// checkWindows binds the windows that no call uses, to report their errors, and refuses windows if rows are
// changed.
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
		return bind.WindowMisused(b.Windows.Calls[0].Call.Name)
	}
	b.DropIdleWindows()
	return nil
}

const descending = sqlparser.DescScr
