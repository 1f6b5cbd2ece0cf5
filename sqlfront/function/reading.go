package function

import "github.com/hbasekv/hbasekv/sqlfront/value"

// Reading is a function of what read makes of its arguments; if ok is false, the call is NULL.
func Reading[T any](read func(*Env, []value.Value) (x T, ok bool, err error), f func(T) (value.Value, error)) Eval {
	return func(env *Env, args []value.Value) (value.Value, error) {
		x, ok, err := read(env, args)
		if !ok || err != nil {
			return value.Value{}, err
		}
		return f(x)
	}
}

// OfNumber is a function of a number.
func OfNumber(f func(n value.Value) (value.Value, error)) Eval {
	return func(env *Env, args []value.Value) (value.Value, error) {
		n, err := env.Number(args[0])
		if err != nil {
			return n, err
		}
		return f(n)
	}
}

// OfFloats is a function of one or two doubles; both says that there are two.
func OfFloats(f func(x, y float64, both bool) (value.Value, error)) Eval {
	return func(env *Env, args []value.Value) (value.Value, error) {
		x, err := env.Float(args[0])
		y := 0.0
		if err == nil && len(args) > 1 {
			y, err = env.Float(args[1])
		}
		if err != nil {
			return value.Value{}, err
		}
		return f(x, y, len(args) > 1)
	}
}

// OfIntegers is a function of integers.
func OfIntegers(f func(n []int64) (value.Value, error)) Eval {
	return Reading(func(env *Env, args []value.Value) ([]int64, bool, error) {
		n, err := env.Integers(args)
		return n, true, err
	}, f)
}

// Integers is Integer of each argument, in a new slice. The error is that of Integer.
func (env *Env) Integers(args []value.Value) ([]int64, error) {
	out := make([]int64, len(args))
	for i, a := range args {
		n, err := env.Integer(a)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}
