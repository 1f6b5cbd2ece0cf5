package expr

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// WindowCall is a bound call over a window, without the window.
type WindowCall struct {
	Name string // upper case
	// Agg is the aggregate, nil where it is a window function, whose arguments
	// are in Args.
	Agg  *Aggregate
	Args []Node

	typ value.Type
}

// Type is that of the result.
func (w *WindowCall) Type() value.Type { return w.typ }

// AppendTo appends the call.
func (w *WindowCall) AppendTo(dst []byte) []byte {
	if w.Agg != nil {
		return w.Agg.AppendTo(dst)
	}
	return appendList(append(dst, strings.ToLower(w.Name)...), "(", w.Args, ",", ")")
}

// Parts are the expressions of the call.
func (w *WindowCall) Parts() []Node {
	if w.Agg != nil {
		return w.Agg.Args
	}
	return w.Args
}

// WithParts is the call over other expressions, as many as Parts gave.
func (w *WindowCall) WithParts(parts []Node) *WindowCall {
	out := *w
	if w.Agg == nil {
		out.Args = parts
		return &out
	}
	agg := *w.Agg
	agg.Args, out.Agg = parts, &agg
	return &out
}

// windowFn is an entry of the table of window functions.
type windowFn struct {
	min, max int
	typ      func(args []Node) value.Type
	// count is the argument that is a number of rows, -1 for none, and least what
	// it is at least.
	count, least int
}

var windowFns = func() map[string]windowFn {
	of := func(t value.Type) func([]Node) value.Type { return func([]Node) value.Type { return t } }
	number, share := of(value.Type{Kind: value.Uint, Length: 21}), of(value.Type{Kind: value.Float})
	first := func(args []Node) value.Type {
		t := args[0].Type()
		t.Nullable = true
		return t
	}
	return map[string]windowFn{
		"ROW_NUMBER": {typ: number, count: -1}, "RANK": {typ: number, count: -1}, "DENSE_RANK": {typ: number, count: -1},
		"PERCENT_RANK": {typ: share, count: -1}, "CUME_DIST": {typ: share, count: -1},
		"NTILE": {min: 1, max: 1, typ: of(value.Type{Kind: value.Uint, Length: 21, Nullable: true}), least: 1},
		"LAG":   {min: 1, max: 3, typ: offsetType, count: 1}, "LEAD": {min: 1, max: 3, typ: offsetType, count: 1},
		"FIRST_VALUE": {min: 1, max: 1, typ: first, count: -1}, "LAST_VALUE": {min: 1, max: 1, typ: first, count: -1},
		"NTH_VALUE":       {min: 2, max: 2, typ: first, count: 1, least: 1},
		"MEDIAN":          {min: 1, max: 1, typ: interpolated, count: -1},
		"PERCENTILE_CONT": {min: 2, max: 2, typ: interpolated, count: -1},
		"PERCENTILE_DISC": {min: 2, max: 2, typ: func(args []Node) value.Type { return first(args[1:]) }, count: -1},
	}
}()

// offsetType is that of LAG and LEAD: what the value and the default have in common.
func offsetType(args []Node) value.Type {
	t := args[0].Type()
	if len(args) > 2 {
		t = value.Unify(t, args[2].Type())
	}
	t.Nullable = true
	return t
}

// WindowMisused is 3593 for a call that stands where no window is.
func WindowMisused(name string) error {
	return mysqlerr.New(mysqlerr.WindowInvalidUse, "You cannot use the window function '%s' in this context.'",
		strings.ToLower(name))
}

func (b *Binder) bindOver(o *ast.Over) (Node, error) {
	if b.Window == nil || b.inAggregate {
		return nil, WindowMisused(calledName(o.Call()))
	}
	return b.Window(o)
}

func calledName(e sqlparser.Expr) string {
	f, _ := e.(*sqlparser.FuncExpr)
	return f.Name.String()
}

// BindWindowCall binds the call in front of OVER. There are no windows in its
// arguments.
func (b *Binder) BindWindowCall(o *ast.Over) (*WindowCall, error) {
	f := o.Call().(*sqlparser.FuncExpr)
	name := strings.ToUpper(f.Name.String())
	inner := *b
	inner.Window = nil
	if isAggregate(name) {
		return inner.bindWindowAggregate(name, f)
	}
	args, err := plainArgs(f.Exprs)
	if err != nil {
		return nil, err
	}
	fn := windowFns[name]
	if len(args) < fn.min || len(args) > fn.max {
		return nil, mysqlerr.New(mysqlerr.Parse, "You have an error in your SQL syntax: wrong number of arguments of %s()",
			f.Name.String())
	}
	w := &WindowCall{Name: name}
	if w.Args, err = inner.bindAll(args...); err != nil {
		return nil, err
	}
	w.typ = fn.typ(w.Args)
	if err := checkPercentile(name, w.Args); err != nil {
		return nil, err
	}
	return w, fn.check(name, w.Args, args)
}

// check looks at the number of rows: it is written, an argument or a variable.
func (f *windowFn) check(name string, args []Node, written []sqlparser.Expr) error {
	if f.count < 0 || f.count >= len(args) {
		return nil
	}
	switch e := written[f.count].(type) {
	case *ast.Number:
		if e.Int && IsConst(args[f.count]) {
			_, _, err := windowCount(name, args[f.count], &Env{})
			return err
		}
	case *ast.Param, *ast.UserVar:
		return nil
	}
	return wrongWindowArguments(name)
}

func wrongWindowArguments(name string) error {
	return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to %s", strings.ToLower(name))
}

// Count is the number of rows that the call says; ok is false where it says none.
// Its error is 1210.
func (w *WindowCall) Count(env *Env) (n int64, ok bool, err error) {
	fn := windowFns[w.Name]
	if w.Agg != nil || fn.count < 0 || fn.count >= len(w.Args) {
		return 0, false, nil
	}
	return windowCount(w.Name, w.Args[fn.count], env)
}

func windowCount(name string, n Node, env *Env) (int64, bool, error) {
	v, err := n.Eval(env)
	if err != nil {
		return 0, false, err
	}
	i, exact := value.ExactInt(v)
	if v.Kind() != value.Int || !exact || i < int64(windowFns[name].least) {
		return 0, false, wrongWindowArguments(name)
	}
	return i, true, nil
}

func (b *Binder) bindWindowAggregate(name string, f *sqlparser.FuncExpr) (*WindowCall, error) {
	agg := &Aggregate{Name: name, fn: aggregates[name]}
	if !countsStar(name, f) {
		if len(f.Exprs) < agg.fn.min || len(f.Exprs) > agg.fn.max {
			return nil, mysqlerr.New(mysqlerr.Parse, "You have an error in your SQL syntax: wrong number of arguments of %s()",
				f.Name.String())
		}
		args, err := plainArgs(f.Exprs)
		if err != nil {
			return nil, err
		}
		if agg.Args, err = b.bindAll(args...); err != nil {
			return nil, err
		}
	}
	return &WindowCall{Name: name, Agg: agg, typ: agg.Type()}, nil
}

// countsStar reports whether the call is COUNT(*).
func countsStar(name string, f *sqlparser.FuncExpr) bool {
	if name != "COUNT" || len(f.Exprs) != 1 {
		return false
	}
	_, star := f.Exprs[0].(*sqlparser.StarExpr)
	return star
}
