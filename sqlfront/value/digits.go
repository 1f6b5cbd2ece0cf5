package value

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/shopspring/decimal"
)

// Most DECIMALs have few digits. A Value holds these itself, and what is done with them
// most often is done with integers of 64 bits; the results are those of package decimal,
// which makes several big.Ints for each, to their exponents.

// mostDigits are those that fit into an int64, whatever they are.
const mostDigits = 18

// powers are those of ten.
var powers = func() (p [mostDigits + 1]int64) {
	p[0] = 1
	for i := range mostDigits {
		p[i+1] = 10 * p[i]
	}
	return p
}()

// decimal64 is a number of up to mostDigits digits: these, multiplied with a power of ten.
type decimal64 struct {
	digits   int64
	exponent int32
}

// leastExponent is the least of what is reckoned in 64 or 128 bits: with so many digits
// behind the point MySQL keeps all digits of any such number.
const leastExponent = -9 * (decimalWords - 3)

func fits64(digits int64) bool { return -powers[mostDigits] < digits && digits < powers[mostDigits] }

// NewDigits makes the exact number of digits and a power of ten that they are to be
// multiplied with. It prints with scale digits behind the point.
func NewDigits(digits int64, exponent int32, scale int) Value {
	if digits == math.MinInt64 || exponent != int32(int16(exponent)) {
		return newLarge(decimal.New(digits, exponent), scale)
	}
	return Value{head: head{kind: Decimal, aux: scaleOfDecimal(scale), exponent: int16(exponent)}, n: uint64(digits)}
}

// NewDecimal makes an exact number that prints with the digits that d has.
func NewDecimal(d decimal.Decimal) Value {
	return NewDecimalScale(d, int(max(0, -d.Exponent())))
}

// NewDecimalScale makes an exact number that prints with scale digits behind
// the point, whatever d has: MySQL carries the further digits of a quotient
// through an expression and rounds at the end.
func NewDecimalScale(d decimal.Decimal, scale int) Value {
	n := d.NumDigits()
	switch {
	case n > mostDigits && (n > mostDigits+1 || !hasNegative(d.Coefficient())):
		if x, ok := decimal128Of(d); ok {
			return x.value(scale)
		}
		return newLarge(d, scale)
	}
	return NewDigits(d.CoefficientInt64(), d.Exponent(), scale)
}

// hasNegative reports whether an int64 holds a number and its negative: a Value holds such
// digits itself, as T / 1000 has them, and only what is done with them takes package decimal.
func hasNegative(n *big.Int) bool { return n.IsInt64() && n.Int64() != math.MinInt64 }

func newLarge(d decimal.Decimal, scale int) Value {
	return Value{head: head{kind: Decimal, aux: scaleOfDecimal(scale)}, p: unsafe.Pointer(&d)}
}

func scaleOfDecimal(scale int) uint8 { return uint8(min(max(scale, 0), MaxScale)) }

// Decimal is the number of a Decimal, unconverted.
func (v Value) Decimal() decimal.Decimal {
	switch {
	case v.p != nil:
		return *(*decimal.Decimal)(v.p)
	case v.high != 0:
		return v.decimal128().decimal()
	}
	return decimal.New(int64(v.n), int32(v.exponent))
}

// Digits are those of a Decimal as an integer of 128 bits, and the power of ten that it is to
// be multiplied with; ok is false for another value, or for more digits than a Value has room
// for.
func (v Value) Digits() (high int64, low uint64, exponent int32, ok bool) {
	return int64(v.high) + int64(v.n)>>63, v.n, int32(v.exponent), v.kind == Decimal && v.p == nil
}

// OfDigits is the exact number that has these.
func OfDigits(high int64, low uint64, exponent int32) decimal.Decimal {
	return decimal128OfDigits(high, low, exponent).decimal()
}

// NewDigits128 is NewDigits of an integer of 128 bits.
func NewDigits128(high int64, low uint64, exponent int32, scale int) Value {
	x := decimal128OfDigits(high, low, exponent)
	if x.high > mostHigh || exponent != int32(int16(exponent)) {
		return newLarge(x.decimal(), scale)
	}
	return x.value(scale)
}

// decimal64 is an exact number, where that has up to mostDigits digits and is not larger than these.
func (v Value) decimal64() (x decimal64, ok bool) {
	switch v.kind {
	case Int:
		return decimal64{digits: int64(v.n)}, fits64(int64(v.n))
	case Uint:
		return decimal64{digits: int64(v.n)}, v.n < uint64(powers[mostDigits])
	case Decimal:
		return decimal64{int64(v.n), int32(v.exponent)}, !v.isLarge() && fits64(int64(v.n)) && v.exponent <= 0 && v.exponent >= leastExponent
	}
	return decimal64{}, false
}

// byDigits is the result of an operation on exact numbers of 64 bits; ok is false where
// it takes package decimal.
func byDigits(a, b Value, scale int, op func(x, y decimal64) (decimal64, bool)) (v Value, ok bool) {
	x, ok := a.decimal64()
	if !ok {
		return v, false
	}
	y, ok := b.decimal64()
	if !ok {
		return v, false
	}
	if x, ok = op(x, y); !ok || x.exponent < leastExponent {
		return v, false
	}
	return NewDigits(x.digits, x.exponent, min(scale, MaxScale)), true
}

// down are the digits of the number with another exponent, which is not greater. It reports
// false where these do not fit.
func (x decimal64) down(exponent int32) (int64, bool) {
	shift := x.exponent - exponent
	if shift == 0 {
		return x.digits, true
	}
	if shift > mostDigits {
		return 0, false
	}
	if room := powers[mostDigits-shift]; x.digits >= room || x.digits <= -room {
		return 0, false
	}
	return x.digits * powers[shift], true
}

// aligned are the digits of both numbers with one exponent.
func aligned(x, y decimal64) (a, b int64, exponent int32, ok bool) {
	exponent = min(x.exponent, y.exponent)
	if a, ok = x.down(exponent); !ok {
		return 0, 0, 0, false
	}
	b, ok = y.down(exponent)
	return a, b, exponent, ok
}

func (x decimal64) plus(y decimal64) (decimal64, bool) {
	a, b, exponent, ok := aligned(x, y)
	return decimal64{a + b, exponent}, ok
}

func (x decimal64) minus(y decimal64) (decimal64, bool) {
	return x.plus(decimal64{-y.digits, y.exponent})
}

func (x decimal64) times(y decimal64) (decimal64, bool) {
	high, low := bits.Mul64(magnitude(x.digits), magnitude(y.digits))
	return decimal64{signed(low, x.digits^y.digits), x.exponent + y.exponent}, high == 0 && low <= math.MaxInt64
}

// over is quotient; y is not 0.
func (x decimal64) over(y decimal64) (decimal64, bool) {
	places := quotientPlaces(x.exponent, y.exponent)
	shift := x.exponent - y.exponent + places
	if shift < 0 || shift > mostDigits {
		return decimal64{}, false
	}
	high, low := bits.Mul64(magnitude(x.digits), uint64(powers[shift]))
	by := magnitude(y.digits)
	if high >= by {
		return decimal64{}, false
	}
	q, _ := bits.Div64(high, low, by)
	return decimal64{signed(q, x.digits^y.digits), -places}, q <= math.MaxInt64
}

// magnitude is that of the digits of a decimal64.
func magnitude(digits int64) uint64 { return uint64(max(digits, -digits)) }

func signed(magnitude uint64, sign int64) int64 {
	if sign < 0 {
		return -int64(magnitude)
	}
	return int64(magnitude)
}

// compareExact orders two numbers exactly.
func compareExact(a, b Value) int {
	if x, ok := a.decimal64(); ok {
		if y, ok := b.decimal64(); ok {
			if m, n, _, ok := aligned(x, y); ok {
				return cmp.Compare(m, n)
			}
		}
	}
	if order, ok := compare128(a, b); ok {
		return order
	}
	return a.AsDecimal().Cmp(b.AsDecimal())
}

// round rounds half away from zero to places behind the point, of which the result has so
// many.
func (x decimal64) round(places int32) (decimal64, bool) {
	if shift := -x.exponent - places; shift > mostDigits {
		return decimal64{0, -places}, true
	} else if shift > 0 {
		return decimal64{roundedQuotient(x.digits, powers[shift]), -places}, true
	}
	digits, ok := x.down(-places)
	return decimal64{digits, -places}, ok
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

// Round is an exact number rounded half away from zero to places behind the point, which
// are what it prints.
func (v Value) Round(places int32) Value {
	if x, ok := v.decimal64(); ok {
		if x, ok = x.round(places); ok {
			return NewDigits(x.digits, x.exponent, int(places))
		}
	}
	if x, ok := v.round128(places); ok {
		return x.value(int(places))
	}
	return NewDecimalScale(v.AsDecimal().Round(places), int(places))
}

// Truncate is Round that cuts off, and that leaves what has fewer digits behind the point.
func (v Value) Truncate(places int32) Value {
	d, ok := v.decimal64()
	switch {
	case !ok || places < 0:
		return NewDecimalScale(truncated(v.AsDecimal(), places), int(places))
	case d.exponent < -places:
		return NewDigits(d.cut(-d.exponent-places), -places, int(places))
	}
	return NewDigits(d.digits, d.exponent, int(places))
}

// cut are the digits but for some at the end.
func (x decimal64) cut(digits int32) int64 {
	if digits > mostDigits {
		return 0
	}
	return x.digits / powers[digits]
}

// Shifted is the integer part of an exact number, multiplied with a power of ten; false
// where that is no int64.
func (v Value) Shifted(places int32) (int64, bool) {
	x, ok := decimal64{int64(v.n), int32(v.exponent) + places}, v.kind == Int || v.kind == Decimal && !v.isLarge()
	switch {
	case !ok:
	case x.exponent <= 0:
		return x.cut(-x.exponent), true
	default:
		if n, fits := x.down(0); fits {
			return n, true
		}
	}
	return NewDecimal(v.AsDecimal().Shift(places).Truncate(0)).ToInt()
}

// truncated cuts towards zero, also in front of the point.
func truncated(d decimal.Decimal, places int32) decimal.Decimal {
	if places >= 0 {
		return d.Truncate(places)
	}
	return d.Shift(places).Truncate(0).Shift(-places)
}

// Floor is the greatest integer that is not greater than an exact number.
func (v Value) Floor() Value {
	if x, ok := v.decimal64(); ok {
		return NewInt(x.floor())
	}
	return wholeNumber(v.AsDecimal().Floor())
}

// Ceil is the least integer that is not less than an exact number.
func (v Value) Ceil() Value {
	if x, ok := v.decimal64(); ok {
		return NewInt(-decimal64{-x.digits, x.exponent}.floor())
	}
	return wholeNumber(v.AsDecimal().Ceil())
}

func (x decimal64) floor() int64 {
	q := x.cut(-x.exponent)
	if x.digits < 0 && !x.isInteger() {
		q--
	}
	return q
}

// wholeNumber is an integer where it fits into 64 bits, else a DECIMAL.
func wholeNumber(d decimal.Decimal) Value {
	if b := d.BigInt(); b.IsInt64() {
		return NewInt(b.Int64())
	}
	return NewDecimalScale(d, 0)
}

// NumDigits is how many digits an exact number has, but for zeros in front.
func (v Value) NumDigits() int {
	x, ok := v.decimal64()
	if !ok {
		return v.AsDecimal().NumDigits()
	}
	n := 1
	for m := magnitude(x.digits); n < mostDigits && m >= uint64(powers[n]); n++ {
	}
	return n
}

// ToDecimal is AsDecimal as a value that prints with scale digits behind the point.
func (v Value) ToDecimal(scale int) Value {
	if x, ok := v.decimal64(); ok {
		return NewDigits(x.digits, x.exponent, scale)
	}
	return NewDecimalScale(v.AsDecimal(), scale)
}

// float is the nearest double, where both parts of the number are exact ones.
func (x decimal64) float() (f float64, ok bool) {
	const exact = 22 // powers of ten
	if x.digits > 1<<53 || x.digits < -1<<53 || x.exponent > 0 || x.exponent < -exact {
		return 0, false
	}
	return float64(x.digits) / exactPowers[-x.exponent], true
}

var exactPowers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// isInteger reports whether all digits behind the point are 0.
func (x decimal64) isInteger() bool {
	if x.exponent < -mostDigits {
		return x.digits == 0
	}
	return x.digits%powers[-x.exponent] == 0
}

// appendDecimal prints as many digits behind the point as the scale says.
func (v Value) appendDecimal(dst []byte) []byte {
	if x, ok := v.decimal64(); ok {
		if x, ok = x.round(int32(v.aux)); ok {
			return x.appendText(dst)
		}
	}
	if x, ok := v.round128(int32(v.aux)); ok {
		return x.appendText(dst)
	}
	return append(dst, v.Decimal().StringFixed(int32(v.aux))...)
}

func (x decimal64) appendText(dst []byte) []byte {
	if x.digits < 0 {
		dst = append(dst, '-')
	}
	var buf [mostDigits + 2]byte
	digits := strconv.AppendUint(buf[:0], magnitude(x.digits), 10)
	return appendPoint(dst, digits, int(-x.exponent))
}

// appendPoint appends digits, of which so many are behind the point.
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

// trimmed is the number without zeros at the end of the digits behind the point.
func (x decimal64) trimmed() decimal64 {
	for x.exponent < 0 && x.digits%10 == 0 {
		x.digits, x.exponent = x.digits/10, x.exponent+1
	}
	return x
}

// parseDigits reads digits, with a sign and a point or without.
func parseDigits(b []byte) (x decimal64, ok bool) {
	digits, point, signed := int64(0), -1, len(b) > 0 && (b[0] == '-' || b[0] == '+')
	negative := signed && b[0] == '-'
	if signed {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > mostDigits {
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
		return decimal64{digits: digits}, true
	}
	return decimal64{digits, int32(point + 1 - len(b))}, len(b) > 1
}
