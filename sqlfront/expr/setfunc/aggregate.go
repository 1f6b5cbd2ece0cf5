package setfunc

import (
	"maps"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Aggregate is a bound call of an aggregate function, which is computed over the rows of a group without NULL
// among the arguments. Package aggregate gathers them.
type Aggregate struct {
	Name     string      // upper case: COUNT, SUM, AVG, MIN, MAX, GROUP_CONCAT, ..
	Args     []expr.Node // none: COUNT(*)
	Distinct bool
	// Order and Separator are GROUP_CONCAT's.
	Order     []OrderItem
	Separator []byte

	fn *aggregateFn
}

// OrderItem is an ORDER BY inside GROUP_CONCAT.
type OrderItem struct {
	X    expr.Node
	Desc bool
}

// aggregateFn is an entry of the table of aggregate functions. How rows are gathered is in package aggregate.
type aggregateFn struct {
	min, max int
	typ      func(a *Aggregate) value.Type
	// nulls: rows with a NULL argument count too.
	nulls bool
	// number: the argument is converted to a number; sums: DISTINCT compares it as a number.
	number, sums bool
	// grows: a state keeps each row.
	grows bool
	// exact: states of consecutive rows can be combined into exactly the state for all rows; nil is never.
	exact func(a *Aggregate) bool
}

// IsAggregate reports whether an aggregate function has the name, in upper case.
func IsAggregate(name string) bool { return aggregates[name] != nil }

// Names are the names of the aggregate functions, in upper case and sorted.
func Names() []string { return slices.Sorted(maps.Keys(aggregates)) }

// NewAggregate is a call of the named aggregate function, still without arguments.
func NewAggregate(name string) *Aggregate { return &Aggregate{Name: name, fn: aggregates[name]} }

// Takes reports whether the function can have this number of arguments.
func (a *Aggregate) Takes(args int) bool {
	return args >= a.fn.min && (a.fn.max < 0 || args <= a.fn.max || a.Distinct && a.Name == "COUNT")
}

// TakesNumber reports whether the first argument is converted to a number.
func (a *Aggregate) TakesNumber() bool { return a.fn.number }

// Type is that of the result.
func (a *Aggregate) Type() value.Type { return a.fn.typ(a) }

// Grows reports whether the memory of a state grows with its rows.
func (a *Aggregate) Grows() bool { return a.Distinct || a.fn.grows }

// SumsNumbers reports whether DISTINCT compares the arguments as numbers.
func (a *Aggregate) SumsNumbers() bool { return a.fn.sums }

// PassesNulls reports whether rows with a NULL argument are ignored.
func (a *Aggregate) PassesNulls() bool { return !a.fn.nulls }

// Reads are the arguments, and the expressions by which they are ordered.
func (a *Aggregate) Reads() []expr.Node {
	out := a.Args[:len(a.Args):len(a.Args)]
	for _, o := range a.Order {
		out = append(out, o.X)
	}
	return out
}

// Choice is the first argument of an aggregate as a CASE, such that rows for which none of its conditions
// hold do not affect the result of a group with other rows; nil if that is unknown. A comparison that is
// never NULL is a CASE of 1 and 0.
func (a *Aggregate) Choice() *expr.Case {
	if len(a.Args) == 0 {
		return nil
	}
	switch n := a.Args[0].(type) {
	case *expr.Case:
		if a.passesElse(n) {
			return n
		}
	case *expr.Compare:
		one := &expr.Const{V: value.NewInt(1), T: expr.BoolType()}
		zero := &expr.Const{V: value.NewInt(0), T: expr.BoolType()}
		c := &expr.Case{Whens: []expr.When{{Cond: n, Then: one}}, Else: zero, T: n.Type()}
		if !c.T.Nullable && a.passesElse(c) {
			return c
		}
	}
	return nil
}

func (a *Aggregate) passesElse(choice *expr.Case) bool {
	if choice.ElseIsNull() {
		return a.PassesNulls()
	}
	for _, w := range choice.Whens { // the sum is NULL if there is nothing else
		if w.Then.Type().Nullable {
			return false
		}
	}
	c, ok := choice.Else.(*expr.Const)
	return ok && a.Name == "SUM" && !a.Distinct && c.V.Kind() == value.Int && c.V.Int() == 0
}

// Combinable reports whether states may be combined with exactly the result of one state, however the rows
// were divided. Later rows are combined later.
func (a *Aggregate) Combinable() bool {
	if a.Distinct && a.Name != "COUNT" && a.Name != "MIN" && a.Name != "MAX" {
		return false
	}
	return a.fn.exact != nil && a.fn.exact(a)
}

// Includable reports whether Include has the same effect as adding the other state's rows after its own,
// except for the rounding of doubles. Unlike in Combinable they always come after, and the same rows are
// always included in the same way.
func (a *Aggregate) Includable() bool {
	switch a.Name {
	case "MIN", "MAX":
		return true
	case "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP":
		return !a.Distinct
	}
	return a.Combinable()
}

// CountsTimes reports whether adding a row many times costs as much as adding it once: it is counted, or once
// is enough. Bits of a string may warn, for each row.
func (a *Aggregate) CountsTimes() bool {
	switch a.Name {
	case "COUNT", "MIN", "MAX":
		return true
	case "BIT_AND", "BIT_OR":
		return !a.Args[0].Type().Kind.IsString()
	}
	return a.Distinct
}

// TakesVectors reports whether states accept many rows at a time: if the arguments of sums are numbers, they
// do not warn before their result.
func (a *Aggregate) TakesVectors() bool { return a.Quiet() || a.fn.grows }

// Quiet reports whether states neither warn nor fail if the arguments of sums are numbers.
func (a *Aggregate) Quiet() bool {
	switch a.Name {
	case "COUNT", "SUM", "AVG", "MIN", "MAX", "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP":
		return true
	}
	return false
}

// OfNumbers reports whether the argument is converted to a number.
func (a *Aggregate) OfNumbers() bool {
	return a.Quiet() && a.Name != "COUNT" && a.Name != "MIN" && a.Name != "MAX"
}

// Extreme is 1 for MAX, -1 for MIN and otherwise 0.
func (a *Aggregate) Extreme() int {
	switch a.Name {
	case "MAX":
		return 1
	case "MIN":
		return -1
	}
	return 0
}

// SumsIntegers reports whether the aggregate is computed from the sum and the number of its group's integers.
func (a *Aggregate) SumsIntegers() bool {
	return (a.Name == "SUM" || a.Name == "AVG") && !a.Distinct && len(a.Args) == 1 && a.Args[0].Type().NumberKind() == value.Int
}

// AppendArgs appends what a state needs of env's row: the arguments, and the values of ORDER BY. ok is false
// if the row does not count. The error is that of evaluating one of them.
func (a *Aggregate) AppendArgs(env *expr.Env, dst []value.Value) (args []value.Value, ok bool, err error) {
	for _, arg := range a.Args {
		v, err := expr.Operand(arg, env)
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

// AppendTo appends the call, which also distinguishes aggregates.
func (a *Aggregate) AppendTo(dst []byte) []byte {
	dst = append(append(dst, strings.ToLower(a.Name)...), '(')
	if a.Distinct {
		dst = append(dst, "distinct "...)
	}
	if len(a.Args) == 0 {
		dst = append(dst, '*')
	}
	dst = expr.AppendList(dst, "", a.Args, ",", "")
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
func CountWhere(cond expr.Node) *Aggregate {
	one := &expr.Const{V: value.NewInt(1), T: expr.BoolType()}
	choice := &expr.Case{Whens: []expr.When{{Cond: cond, Then: one}}, T: one.T}
	choice.T.Nullable = true
	return &Aggregate{Name: "COUNT", Args: []expr.Node{choice}, fn: aggregates["COUNT"]}
}
