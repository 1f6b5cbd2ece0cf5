package coltype

import (
	"math"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/arithmetic"
)

// plain is a value as a number or a text: dates and times become numbers, rounded to seconds if an integer is
// needed, and documents become text.
func plain(v value.Value, whole bool) value.Value {
	switch {
	case v.Kind().IsTemporal() && whole:
		if rounded, ok := roundTemporal(v, 0, false); ok {
			v = rounded
		}
		return v.AsNumber()
	case v.Kind().IsTemporal():
		return v.AsNumber()
	case v.Kind() == value.JSON:
		return value.NewText(v.Raw())
	}
	return v
}

// integer rounds to a whole number.
func (c conversion) integer(v value.Value) (value.Value, error) {
	if v.Kind() == value.Int && c.Type.kind() == value.Int && v.Int() >= c.low && v.Int() <= int64(c.high) {
		return v, nil // the most frequent case
	}
	return c.whole(plain(v, true), c.low, c.high, c.Type.OfBits)
}

// integerBits are the numbers of bits of integer types.
var integerBits = [...]int{TinyInt: 8, SmallInt: 16, MediumInt: 24, Int: 32, BigInt: 64}

// IntegerRange is the smallest number of an integer type as a signed one, and the largest as an unsigned one.
func (t Type) IntegerRange() (low int64, high uint64) {
	bits := integerBits[t.Base]
	if t.Unsigned {
		return 0, math.MaxUint64 >> (64 - bits)
	}
	return math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)
}

// OfBits is a value of an integer type, BIT or YEAR: a number in range, in two's complement.
func (t Type) OfBits(bits uint64) value.Value {
	if t.kind() == value.Uint {
		return t.unsigned(bits)
	}
	return value.NewInt(int64(bits))
}

func (t Type) unsigned(u uint64) value.Value {
	if t.Zerofill || t.Base == Year {
		return value.NewUintWidth(u, t.Length)
	}
	return value.NewUint(u)
}

// whole is an integer between two, or the error about it.
func (c conversion) whole(v value.Value, low int64, high uint64, of func(uint64) value.Value) (value.Value, error) {
	bits, fits := clipped(v, low, high)
	out := of(bits)
	switch {
	case !fits:
		return c.outOfRange(out)
	case !v.IsString():
		return out, nil
	case !value.StartsWithNumber(v.Raw()):
		return c.incorrect("integer", v, out)
	}
	if _, whole := value.ParseFloat(v.Raw()); !whole {
		return c.truncated(out)
	}
	return out, nil
}

// clipped is the nearest integer to v between two, in two's complement.
func clipped(v value.Value, low int64, high uint64) (bits uint64, fits bool) {
	isText := v.IsString()
	if isText {
		if u, negative, whole := value.ParseInteger(v.Raw()); whole {
			return inRange(u, negative, low, high)
		}
		v, _ = value.ParseExact(v.Raw())
	}
	switch v.Kind() {
	case value.Int:
		return inRange(uint64(v.Int()), v.Int() < 0, low, high)
	case value.Uint:
		return inRange(v.Uint(), false, low, high)
	case value.Float:
		return floatInRange(v.Float(), low, high)
	}
	exact := v.AsDecimal()
	d := exact.Round(0)
	switch {
	case exact.Sign() < 0 && low == 0 && !isText: // also for -0.1, as in MySQL
		return 0, false
	case d.Cmp(decimal.NewFromInt(low)) < 0:
		return uint64(low), false
	case d.Cmp(decimal.NewFromUint64(high)) > 0:
		return high, false
	case d.Sign() < 0:
		return uint64(d.IntPart()), true
	}
	return d.BigInt().Uint64(), true
}

func inRange(bits uint64, negative bool, low int64, high uint64) (uint64, bool) {
	switch {
	case negative && int64(bits) < low:
		return uint64(low), false
	case !negative && bits > high:
		return high, false
	}
	return bits, true
}

func floatInRange(f float64, low int64, high uint64) (uint64, bool) {
	f = math.RoundToEven(f)
	switch {
	case f < float64(low):
		return uint64(low), false
	case f > float64(high) || f >= math.MaxUint64:
		return high, false
	case f < 0:
		return uint64(int64(f)), true
	}
	return inRange(uint64(f), false, low, high)
}

// The years that a YEAR holds besides 0.
const (
	firstYear = 1901
	lastYear  = 2155
)

// year reads two digits as a year from 1970 to 2069; the number 0 is the year 0, the text '0' is 2000.
func (c conversion) year(v value.Value) (value.Value, error) {
	v = c.yearNumber(v)
	negative := isNegative(v)
	v = cutFloat(v)
	bits, fits := clipped(v, math.MinInt64, math.MaxInt64)
	n := int64(bits)
	switch {
	case !fits || negative || n < 0 || n > 99 && n < firstYear || n > lastYear:
		return c.outOfRange(c.Type.unsigned(0))
	case n >= 70 && n <= 99:
		n += 1900
	case n > 0 && n < 70, n == 0 && v.IsString() && len(v.Raw()) != yearWidth && value.StartsWithNumber(v.Raw()):
		n += 2000
	}
	made := c.Type.unsigned(uint64(n))
	return c.whole(v, math.MinInt64, math.MaxInt64, func(uint64) value.Value { return made })
}

// isNegative reports whether a number is less than 0, even if it rounds to 0.
func isNegative(v value.Value) bool {
	order, _ := value.Compare(v, value.NewInt(0))
	return v.Kind().IsNumber() && order < 0
}

// cutFloat is a double without the digits after its point.
func cutFloat(v value.Value) value.Value {
	if v.Kind() == value.Float {
		return value.NewFloat(math.Trunc(v.Float()))
	}
	return v
}

// yearNumber is the year of a date, and the current year for a time.
func (c conversion) yearNumber(v value.Value) value.Value {
	switch v.Kind() {
	case value.Date, value.DateTime:
		return value.NewInt(int64(v.Fields().Year))
	case value.Time:
		return value.NewInt(int64(c.w.Env.Now().Year()))
	}
	return plain(v, true)
}

// decimal rounds to the column's digits after the point.
func (c conversion) decimal(v value.Value) (value.Value, error) {
	v = plain(v, false)
	exact, all := v, true
	if v.IsString() {
		exact, all = value.ParseExact(v.Raw())
	}
	if !exact.Kind().IsNumber() || exact.Kind() == value.Float {
		exact = exact.ToDecimal(value.MaxScale)
	}
	out, fits := c.Type.FitDecimal(exact)
	switch {
	case v.IsString() && !value.StartsWithNumber(v.Raw()):
		return c.incorrect("decimal", v, out)
	case !all && !value.IsNumberText(v.Raw()):
		if _, err := c.truncated(out); err != nil {
			return out, err
		}
	case !all: // more digits than fit into any DECIMAL
		fits = false
	}
	if !fits {
		return c.outOfRange(out)
	}
	if order, _ := value.Compare(out, exact); order != 0 && v.Kind() != value.Float {
		return c.lost(out)
	}
	return out, nil
}

// FitDecimal is an exact number rounded to the digits of a DECIMAL; fits is false if it has too many before
// the point, or is negative and the type is unsigned.
func (t Type) FitDecimal(v value.Value) (out value.Value, fits bool) {
	d := v.Round(int32(t.Decimals))
	switch {
	case t.Unsigned && isNegative(v):
		return value.NewDigits(0, 0, t.Decimals), false
	case d.NumDigits() > t.Length:
		most := decimal.New(1, int32(t.Length)).Sub(decimal.New(1, 0)).Shift(int32(-t.Decimals))
		if isNegative(v) {
			most = most.Neg()
		}
		return value.NewDecimalScale(most, t.Decimals), false
	}
	return d, true
}

// float rounds to a FLOAT's precision and to the declared digits.
func (c conversion) float(v value.Value) (value.Value, error) {
	v = plain(v, false)
	f, all := v.AsFloat(), true
	if v.IsString() {
		f, all = value.ParseFloat(v.Raw())
	}
	fit, fits := c.Type.FitFloat(f)
	out := c.Type.OfFloat(fit)
	switch {
	case v.IsString() && !value.StartsWithNumber(v.Raw()):
		return c.incorrect("double", v, out)
	case v.IsString() && !value.IsNumberText(v.Raw()):
		if _, err := c.truncated(out); err != nil {
			return out, err
		}
	case !all:
		fits = false
	}
	if !fits {
		return c.outOfRange(out)
	}
	return out, nil
}

// FitFloat is the nearest number to f that a FLOAT or DOUBLE holds; fits is false if f is out of range.
func (t Type) FitFloat(f float64) (out float64, fits bool) {
	most := math.MaxFloat64
	if f < 0 && t.Unsigned {
		return 0, false
	}
	if t.Base == Float {
		most = math.MaxFloat32
	}
	if t.IsFixed() {
		unit := math.Pow10(t.Decimals)
		most = min(most, math.Pow10(t.Length-t.Decimals)-1/unit)
		f = math.Floor(f) + math.RoundToEven((f-math.Floor(f))*unit)/unit
	}
	if math.Abs(f) > most {
		return math.Copysign(most, f), false
	}
	return f + 0, true // avoids a negative zero
}

// OfFloat is a value of FLOAT or DOUBLE, which prints as the column's do.
func (t Type) OfFloat(f float64) value.Value {
	switch {
	case t.Base == Float && t.IsFixed():
		return value.NewFloatScale(float64(float32(f)+0), t.Decimals)
	case t.Base == Float:
		return value.NewSingle(float32(f) + 0) // a tiny value must not become a negative zero
	case t.IsFixed():
		return value.NewFloatScale(f, t.Decimals)
	}
	return value.NewFloat(f)
}

// bits are those of a number, or the bytes of a string.
func (c conversion) bits(v value.Value) (value.Value, error) {
	if v.Kind().IsTemporal() {
		v = value.NewText(v.AsBytes())
	}
	v = plain(v, true)
	most := uint64(math.MaxUint64) >> (maxBits - c.Type.Length)
	if v.IsString() {
		return c.fitBits(arithmetic.HexBigint(trimZeros(v)).Uint(), most, len(trimZeros(v).Raw()) > 8)
	}
	if v.Kind() == value.Decimal {
		if bits, fits := clipped(v, 0, math.MaxUint64); !fits {
			return c.outOfRange(value.NewUint(min(bits, most)))
		}
	}
	bits, fits := clipped(cutFloat(v), math.MinInt64, math.MaxUint64)
	return c.fitBits(bits, most, !fits)
}

func trimZeros(v value.Value) value.Value {
	b := v.Raw()
	for len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	return value.NewBytes(b)
}

// fitBits is error 1406, or without strict mode warning 1264, if there are more bits than the column has.
func (c conversion) fitBits(bits, most uint64, over bool) (value.Value, error) {
	switch {
	case !over && bits <= most:
		return value.NewUint(bits), nil
	case c.w.Env.Strict:
		return c.tooLong(value.NewUint(most))
	}
	return c.outOfRange(value.NewUint(most))
}

func bitDigits(v value.Value) string { return strconv.FormatUint(v.Uint(), 2) }
