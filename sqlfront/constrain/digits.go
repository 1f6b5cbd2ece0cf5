package constrain

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Numbers that are written as text have many forms: with spaces, a sign, zeros in front of
// the digits, a point, an exponent, and anything behind them. Most of the forms are rare, so
// that spans which hold them cost little where keys are all digits.

const (
	maxDigits = 20 // of 64 bits
	signBit   = 1 << 63
)

// integerText is the integers that texts begin with, as CAST reads them.
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

// signedText: a negative number is the unsigned one of the same bits, too.
func signedText(out []interval.TextSpan, first, last int64) []interval.TextSpan {
	if first < 0 {
		out = unsignedText(out, uint64(first), uint64(min(last, -1)))
	}
	if last >= 0 {
		out = unsignedText(out, uint64(max(first, 0)), uint64(last))
	}
	return out
}

// unsignedText are the texts of the numbers from first to last. All that is no number is 0;
// more digits than fit are the largest number.
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

// maxZeros is one more zero than a number has digits.
const maxZeros = "000000000000000000000"

// spaces are what begins with a white space.
var spaces = []interval.TextSpan{
	{Lo: interval.BeforeText([]byte("\t")), Hi: interval.BeforeText([]byte("\x0e"))},
	beginning([]byte(" ")),
}

func digitsOf(n uint64) string { return strconv.FormatUint(n, 10) }

// numbersOfDigits are the numbers of so many digits from one to another. Each cut has maxDigits
// zeros in front, of which those with fewer take the last ones.
type numbersOfDigits struct{ lo, hi, digit, other interval.Text }

// numbersBetween are the numbers from first to last by how many digits they have.
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

// behindZeros are the digits behind so many zeros; of one number those with no further digit
// behind them.
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

// endingDigits are the digits with no further one behind them.
func endingDigits(out []interval.TextSpan, digits string) []interval.TextSpan {
	b := []byte(digits)
	return append(out, interval.TextSpan{Lo: interval.BeforeText(b), Hi: interval.BeforeText([]byte(digits + "0"))},
		interval.TextSpan{Lo: interval.BeforeText([]byte(digits + ":")), Hi: interval.Successor(b)})
}

// manyDigits is more digits than those of a DECIMAL behind the point, to which a text is rounded.
const manyDigits = 32

// textsOfInteger are the texts that equal an integer, which they are compared with as numbers:
// its digits, a point among them, any zeros and an exponent behind them, and what is rounded to
// it, all of whose digits are 9 behind the number before it. Zero is everything that is no number.
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

// pointed are the digits with a point before one of the first of them, or with none.
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
