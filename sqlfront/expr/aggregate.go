package expr

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Aggregate is a bound aggregate function: over the rows of a group that have
// no NULL among the arguments.
type Aggregate struct {
	Name     string // upper case: COUNT, SUM, AVG, MIN, MAX, GROUP_CONCAT, ..
	Args     []Node // none: COUNT(*)
	Distinct bool
	// Order and Separator are GROUP_CONCAT's.
	Order     []OrderItem
	Separator []byte

	fn *aggregateFn
}

// OrderItem is an ORDER BY inside GROUP_CONCAT.
type OrderItem struct {
	X    Node
	Desc bool
}

// AggState gathers the rows of one group.
type AggState interface {
	// Add takes env's row into the group.
	Add(env *Env) error
	// AddTimes is n times Add, of an aggregate that CountsTimes.
	AddTimes(env *Env, n int64) error
	// AddArgs is Add with what Aggregate.AppendArgs gave.
	AddArgs(env *Env, args []value.Value) error
	// AddVectors takes many rows, of an aggregate that TakesVectors.
	AddVectors(env *Env, args []*value.Vector, rows []int32) error
	// Combine takes the rows of another state of the same aggregate, which must
	// be Combinable.
	Combine(other AggState) error
	// Include is Combine that leaves the other state as it is, of an aggregate that is
	// Includable.
	Include(other AggState) error
	// Result is the value for all rows; it owns its bytes. It comes last.
	Result() (value.Value, error)
	// Close gives up what the state remembers. It may be called again.
	Close() error
}

// aggregateFn is an entry of the table of aggregates.
type aggregateFn struct {
	min, max int
	typ      func(a *Aggregate) value.Type
	state    func(a *Aggregate, m *Memory) accumulator
	// nulls: rows with a NULL argument count too.
	nulls bool
	// number: the argument is taken for a number; sums: by its value as a number it is DISTINCT.
	number, sums bool
	// grows: a state remembers each row.
	grows bool
	// exact: states of rows and of those behind them can be combined into what one
	// state for all rows would be; nil is never.
	exact func(a *Aggregate) bool
	// read is what a frame keeps of the argument of a row; nil is the argument.
	read func(a *Aggregate, env *Env, v value.Value) (value.Value, error)
	// moving is an accumulator of which rows can be taken away; nil where there is
	// none.
	moving func(a *Aggregate) remover
}

func isAggregate(upper string) bool { return aggregates[upper] != nil }

// Type is that of the result.
func (a *Aggregate) Type() value.Type { return a.fn.typ(a) }

// Grows reports whether the memory of a state grows with its rows.
func (a *Aggregate) Grows() bool { return a.Distinct || a.fn.grows }

// PassesNulls reports whether rows with a NULL argument do not count.
func (a *Aggregate) PassesNulls() bool { return !a.fn.nulls }

// Reads are the arguments, and what they are ordered by.
func (a *Aggregate) Reads() []Node {
	out := a.Args[:len(a.Args):len(a.Args)]
	for _, o := range a.Order {
		out = append(out, o.X)
	}
	return out
}

// Choice is the first argument of an aggregate as a CASE, where rows for which no condition
// of it holds do nothing beside others of their group; nil where that is not known. A
// comparison that is never NULL is a CASE of 1 and 0.
func (a *Aggregate) Choice() *Case {
	if len(a.Args) == 0 {
		return nil
	}
	switch n := a.Args[0].(type) {
	case *Case:
		if a.passesElse(n) {
			return n
		}
	case *Compare:
		c := &Case{Whens: []When{{n, &Const{V: value.NewInt(1), T: boolType()}}}, Else: &Const{V: value.NewInt(0), T: boolType()}, T: n.Type()}
		if !c.T.Nullable && a.passesElse(c) {
			return c
		}
	}
	return nil
}

func (a *Aggregate) passesElse(choice *Case) bool {
	if choice.ElseIsNull() {
		return a.PassesNulls()
	}
	for _, w := range choice.Whens { // the sum is NULL where there is nothing else
		if w.Then.Type().Nullable {
			return false
		}
	}
	c, ok := choice.Else.(*Const)
	return ok && a.Name == "SUM" && !a.Distinct && c.V.Kind() == value.Int && c.V.Int() == 0
}

// Combinable reports whether states may be combined: the result is then exactly
// that of one state, however the rows were parted. What comes later in the order of
// the rows is combined later.
func (a *Aggregate) Combinable() bool {
	if a.Distinct && a.Name != "COUNT" && a.Name != "MIN" && a.Name != "MAX" {
		return false
	}
	return a.fn.exact != nil && a.fn.exact(a)
}

// Includable reports whether Include gives what the other's rows would give behind those
// that there are, but for how doubles are rounded. Unlike Combinable it knows that they come
// behind, and that the same rows are always included in the same way.
func (a *Aggregate) Includable() bool {
	switch a.Name {
	case "MIN", "MAX":
		return true
	case "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP":
		return !a.Distinct
	}
	return a.Combinable()
}

// CountsTimes reports whether adding a row many times costs as much as adding it
// once: it is counted, or once is enough. Bits of a string may warn, for each row.
func (a *Aggregate) CountsTimes() bool {
	switch a.Name {
	case "COUNT", "MIN", "MAX":
		return true
	case "BIT_AND", "BIT_OR":
		return !a.Args[0].Type().Kind.IsString()
	}
	return a.Distinct
}

// NewState starts a group.
func (a *Aggregate) NewState(m *Memory) AggState {
	state := m.states.Next()
	*state = aggState{agg: a, acc: a.fn.state(a, m), memory: m}
	if k, ok := state.acc.(keeper); ok {
		state.held = m.holds.Next()
		state.held.memory = m
		k.keepIn(state.held)
	}
	if a.Distinct {
		state.seen = m.NewSet(&m.Hold)
	}
	return state
}

// AppendArgs appends what a state needs of env's row: the arguments, and the
// values of ORDER BY. ok is false where the row does not count.
func (a *Aggregate) AppendArgs(env *Env, dst []value.Value) (args []value.Value, ok bool, err error) {
	for _, arg := range a.Args {
		v, err := operand(arg, env)
		if err != nil || v.IsNull() && !a.fn.nulls {
			return dst, false, err
		}
		dst = append(dst, v)
	}
	for _, o := range a.Order {
		v, err := o.X.Eval(env)
		if err != nil {
			return dst, false, err
		}
		dst = append(dst, v)
	}
	return dst, true, nil
}

// AppendTo appends the call, which also tells two aggregates apart.
func (a *Aggregate) AppendTo(dst []byte) []byte {
	dst = append(append(dst, strings.ToLower(a.Name)...), '(')
	if a.Distinct {
		dst = append(dst, "distinct "...)
	}
	if len(a.Args) == 0 {
		dst = append(dst, '*')
	}
	dst = appendList(dst, "", a.Args, ",", "")
	for i, o := range a.Order {
		dst = o.X.AppendTo(append(dst, []string{" order by ", ","}[min(i, 1)]...))
		if o.Desc {
			dst = append(dst, " desc"...)
		}
	}
	if a.Name == "GROUP_CONCAT" {
		dst = append(dst, " separator "+value.Quote(a.Separator)...)
	}
	return append(dst, ')')
}

// CountWhere is a COUNT of the rows for which a condition holds.
func CountWhere(cond Node) *Aggregate {
	one := &Const{V: value.NewInt(1), T: boolType()}
	choice := &Case{Whens: []When{{cond, one}}, T: one.T}
	choice.T.Nullable = true
	return &Aggregate{Name: "COUNT", Args: []Node{choice}, fn: aggregates["COUNT"]}
}

func (b *Binder) bindAggregate(name string, f *sqlparser.FuncExpr) (Node, error) {
	agg := &Aggregate{Name: name, Distinct: f.Distinct, fn: aggregates[name]}
	if countsStar(name, f) {
		return b.finishAggregate(agg)
	}
	if len(f.Exprs) < agg.fn.min || agg.fn.max >= 0 && len(f.Exprs) > agg.fn.max && !(agg.Distinct && name == "COUNT") {
		return nil, mysqlerr.New(mysqlerr.Parse, "You have an error in your SQL syntax: wrong number of arguments of %s()", f.Name.String())
	}
	args, err := plainArgs(f.Exprs)
	if err != nil {
		return nil, err
	}
	if agg.Args, err = b.aggregateArgs(args); err != nil {
		return nil, err
	}
	if agg.fn.number {
		agg.Args[0] = numeric(agg.Args[0])
	}
	return b.finishAggregate(agg)
}

// aggregateArgs binds arguments, in which there are no aggregates.
func (b *Binder) aggregateArgs(args []sqlparser.Expr) ([]Node, error) {
	inner := *b
	inner.inAggregate = true
	if b.Args != nil {
		inner.Scope = b.Args
	}
	return inner.bindAll(args...)
}

func (b *Binder) finishAggregate(agg *Aggregate) (Node, error) {
	if b.Agg == nil || b.inAggregate {
		return nil, mysqlerr.New(mysqlerr.InvalidGroupFuncUse, "Invalid use of group function")
	}
	return b.Agg(agg)
}

func (b *Binder) bindGroupConcat(g *parse.GroupConcat) (Node, error) {
	agg := &Aggregate{Name: "GROUP_CONCAT", Distinct: g.Distinct != "", Separator: []byte(","), fn: aggregates["GROUP_CONCAT"]}
	args, err := plainArgs(g.Exprs)
	if err != nil {
		return nil, err
	}
	if agg.Args, err = b.aggregateArgs(args); err == nil {
		agg.Args, err = joined("group_concat", agg.Args)
	}
	if err != nil {
		return nil, err
	}
	for _, o := range g.OrderBy {
		n, err := b.groupConcatOrder(agg, o.Expr)
		if err != nil {
			return nil, err
		}
		agg.Order = append(agg.Order, OrderItem{n, o.Direction == sqlparser.DescScr})
	}
	if g.Separator != nil {
		agg.Separator = g.Separator.Bytes
	}
	return b.finishAggregate(agg)
}

// groupConcatOrder binds an ORDER BY item; an integer means an argument.
func (b *Binder) groupConcatOrder(agg *Aggregate, e sqlparser.Expr) (Node, error) {
	n, err := b.aggregateArgs([]sqlparser.Expr{e})
	if err != nil {
		return nil, err
	}
	number, isNumber := e.(*parse.Number)
	_, isParam := e.(*parse.Param)
	if n[0].Type().Kind != value.Int || !isParam && (!isNumber || !number.Int) {
		return n[0], nil
	}
	i, _ := ask(n[0], askPosition)
	if i >= 1 && i <= len(agg.Args) {
		return agg.Args[i-1], nil
	}
	return nil, mysqlerr.New(mysqlerr.BadField, "Unknown column '%d' in 'order clause'", i)
}
