package value

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/value/ascii"
	"github.com/hbasekv/hbasekv/sqlfront/value/fixed"

	"github.com/shopspring/decimal"
)

// ParseFloat reads the number that b starts with, after white space. whole is false if something other than
// white space follows, if there is no number, or if it is too large for a double: MySQL then warns (1292).
func ParseFloat(b []byte) (f float64, whole bool) {
	start, end := numberSpan(b, true)
	if start == end {
		return 0, false
	}
	f, err := strconv.ParseFloat(floatText(b[start:end]), 64)
	if err != nil && math.IsInf(f, 0) {
		return math.Copysign(math.MaxFloat64, f), false
	}
	return f, ascii.OnlySpace(b[end:])
}

// maxFloatText is more digits than can matter to a double.
const maxFloatText = 1 << 10

// floatText is a number for strconv. It drops digits that cannot matter, which would take time and memory.
func floatText(b []byte) string {
	if len(b) <= maxFloatText {
		return string(b)
	}
	mantissa, exponent := b, 0
	i := bytes.IndexByte(b, 'e')
	if i < 0 {
		i = bytes.IndexByte(b, 'E')
	}
	if i >= 0 {
		mantissa = b[:i]
		exponent, _ = strconv.Atoi(string(b[i+1 : min(len(b), i+maxFloatText)])) // limited if out of range
	}
	var out []byte
	if mantissa[0] == '-' {
		out = append(out, '-')
	}
	whole, fraction, _ := bytes.Cut(bytes.TrimLeft(mantissa, "+-"), []byte{'.'})
	whole = bytes.TrimLeft(whole, "0")
	if len(whole) == 0 {
		zeros := len(fraction) - len(bytes.TrimLeft(fraction, "0"))
		fraction, exponent = fraction[zeros:], exponent-zeros
	}
	exponent += len(whole)
	out = append(append(out, "0."...), whole[:min(len(whole), maxFloatText)]...)
	out = append(out, fraction[:min(len(fraction), maxFloatText)]...)
	return string(strconv.AppendInt(append(out, 'e'), int64(exponent), 10))
}

// ParseExact is ParseDecimal of a value.
func ParseExact(b []byte) (v Value, whole bool) {
	start, end := numberSpan(b, true)
	if x, ok := fixed.Parse(b[start:end]); ok {
		return NewDigits(x.Digits, x.Exponent, int(-x.Exponent)), ascii.OnlySpace(b[end:])
	}
	d, whole := ParseDecimal(b)
	return NewDecimal(d), whole
}

// ParseDecimal is ParseFloat for exact numbers.
func ParseDecimal(b []byte) (d decimal.Decimal, whole bool) {
	start, end := numberSpan(b, true)
	if start == end {
		return decimal.Decimal{}, false
	}
	number := b[start:end]
	if x, ok := fixed.Parse(number); ok {
		return decimal.New(x.Digits, x.Exponent), ascii.OnlySpace(b[end:])
	}
	mantissa, exp := splitExponent(number)
	d, err := decimal.NewFromString(shortened(mantissa))
	if err != nil {
		return decimal.Decimal{}, false
	}
	if exp != 0 {
		d = d.Shift(exp)
	}
	if d.Exponent() > 0 {
		d = d.Round(0)
	}
	d, fits := FitDecimal(d)
	return d, fits && ascii.OnlySpace(b[end:])
}

// StartsWithNumber reports whether b begins with a number, after spaces.
func StartsWithNumber(b []byte) bool {
	start, end := numberSpan(b, true)
	return start < end
}

// IsNumberText reports whether b is a number of any size, possibly with spaces around it.
func IsNumberText(b []byte) bool {
	start, end := numberSpan(b, true)
	return start < end && ascii.OnlySpace(b[end:])
}

// maxMantissa is more digits than can matter to a DECIMAL, whatever the exponent; the time for reading digits
// grows with the square of their number.
const maxMantissa = 512

// shortened is a mantissa without leading zeros and without digits that cannot matter: with this many before
// the point the number is out of range.
func shortened(mantissa []byte) string {
	if len(mantissa) <= maxMantissa {
		return string(mantissa)
	}
	sign := ""
	if mantissa[0] == '-' || mantissa[0] == '+' {
		sign, mantissa = string(mantissa[:1]), mantissa[1:]
	}
	mantissa = bytes.TrimLeft(mantissa, "0")
	mantissa = mantissa[:min(len(mantissa), maxMantissa)]
	return sign + "0" + strings.TrimSuffix(string(mantissa), ".")
}

// splitExponent cuts 1.5e7 into 1.5 and 7. Exponents beyond those of a DECIMAL are limited, which keeps the
// number out of range or zero.
func splitExponent(b []byte) ([]byte, int32) {
	for i, c := range b {
		if c != 'e' && c != 'E' {
			continue
		}
		exp, err := strconv.Atoi(string(b[i+1 : min(len(b), i+maxFloatText)]))
		if err != nil || exp > 200 || exp < -200 {
			exp = 200
			if b[i+1] == '-' {
				exp = -200
			}
		}
		return b[:i], int32(exp)
	}
	return b, 0
}

// FitDecimal limits d to a DECIMAL: to the nearest end if its integer part has too many digits (fits is then
// false), and rounded after the point.
func FitDecimal(d decimal.Decimal) (out decimal.Decimal, fits bool) {
	if d.Exponent() < -MaxScale {
		d = d.Round(MaxScale)
	}
	whole := d.NumDigits() + int(d.Exponent())
	if whole > MaxDigits {
		return maxDecimal(MaxDigits, 0, d.Sign()), false
	}
	if scale := int(-d.Exponent()); scale > 0 && max(whole, 0)+scale > MaxDigits {
		d = d.Round(int32(MaxDigits - max(whole, 0)))
	}
	return d, true
}

// maxDecimal is the largest number with this many digits, scale of them after the point, and the given sign.
func maxDecimal(digits, scale, sign int) decimal.Decimal {
	d := decimal.New(1, int32(digits)).Sub(decimal.NewFromInt(1)).Shift(int32(-scale))
	if sign < 0 {
		return d.Neg()
	}
	return d
}

// ParseInt reads the decimal digits that b starts with, after white space and a sign, limited to int64. ok is
// false if they are out of range, or if anything other than white space follows.
func ParseInt(b []byte) (i int64, ok bool) {
	u, negative, whole := ParseInteger(b)
	switch {
	case negative && int64(u) >= 0 && u != 0:
		return math.MinInt64, false
	case !negative && u > math.MaxInt64:
		return math.MaxInt64, false
	}
	return int64(u), whole
}

// ParseInteger reads an integer of either sign as 64 bits, limited to these: a negative one in two's
// complement.
func ParseInteger(b []byte) (u uint64, negative, whole bool) {
	i := ascii.SkipSpace(b)
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	start, over := i, false
	for ; i < len(b) && ascii.IsDigit(b[i]); i++ {
		digit := uint64(b[i] - '0')
		if u > (math.MaxUint64-digit)/10 {
			over = true
			i = ascii.SkipDigits(b, i)
			break
		}
		u = u*10 + digit
	}
	whole = i > start && !over && ascii.OnlySpace(b[i:])
	switch {
	case negative && (over || u > 1<<63):
		return 1 << 63, true, false
	case over:
		return math.MaxUint64, false, false
	case negative:
		return -u, true, whole
	}
	return u, false, whole
}

// numberSpan finds [sign] digits [. digits] [e [sign] digits] after white space; start == end if there are no
// digits.
func numberSpan(b []byte, exponent bool) (start, end int) {
	start = ascii.SkipSpace(b)
	i := start
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		i++
	}
	first := i
	i = ascii.SkipDigits(b, i)
	digits := i - first
	if i < len(b) && b[i] == '.' {
		point := i
		i = ascii.SkipDigits(b, i+1)
		if digits += i - point - 1; digits == 0 {
			return start, start
		}
	}
	if digits == 0 {
		return start, start
	}
	if exponent {
		i = skipExponent(b, i)
	}
	return start, i
}

func skipExponent(b []byte, i int) int {
	j := i
	if j >= len(b) || b[j]|0x20 != 'e' {
		return i
	}
	j++
	if j < len(b) && (b[j] == '-' || b[j] == '+') {
		j++
	}
	if end := ascii.SkipDigits(b, j); end > j {
		return end
	}
	return i
}
