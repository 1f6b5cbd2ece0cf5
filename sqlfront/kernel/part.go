package kernel

import (
	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Part is an aggregate evaluated over batches.
type Part struct {
	Agg  *setfunc.Aggregate
	Args []Kernel
	// Class is the class of the rows that count, or NoClass; Then is the value aggregated over them.
	// With Zero, the others count as 0.
	Class int
	Then  expr.Node
	Zero  bool
	// Rows are the rows of a batch that count, and Vectors their arguments.
	Rows    []int32
	Vectors []*value.Vector
}

// NoClass says that all rows count.
const NoClass = -1

// Arguments compiles an aggregate's arguments and its ORDER BY; it reports false if one must be
// evaluated row by row.
func (c *Compiler) Arguments(a *setfunc.Aggregate) (out []Kernel, ok bool) {
	if !a.TakesVectors() {
		return nil, false
	}
	for _, n := range a.Reads() { // aggregates of numbers have no ORDER BY
		k := c.Compile(n)
		if k == nil {
			return nil, false
		}
		if a.OfNumbers() {
			if k = Number(k); k == nil {
				return nil, false
			}
		}
		out = append(out, k)
	}
	return out, true
}

// EvalAll evaluates kernels at rows of a batch; it reports false as Eval does. The result reuses
// dst.
func EvalAll(kernels []Kernel, b *Batch, rows []int32, dst []*value.Vector) ([]*value.Vector, bool) {
	dst = dst[:0]
	for _, k := range kernels {
		v, ok := k.Eval(b, rows)
		if !ok {
			return dst, false
		}
		dst = append(dst, v)
	}
	return dst, true
}

// Eval evaluates the arguments at the part's rows of a batch; it reports false as
// Kernel.Eval does.
func (p *Part) Eval(b *Batch) (ok bool) {
	p.Vectors, ok = EvalAll(p.Args, b, p.Rows, p.Vectors)
	return ok
}

// ResultKind is the kind of a vector of results.
func (p *Part) ResultKind() value.Kind {
	switch {
	case p.Agg.Name == "COUNT":
		return value.Int
	case p.Agg.Extreme() != 0 && p.Args[0].Kind() != value.Float:
		return p.Args[0].Kind()
	}
	return value.Null
}

// oneZero is added to aggregates over the rows of a class for the other rows: their number makes no
// difference, even if it is 0.
var oneZero = []*value.Vector{{Kind: value.Int, Ints: []int64{0}}}

// AddTo adds the rows to the states of their groups, the new ones of which are fresh. The error is
// that of the states.
func (p *Part) AddTo(c aggregate.Column, env *expr.Env, rows *aggregate.GroupedRows, fresh []int32) error {
	if n := len(fresh); p.Zero && n > 0 {
		zeros := aggregate.GroupedRows{Rows: make([]int32, n), Groups: fresh}
		if err := c.AddVectors(env, oneZero, &zeros); err != nil {
			return err
		}
	}
	if p.Class != NoClass && len(p.Rows) == 0 {
		return nil
	}
	return c.AddVectors(env, p.Vectors, rows)
}

// Begin adds a zero to a state for the rows that are not of the class: their number makes no
// difference, even if it is 0. The error is that of the state.
func (p *Part) Begin(env *expr.Env, state *aggregate.State) error {
	if !p.Zero {
		return nil
	}
	return state.AddVectors(env, oneZero, []int32{0})
}
