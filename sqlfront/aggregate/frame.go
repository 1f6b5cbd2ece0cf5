package aggregate

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// AppendFrameArgs appends what a Frame needs of env's row: as many values for
// each row. Their bytes are the row's. The error is that of evaluating one.
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

// FrameArg is what a Frame needs of an argument, where that is v. The error is that of a conversion
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

// shownNumber leaves out the digits of a quotient that it does not show: MySQL's
// windows are over tables.
func shownNumber(a *setfunc.Aggregate, env *expr.Env, v value.Value) (value.Value, error) {
	if t := a.Args[0].Type(); v.Kind() == value.Decimal && t.Decimals < value.AnyScale {
		return v.Round(int32(t.Decimals)), nil
	}
	return env.Number(v)
}

// Frame gathers the rows of a window's frame.
type Frame struct {
	agg    *setfunc.Aggregate
	acc    adder
	memory *Memory
	held   held
	moving bool
}

// NewFrame starts a frame without rows, which are remembered in a memory. One that is not moving
// has no row taken away, and is the sum of rows as a group is.
func NewFrame(a *setfunc.Aggregate, m *Memory, moving bool) *Frame {
	f := &Frame{agg: a, memory: m, held: held{memory: &m.storage}, moving: moving}
	f.Reset()
	return f
}

// Reset goes back to no rows.
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

// Moves reports whether rows can be taken away.
func (f *Frame) Moves() bool { return f.moving }

func (f *Frame) counts(args []value.Value) bool {
	for _, v := range args {
		if v.IsNull() && f.agg.PassesNulls() {
			return false
		}
	}
	return true
}

// Add takes a row into the frame; args are what AppendFrameArgs gave. The error is 1038 where the frame
// keeps too much.
func (f *Frame) Add(env *expr.Env, args []value.Value) error {
	if !f.counts(args) {
		return nil
	}
	return f.acc.add(env, args)
}

// Remove takes away the row that was added first of those that are left. The error is that of what the
// frame keeps.
func (f *Frame) Remove(args []value.Value) error {
	if !f.counts(args) {
		return nil
	}
	return f.acc.(remover).remove(args)
}

// Lost reports whether the rows that are left have to be added once more, after a Reset.
func (f *Frame) Lost() bool {
	e, ok := f.acc.(*movingExtreme)
	return ok && e.lost && e.count == 0
}

// Result is the value for the rows of the frame; it owns its bytes. The error is 1690 for a sum that is
// no DOUBLE.
func (f *Frame) Result() (value.Value, error) { return f.acc.result() }
