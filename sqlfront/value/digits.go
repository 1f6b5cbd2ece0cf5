package value

import (
	"math"
	"math/big"
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront/value/fixed"

	"github.com/shopspring/decimal"
)

// Most DECIMALs have few digits. A Value holds these itself, and package fixed has the most frequent
// operations on them.

// NewDigits makes an exact number of digits and the power of ten by which they are multiplied. It prints with
// scale digits after the point.
func NewDigits(digits int64, exponent int32, scale int) Value {
	if digits == math.MinInt64 || exponent != int32(int16(exponent)) {
		return newLarge(decimal.New(digits, exponent), scale)
	}
	return Value{head: head{kind: Decimal, aux: scaleOfDecimal(scale), exponent: int16(exponent)}, n: uint64(digits)}
}

// NewDecimal makes an exact number that prints with the digits of d.
func NewDecimal(d decimal.Decimal) Value {
	return NewDecimalScale(d, int(max(0, -d.Exponent())))
}

// NewDecimalScale makes an exact number that prints with scale digits after the point, however many d has:
// MySQL carries the further digits of a quotient through an expression and rounds at the end.
func NewDecimalScale(d decimal.Decimal, scale int) Value {
	n := d.NumDigits()
	switch {
	case n > fixed.MostDigits && (n > fixed.MostDigits+1 || !hasNegative(d.Coefficient())):
		if x, ok := fixed.FromDecimal(d); ok {
			return NewFixed128(x, scale)
		}
		return newLarge(d, scale)
	}
	return NewDigits(d.CoefficientInt64(), d.Exponent(), scale)
}

// hasNegative reports whether an int64 can hold a number and its negative. A Value holds such digits itself,
// for example those of T / 1000; only operations on them need package decimal.
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
		return v.digits128().Decimal()
	}
	return decimal.New(int64(v.n), int32(v.exponent))
}

// Digits are the digits of a Decimal as an integer of 128 bits, and the power of ten by which they are
// multiplied. ok is false for another value, and for more digits than fit into a Value.
func (v Value) Digits() (high int64, low uint64, exponent int32, ok bool) {
	return int64(v.high) + int64(v.n)>>63, v.n, int32(v.exponent), v.kind == Decimal && v.p == nil
}

// OfDigits is the exact number with these digits and exponent.
func OfDigits(high int64, low uint64, exponent int32) decimal.Decimal {
	return fixed.Of128(high, low, exponent).Decimal()
}

// NewDigits128 is NewDigits for an integer of 128 bits.
func NewDigits128(high int64, low uint64, exponent int32, scale int) Value {
	x := fixed.Of128(high, low, exponent)
	if x.High > fixed.MostHigh || exponent != int32(int16(exponent)) {
		return newLarge(x.Decimal(), scale)
	}
	return NewFixed128(x, scale)
}

// Fixed64 is an exact number with up to fixed.MostDigits digits and a small enough exponent; else ok is
// false.
func (v Value) Fixed64() (x fixed.Decimal64, ok bool) {
	switch v.kind {
	case Int:
		return fixed.Decimal64{Digits: int64(v.n)}, fixed.Fits64(int64(v.n))
	case Uint:
		return fixed.Decimal64{Digits: int64(v.n)}, v.n <= math.MaxInt64 && fixed.Fits64(int64(v.n))
	case Decimal:
		x = fixed.Decimal64{Digits: int64(v.n), Exponent: int32(v.exponent)}
		return x, !v.isLarge() && fixed.Fits64(x.Digits) && x.Exponent <= 0 && x.Exponent >= fixed.LeastExponent
	}
	return x, false
}

// Fixed128 is an exact number with few enough digits; else ok is false.
func (v Value) Fixed128() (x fixed.Decimal128, ok bool) {
	switch v.kind {
	case Int:
		return fixed.Decimal128{Low: uint64(max(int64(v.n), -int64(v.n))), Negative: int64(v.n) < 0}, true
	case Uint:
		return fixed.Decimal128{Low: v.n}, true
	case Decimal:
		return v.digits128(), v.p == nil && v.exponent <= 0 && v.exponent >= fixed.LeastExponent
	}
	return x, false
}

// digits128 is the number of a Decimal that is not in package decimal's form.
func (v Value) digits128() fixed.Decimal128 {
	high, low, exponent, _ := v.Digits()
	return fixed.Of128(high, low, exponent)
}

// NewFixed128 makes an exact number that prints with scale digits after the point. x.High is at most
// fixed.MostHigh; a number that fits into an int64 is held as one.
func NewFixed128(x fixed.Decimal128, scale int) Value {
	high, low := x.Signed()
	if int64(low) < 0 { // low is signed
		high++
	}
	if high == 0 {
		return NewDigits(int64(low), x.Exponent, scale)
	}
	h := head{kind: Decimal, aux: scaleOfDecimal(scale), exponent: int16(x.Exponent), high: int32(high)}
	return Value{head: h, n: low}
}

// compareExact orders two numbers exactly.
func compareExact(a, b Value) int {
	if x, ok := a.Fixed64(); ok {
		if y, ok := b.Fixed64(); ok {
			if order, ok := x.Compare(y); ok {
				return order
			}
		}
	}
	if x, ok := a.Fixed128(); ok {
		if y, ok := b.Fixed128(); ok {
			if order, ok := x.Compare(y); ok {
				return order
			}
		}
	}
	return a.AsDecimal().Cmp(b.AsDecimal())
}

// Round rounds an exact number half away from zero to places after the point, all of which it prints.
func (v Value) Round(places int32) Value {
	if x, ok := v.Fixed64(); ok {
		if x, ok = x.Round(places); ok {
			return NewDigits(x.Digits, x.Exponent, int(places))
		}
	}
	if x, ok := v.rounded128(places); ok {
		return NewFixed128(x, int(places))
	}
	return NewDecimalScale(v.AsDecimal().Round(places), int(places))
}

// rounded128 is Round for few enough digits.
func (v Value) rounded128(places int32) (x fixed.Decimal128, ok bool) {
	if x, ok = v.Fixed128(); !ok {
		return x, false
	}
	return x.Round(places)
}

// Truncate is Round that cuts off instead, and keeps a number with fewer digits after the point as it is.
func (v Value) Truncate(places int32) Value {
	d, ok := v.Fixed64()
	switch {
	case !ok || places < 0:
		return NewDecimalScale(truncated(v.AsDecimal(), places), int(places))
	case d.Exponent < -places:
		return NewDigits(d.Cut(-d.Exponent-places), -places, int(places))
	}
	return NewDigits(d.Digits, d.Exponent, int(places))
}

// Shifted is the integer part of an exact number multiplied by a power of ten; false if it does not fit into
// an int64.
func (v Value) Shifted(places int32) (int64, bool) {
	x := fixed.Decimal64{Digits: int64(v.n), Exponent: int32(v.exponent) + places}
	ok := v.kind == Int || v.kind == Decimal && !v.isLarge()
	switch {
	case !ok:
	case x.Exponent <= 0:
		return x.Cut(-x.Exponent), true
	default:
		if n, fits := x.Down(0); fits {
			return n, true
		}
	}
	return NewDecimal(v.AsDecimal().Shift(places).Truncate(0)).ToInt()
}

// truncated cuts towards zero, also before the point.
func truncated(d decimal.Decimal, places int32) decimal.Decimal {
	if places >= 0 {
		return d.Truncate(places)
	}
	return d.Shift(places).Truncate(0).Shift(-places)
}

// Floor is the greatest integer that is not greater than an exact number.
func (v Value) Floor() Value {
	if x, ok := v.Fixed64(); ok {
		return NewInt(x.Floor())
	}
	return wholeNumber(v.AsDecimal().Floor())
}

// Ceil is the least integer that is not less than an exact number.
func (v Value) Ceil() Value {
	if x, ok := v.Fixed64(); ok {
		return NewInt(-fixed.Decimal64{Digits: -x.Digits, Exponent: x.Exponent}.Floor())
	}
	return wholeNumber(v.AsDecimal().Ceil())
}

// wholeNumber is an integer if it fits into 64 bits, else a DECIMAL.
func wholeNumber(d decimal.Decimal) Value {
	if b := d.BigInt(); b.IsInt64() {
		return NewInt(b.Int64())
	}
	return NewDecimalScale(d, 0)
}

// NumDigits is the number of digits of an exact number, without leading zeros.
func (v Value) NumDigits() int {
	x, ok := v.Fixed64()
	if !ok {
		return v.AsDecimal().NumDigits()
	}
	return x.NumDigits()
}

// ToDecimal is AsDecimal as a value that prints with scale digits after the point.
func (v Value) ToDecimal(scale int) Value {
	if x, ok := v.Fixed64(); ok {
		return NewDigits(x.Digits, x.Exponent, scale)
	}
	return NewDecimalScale(v.AsDecimal(), scale)
}

// appendDecimal prints as many digits after the point as the scale says.
func (v Value) appendDecimal(dst []byte) []byte {
	if x, ok := v.Fixed64(); ok {
		if x, ok = x.Round(int32(v.aux)); ok {
			return x.AppendText(dst)
		}
	}
	if x, ok := v.rounded128(int32(v.aux)); ok {
		return x.AppendText(dst)
	}
	return append(dst, v.Decimal().StringFixed(int32(v.aux))...)
}
