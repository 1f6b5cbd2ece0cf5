package expr

import (
	"math/bits"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// wideInt is an integer of 128 bits.
type wideInt struct {
	low  uint64
	high int64
}

// plus is the sum, or reports false where it does not fit.
func (w wideInt) plus(o wideInt) (wideInt, bool) {
	low, carry := bits.Add64(w.low, o.low, 0)
	high := w.high + o.high + int64(carry)
	return wideInt{low, high}, (w.high < 0) != (o.high < 0) || (high < 0) == (w.high < 0)
}

func (w wideInt) negated() wideInt {
	low, borrow := bits.Sub64(0, w.low, 0)
	return wideInt{low, -w.high - int64(borrow)}
}

func (w wideInt) decimal(exponent int32) decimal.Decimal {
	return value.OfDigits(w.high, w.low, exponent)
}

// intSum is the sum of integers, exact however many there are.
type intSum struct {
	wideInt
	rows int64
}

func (s *intSum) addInt(x int64) {
	low, carry := bits.Add64(s.low, uint64(x), 0)
	s.low, s.high = low, s.high+x>>63+int64(carry)
	s.rows++
}

func (s *intSum) combine(o *intSum) {
	s.wideInt, _ = s.plus(o.wideInt)
	s.rows += o.rows
}
