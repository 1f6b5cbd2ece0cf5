package constrain

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The text of a number may have leading spaces, a sign, leading zeros, a decimal point, an exponent, and
// anything after them. Most of these forms are rare, so their spans cost little if keys are only digits.

const (
	maxDigits = 20 // of 64 bits
	signBit   = 1 << 63
)

// integerText reads the integers at the start of texts, as CAST does.
func integerText(unsigned bool) *number {
	n := &number{least: math.MinInt64, most: math.MaxInt64, at: value.NewInt, whole: true, strings: signedText}
	if unsigned {
		n.unsigned = true
		n.at = func(place int64) value.Value { return value.NewUint(uint64(place) ^ signBit) }
		n.strings = func(out []interval.TextSpan, first, last int64) []interval.TextSpan {
			return unsignedText(out, uint64(first)^signBit, uint64(last)^signBit)
		}
	}
	return n
}

// signedText appends the spans of the texts of signed numbers; a negative number is also written as the
// unsigned number with the same bits.
func signedText(out []interval.TextSpan, first, last int64) []interval.TextSpan {
	if first < 0 {
		out = unsignedText(out, uint64(first), uint64(min(last, -1)))
	}
	if last >= 0 {
		out = unsignedText(out, uint64(max(first, 0)), uint64(last))
	}
	return out
}

// unsignedText appends the spans of the texts of the numbers from first to last. A text without a
// number is 0; one with too many digits is the greatest number.
func unsignedText(out []interval.TextSpan, first, last uint64) []interval.TextSpan {
	if first == 0 || last == math.MaxUint64 && first == last {
		return append(out, anyText)
	}
	out = append(out, spaces...)
	out = slices.Grow(append(out, beginning([]byte("+"))), 2*maxDigits+4)
	if last > math.MaxInt64 {
		out = append(out, beginning([]byte("-")))
	}
	if last == math.MaxUint64 {
		out = append(out, interval.TextSpan{Lo: interval.BeforeText([]byte("1")), Hi: interval.BeforeText([]byte(":"))})
	}
	numbers := numbersBetween(first, last)
	zeros := maxDigits
	if len(numbers) > 2 {
		zeros = 0
	}
	out = append(out, beginning([]byte(maxZeros[:zeros+1])))
	for n := zeros; n >= 0; n-- {
		for i := range numbers {
			out = numbers[i].behindZeros(out, n)
		}
	}
	return out
}

// maxZeros has one zero more than a number has digits.
const maxZeros = "000000000000000000000"

// spaces are the spans of the texts that begin with white space.
var spaces = []interval.TextSpan{
	{Lo: interval.BeforeText([]byte("\t")), Hi: interval.BeforeText([]byte("\x0e"))},
	beginning([]byte(" ")),
}

func digitsOf(n uint64) string { return strconv.FormatUint(n, 10) }

// numbersOfDigits are the numbers with a certain number of digits, between two bounds. Each cut has
// maxDigits zeros in front; texts with fewer leading zeros use a part of it.
type numbersOfDigits struct{ lo, hi, digit, other interval.Text }

// numbersBetween divides the numbers from first to last by their number of digits.
func numbersBetween(first, last uint64) (out []numbersOfDigits) {
	for n := len(digitsOf(first)); n <= len(digitsOf(last)); n++ {
		lo, hi := first, last
		if n > len(digitsOf(first)) {
			lo = powerOf10(n - 1)
		}
		if n < len(digitsOf(last)) {
			hi = powerOf10(n) - 1
		}
		zeros := maxZeros[:maxDigits]
		first, last := zeros+digitsOf(lo), zeros+digitsOf(hi)
		each := numbersOfDigits{lo: interval.BeforeText([]byte(first)), hi: interval.Successor([]byte(last))}
		if lo == hi {
			each.digit, each.other = interval.BeforeText([]byte(first+"0")), interval.BeforeText([]byte(first+":"))
		}
		out = append(out, each)
	}
	return out
}

// behindZeros appends the spans of the digits after a number of leading zeros; a single number has only texts
// without further digits.
func (n *numbersOfDigits) behindZeros(out []interval.TextSpan, zeros int) []interval.TextSpan {
	cut := func(c interval.Text) interval.Text { return interval.Text{Bytes: c.Bytes[maxDigits-zeros:]} }
	if n.digit.Bytes == nil {
		return append(out, interval.TextSpan{Lo: cut(n.lo), Hi: cut(n.hi)})
	}
	return append(out,
		interval.TextSpan{Lo: cut(n.lo), Hi: cut(n.digit)}, interval.TextSpan{Lo: cut(n.other), Hi: cut(n.hi)})
}

func powerOf10(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// endingDigits appends the spans of the texts that begin with the digits and have no further digit.
func endingDigits(out []interval.TextSpan, digits string) []interval.TextSpan {
	b := []byte(digits)
	return append(out, interval.TextSpan{Lo: interval.BeforeText(b), Hi: interval.BeforeText([]byte(digits + "0"))},
		interval.TextSpan{Lo: interval.BeforeText([]byte(digits + ":")), Hi: interval.Successor(b)})
}

// manyDigits is more than the number of decimals to which a DECIMAL from a text is rounded.
const manyDigits = 32

// textsOfInteger are spans with all texts that equal an integer when they are compared as numbers: its
// digits, possibly with a point among them, and followed by zeros and an exponent; and texts that are rounded
// to it, which have the digits of the number before it followed by 9s. Zero equals each text without a
// number.
func textsOfInteger(v value.Value) (s interval.Texts, ok bool) {
	n, sign := v.Uint(), ""
	if v.Kind() == value.Int && v.Int() < 0 {
		n, sign = -uint64(v.Int()), "-"
	}
	if n == 0 {
		return nil, false
	}
	out := append([]interval.TextSpan{}, spaces...)
	if sign == "" {
		out = append(out, beginning([]byte("+")))
	}
	out = append(out, beginning([]byte(sign+".")), beginning([]byte(sign+"0")))
	digits := strings.TrimRight(digitsOf(n), "0")
	for zeros := range manyDigits {
		out = endingDigits(out, sign+digits+strings.Repeat("0", zeros))
	}
	out = append(out, beginning([]byte(sign+digits+strings.Repeat("0", manyDigits))))
	out = pointed(out, sign, digits, len(digits))
	before := ""
	if u, _ := strconv.ParseUint(digits, 10, 64); u > 1 {
		before = digitsOf(u - 1)
	}
	return interval.Normalize(pointed(out, sign, before+strings.Repeat("9", manyDigits), manyDigits-1)), true
}

// pointed appends the spans of the digits with a point before one of the first of them, or without one.
func pointed(out []interval.TextSpan, sign, digits string, most int) []interval.TextSpan {
	for i := 1; i < most; i++ {
		behind := digits[i:min(len(digits), i+8)]
		out = append(out, beginning([]byte(sign+digits[:i]+"."+behind)))
	}
	if most < len(digits) {
		out = append(out, beginning([]byte(sign+digits[:most])))
	}
	return out
}
