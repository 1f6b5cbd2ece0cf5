package expr

import (
	"math"
	"math/big"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// remover is an accumulator of the rows of a frame. remove takes away the first row
// that is left, with the arguments that it was added with.
type remover interface {
	accumulator
	remove(args []value.Value) error
}

// AppendFrameArgs appends what a FrameState needs of env's row: as many values for
// each row. Their bytes are the row's.
func (a *Aggregate) AppendFrameArgs(env *Env, dst []value.Value) ([]value.Value, error) {
	for _, arg := range a.Args {
		v, err := operand(arg, env)
		if err != nil {
			return dst, err
		}
		if v, err = a.FrameArg(env, v); err != nil {
			return dst, err
		}
		dst = append(dst, v)
	}
	return dst, nil
}

// FrameArg is what a FrameState needs of an argument, where that is v.
func (a *Aggregate) FrameArg(env *Env, v value.Value) (value.Value, error) {
	if a.fn.read == nil || v.IsNull() {
		return v, nil
	}
	return a.fn.read(a, env, v)
}

// readNumber leaves out the digits of a quotient that it does not show: MySQL's
// windows are over tables.
func readNumber(a *Aggregate, env *Env, v value.Value) (value.Value, error) {
	if t := a.Args[0].Type(); v.Kind() == value.Decimal && t.Decimals < value.AnyScale {
		return v.Round(int32(t.Decimals)), nil
	}
	return env.Number(v)
}

func readFloat(_ *Aggregate, env *Env, v value.Value) (value.Value, error) {
	f, err := env.Float(v)
	return value.NewFloat(f), err
}

func readBits(a *Aggregate, env *Env, v value.Value) (value.Value, error) {
	return value.NewUint(newBits(a, 0, nil).bitsOf(v)), env.CheckInteger(v)
}

func readPresence(*Aggregate, *Env, value.Value) (value.Value, error) { return value.NewInt(1), nil }

// FrameState gathers the rows of a window's frame.
type FrameState struct {
	agg    *Aggregate
	acc    accumulator
	memory held
	moving bool
}

// NewFrame starts a frame without rows. One that is not moving has no row taken
// away, and is the sum of rows as a group is.
func (a *Aggregate) NewFrame(m *Memory, moving bool) *FrameState {
	f := &FrameState{agg: a, memory: held{memory: m}, moving: moving && a.fn.moving != nil}
	f.Reset()
	return f
}

// Reset goes back to no rows.
func (f *FrameState) Reset() {
	f.memory.release()
	if f.moving {
		f.acc = f.agg.fn.moving(f.agg)
	} else {
		f.acc = f.agg.fn.state(f.agg, f.memory.memory)
	}
	if k, ok := f.acc.(keeper); ok {
		k.keepIn(&f.memory)
	}
}

// Moves reports whether rows can be taken away.
func (f *FrameState) Moves() bool { return f.moving }

func (f *FrameState) counts(args []value.Value) bool {
	for _, v := range args {
		if v.IsNull() && !f.agg.fn.nulls {
			return false
		}
	}
	return true
}

// Add takes a row into the frame; args are what AppendFrameArgs gave.
func (f *FrameState) Add(env *Env, args []value.Value) error {
	if !f.counts(args) {
		return nil
	}
	return f.acc.add(env, args)
}

// Remove takes away the row that was added first of those that are left.
func (f *FrameState) Remove(args []value.Value) error {
	if !f.counts(args) {
		return nil
	}
	return f.acc.(remover).remove(args)
}

// Lost reports whether the rows that are left have to be added once more, after a Reset.
func (f *FrameState) Lost() bool {
	e, ok := f.acc.(*movingExtreme)
	return ok && e.lost && e.count == 0
}

// Result is the value for the rows of the frame; it owns its bytes.
func (f *FrameState) Result() (value.Value, error) { return f.acc.result() }

func (c *countAcc) remove([]value.Value) error { c.n--; return nil }

// movingSum is SUM and AVG of a frame whose rows go.
type movingSum struct {
	sum    sumAcc
	floats int64 // rows whose numbers are doubles
	double exactSum
}

func newMovingSum(a *Aggregate) *movingSum { return &movingSum{sum: newSum(a)} }

func (s *movingSum) add(env *Env, args []value.Value) error {
	v := args[0]
	if isDouble(v) || s.sum.floats {
		s.floats, s.sum.rows = s.floats+1, s.sum.rows+1
		s.double.add(v.AsFloat())
		return nil
	}
	return s.sum.add(env, args)
}

func isDouble(v value.Value) bool { return v.Kind() == value.Float || v.Kind() == value.JSON }

func (s *movingSum) remove(args []value.Value) error {
	v := args[0]
	s.sum.rows--
	switch {
	case isDouble(v) || s.sum.floats:
		s.floats--
		s.double.add(-v.AsFloat())
	case v.Kind() == value.Int && s.sum.takes(v.Int()):
	case s.sum.addDigits(v, -1):
	default:
		s.sum.exact = s.sum.exact.Sub(v.AsDecimal())
	}
	return nil
}

// takes subtracts from the small sum where that does not overflow.
func (s *sumAcc) takes(n int64) bool {
	rest := s.small - n
	if (rest < s.small) != (n > 0) {
		return false
	}
	s.small = rest
	return true
}

func (s *movingSum) result() (value.Value, error) {
	if s.floats == 0 {
		return s.sum.result()
	}
	sum := s.double.float()
	if total := s.sum.total(); !total.IsZero() {
		sum += value.NewDecimal(total).AsFloat()
	}
	return s.sum.double64(sum)
}

// movingAvg is AVG of a frame whose rows go.
type movingAvg struct{ *movingSum }

func (a movingAvg) result() (value.Value, error) {
	sum, err := a.movingSum.result()
	if err != nil || sum.IsNull() {
		return sum, err
	}
	return value.Div(sum, value.NewInt(a.sum.rows))
}

// movingBits counts for each bit the rows that have it.
type movingBits struct {
	rows int64
	ones [64]int64
	of   func(ones, rows int64) bool
}

func (b *movingBits) add(_ *Env, args []value.Value) error { b.count(args[0].Uint(), 1); return nil }
func (b *movingBits) remove(args []value.Value) error      { b.count(args[0].Uint(), -1); return nil }

func (b *movingBits) count(bits uint64, by int64) {
	b.rows += by
	for i := range b.ones {
		b.ones[i] += by * int64(bits>>i&1)
	}
}

func (b *movingBits) result() (value.Value, error) {
	bits := uint64(0)
	for i, ones := range b.ones {
		if b.of(ones, b.rows) {
			bits |= 1 << i
		}
	}
	return value.NewUint(bits), nil
}

// movingSpread is a variance of a frame whose rows go: from the sums of the numbers
// and of their squares, which have no rounding.
type movingSpread struct {
	spreadAcc
	sum, squares exactSum
	huge         int64 // rows whose squares are no doubles
}

func (s *movingSpread) add(_ *Env, args []value.Value) error {
	s.n++
	s.count(args[0].Float(), 1)
	return nil
}

func (s *movingSpread) remove(args []value.Value) error {
	s.n--
	s.count(args[0].Float(), -1)
	return nil
}

// count adds the square in two parts: the product, and what its rounding lost.
func (s *movingSpread) count(x, sign float64) {
	square := x * x
	if math.IsInf(square, 0) {
		s.huge += int64(sign)
		return
	}
	s.sum.add(sign * x)
	s.squares.add(sign * square)
	s.squares.add(sign * math.FMA(x, x, -square))
}

func (s *movingSpread) result() (value.Value, error) {
	if s.huge > 0 {
		s.m2 = math.Inf(1)
	} else if n := float64(s.n); s.n > 0 {
		sum := s.sum.big()
		rest := s.squares.big()
		rest.Mul(rest, new(big.Float).SetFloat64(n))
		rest.Sub(rest, sum.Mul(sum, sum))
		rest.Quo(rest, new(big.Float).SetFloat64(n))
		s.m2, _ = rest.Float64()
		s.m2 = max(s.m2, 0)
	}
	return s.spreadAcc.result()
}
