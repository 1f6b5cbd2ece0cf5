package expr

import (
	"math"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// countAcc is COUNT.
type countAcc struct{ n int64 }

func (c *countAcc) add(*Env, []value.Value) error { c.n++; return nil }
func (c *countAcc) combine(o accumulator) error   { c.n += o.(*countAcc).n; return nil }
func (c *countAcc) result() (value.Value, error)  { return value.NewInt(c.n), nil }

// sumAcc is SUM: exact for integers and decimals, else the double nearest to the
// sum. Integers are summed up in 64 bits for as long as they fit, and decimals with as many
// digits behind the point as the first in 128: 70 ns each instead of 200.
type sumAcc struct {
	of       *Aggregate
	rows     int64
	small    int64
	digits   wideInt // of decimals, to be shifted by exponent
	exponent int32
	exact    decimal.Decimal
	double   doubleSum
	floats   bool
	scale    int
}

func newSum(a *Aggregate) sumAcc {
	t := a.Args[0].Type()
	return sumAcc{of: a, floats: t.NumberKind() == value.Float, scale: t.Decimals % value.AnyScale}
}

func (s *sumAcc) add(env *Env, args []value.Value) error {
	v := args[0]
	s.rows++
	if s.floats || v.Kind() == value.Float || v.IsString() || v.Kind() == value.JSON {
		f, err := env.Float(v)
		s.floats = true
		s.double.add(f)
		return err
	}
	if v.Kind() == value.Int || v.Kind() == value.Uint && v.Uint() <= math.MaxInt64 {
		if sum := s.small + v.Int(); (sum > s.small) == (v.Int() > 0) {
			s.small = sum
			return nil
		}
	}
	if s.scale = max(s.scale, v.Scale()); s.addDigits(v, 1) {
		return nil
	}
	if _, _, exponent, ok := v.Digits(); ok && exponent == s.exponent {
		s.exact, s.digits = s.exact.Add(s.digits.decimal(s.exponent)), wideInt{}
		s.addDigits(v, 1)
		return nil
	}
	s.exact = s.exact.Add(v.AsDecimal())
	return nil
}

// addDigits adds a decimal, or where sign is -1 takes it away; it reports false where that
// takes package decimal.
func (s *sumAcc) addDigits(v value.Value, sign int64) bool {
	high, low, exponent, ok := v.Digits()
	if !ok || s.digits != (wideInt{}) && s.exponent != exponent {
		return false
	}
	digits := wideInt{low, high}
	if sign < 0 {
		digits = digits.negated()
	}
	sum, ok := s.digits.plus(digits)
	if ok {
		s.digits, s.exponent = sum, exponent
	}
	return ok
}

func (s *sumAcc) total() decimal.Decimal {
	total := s.exact.Add(decimal.NewFromInt(s.small))
	if s.digits == (wideInt{}) {
		return total
	}
	return total.Add(s.digits.decimal(s.exponent))
}

func (s *sumAcc) combine(other accumulator) error {
	o := other.(*sumAcc)
	s.rows += o.rows
	s.scale = max(s.scale, o.scale)
	s.exact, s.small, s.digits = s.total().Add(o.total()), 0, wideInt{}
	s.floats = s.floats || o.floats
	s.double.combine(&o.double)
	return nil
}

// float is the sum as a double, of all kinds of numbers.
func (s *sumAcc) float() float64 {
	total := s.total()
	if total.IsZero() {
		return s.double.float()
	}
	all := s.double
	all.rest = slices.Clone(all.rest)
	all.add(value.NewDecimal(total).AsFloat())
	return all.float()
}

func (s *sumAcc) result() (value.Value, error) {
	switch {
	case s.rows == 0:
		return value.Value{}, nil
	case s.floats:
		return s.double64(s.float())
	}
	return s.sum(), nil
}

// sum is total as it prints.
func (s *sumAcc) sum() value.Value {
	switch none := s.exact.IsZero() && s.exact.Exponent() == 0; {
	case none && s.digits == (wideInt{}):
		return value.NewDigits(s.small, 0, s.scale)
	case none && s.small == 0 && s.exponent <= 0:
		return value.NewManyDigits(s.digits.high, s.digits.low, s.exponent, s.scale)
	}
	return value.NewDecimalScale(s.total(), s.scale)
}

// Extreme is 1 of MAX, -1 of MIN and else 0.
func (a *Aggregate) Extreme() int {
	switch a.Name {
	case "MAX":
		return 1
	case "MIN":
		return -1
	}
	return 0
}

// SumsIntegers reports whether the aggregate is made of the sum of the integers of its
// group, by OfSum.
func (a *Aggregate) SumsIntegers() bool {
	return (a.Name == "SUM" || a.Name == "AVG") && !a.Distinct && len(a.Args) == 1 && a.Args[0].Type().NumberKind() == value.Int
}

// OfSum is the result for so many integers, at least one, with that sum.
func (a *Aggregate) OfSum(sum, rows int64) (value.Value, error) {
	return a.ofTotal(value.NewDigits(sum, 0, 0), rows)
}

func (a *Aggregate) ofTotal(total value.Value, rows int64) (value.Value, error) {
	if a.Name == "SUM" {
		return total, nil
	}
	return value.Div(total, value.NewInt(rows))
}

// double64 is a sum of doubles, or the error of one that is none.
func (s *sumAcc) double64(sum float64) (value.Value, error) {
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return value.Value{}, mysqlerr.New(mysqlerr.DataOutOfRange, "DOUBLE value is out of range in '%s'", Print(s.of))
	}
	return value.NewFloat(sum), nil
}

// avgAcc is AVG: the sum divided as / does.
type avgAcc struct{ sum sumAcc }

func (a *avgAcc) add(env *Env, args []value.Value) error { return a.sum.add(env, args) }
func (a *avgAcc) combine(o accumulator) error            { return a.sum.combine(&o.(*avgAcc).sum) }

func (a *avgAcc) result() (value.Value, error) {
	sum, err := a.sum.result()
	if err != nil || sum.IsNull() {
		return sum, err
	}
	return value.Div(sum, value.NewInt(a.sum.rows))
}

// extremeAcc is MIN (sign -1) and MAX (sign 1).
type extremeAcc struct {
	sign   int
	best   value.Value
	buf    []byte
	memory *held
}

func (e *extremeAcc) keepIn(m *held) { e.memory = m }

func (e *extremeAcc) add(_ *Env, args []value.Value) error {
	v := args[0]
	if !beats(e.sign, v, e.best) {
		return nil
	}
	before := cap(e.buf)
	if n := len(v.Raw()); n > 0 && before == 0 {
		e.buf = e.memory.memory.short(n)
	}
	e.best, e.buf = v.AppendClone(e.buf[:0])
	if cap(e.buf) != before {
		e.memory.grow(cap(e.buf) - before)
	}
	return nil
}

// beats reports whether a value that is not NULL comes behind the best so far, or before it
// where sign is -1.
func beats(sign int, v, best value.Value) bool {
	switch best.Kind() {
	case value.Null:
		return true
	case value.Int:
		if v.Kind() == value.Int {
			return v.Int() != best.Int() && v.Int() > best.Int() == (sign > 0)
		}
	}
	order, _ := value.Compare(v, best)
	return order*sign > 0
}

// combine takes the better value from the other, whose buffer stays accounted for there.
func (e *extremeAcc) combine(other accumulator) error {
	if o := other.(*extremeAcc); !o.best.IsNull() && beats(e.sign, o.best, e.best) {
		e.best, e.buf, o.best, o.buf = o.best, o.buf, e.best, e.buf
	}
	return nil
}

func (e *extremeAcc) result() (value.Value, error) { return e.best.Clone(), nil }

// bitAcc is BIT_AND, BIT_OR and BIT_XOR.
type bitAcc struct {
	bits   uint64
	op     func(x, y uint64) uint64
	column bool // of a column
}

func newBits(a *Aggregate, start uint64, op func(x, y uint64) uint64) *bitAcc {
	_, column := a.Args[0].(*Column)
	return &bitAcc{bits: start, op: op, column: column}
}

func (b *bitAcc) add(env *Env, args []value.Value) error {
	b.bits = b.op(b.bits, b.bitsOf(args[0]))
	return env.CheckInteger(args[0])
}

// bitsOf are those of the value as a BIGINT, cut off at its ends: the operators
// | and & take what is beyond as unsigned. Texts beyond are unsigned too, if no
// column holds them.
func (b *bitAcc) bitsOf(v value.Value) uint64 {
	if v.Kind() == value.Uint {
		return v.Uint()
	}
	n := v.AsInt()
	if n == math.MaxInt64 && v.IsString() && !b.column {
		return v.AsUint()
	}
	return uint64(n)
}

func (b *bitAcc) combine(o accumulator) error {
	b.bits = b.op(b.bits, o.(*bitAcc).bits)
	return nil
}

func (b *bitAcc) result() (value.Value, error) { return value.NewUint(b.bits), nil }

// spreadAcc is the variances and standard deviations, by Welford's recurrence,
// which does not lose digits to large means.
type spreadAcc struct {
	sample, root bool
	scale        int // of the printed result, -1 for all digits
	n            int64
	mean, m2     float64
}

func (s *spreadAcc) add(env *Env, args []value.Value) error {
	f, err := env.Float(args[0])
	s.n++
	delta := f - s.mean
	s.mean += delta / float64(s.n)
	s.m2 += delta * (f - s.mean)
	return err
}

// include takes the rows of another one, by the means and squares of both.
func (s *spreadAcc) include(o *spreadAcc) {
	if o.n == 0 {
		return
	}
	n, delta := float64(s.n+o.n), o.mean-s.mean
	s.mean += delta * float64(o.n) / n
	s.m2 += o.m2 + delta*delta*float64(s.n)*float64(o.n)/n
	s.n += o.n
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
