package value

import (
	"cmp"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/shopspring/decimal"
)

// decimal128 is a number of up to 28 digits, as quotients of large integers have them: magnitude and
// sign of these, to be multiplied with a power of ten. Averages of T of 333,000 rows, compared
// with a number, take 111 ms of processor time so, and 255 by package decimal (benchmark
// Reports, rowavg).
type decimal128 struct {
	high, low uint64
	negative  bool
	exponent  int32
}

// mostHigh is the greatest high of what a Value holds itself.
const mostHigh = 1<<31 - 2

// value is the number that prints with scale digits behind the point; what fits into an
// int64 is held as one.
func (x decimal128) value(scale int) Value {
	high, low := int64(x.high), x.low
	if x.negative {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high = -high - int64(borrow)
	}
	if int64(low) < 0 { // low counts with its sign
		high++
	}
	if high == 0 {
		return NewDigits(int64(low), x.exponent, scale)
	}
	return Value{head: head{kind: Decimal, aux: scaleOfDecimal(scale), exponent: int16(x.exponent), high: int32(high)}, n: low}
}

// decimal128 is the number of a Decimal that is not in package decimal's form.
func (v Value) decimal128() decimal128 {
	high, low, exponent, _ := v.Digits()
	return decimal128OfDigits(high, low, exponent)
}

// decimal128OfDigits is the number with an integer of 128 bits as digits.
func decimal128OfDigits(high int64, low uint64, exponent int32) decimal128 {
	x := decimal128{exponent: exponent, negative: high < 0}
	if x.negative {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high = -high - int64(borrow)
	}
	x.high, x.low = uint64(high), low
	return x
}

// toDecimal128 is an exact number, where that has few enough digits.
func (v Value) toDecimal128() (x decimal128, ok bool) {
	switch v.kind {
	case Int:
		return decimal128{low: uint64(max(int64(v.n), -int64(v.n))), negative: int64(v.n) < 0}, true
	case Uint:
		return decimal128{low: v.n}, true
	case Decimal:
		return v.decimal128(), v.p == nil && v.exponent <= 0 && v.exponent >= leastExponent
	}
	return decimal128{}, false
}

// decimal128Of is the number of package decimal, where a Value holds it itself.
func decimal128Of(d decimal.Decimal) (x decimal128, ok bool) {
	n := d.Coefficient()
	if n.BitLen() > 64+30 || d.Exponent() != int32(int16(d.Exponent())) {
		return decimal128{}, false
	}
	x = decimal128{negative: n.Sign() < 0, exponent: d.Exponent()}
	n.Abs(n)
	x.low = new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0))).Uint64()
	x.high = n.Rsh(n, 64).Uint64()
	return x, true
}

func (x decimal128) decimal() decimal.Decimal {
	n := new(big.Int).SetUint64(x.high)
	n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(x.low))
	if x.negative {
		n.Neg(n)
	}
	return decimal.NewFromBigInt(n, x.exponent)
}

func (x decimal128) isZero() bool { return x.high == 0 && x.low == 0 }

// times multiplies with an integer; false where the digits are too many.
func (x decimal128) times(by uint64) (decimal128, bool) {
	over, high := bits.Mul64(x.high, by)
	carry, low := bits.Mul64(x.low, by)
	var c uint64
	x.low = low
	x.high, c = bits.Add64(high, carry, 0)
	return x, over == 0 && c == 0
}

// over divides by an integer, and gives the rest.
func (x decimal128) over(by uint64) (q decimal128, rest uint64) {
	q = x
	q.high = x.high / by
	q.low, rest = bits.Div64(x.high%by, x.low, by)
	return q, rest
}

// quotient128 is quotient, where it and the operands have few enough digits; b is not 0.
func quotient128(a, b Value) (decimal128, bool) {
	x, ok := a.toDecimal128()
	if !ok {
		return x, false
	}
	y, ok := b.toDecimal128()
	if !ok || y.high != 0 {
		return x, false
	}
	places := quotientPlaces(x.exponent, y.exponent)
	shift := x.exponent - y.exponent + places
	if shift < 0 || shift > mostDigits || -places < leastExponent {
		return x, false
	}
	if x, ok = x.times(uint64(powers[shift])); !ok {
		return x, false
	}
	q, _ := x.over(y.low)
	q.exponent, q.negative = -places, x.negative != y.negative
	return q, q.high <= mostHigh
}

// round128 is Round, where the digits are few enough; they are as many behind the point as
// places then.
func (v Value) round128(places int32) (x decimal128, ok bool) {
	if x, ok = v.toDecimal128(); !ok {
		return x, false
	}
	shift := -x.exponent - places
	x.exponent = -places
	switch {
	case shift > mostDigits || shift < -mostDigits || places < 0:
		return x, false
	case shift <= 0:
		x, ok = x.times(uint64(powers[-shift]))
		return x, ok && x.high <= mostHigh
	}
	by := uint64(powers[shift])
	x, rest := x.over(by)
	if rest >= by-rest {
		var carry uint64
		x.low, carry = bits.Add64(x.low, 1, 0)
		x.high += carry
	}
	return x, x.high <= mostHigh
}

// compare128 orders two exact numbers that have few enough digits.
func compare128(a, b Value) (order int, ok bool) {
	x, ok := a.toDecimal128()
	if !ok {
		return 0, false
	}
	y, ok := b.toDecimal128()
	if !ok {
		return 0, false
	}
	if x.sign() != y.sign() {
		return cmp.Compare(x.sign(), y.sign()), true
	}
	exponent := min(x.exponent, y.exponent)
	if x, ok = x.down(exponent); !ok {
		return 0, false
	}
	if y, ok = y.down(exponent); !ok {
		return 0, false
	}
	return x.sign() * cmp.Or(cmp.Compare(x.high, y.high), cmp.Compare(x.low, y.low)), true
}

func (x decimal128) sign() int {
	switch {
	case x.isZero():
		return 0
	case x.negative:
		return -1
	}
	return 1
}

// down is the number with another exponent, which is not greater.
func (x decimal128) down(exponent int32) (decimal128, bool) {
	shift := x.exponent - exponent
	if shift > mostDigits {
		return x, false
	}
	x.exponent = exponent
	return x.times(uint64(powers[shift]))
}

// appendText prints all digits, -exponent of them behind the point.
func (x decimal128) appendText(dst []byte) []byte {
	if x.negative && !x.isZero() {
		dst = append(dst, '-')
	}
	var buf [2*mostDigits + 2]byte
	high, low := x.over(uint64(powers[mostDigits]))
	digits := buf[:0]
	if high.low > 0 {
		digits = strconv.AppendUint(digits, high.low, 10)
		low += uint64(powers[mostDigits])
		at := len(digits)
		digits = strconv.AppendUint(digits, low, 10) // with a 1 in front
		digits = append(digits[:at], digits[at+1:]...)
	} else {
		digits = strconv.AppendUint(digits, low, 10)
	}
	return appendPoint(dst, digits, int(-x.exponent))
}
