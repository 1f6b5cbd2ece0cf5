package aggregate

import (
	"math"
	"math/big"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/fixed"
)

// spreadAcc is a variance or standard deviation, by Welford's recurrence, which does not lose
// digits to large means.
type spreadAcc struct {
	sample, root bool
	scale        int // decimals of the printed result, -1 for all
	n            int64
	mean, m2     float64
}

func newSpread(a *setfunc.Aggregate) *spreadAcc {
	s := &spreadAcc{scale: spreadScale(a)}
	switch a.Name {
	case "STD", "STDDEV", "STDDEV_POP":
		s.root = true
	case "STDDEV_SAMP":
		s.sample, s.root = true, true
	case "VAR_SAMP":
		s.sample = true
	}
	return s
}

// spreadScale is how many decimals a variance of exact numbers prints, or -1 for all.
func spreadScale(a *setfunc.Aggregate) int {
	t := a.Args[0].Type()
	if t.NumberKind() == value.Float || t.Decimals == value.AnyScale {
		return -1
	}
	return min(t.Decimals+fixed.DivIncrement, value.MaxScale)
}

func (s *spreadAcc) add(env *expr.Env, args []value.Value) error {
	f, err := env.Float(args[0])
	s.n++
	delta := f - s.mean
	s.mean += delta / float64(s.n)
	s.m2 += delta * (f - s.mean)
	return err
}

// combine computes it from the means and squares of both.
func (s *spreadAcc) combine(other accumulator) error {
	o := other.(*spreadAcc)
	if o.n == 0 {
		return nil
	}
	n, delta := float64(s.n+o.n), o.mean-s.mean
	s.mean += delta * float64(o.n) / n
	s.m2 += o.m2 + delta*delta*float64(s.n)*float64(o.n)/n
	s.n += o.n
	return nil
}

func (s *spreadAcc) result() (value.Value, error) {
	n := s.n
	if s.sample {
		n--
	}
	if n <= 0 {
		return value.Value{}, nil
	}
	v := s.m2 / float64(n)
	if s.root {
		v = math.Sqrt(v)
	}
	if s.scale >= 0 {
		return value.NewFloatScale(v, s.scale), nil
	}
	return value.NewFloat(v), nil
}

// movingSpread is a variance of a frame from which rows are removed. It uses exact sums of the
// numbers and of their squares.
type movingSpread struct {
	spreadAcc
	sum, squares exactSum
	huge         int64 // rows whose squares overflow
}

func (s *movingSpread) add(_ *expr.Env, args []value.Value) error {
	s.n++
	s.count(args[0].Float(), 1)
	return nil
}

func (s *movingSpread) remove(args []value.Value) error {
	s.n--
	s.count(args[0].Float(), -1)
	return nil
}

// count adds the square in two parts: the product and its rounding error.
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
