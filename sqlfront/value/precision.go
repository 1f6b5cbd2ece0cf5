package value

import "math/big"

// Precision is the maximum number of digits of a number of the type, on both sides of the point, as MySQL
// counts them for the types of expressions.
func (t Type) Precision() int {
	switch {
	case t.Digits > 0:
		return min(t.Digits, MaxDigits)
	case t.Bool:
		return 1
	case t.Kind == Int:
		return t.intPrecision()
	case t.Kind == Uint:
		return 20
	case t.Kind == Decimal && t.Length > 0:
		return t.Length - 1 - min(t.Decimals, 1) // without sign and point
	case t.Kind == Date:
		return 8
	case t.Kind == DateTime:
		return 14 + t.Decimals
	case t.Kind == Time:
		return 7 + t.Decimals
	}
	return MaxDigits
}

// intPrecision is the display width without the sign.
func (t Type) intPrecision() int {
	switch {
	case t.Length > 0:
		return t.Length - 1
	case t.Name == "INT":
		return 9
	}
	return 20
}

// Whole is the number of digits before the point.
func (t Type) Whole() int { return max(t.Precision()-t.Decimals, 0) }

// WithDigits is the type with this many digits before the point, and unchanged ones after it.
func (t Type) WithDigits(whole int) Type {
	t.Digits = min(whole+t.Decimals, MaxDigits)
	return t
}

// WholeDigits is the number of digits before a number's point.
func WholeDigits(v Value) int {
	switch v.Kind() {
	case Int:
		return uintDigits(uint64(max(v.Int(), -v.Int())))
	case Uint:
		return uintDigits(v.Uint())
	}
	return len(new(big.Int).Abs(v.AsDecimal().BigInt()).String())
}

func uintDigits(n uint64) int {
	digits := 1
	for ; n >= 10; n /= 10 {
		digits++
	}
	return digits
}

// IntDigits is the number of digits before the point that every BIGINT can hold.
const IntDigits = 18
