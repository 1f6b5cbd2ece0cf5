package value

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// class is the kind in which arithmetic on two kinds is done
// (https://dev.mysql.com/doc/refman/5.7/en/arithmetic-functions.html).
func class(a, b Value) Kind {
	x, y := numberKind(a), numberKind(b)
	switch {
	case x == Float || y == Float:
		return Float
	case x == Decimal || y == Decimal:
		return Decimal
	case x == Uint || y == Uint:
		return Uint
	}
	return Int
}

// numberKind is the kind of number that v counts as: strings are doubles,
// dates integers, or exact numbers where they have a fraction.
func numberKind(v Value) Kind {
	switch v.kind {
	case Int, Uint, Float, Decimal:
		return v.kind
	case Date, Time, DateTime:
		if v.aux > 0 {
			return Decimal
		}
		return Int
	}
	return Float
}

func anyNull(a, b Value) bool { return a.kind == Null || b.kind == Null }

// outOfRange is 1690; Is(err, DataOutOfRange) lets the caller name the
// expression instead of the operands.
func outOfRange(kind, op string, a, b Value) error {
	return mysqlerr.New(mysqlerr.DataOutOfRange, "%s value is out of range in '(%s %s %s)'", kind, a.Brief(), op,
		b.Brief())
}

func intKindName(k Kind) string {
	if k == Uint {
		return "BIGINT UNSIGNED"
	}
	return "BIGINT"
}

// Add is a + b.
func Add(a, b Value) (Value, error) {
	if a.kind == Int && b.kind == Int {
		if sum := int64(a.n + b.n); (sum > int64(a.n)) == (int64(b.n) > 0) {
			return NewInt(sum), nil
		}
	}
	if anyNull(a, b) {
		return Value{}, nil
	}
	switch k := class(a, b); k {
	case Float:
		return floatResult(a.AsFloat()+b.AsFloat(), "+", a, b)
	case Decimal:
		if v, ok := byDigits(a, b, max(scaleOf(a), scaleOf(b)), decimal64.plus); ok {
			return v, nil
		}
		return decimalResult(a.AsDecimal().Add(b.AsDecimal()), max(scaleOf(a), scaleOf(b)), "+", a, b)
	default:
		return addInts(k, a, b, "+", int65Of(a), int65Of(b))
	}
}

// Sub is a - b.
func Sub(a, b Value) (Value, error) {
	if a.kind == Int && b.kind == Int {
		if diff := int64(a.n - b.n); (diff < int64(a.n)) == (int64(b.n) > 0) {
			return NewInt(diff), nil
		}
	}
	if anyNull(a, b) {
		return Value{}, nil
	}
	switch k := class(a, b); k {
	case Float:
		return floatResult(a.AsFloat()-b.AsFloat(), "-", a, b)
	case Decimal:
		if v, ok := byDigits(a, b, max(scaleOf(a), scaleOf(b)), decimal64.minus); ok {
			return v, nil
		}
		return decimalResult(a.AsDecimal().Sub(b.AsDecimal()), max(scaleOf(a), scaleOf(b)), "-", a, b)
	default:
		return addInts(k, a, b, "-", int65Of(a), int65Of(b).neg())
	}
}

// Mul is a * b.
func Mul(a, b Value) (Value, error) {
	if anyNull(a, b) {
		return Value{}, nil
	}
	switch k := class(a, b); k {
	case Float:
		return floatResult(a.AsFloat()*b.AsFloat(), "*", a, b)
	case Decimal:
		if v, ok := byDigits(a, b, scaleOf(a)+scaleOf(b), decimal64.times); ok {
			return v, nil
		}
		return decimalResult(a.AsDecimal().Mul(b.AsDecimal()), scaleOf(a)+scaleOf(b), "*", a, b)
	default:
		x, y := int65Of(a), int65Of(b)
		high, low := bits.Mul64(x.magnitude(), y.magnitude())
		negative := x.negative() != y.negative()
		if high != 0 {
			return Value{}, outOfRange(intKindName(k), "*", a, b)
		}
		return integer(k, "*", a, b, low, negative)
	}
}

// int65 is an integer of 65 bits: an int64 or a uint64, or its negative.
type int65 struct {
	below bool
	mag   uint64
}

func int65Of(v Value) int65 {
	if v.kind == Uint {
		return int65{false, v.n}
	}
	i := v.AsInt()
	if i < 0 {
		return int65{true, -uint64(i)}
	}
	return int65{false, uint64(i)}
}

func (w int65) neg() int65        { return int65{!w.below, w.mag} }
func (w int65) negative() bool    { return w.below && w.mag != 0 }
func (w int65) magnitude() uint64 { return w.mag }

func addInts(k Kind, a, b Value, op string, x, y int65) (Value, error) {
	if x.negative() == y.negative() {
		sum, carry := bits.Add64(x.mag, y.mag, 0)
		if carry != 0 {
			return Value{}, outOfRange(intKindName(k), op, a, b)
		}
		return integer(k, op, a, b, sum, x.negative())
	}
	if x.mag >= y.mag {
		return integer(k, op, a, b, x.mag-y.mag, x.negative())
	}
	return integer(k, op, a, b, y.mag-x.mag, y.negative())
}

// integer makes the result of the kind k from sign and magnitude.
func integer(k Kind, op string, a, b Value, magnitude uint64, negative bool) (Value, error) {
	switch {
	case k == Uint && (!negative || magnitude == 0):
		return NewUint(magnitude), nil
	case k == Int && !negative && magnitude <= math.MaxInt64:
		return NewInt(int64(magnitude)), nil
	case k == Int && negative && magnitude <= 1<<63:
		return NewInt(int64(-magnitude)), nil
	}
	return Value{}, outOfRange(intKindName(k), op, a, b)
}

func floatResult(f float64, op string, a, b Value) (Value, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return Value{}, outOfRange("DOUBLE", op, a, b)
	}
	return NewFloat(f), nil
}

func decimalResult(d decimal.Decimal, scale int, op string, a, b Value) (Value, error) {
	whole := nines(max(0, d.NumDigits()+int(d.Exponent()))) / 9
	if whole > decimalWords {
		return Value{}, outOfRange("DECIMAL", op, a, b)
	}
	if fits := 9 * (decimalWords - whole); int(-d.Exponent()) > fits {
		d = d.Truncate(int32(fits))
	}
	return NewDecimalScale(d, min(scale, MaxScale)), nil
}

// Div is a / b, NULL where b is 0.
func Div(a, b Value) (Value, error) {
	if anyNull(a, b) {
		return Value{}, nil
	}
	if class(a, b) == Float {
		y := b.AsFloat()
		if y == 0 {
			return Value{}, nil
		}
		return floatResult(a.AsFloat()/y, "/", a, b)
	}
	if truth, _ := Truth(b); !truth {
		return Value{}, nil
	}
	if v, ok := byDigits(a, b, scaleOf(a)+DivIncrement, decimal64.over); ok {
		return v, nil
	}
	if x, ok := quotient128(a, b); ok {
		return x.value(min(scaleOf(a)+DivIncrement, MaxScale)), nil
	}
	return decimalResult(quotient(a.AsDecimal(), b.AsDecimal()), scaleOf(a)+DivIncrement, "/", a, b)
}

// quotient divides with as many digits as MySQL keeps inside an expression:
// whole groups of 9 behind the point, the rest cut off.
func quotient(x, y decimal.Decimal) decimal.Decimal {
	q, _ := x.QuoRem(y, quotientPlaces(x.Exponent(), y.Exponent()))
	return q
}

// IntDiv is a DIV b: the integer part of the quotient, NULL where b is 0.
func IntDiv(a, b Value) (Value, error) {
	if anyNull(a, b) {
		return Value{}, nil
	}
	k := class(a, b)
	if k == Float || k == Decimal {
		return intDivDecimal(a, b)
	}
	x, y := int65Of(a), int65Of(b)
	if y.mag == 0 {
		return Value{}, nil
	}
	return integer(k, "DIV", a, b, x.mag/y.mag, x.negative() != y.negative())
}

func intDivDecimal(a, b Value) (Value, error) {
	y := b.AsDecimal()
	if y.IsZero() {
		return Value{}, nil
	}
	q, _ := a.AsDecimal().QuoRem(y, 0)
	kind := Int
	if a.kind == Uint || b.kind == Uint {
		kind = Uint
	}
	i := q.BigInt()
	if !new(big.Int).Abs(i).IsUint64() {
		return Value{}, outOfRange(intKindName(kind), "DIV", a, b)
	}
	return integer(kind, "DIV", a, b, new(big.Int).Abs(i).Uint64(), i.Sign() < 0)
}

// Mod is a % b with the sign of a, NULL where b is 0.
func Mod(a, b Value) (Value, error) {
	if anyNull(a, b) {
		return Value{}, nil
	}
	switch k := class(a, b); k {
	case Float:
		if y := b.AsFloat(); y != 0 {
			return NewFloat(math.Mod(a.AsFloat(), y)), nil
		}
		return Value{}, nil
	case Decimal:
		y := b.AsDecimal()
		if y.IsZero() {
			return Value{}, nil
		}
		_, rest := a.AsDecimal().QuoRem(y, 0)
		return NewDecimalScale(rest, max(scaleOf(a), scaleOf(b))), nil
	default:
		return modInts(a, b)
	}
}

// modInts takes its sign and its signedness from the left operand.
func modInts(a, b Value) (Value, error) {
	x, y := int65Of(a), int65Of(b)
	if y.mag == 0 {
		return Value{}, nil
	}
	k := Int
	if a.kind == Uint {
		k = Uint
	}
	return integer(k, "MOD", a, b, x.mag%y.mag, x.negative())
}

// Neg is -a.
func Neg(a Value) (Value, error) {
	switch numberKind(a) {
	case Float:
		if a.kind == Null {
			return Value{}, nil
		}
		return NewFloat(-a.AsFloat()), nil
	case Decimal:
		if x, ok := a.decimal64(); ok {
			return NewDigits(-x.digits, x.exponent, scaleOf(a)), nil
		}
		return NewDecimalScale(a.AsDecimal().Neg(), scaleOf(a)), nil
	case Uint:
		if a.n > 1<<63 {
			return Value{}, mysqlerr.New(mysqlerr.DataOutOfRange, "BIGINT value is out of range in '-(%s)'", a.Brief())
		}
		return NewInt(int64(-a.n)), nil
	}
	i := a.AsInt()
	if i == math.MinInt64 {
		return Value{}, mysqlerr.New(mysqlerr.DataOutOfRange, "BIGINT value is out of range in '-(%s)'", a.Brief())
	}
	return NewInt(-i), nil
}
