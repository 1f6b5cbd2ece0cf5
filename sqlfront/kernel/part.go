package kernel

import (
	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Part is an aggregate as it is evaluated over batches.
type Part struct {
	Agg  *setfunc.Aggregate
	Args []Kernel
	// Class is that of the rows that count, or NoClass, then what counts of them. With Zero
	// the others count as 0.
	Class int
	Then  expr.Node
	Zero  bool
	// Rows are those of a batch that count, and Vectors the arguments at these.
	Rows    []int32
	Vectors []*value.Vector
}

// NoClass is where all rows count.
const NoClass = -1

// Arguments compiles an aggregate's arguments and what it orders them by; it reports false where
// one must be evaluated row by row.
func (c *Compiler) Arguments(a *setfunc.Aggregate) (out []Kernel, ok bool) {
	if !a.TakesVectors() {
		return nil, false
	}
	for _, n := range a.Reads() { // none of numbers has an order
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

// EvalAll evaluates kernels at some rows of a batch; it reports false as Eval does. dst is
// the memory of what it gives.
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

// oneZero is what aggregates over the rows of a class add for the others, how many there are,
// none among them, makes no difference.
var oneZero = []*value.Vector{{Kind: value.Int, Ints: []int64{0}}}

// AddTo adds the rows to the states of their groups, of which some are new. The error is that of the
// states.
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

// Begin adds to a state a zero for the rows that are not of the class: how many there are,
// none among them, makes no difference. The error is that of the state.
func (p *Part) Begin(env *expr.Env, state *aggregate.State) error {
	if !p.Zero {
		return nil
	}
	return state.AddVectors(env, oneZero, []int32{0})
}
