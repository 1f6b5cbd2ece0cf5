package value

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
	x, y := a.AsUint(), b.AsUint()
	switch op {
	case BitAnd:
		return NewUint(x & y)
	case BitOr:
		return NewUint(x | y)
	case BitXor:
		return NewUint(x ^ y)
	case ShiftLeft:
		return NewUint(x << y)
	}
	return NewUint(x >> y)
}

// BitNot is ~a.
func BitNot(a Value) Value {
	if a.kind == Null {
		return a
	}
	return NewUint(^a.AsUint())
}
