package expr

import (
	"math/rand/v2"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// lazyFunction is a function that evaluates its arguments itself.
type lazyFunction struct {
	function.Function
	lazy func(c *Call, env *Env) (value.Value, error)
}

// lazyFunctions are the functions of expressions, in addition to those of values.
var lazyFunctions = map[string]*lazyFunction{
	"IFNULL":    lazily("IFNULL", 2, 2, coalesceType, evalCoalesce),
	"COALESCE":  lazily("COALESCE", 1, -1, coalesceType, evalCoalesce),
	"NULLIF":    lazily("NULLIF", 2, 2, nullIfType, evalNullIf),
	"ISNULL":    lazily("ISNULL", 1, 1, conditionType, evalIsNull),
	"RAND":      lazily("RAND", 0, 1, randType, evalRand).acting(),
	"BENCHMARK": lazily("BENCHMARK", 2, 2, benchmarkType, evalBenchmark).acting(),
}

func lazily(name string, least, most int, typ func(function.Args) value.Type, eval func(*Call, *Env) (value.Value, error)) *lazyFunction {
	return &lazyFunction{function.Function{Name: name, Min: least, Max: most, Type: typ}, eval}
}

// acting makes a function volatile; its first argument is a number.
func (f *lazyFunction) acting() *lazyFunction {
	f.Volatile, f.Numbers = true, 1
	return f
}

// Lazy are the functions that evaluate their arguments themselves; all others are package function's.
func Lazy() []*function.Function {
	var out []*function.Function
	for _, f := range lazyFunctions {
		out = append(out, &f.Function)
	}
	return out
}

func coalesceType(a function.Args) value.Type {
	t := value.Unify(a.Types...)
	t.Nullable = true
	for _, each := range a.Types {
		t.Nullable = t.Nullable && each.Nullable
	}
	return t
}

func nullIfType(a function.Args) value.Type {
	t := a.Types[0]
	t.Nullable = true
	return t
}

func conditionType(function.Args) value.Type { return BoolType() }

func randType(function.Args) value.Type { return value.Type{Kind: value.Float} }

func benchmarkType(function.Args) value.Type { return value.Type{Kind: value.Int, Name: "INT"} }

func evalCoalesce(c *Call, env *Env) (value.Value, error) {
	for _, arg := range c.Args {
		v, err := arg.Eval(env)
		if err != nil || !v.IsNull() {
			return value.Coerce(v, c.typ), err
		}
	}
	return value.Value{}, nil
}

func evalNullIf(c *Call, env *Env) (value.Value, error) {
	x, err := c.Args[0].Eval(env)
	if err != nil {
		return x, err
	}
	y, err := c.Args[1].Eval(env)
	if err != nil {
		return y, err
	}
	equal, err := compareValues(env, Eq, x, y, c.Args[0], c.Args[1])
	if err != nil || equal == isTrue {
		return value.Value{}, err
	}
	return x, nil
}

func evalIsNull(c *Call, env *Env) (value.Value, error) {
	v, err := Operand(c.Args[0], env)
	return value.NewBool(v.IsNull()), err
}

func evalBenchmark(c *Call, env *Env) (value.Value, error) {
	v, err := c.Args[0].Eval(env)
	if err != nil || v.IsNull() {
		return value.Value{}, err
	}
	count, err := env.Integer(v)
	for i := int64(0); i < count && err == nil; i++ {
		mark := env.Held.Mark()
		if _, err = c.Args[1].Eval(env); err == nil && env.Ctx != nil {
			err = env.Ctx.Err()
		}
		env.Held.Release(mark)
	}
	return value.NewInt(0), err
}

const randMax = 0x3FFFFFFF

func newSeededRand(seed uint32) *seededRand {
	return &seededRand{uint64(seed*0x10001+55555555) % randMax, uint64(seed*0x10000001) % randMax}
}

func (r *seededRand) next() float64 {
	r.a = (r.a*3 + r.b) % randMax
	r.b = (r.a + r.b + 33) % randMax
	return float64(r.a) / randMax
}

func evalRand(c *Call, env *Env) (value.Value, error) {
	if len(c.Args) == 0 {
		if r := env.Info().Rand; r != nil {
			return value.NewFloat(r.Float64()), nil
		}
		return value.NewFloat(rand.Float64()), nil
	}
	if r := env.rands[c]; r != nil {
		return value.NewFloat(r.next()), nil
	}
	seed, err := c.Args[0].Eval(env)
	if err != nil {
		return value.Value{}, err
	}
	i, err := env.Integer(seed)
	r := newSeededRand(uint32(i))
	if IsConst(c.Args[0]) {
		if env.rands == nil {
			env.rands = map[Node]*seededRand{}
		}
		env.rands[c] = r
	}
	return value.NewFloat(r.next()), err
}
