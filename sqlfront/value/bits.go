package value

import "math"

// BitOp is one of MySQL's bit operators
// (https://dev.mysql.com/doc/refman/5.7/en/bit-functions.html), which work on
// unsigned integers of 64 bits.
type BitOp uint8

// The bit operators.
const (
	BitAnd BitOp = iota
	BitOr
	BitXor
	ShiftLeft
	ShiftRight
)

// Bit is a op b.
func Bit(op BitOp, a, b Value) Value {
	if anyNull(a, b) {
		return Value{}
	}
	if op >= ShiftLeft {
		return shift(op, bitsOf(a), b)
	}
	x, y := bitsOf(a), bitsOf(b)
	switch op {
	case BitAnd:
		return NewUint(x & y)
	case BitOr:
		return NewUint(x | y)
	}
	return NewUint(x ^ y)
}

// shift takes the count's lower 32 bits, as MySQL does.
func shift(op BitOp, x uint64, count Value) Value {
	n := uint32(count.AsInt())
	if count.kind == Uint {
		n = uint32(count.n)
	}
	if op == ShiftLeft {
		return NewUint(x << n)
	}
	return NewUint(x >> n)
}

// bitsOf is the 64 bits of a number, rounded half away from zero.
func bitsOf(v Value) uint64 {
	if v.kind == Float {
		return NewDecimal(floatToDecimal(v.Float())).AsUint()
	}
	return v.AsUint()
}

// BitNot is ~a.
func BitNot(a Value) Value {
	if a.kind == Null {
		return a
	}
	return NewUint(^bitsOf(a))
}

// HexNumber is the number that the bytes of a hex or bit literal are: of the last 8, the highest
// first.
func HexNumber(v Value) Value {
	var u uint64
	for _, b := range v.Raw() {
		u = u<<8 | uint64(b)
	}
	return NewUint(u)
}

// HexBigint is HexNumber for a column of type BIGINT: beyond its range where there are more bytes.
func HexBigint(v Value) Value {
	if len(v.Raw()) > 8 {
		return NewUint(math.MaxUint64)
	}
	return HexNumber(v)
}
