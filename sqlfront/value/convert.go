package value

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"
)

// MySQL's limits of DECIMAL
// (https://dev.mysql.com/doc/refman/5.7/en/precision-math-decimal-characteristics.html).
const (
	MaxDigits = 65
	MaxScale  = 30
	// AnyScale is the Decimals of a type whose values have individual scales.
	AnyScale = MaxScale + 1
)

// AsFloat converts to a double as MySQL does: the number that a string starts with, 0 if it starts with none
// or v is NULL.
func (v Value) AsFloat() float64 {
	switch v.kind {
	case Int:
		return float64(int64(v.n))
	case Uint:
		return float64(v.n)
	case Float:
		return v.Float()
	case Decimal:
		return v.decimalFloat()
	case Text, Bytes:
		f, _ := ParseFloat(v.Raw())
		return f
	case Date, Time, DateTime:
		return v.temporalNumber().AsFloat()
	case JSON:
		return jsonScalar(v.Raw()).AsFloat()
	}
	return 0
}

func (v Value) decimalFloat() float64 {
	if x, ok := v.Fixed64(); ok {
		if f, ok := x.Float(); ok {
			return f
		}
	}
	f, err := strconv.ParseFloat(v.Decimal().String(), 64)
	if err != nil {
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// AsInt converts to a signed integer as MySQL does: rounded half away from zero, and limited to int64; for a
// string, the digits that it starts with. NULL is 0.
func (v Value) AsInt() int64 {
	i, _ := v.ToInt()
	return i
}

// ToInt is AsInt that also reports whether the value was in range and, for a string, was read completely.
func (v Value) ToInt() (i int64, ok bool) {
	switch v.kind {
	case Int:
		return int64(v.n), true
	case Uint:
		if v.n > math.MaxInt64 {
			return math.MaxInt64, false
		}
		return int64(v.n), true
	case Float:
		return floatToInt(v.Float())
	case Decimal:
		if x, ok := v.Fixed64(); ok {
			x, _ = x.Round(0)
			return x.Digits, true
		}
		return bigToInt(v.Decimal().Round(0).BigInt())
	case Text, Bytes:
		return ParseInt(v.Raw())
	case Date, Time, DateTime:
		return v.temporalNumber().ToInt()
	case JSON:
		return jsonScalar(v.Raw()).ToInt()
	}
	return 0, true
}

func floatToInt(f float64) (int64, bool) {
	r := math.RoundToEven(f)
	switch {
	case r >= 1<<63:
		return math.MaxInt64, false
	case r < -(1 << 63):
		return math.MinInt64, false
	case math.IsNaN(r):
		return 0, false
	}
	return int64(r), true
}

func bigToInt(b *big.Int) (int64, bool) {
	if b.IsInt64() {
		return b.Int64(), true
	}
	if b.Sign() < 0 {
		return math.MinInt64, false
	}
	return math.MaxInt64, false
}

// AsUint converts to an unsigned integer as MySQL does, as in bit operations: negative integers keep their 64
// bits.
func (v Value) AsUint() uint64 {
	switch v.kind {
	case Int, Uint:
		return v.n
	case Float:
		if f := math.RoundToEven(v.Float()); f >= 1<<63 {
			if f >= 1<<64 {
				return math.MaxUint64
			}
			return uint64(f)
		}
	case Decimal:
		if b := v.Decimal().Round(0).BigInt(); b.IsUint64() {
			return b.Uint64()
		} else if b.Sign() > 0 && !b.IsInt64() {
			return math.MaxUint64
		}
	case Text, Bytes:
		return textToUint(v.Raw())
	}
	return uint64(v.AsInt())
}

// textToUint rounds the number that the text starts with.
func textToUint(b []byte) uint64 {
	if u, _, whole := ParseInteger(b); whole {
		return u
	}
	d, _ := ParseDecimal(b)
	return NewDecimal(d).AsUint()
}

// AsNumber is the number for a time or a document, and any other value as it is.
func (v Value) AsNumber() Value {
	switch v.kind {
	case Date, Time, DateTime:
		return v.temporalNumber()
	case JSON:
		return NewFloat(v.AsFloat())
	}
	return v
}

// AsDecimal converts to an exact number as MySQL does.
func (v Value) AsDecimal() decimal.Decimal {
	switch v.kind {
	case Int:
		return decimal.NewFromInt(int64(v.n))
	case Uint:
		return decimal.NewFromUint64(v.n)
	case Float:
		return floatToDecimal(v.Float())
	case Decimal:
		return v.Decimal()
	case Text, Bytes:
		d, _ := ParseDecimal(v.Raw())
		return d
	case Date, Time, DateTime:
		return v.temporalNumber().AsDecimal()
	case JSON:
		return jsonScalar(v.Raw()).AsDecimal()
	}
	return decimal.Decimal{}
}

// floatToDecimal has the digits that MySQL prints for f.
func floatToDecimal(f float64) decimal.Decimal {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return decimal.Decimal{}
	}
	d, _ := ParseDecimal(AppendFloat(nil, f))
	return d
}

// AsBytes is the string form. It refers to v's own bytes if v is a string; NULL is the empty string.
func (v Value) AsBytes() []byte {
	if v.kind == Text || v.kind == Bytes || v.kind == JSON {
		return v.Raw()
	}
	return v.AppendText(nil)
}

// String is AsBytes as a string, NULL for NULL.
func (v Value) String() string {
	if v.kind == Null {
		return "NULL"
	}
	return string(v.AsBytes())
}

// maxShort is the maximum length of a string in a message, in bytes.
const maxShort = 128

// Short is a string cut for a message; other values are as they are.
func (v Value) Short() Value {
	if b := v.Raw(); len(b) > maxShort {
		return v.withBytes(b[:maxShort])
	}
	return v
}

// ShortString is String cut for a message.
func (v Value) ShortString() string { return v.Short().String() }

// AppendText appends the string form to dst, nothing for NULL.
func (v Value) AppendText(dst []byte) []byte {
	switch v.kind {
	case Int:
		return strconv.AppendInt(dst, int64(v.n), 10)
	case Uint:
		return appendPadded(dst, v.n, int(v.aux))
	case Float:
		return v.appendFloat(dst)
	case Decimal:
		return v.appendDecimal(dst)
	case Text, Bytes, JSON:
		return append(dst, v.Raw()...)
	case Date, Time, DateTime:
		return v.appendTemporal(dst)
	}
	return dst
}

// appendPadded prints at least this number of digits.
func appendPadded(dst []byte, u uint64, digits int) []byte {
	start := len(dst)
	dst = strconv.AppendUint(dst, u, 10)
	for missing := digits - (len(dst) - start); missing > 0; missing-- {
		dst = slices.Insert(dst, start, '0')
	}
	return dst
}

func (v Value) appendFloat(dst []byte) []byte {
	switch v.aux {
	case 0:
		return AppendFloat(dst, v.Float())
	case singleDigits:
		return appendSingle(dst, v.Float())
	}
	return appendFixed(dst, v.Float(), int(v.aux)-1)
}

// appendSingle prints 6 digits, without trailing zeros.
func appendSingle(dst []byte, f float64) []byte {
	var buf [32]byte
	rounded, _ := strconv.ParseFloat(string(strconv.AppendFloat(buf[:0], f, 'e', 5, 64)), 64) // it parses its own output
	return AppendFloat(dst, rounded)
}

// AppendFloat prints a double as MySQL does: the shortest digits that give the same number, with an exponent
// only if the point would be more than 15 digits away.
func AppendFloat(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0')
	}
	if i := int64(f); float64(i) == f && -1e15 < f && f < 1e15 {
		return strconv.AppendInt(dst, i, 10)
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	digits, exp := floatShape(e)
	if point := exp + 1; point >= -14 && (point <= 15 || digits > point) {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	return appendExponent(dst, e, exp)
}

// appendFixed prints the given number of digits after the point, from the shortest digits that give the same
// number.
func appendFixed(dst []byte, f float64, digits int) []byte {
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	point := bytes.IndexByte(dst[start:], '.')
	have := 0
	if point >= 0 {
		have = len(dst) - start - point - 1
	}
	if have > digits {
		return strconv.AppendFloat(dst[:start], f, 'f', digits, 64)
	}
	if have == 0 && digits > 0 {
		dst = append(dst, '.')
	}
	for ; have < digits; have++ {
		dst = append(dst, '0')
	}
	return dst
}

// floatShape counts the digits of d.ddde+xx and reads its exponent.
func floatShape(e []byte) (digits, exp int) {
	for i, c := range e {
		switch {
		case c == 'e':
			exp, _ = strconv.Atoi(string(e[i+1:]))
			return digits, exp
		case c >= '0' && c <= '9':
			digits++
		}
	}
	return digits, 0
}

func appendExponent(dst, e []byte, exp int) []byte {
	for _, c := range e {
		if c == 'e' {
			break
		}
		dst = append(dst, c)
	}
	return strconv.AppendInt(append(dst, 'e'), int64(exp), 10)
}

// Truth is the value as a condition: null if it is neither true nor false.
func Truth(v Value) (truth, null bool) {
	switch v.kind {
	case Null:
		return false, true
	case Int, Uint:
		return v.n != 0, false
	case Float:
		return v.Float() != 0, false
	case Decimal:
		return v.n != 0 || v.isLarge(), false
	}
	return v.AsFloat() != 0, false
}

// compareFloats orders as doubles. An integer is rounded to a double first, as in MySQL.
func compareFloats(a, b Value) int { return cmp.Compare(a.AsFloat(), b.AsFloat()) }
