package aggregate

import (
	"math/bits"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/arithmetic"
)

// int128 is an integer of 128 bits.
type int128 struct {
	low  uint64
	high int64
}

// int128Of converts an integer; ok is false for another value.
func int128Of(v value.Value) (x int128, ok bool) {
	switch v.Kind() {
	case value.Int:
		return int128{uint64(v.Int()), v.Int() >> 63}, true
	case value.Uint:
		return int128{low: v.Uint()}, true
	}
	return x, false
}

func (x int128) isZero() bool { return x == int128{} }

// plus returns the sum; ok is false if it overflows.
func (x int128) plus(y int128) (sum int128, ok bool) {
	low, carry := bits.Add64(x.low, y.low, 0)
	high := x.high + y.high + int64(carry)
	return int128{low, high}, (x.high < 0) != (y.high < 0) || (high < 0) == (x.high < 0)
}

// Neg returns the negative.
func (x int128) Neg() int128 {
	low, borrow := bits.Sub64(0, x.low, 0)
	return int128{low, -x.high - int64(borrow)}
}

func (x int128) decimal(exponent int32) decimal.Decimal {
	return value.OfDigits(x.high, x.low, exponent)
}

// IntSum is the exact sum of any number of 64-bit integers, and their number. The zero IntSum has no
// integers.
type IntSum struct {
	int128
	rows int64
}

// Add adds an integer.
func (s *IntSum) Add(x int64) {
	low, carry := bits.Add64(s.low, uint64(x), 0)
	s.low, s.high = low, s.high+x>>63+int64(carry)
	s.rows++
}

// addVector adds rows of a vector of integers, without its NULLs.
func (s *IntSum) addVector(v *value.Vector, rows []int32) {
	sum := *s
	for _, i := range rows {
		if v.Nulls == nil || !v.Nulls[i] {
			sum.Add(v.Ints[i])
		}
	}
	*s = sum
}

func (s *IntSum) combine(o *IntSum) {
	s.int128, _ = s.plus(o.int128)
	s.rows += o.rows
}

// Result returns SUM or AVG of the integers, or NULL if there are none. The error is that of a
// division, 1690.
func (s *IntSum) Result(a *setfunc.Aggregate) (value.Value, error) {
	if s.rows == 0 {
		return value.Value{}, nil
	}
	return ofTotal(a, value.NewDigits128(s.high, s.low, 0, 0), s.rows)
}

// ofTotal returns SUM or AVG of so many rows with a sum; AVG divides as / does.
func ofTotal(a *setfunc.Aggregate, total value.Value, rows int64) (value.Value, error) {
	if a.Name == "SUM" {
		return total, nil
	}
	return arithmetic.Div(total, value.NewInt(rows))
}
