package setfunc

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// WindowCall is a bound call over a window, without the window.
type WindowCall struct {
	Name string // upper case
	// Agg is the aggregate, nil for a window function, whose arguments are in Args.
	Agg  *Aggregate
	Args []expr.Node

	typ value.Type
}

// Type is that of the result.
func (w *WindowCall) Type() value.Type { return w.typ }

// AppendTo appends the call.
func (w *WindowCall) AppendTo(dst []byte) []byte {
	if w.Agg != nil {
		return w.Agg.AppendTo(dst)
	}
	return expr.AppendList(append(dst, strings.ToLower(w.Name)...), "(", w.Args, ",", ")")
}

// Parts are the expressions of the call.
func (w *WindowCall) Parts() []expr.Node {
	if w.Agg != nil {
		return w.Agg.Args
	}
	return w.Args
}

// WithParts is the call over other expressions, which correspond to Parts.
func (w *WindowCall) WithParts(parts []expr.Node) *WindowCall {
	out := *w
	if w.Agg == nil {
		out.Args = parts
		return &out
	}
	agg := *w.Agg
	agg.Args, out.Agg = parts, &agg
	return &out
}

// WindowTakes reports whether the named window function can have this number of arguments.
func WindowTakes(name string, args int) bool {
	fn := windowFns[name]
	return args >= fn.min && args <= fn.max
}

// NewWindowCall is a call of a window function, which must accept the number of arguments. The error is 4101
// for values that cannot be interpolated, 4104 for a fraction that is not a number.
func NewWindowCall(name string, args []expr.Node) (*WindowCall, error) {
	w := &WindowCall{Name: name, Args: args, typ: windowFns[name].typ(args)}
	return w, checkPercentile(name, args)
}

// NewWindowAggregate is a call of an aggregate over a window.
func NewWindowAggregate(agg *Aggregate) *WindowCall {
	return &WindowCall{Name: agg.Name, Agg: agg, typ: agg.Type()}
}

// windowFn is an entry of the table of window functions.
type windowFn struct {
	min, max int
	typ      func(args []expr.Node) value.Type
	// count is the index of the argument that is a number of rows, -1 for none, and least is its minimum.
	count, least int
}

var windowFns = func() map[string]windowFn {
	of := func(t value.Type) func([]expr.Node) value.Type { return func([]expr.Node) value.Type { return t } }
	number, share := of(value.Type{Kind: value.Uint, Length: 21}), of(value.Type{Kind: value.Float})
	first := func(args []expr.Node) value.Type {
		t := args[0].Type()
		t.Nullable, t.Members = true, nil
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
		"PERCENTILE_DISC": {min: 2, max: 2, typ: func(args []expr.Node) value.Type { return first(args[1:]) }, count: -1},
	}
}()

// offsetType is the type of LAG and LEAD: the common type of the value and the default.
func offsetType(args []expr.Node) value.Type {
	t := args[0].Type()
	if len(args) > 2 {
		t = value.Unify(t, args[2].Type())
	}
	t.Nullable, t.Members = true, nil
	return t
}

// WrongWindowArguments is error 1210 about the arguments of a window function.
func WrongWindowArguments(name string) error {
	return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to %s", strings.ToLower(name))
}

// Count is the number of rows in the call's arguments; ok is false if there is none. Its error is 1210.
func (w *WindowCall) Count(env *expr.Env) (n int64, ok bool, err error) {
	at := w.CountAt()
	if at < 0 {
		return 0, false, nil
	}
	v, err := w.Args[at].Eval(env)
	if err != nil {
		return 0, false, err
	}
	i, exact := value.ExactInt(v)
	if v.Kind() != value.Int || !exact || i < int64(windowFns[w.Name].least) {
		return 0, false, WrongWindowArguments(w.Name)
	}
	return i, true, nil
}

// CountAt is the index of the argument that is a number of rows; -1 if there is none.
func (w *WindowCall) CountAt() int {
	at := windowFns[w.Name].count
	if w.Agg != nil || at >= len(w.Args) {
		return -1
	}
	return at
}
