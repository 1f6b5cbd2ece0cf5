package arithmetic

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

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
func Bit(op BitOp, a, b value.Value) value.Value {
	if anyNull(a, b) {
		return value.Value{}
	}
	if op >= ShiftLeft {
		return shift(op, bitsOf(a), b)
	}
	x, y := bitsOf(a), bitsOf(b)
	switch op {
	case BitAnd:
		return value.NewUint(x & y)
	case BitOr:
		return value.NewUint(x | y)
	}
	return value.NewUint(x ^ y)
}

// shift takes the count's lower 32 bits, as MySQL does.
func shift(op BitOp, x uint64, count value.Value) value.Value {
	n := uint32(count.AsInt())
	if count.Kind() == value.Uint {
		n = uint32(count.Uint())
	}
	if op == ShiftLeft {
		return value.NewUint(x << n)
	}
	return value.NewUint(x >> n)
}

// bitsOf is the 64 bits of a number, rounded half away from zero.
func bitsOf(v value.Value) uint64 {
	if v.Kind() == value.Float {
		return value.NewDecimal(v.AsDecimal()).AsUint()
	}
	return v.AsUint()
}

// BitNot is ~a.
func BitNot(a value.Value) value.Value {
	if a.Kind() == value.Null {
		return a
	}
	return value.NewUint(^bitsOf(a))
}

// HexNumber is the number that the last 8 bytes of a hex or bit literal stand for, the highest byte first.
func HexNumber(v value.Value) value.Value {
	var u uint64
	for _, b := range v.Raw() {
		u = u<<8 | uint64(b)
	}
	return value.NewUint(u)
}

// HexBigint is HexNumber for a BIGINT column: out of its range if there are more bytes.
func HexBigint(v value.Value) value.Value {
	if len(v.Raw()) > 8 {
		return value.NewUint(math.MaxUint64)
	}
	return HexNumber(v)
}
