package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// AppendFrameArgs appends the values that a Frame needs of env's row, the same number for each row.
// Their bytes belong to the row. The error is that of evaluating an argument.
func AppendFrameArgs(a *setfunc.Aggregate, env *expr.Env, dst []value.Value) ([]value.Value, error) {
	for _, arg := range a.Args {
		v, err := arg.Eval(env)
		if err != nil {
			return dst, err
		}
		if v, err = FrameArg(a, env, v); err != nil {
			return dst, err
		}
		dst = append(dst, v)
	}
	return dst, nil
}

// FrameArg converts an argument's value v to what a Frame needs. The error is that of a conversion
// (1292 in strict mode).
func FrameArg(a *setfunc.Aggregate, env *expr.Env, v value.Value) (value.Value, error) {
	if v.IsNull() {
		return v, nil
	}
	switch a.Name {
	case "COUNT":
		return value.NewInt(1), nil
	case "SUM", "AVG":
		return shownNumber(a, env, v)
	case "BIT_AND", "BIT_OR", "BIT_XOR":
		return value.NewUint(bitsOf(a, v)), env.CheckInteger(v)
	case "MIN", "MAX", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "GROUP_CONCAT":
		return v, nil
	}
	f, err := env.Float(v)
	return value.NewFloat(f), err
}

// shownNumber rounds a quotient to the digits that it shows, because MySQL evaluates windows over
// temporary tables.
func shownNumber(a *setfunc.Aggregate, env *expr.Env, v value.Value) (value.Value, error) {
	if t := a.Args[0].Type(); v.Kind() == value.Decimal && t.Decimals < value.AnyScale {
		return v.Round(int32(t.Decimals)), nil
	}
	return env.Number(v)
}

// Frame aggregates the rows of a window's frame.
type Frame struct {
	agg    *setfunc.Aggregate
	acc    adder
	memory *Memory
	held   held
	moving bool
}

// NewFrame returns a frame without rows, which it remembers in m. Rows cannot be removed from a frame
// that is not moving, which adds up rows as a group does.
func NewFrame(a *setfunc.Aggregate, m *Memory, moving bool) *Frame {
	f := &Frame{agg: a, memory: m, held: held{memory: &m.storage}, moving: moving}
	f.Reset()
	return f
}

// Reset removes all rows.
func (f *Frame) Reset() {
	f.held.release()
	f.acc = nil
	if f.moving {
		f.acc = newRemover(f.agg)
	}
	if f.acc == nil {
		f.acc, f.moving = newAccumulator(f.agg, f.memory), false
	}
	if k, ok := f.acc.(keeper); ok {
		k.keepIn(&f.held)
	}
}

// Moves reports whether rows can be removed.
func (f *Frame) Moves() bool { return f.moving }

func (f *Frame) counts(args []value.Value) bool {
	for _, v := range args {
		if v.IsNull() && f.agg.PassesNulls() {
			return false
		}
	}
	return true
}

// Add adds a row to the frame; args are the values that AppendFrameArgs returned. The error is 1038 if
// the frame keeps too much.
func (f *Frame) Add(env *expr.Env, args []value.Value) error {
	if !f.counts(args) {
		return nil
	}
	return f.acc.add(env, args)
}

// Remove removes the earliest remaining row, with the arguments that it was added with. The error is
// that of what the frame keeps.
func (f *Frame) Remove(args []value.Value) error {
	if !f.counts(args) {
		return nil
	}
	return f.acc.(remover).remove(args)
}

// Lost reports whether the remaining rows must be added again, after a Reset.
func (f *Frame) Lost() bool {
	e, ok := f.acc.(*movingExtreme)
	return ok && e.lost && e.count == 0
}

// Result returns the value for the rows of the frame; it owns its bytes. The error is 1690 for a sum
// that is out of a DOUBLE's range.
func (f *Frame) Result() (value.Value, error) { return f.acc.result() }
