package arithmetic

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/fixed"
)

func class(a, b value.Value) value.Kind { return Kind(numberKind(a), numberKind(b)) }

// Kind is the kind in which arithmetic on numbers of two kinds is done
// (https://dev.mysql.com/doc/refman/5.7/en/arithmetic-functions.html).
func Kind(x, y value.Kind) value.Kind {
	switch {
	case x == value.Float || y == value.Float:
		return value.Float
	case x == value.Decimal || y == value.Decimal:
		return value.Decimal
	case x == value.Uint || y == value.Uint:
		return value.Uint
	}
	return value.Int
}

// numberKind is the kind of number to which v converts: strings are doubles, dates are integers, or exact
// numbers if they have a fraction.
func numberKind(v value.Value) value.Kind {
	switch v.Kind() {
	case value.Int, value.Uint, value.Float, value.Decimal:
		return v.Kind()
	case value.Date, value.Time, value.DateTime:
		if v.Scale() > 0 {
			return value.Decimal
		}
		return value.Int
	}
	return value.Float
}

func anyNull(a, b value.Value) bool { return a.Kind() == value.Null || b.Kind() == value.Null }

// outOfRange is error 1690; Is(err, DataOutOfRange) lets the caller replace the operands by the expression.
func outOfRange(kind, op string, a, b value.Value) error {
	return mysqlerr.New(mysqlerr.DataOutOfRange, "%s value is out of range in '(%s %s %s)'", kind, a.ShortString(), op,
		b.ShortString())
}

func intKindName(k value.Kind) string {
	if k == value.Uint {
		return "BIGINT UNSIGNED"
	}
	return "BIGINT"
}

type operation64 func(x, y fixed.Decimal64) (fixed.Decimal64, bool)

// byDigits is the result of an operation on exact numbers of 64 bits; ok is false if it needs package
// decimal.
func byDigits(a, b value.Value, scale int, op operation64) (v value.Value, ok bool) {
	x, ok := a.Fixed64()
	if !ok {
		return v, false
	}
	y, ok := b.Fixed64()
	if !ok {
		return v, false
	}
	if x, ok = op(x, y); !ok || x.Exponent < fixed.LeastExponent {
		return v, false
	}
	return value.NewDigits(x.Digits, x.Exponent, min(scale, value.MaxScale)), true
}

// Add is a + b. The error is 1690.
func Add(a, b value.Value) (value.Value, error) {
	if a.Kind() == value.Int && b.Kind() == value.Int {
		if sum := a.Int() + b.Int(); (sum > a.Int()) == (b.Int() > 0) {
			return value.NewInt(sum), nil
		}
	}
	if anyNull(a, b) {
		return value.Value{}, nil
	}
	switch k := class(a, b); k {
	case value.Float:
		return floatResult(a.AsFloat()+b.AsFloat(), "+", a, b)
	case value.Decimal:
		if v, ok := byDigits(a, b, max(a.Scale(), b.Scale()), fixed.Decimal64.Plus); ok {
			return v, nil
		}
		return decimalResult(a.AsDecimal().Add(b.AsDecimal()), max(a.Scale(), b.Scale()), "+", a, b)
	default:
		return addInts(k, a, b, "+", int65Of(a), int65Of(b))
	}
}

// Sub is a - b. The error is 1690.
func Sub(a, b value.Value) (value.Value, error) {
	if a.Kind() == value.Int && b.Kind() == value.Int {
		if diff := a.Int() - b.Int(); (diff < a.Int()) == (b.Int() > 0) {
			return value.NewInt(diff), nil
		}
	}
	if anyNull(a, b) {
		return value.Value{}, nil
	}
	switch k := class(a, b); k {
	case value.Float:
		return floatResult(a.AsFloat()-b.AsFloat(), "-", a, b)
	case value.Decimal:
		if v, ok := byDigits(a, b, max(a.Scale(), b.Scale()), fixed.Decimal64.Minus); ok {
			return v, nil
		}
		return decimalResult(a.AsDecimal().Sub(b.AsDecimal()), max(a.Scale(), b.Scale()), "-", a, b)
	default:
		return addInts(k, a, b, "-", int65Of(a), int65Of(b).neg())
	}
}

// Mul is a * b. The error is 1690.
func Mul(a, b value.Value) (value.Value, error) {
	if anyNull(a, b) {
		return value.Value{}, nil
	}
	switch k := class(a, b); k {
	case value.Float:
		return floatResult(a.AsFloat()*b.AsFloat(), "*", a, b)
	case value.Decimal:
		if v, ok := byDigits(a, b, a.Scale()+b.Scale(), fixed.Decimal64.Times); ok {
			return v, nil
		}
		return decimalResult(a.AsDecimal().Mul(b.AsDecimal()), a.Scale()+b.Scale(), "*", a, b)
	default:
		x, y := int65Of(a), int65Of(b)
		high, low := bits.Mul64(x.magnitude(), y.magnitude())
		negative := x.negative() != y.negative()
		if high != 0 {
			return value.Value{}, outOfRange(intKindName(k), "*", a, b)
		}
		return integer(k, "*", a, b, low, negative)
	}
}

// int65 is an integer of 65 bits: an int64 or a uint64, or its negative.
type int65 struct {
	below bool
	mag   uint64
}

func int65Of(v value.Value) int65 {
	if v.Kind() == value.Uint {
		return int65{false, v.Uint()}
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

func addInts(k value.Kind, a, b value.Value, op string, x, y int65) (value.Value, error) {
	if x.negative() == y.negative() {
		sum, carry := bits.Add64(x.mag, y.mag, 0)
		if carry != 0 {
			return value.Value{}, outOfRange(intKindName(k), op, a, b)
		}
		return integer(k, op, a, b, sum, x.negative())
	}
	if x.mag >= y.mag {
		return integer(k, op, a, b, x.mag-y.mag, x.negative())
	}
	return integer(k, op, a, b, y.mag-x.mag, y.negative())
}

// integer makes the result of kind k from sign and magnitude; the error is 1690 if it is out of range.
func integer(k value.Kind, op string, a, b value.Value, magnitude uint64, negative bool) (value.Value, error) {
	switch {
	case k == value.Uint && (!negative || magnitude == 0):
		return value.NewUint(magnitude), nil
	case k == value.Int && !negative && magnitude <= math.MaxInt64:
		return value.NewInt(int64(magnitude)), nil
	case k == value.Int && negative && magnitude <= 1<<63:
		return value.NewInt(int64(-magnitude)), nil
	}
	return value.Value{}, outOfRange(intKindName(k), op, a, b)
}

func floatResult(f float64, op string, a, b value.Value) (value.Value, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return value.Value{}, outOfRange("DOUBLE", op, a, b)
	}
	return value.NewFloat(f), nil
}

func decimalResult(d decimal.Decimal, scale int, op string, a, b value.Value) (value.Value, error) {
	whole := fixed.Nines(max(0, d.NumDigits()+int(d.Exponent()))) / 9
	if whole > fixed.Words {
		return value.Value{}, outOfRange("DECIMAL", op, a, b)
	}
	if fits := 9 * (fixed.Words - whole); int(-d.Exponent()) > fits {
		d = d.Truncate(int32(fits))
	}
	return value.NewDecimalScale(d, min(scale, value.MaxScale)), nil
}

// Div is a / b, NULL if b is 0. The error is 1690.
func Div(a, b value.Value) (value.Value, error) {
	if anyNull(a, b) {
		return value.Value{}, nil
	}
	if class(a, b) == value.Float {
		y := b.AsFloat()
		if y == 0 {
			return value.Value{}, nil
		}
		return floatResult(a.AsFloat()/y, "/", a, b)
	}
	if truth, _ := value.Truth(b); !truth {
		return value.Value{}, nil
	}
	if v, ok := byDigits(a, b, a.Scale()+fixed.DivIncrement, fixed.Decimal64.Over); ok {
		return v, nil
	}
	if x, ok := quotient128(a, b); ok {
		return value.NewFixed128(x, min(a.Scale()+fixed.DivIncrement, value.MaxScale)), nil
	}
	return decimalResult(quotient(a.AsDecimal(), b.AsDecimal()), a.Scale()+fixed.DivIncrement, "/", a, b)
}

// quotient divides with as many digits as MySQL keeps inside an expression: whole groups of 9 after the
// point, the rest cut off.
func quotient(x, y decimal.Decimal) decimal.Decimal {
	q, _ := x.QuoRem(y, fixed.QuotientPlaces(x.Exponent(), y.Exponent()))
	return q
}

// quotient128 is quotient, if it and the operands have few enough digits; b must not be 0.
func quotient128(a, b value.Value) (q fixed.Decimal128, ok bool) {
	x, ok := a.Fixed128()
	if !ok {
		return q, false
	}
	y, ok := b.Fixed128()
	if !ok {
		return q, false
	}
	return x.Quotient(y)
}

// IntDiv is a DIV b: the integer part of the quotient, NULL if b is 0. The error is 1690.
func IntDiv(a, b value.Value) (value.Value, error) {
	if anyNull(a, b) {
		return value.Value{}, nil
	}
	k := class(a, b)
	if k == value.Float || k == value.Decimal {
		return intDivDecimal(a, b)
	}
	x, y := int65Of(a), int65Of(b)
	if y.mag == 0 {
		return value.Value{}, nil
	}
	return integer(k, "DIV", a, b, x.mag/y.mag, x.negative() != y.negative())
}

func intDivDecimal(a, b value.Value) (value.Value, error) {
	y := b.AsDecimal()
	if y.IsZero() {
		return value.Value{}, nil
	}
	q, _ := a.AsDecimal().QuoRem(y, 0)
	kind := value.Int
	if a.Kind() == value.Uint || b.Kind() == value.Uint {
		kind = value.Uint
	}
	i := q.BigInt()
	if !new(big.Int).Abs(i).IsUint64() {
		return value.Value{}, outOfRange(intKindName(kind), "DIV", a, b)
	}
	return integer(kind, "DIV", a, b, new(big.Int).Abs(i).Uint64(), i.Sign() < 0)
}

// Mod is a % b with the sign of a, NULL if b is 0. The error is 1690.
func Mod(a, b value.Value) (value.Value, error) {
	if anyNull(a, b) {
		return value.Value{}, nil
	}
	switch k := class(a, b); k {
	case value.Float:
		if y := b.AsFloat(); y != 0 {
			return value.NewFloat(math.Mod(a.AsFloat(), y)), nil
		}
		return value.Value{}, nil
	case value.Decimal:
		y := b.AsDecimal()
		if y.IsZero() {
			return value.Value{}, nil
		}
		_, rest := a.AsDecimal().QuoRem(y, 0)
		return value.NewDecimalScale(rest, max(a.Scale(), b.Scale())), nil
	default:
		return modInts(a, b)
	}
}

// modInts takes sign and signedness from the left operand.
func modInts(a, b value.Value) (value.Value, error) {
	x, y := int65Of(a), int65Of(b)
	if y.mag == 0 {
		return value.Value{}, nil
	}
	k := value.Int
	if a.Kind() == value.Uint {
		k = value.Uint
	}
	return integer(k, "MOD", a, b, x.mag%y.mag, x.negative())
}

// Neg is -a. The error is 1690.
func Neg(a value.Value) (value.Value, error) {
	switch numberKind(a) {
	case value.Float:
		if a.Kind() == value.Null {
			return value.Value{}, nil
		}
		return value.NewFloat(-a.AsFloat()), nil
	case value.Decimal:
		if x, ok := a.Fixed64(); ok {
			return value.NewDigits(-x.Digits, x.Exponent, a.Scale()), nil
		}
		return value.NewDecimalScale(a.AsDecimal().Neg(), a.Scale()), nil
	case value.Uint:
		if a.Uint() > 1<<63 {
			return value.Value{}, mysqlerr.New(mysqlerr.DataOutOfRange, "BIGINT value is out of range in '-(%s)'", a.ShortString())
		}
		return value.NewInt(int64(-a.Uint())), nil
	}
	i := a.AsInt()
	if i == math.MinInt64 {
		return value.Value{}, mysqlerr.New(mysqlerr.DataOutOfRange, "BIGINT value is out of range in '-(%s)'", a.ShortString())
	}
	return value.NewInt(-i), nil
}
