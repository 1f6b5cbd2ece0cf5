package value

import (
	"bytes"
	"cmp"
	"math"
)

// Compare orders two values as MySQL's comparison operators do
// (https://dev.mysql.com/doc/refman/5.7/en/type-conversion.html): strings as strings, numbers exactly, a
// number and a string as doubles. An integer and a string compare exactly, as in MariaDB: MySQL's doubles
// take different large integers for equal. A DECIMAL compares with the digits that it prints, and a value
// with a JSON document as a JSON scalar. ok is false if either is NULL.
func Compare(a, b Value) (order int, ok bool) {
	if a.kind == b.kind {
		return compareSame(a, b)
	}
	if a.kind == Null || b.kind == Null {
		return 0, false
	}
	return compareMixed(a, b), true
}

func compareSame(a, b Value) (int, bool) {
	switch a.kind {
	case Null:
		return 0, false
	case Int, Time:
		return cmp.Compare(int64(a.n), int64(b.n)), true
	case Uint, Date, DateTime:
		return cmp.Compare(a.n, b.n), true
	case Float:
		return cmp.Compare(a.Float(), b.Float()), true
	case Decimal:
		return compareDecimals(a, b), true
	case Text:
		return compareText(a, b), true
	case Bytes:
		return bytes.Compare(a.Raw(), b.Raw()), true
	}
	return compareJSON(a, b), true
}

func compareMixed(a, b Value) int {
	switch {
	case a.kind == JSON || b.kind == JSON:
		return compareJSON(a, b)
	case a.kind.IsString() && b.kind.IsString():
		return bytes.Compare(a.Raw(), b.Raw())
	case a.kind.IsTemporal() || b.kind.IsTemporal():
		return compareTemporal(a, b)
	case a.kind == Float || b.kind == Float:
		return compareFloats(a, b)
	case a.kind.IsString():
		return -compareWithText(b, a)
	case b.kind.IsString():
		return compareWithText(a, b)
	case a.kind == Decimal || b.kind == Decimal:
		return compareDecimals(a, b)
	}
	return compareSigns(a, b)
}

func compareDecimals(a, b Value) int { return compareExact(a.Printed(), b.Printed()) }

// Printed is v without the digits of a quotient that it does not print, as in MySQL's temporary tables.
func (v Value) Printed() Value {
	exponent := int32(v.exponent)
	if v.kind == Decimal && v.p != nil {
		exponent = v.Decimal().Exponent()
	}
	if exponent < -int32(v.aux) {
		return v.Round(int32(v.aux))
	}
	return v
}

// compareWithText orders an integer or a DECIMAL and a string.
func compareWithText(n, text Value) int {
	if n.kind == Decimal {
		return compareFloats(n, text)
	}
	if i, ok := ParseInt(text.Raw()); ok {
		if n.kind == Int {
			return cmp.Compare(int64(n.n), i)
		}
		return compareSigns(n, NewInt(i))
	}
	if c := compareDecimals(n, text); c != 0 {
		return c
	}
	return compareFloats(n, text) // a text whose last digits do not fit into a DECIMAL, such as 1e-39
}

// compareSigns orders an Int and a Uint.
func compareSigns(a, b Value) int {
	if a.kind == Uint {
		return -compareSigns(b, a)
	}
	if int64(a.n) < 0 {
		return -1
	}
	return cmp.Compare(a.n, b.n)
}

// Order is a total order for ORDER BY: NULL first, then as Compare.
func Order(a, b Value) int {
	if a.kind == Null || b.kind == Null {
		return cmp.Compare(min(a.kind, 1), min(b.kind, 1))
	}
	order, _ := Compare(a, b)
	return order
}

// ExactInt is the integer that v equals exactly. MySQL converts a constant that is compared with a BIGINT
// column in this way, which keeps large numbers in strings exact.
func ExactInt(v Value) (i int64, ok bool) {
	switch v.kind {
	case Int:
		return int64(v.n), true
	case Float:
		f := v.Float()
		return int64(f), f == math.Trunc(f) && f >= -(1<<63) && f < 1<<63
	case Decimal:
		if x, ok := v.Fixed64(); ok && !x.IsInteger() || !ok && !v.Decimal().IsInteger() {
			return 0, false
		}
		return v.ToInt()
	case Uint:
		return v.ToInt()
	case Text, Bytes:
		return exactIntText(v.Raw())
	}
	return 0, false
}

func exactIntText(b []byte) (int64, bool) {
	if i, ok := ParseInt(b); ok {
		return i, true
	}
	d, whole := ParseDecimal(b)
	if !whole {
		return 0, false
	}
	i, ok := ExactInt(NewDecimal(d))
	if ok {
		f, _ := ParseFloat(b) // it has digits that do not fit into a DECIMAL, such as those of 1e-39
		ok = f == float64(i)
	}
	return i, ok
}

// ClassOf is the kind in which values of two kinds are compared: Float, Int, Decimal, Text, Bytes, DateTime
// or JSON; for Null that of the other kind. An integer and a string are compared as DECIMALs, so that large
// ones stay exact.
func ClassOf(a, b Kind) Kind {
	switch {
	case a == Null:
		return b
	case b == Null || a == b:
		return a
	case a == JSON || b == JSON:
		return JSON
	case a.IsString() && b.IsString():
		return Bytes
	case a.IsTemporal() || b.IsTemporal():
		return DateTime
	case a == Float || b == Float || a == Decimal && b.IsString() || a.IsString() && b == Decimal:
		return Float
	case a == Decimal || b == Decimal || a.IsString() || b.IsString():
		return Decimal
	}
	return Int
}

// CompareAs orders two values that are not NULL in the given class, as
// BETWEEN does with its three operands.
func CompareAs(class Kind, a, b Value) int {
	switch class {
	case JSON:
		return compareJSON(a, b)
	case Float:
		return compareFloats(a, b)
	case Bytes:
		return bytes.Compare(a.AsBytes(), b.AsBytes())
	case Decimal:
		if a.IsString() == b.IsString() { // otherwise a text may have digits that do not fit into a DECIMAL
			return compareExact(a, b)
		}
	}
	order, _ := Compare(a, b)
	return order
}
