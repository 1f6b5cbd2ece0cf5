package fixed

import (
	"cmp"
	"math"
	"math/bits"
	"strconv"
)

// MostDigits is the number of digits of which all numbers fit into an int64.
const MostDigits = 18

// powers are the powers of ten.
var powers = func() (p [MostDigits + 1]int64) {
	p[0] = 1
	for i := range MostDigits {
		p[i+1] = 10 * p[i]
	}
	return p
}()

// Decimal64 is a number of up to MostDigits digits, multiplied by a power of ten.
type Decimal64 struct {
	Digits   int64
	Exponent int32
}

// LeastExponent is the smallest exponent for arithmetic in 64 or 128 bits: with this many digits after the
// point MySQL keeps all digits of any such number.
const LeastExponent = -9 * (Words - 3)

// Fits64 reports whether a Decimal64 can have these digits.
func Fits64(digits int64) bool { return -powers[MostDigits] < digits && digits < powers[MostDigits] }

// Down are the digits of the number with another exponent, which must not be larger. It is false if these do
// not fit.
func (x Decimal64) Down(exponent int32) (int64, bool) {
	shift := x.Exponent - exponent
	if shift == 0 {
		return x.Digits, true
	}
	if shift > MostDigits {
		return 0, false
	}
	if room := powers[MostDigits-shift]; x.Digits >= room || x.Digits <= -room {
		return 0, false
	}
	return x.Digits * powers[shift], true
}

// Compare orders two numbers; ok is false if their digits do not fit with a common exponent.
func (x Decimal64) Compare(y Decimal64) (order int, ok bool) {
	a, b, _, ok := aligned(x, y)
	return cmp.Compare(a, b), ok
}

// aligned are the digits of both numbers with a common exponent.
func aligned(x, y Decimal64) (a, b int64, exponent int32, ok bool) {
	exponent = min(x.Exponent, y.Exponent)
	if a, ok = x.Down(exponent); !ok {
		return 0, 0, 0, false
	}
	b, ok = y.Down(exponent)
	return a, b, exponent, ok
}

// Plus is x + y; false if it has too many digits.
func (x Decimal64) Plus(y Decimal64) (Decimal64, bool) {
	a, b, exponent, ok := aligned(x, y)
	return Decimal64{a + b, exponent}, ok
}

// Minus is x - y; false if it has too many digits.
func (x Decimal64) Minus(y Decimal64) (Decimal64, bool) {
	return x.Plus(Decimal64{-y.Digits, y.Exponent})
}

// Times is x * y; false if it has too many digits.
func (x Decimal64) Times(y Decimal64) (Decimal64, bool) {
	high, low := bits.Mul64(magnitude(x.Digits), magnitude(y.Digits))
	return Decimal64{signed(low, x.Digits^y.Digits), x.Exponent + y.Exponent}, high == 0 && low <= math.MaxInt64
}

// Over is x / y with the places of [QuotientPlaces], cut off; false if it has too many digits. y must not be
// 0.
func (x Decimal64) Over(y Decimal64) (Decimal64, bool) {
	places := QuotientPlaces(x.Exponent, y.Exponent)
	shift := x.Exponent - y.Exponent + places
	if shift < 0 || shift > MostDigits {
		return Decimal64{}, false
	}
	high, low := bits.Mul64(magnitude(x.Digits), uint64(powers[shift]))
	by := magnitude(y.Digits)
	if high >= by {
		return Decimal64{}, false
	}
	q, _ := bits.Div64(high, low, by)
	return Decimal64{signed(q, x.Digits^y.Digits), -places}, q <= math.MaxInt64
}

// magnitude is the absolute value of the digits of a Decimal64.
func magnitude(digits int64) uint64 { return uint64(max(digits, -digits)) }

func signed(magnitude uint64, sign int64) int64 {
	if sign < 0 {
		return -int64(magnitude)
	}
	return int64(magnitude)
}

// Round rounds half away from zero to places after the point, all of which the result has.
func (x Decimal64) Round(places int32) (Decimal64, bool) {
	if shift := -x.Exponent - places; shift > MostDigits {
		return Decimal64{0, -places}, true
	} else if shift > 0 {
		return Decimal64{roundedQuotient(x.Digits, powers[shift]), -places}, true
	}
	digits, ok := x.Down(-places)
	return Decimal64{digits, -places}, ok
}

// roundedQuotient is x / by, rounded half away from zero.
func roundedQuotient(x, by int64) int64 {
	q, rest := x/by, x%by
	switch {
	case rest >= by-rest:
		q++
	case -rest >= by+rest:
		q--
	}
	return q
}

// Cut is the digits without some at the end.
func (x Decimal64) Cut(digits int32) int64 {
	if digits > MostDigits {
		return 0
	}
	return x.Digits / powers[digits]
}

// Floor is the largest integer that is not larger than the number.
func (x Decimal64) Floor() int64 {
	q := x.Cut(-x.Exponent)
	if x.Digits < 0 && !x.IsInteger() {
		q--
	}
	return q
}

// Float is the nearest double, if both parts of the number are exact as doubles.
func (x Decimal64) Float() (f float64, ok bool) {
	const exact = 22 // largest power of ten that is exact
	if x.Digits > 1<<53 || x.Digits < -1<<53 || x.Exponent > 0 || x.Exponent < -exact {
		return 0, false
	}
	return float64(x.Digits) / exactPowers[-x.Exponent], true
}

var exactPowers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// IsInteger reports whether all digits after the point are 0.
func (x Decimal64) IsInteger() bool {
	if x.Exponent < -MostDigits {
		return x.Digits == 0
	}
	return x.Digits%powers[-x.Exponent] == 0
}

// AppendText prints all digits, -Exponent of them after the point.
func (x Decimal64) AppendText(dst []byte) []byte {
	if x.Digits < 0 {
		dst = append(dst, '-')
	}
	var buf [MostDigits + 2]byte
	digits := strconv.AppendUint(buf[:0], magnitude(x.Digits), 10)
	return appendPoint(dst, digits, int(-x.Exponent))
}

// appendPoint appends digits, places of them after the point.
func appendPoint(dst, digits []byte, places int) []byte {
	if places == 0 {
		return append(dst, digits...)
	}
	whole := len(digits) - places
	if whole <= 0 {
		dst = append(dst, "0."...)
	} else {
		dst = append(append(dst, digits[:whole]...), '.')
	}
	for ; whole < 0; whole++ {
		dst = append(dst, '0')
	}
	return append(dst, digits[whole:]...)
}

// Trimmed is the number without trailing zeros after the point.
func (x Decimal64) Trimmed() Decimal64 {
	for x.Exponent < 0 && x.Digits%10 == 0 {
		x.Digits, x.Exponent = x.Digits/10, x.Exponent+1
	}
	return x
}

// NumDigits is the number of digits, without leading zeros.
func (x Decimal64) NumDigits() int {
	n := 1
	for m := magnitude(x.Digits); n < MostDigits && m >= uint64(powers[n]); n++ {
	}
	return n
}

// Parse reads digits, optionally with a sign and a point; false if there is anything else, or if there are
// too many digits.
func Parse(b []byte) (x Decimal64, ok bool) {
	digits, point, signed := int64(0), -1, len(b) > 0 && (b[0] == '-' || b[0] == '+')
	negative := signed && b[0] == '-'
	if signed {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > MostDigits {
		return x, false
	}
	for i, c := range b {
		switch {
		case c == '.' && point < 0:
			point = i
		case c-'0' > 9:
			return x, false
		default:
			digits = digits*10 + int64(c-'0')
		}
	}
	if negative {
		digits = -digits
	}
	if point < 0 {
		return Decimal64{Digits: digits}, true
	}
	return Decimal64{digits, int32(point + 1 - len(b))}, len(b) > 1
}
