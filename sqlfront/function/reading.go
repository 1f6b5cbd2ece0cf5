package function

import (
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// reading is a function of what its arguments are read as; ok is false where that is
// nothing, and the call NULL.
func reading[T any](read func(*Env, []value.Value) (x T, ok bool, err error), f func(T) (value.Value, error)) Eval {
	return func(env *Env, args []value.Value) (value.Value, error) {
		x, ok, err := read(env, args)
		if !ok || err != nil {
			return value.Value{}, err
		}
		return f(x)
	}
}

// ofDate is a function of a date, ofTime of a time.
func ofDate(f func(d value.Value) value.Value) Eval {
	return reading(func(env *Env, args []value.Value) (value.Value, bool, error) { return env.DateTimeOf(args[0]) },
		func(d value.Value) (value.Value, error) { return f(d), nil })
}

func ofTime(f func(t value.Value) value.Value) Eval {
	return reading(func(env *Env, args []value.Value) (value.Value, bool, error) { return env.TimeOf(args[0]) },
		func(t value.Value) (value.Value, error) { return f(t), nil })
}

// ofNumber is a function of a number, ofFloats of one or two doubles, ofIntegers of
// integers, ofLong, which errors call by name, of an integer of 64 bits.
func ofNumber(f func(n value.Value) (value.Value, error)) Eval {
	return func(env *Env, args []value.Value) (value.Value, error) {
		n, err := env.Number(args[0])
		if err != nil {
			return n, err
		}
		return f(n)
	}
}

func ofFloats(f func(x, y float64, both bool) (value.Value, error)) Eval {
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

func ofIntegers(f func(n []int64) (value.Value, error)) Eval {
	return reading(func(env *Env, args []value.Value) ([]int64, bool, error) {
		n, err := env.integers(args)
		return n, true, err
	}, f)
}

func ofLong(typ, call string, f func(i int64, v value.Value) (value.Value, error)) Eval {
	return func(env *Env, args []value.Value) (value.Value, error) {
		i, err := env.longOf(typ, call, args[0])
		if err != nil {
			return value.Value{}, err
		}
		return f(i, args[0])
	}
}

// ofDocument is a function of a document, or of the part that a path leads to.
func ofDocument(f func(env *Env, doc *Document) (value.Value, error)) Eval {
	return func(env *Env, args []value.Value) (value.Value, error) {
		doc, err := env.documentAt(args)
		if doc == nil {
			return value.Value{}, err
		}
		return f(env, doc)
	}
}

func (env *Env) integers(args []value.Value) ([]int64, error) {
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
