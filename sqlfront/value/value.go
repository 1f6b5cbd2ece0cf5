// Package value is MySQL's values: what an expression gives and a column
// holds, with MySQL's conversion, comparison and arithmetic.
//
// The main types: [Value], one value or NULL; [Type], what is known of an expression's values before
// it runs.
//
// A Value may refer to bytes that it does not own; each producer says how long they live. A Value's bytes
// must not be changed.
package value

import (
	"bytes"
	"math"
	"unsafe"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds. Bytes are binary strings (VARBINARY, BLOB); Text is a string of
// UTF-8 with a collation.
const (
	Null Kind = iota
	Int
	Uint
	Float
	Decimal
	Text
	Bytes
	Date
	Time
	DateTime
	JSON
)

// Value is one SQL value. The zero Value is NULL.
//
// It has few enough words and fields for the compiler to keep it in registers: a function of a row takes 20
// to 40 ns this way, and 70 to 170 with a slice for bytes and fields beside it.
type Value struct {
	head
	// n holds the bits of Int, Uint and Float, the digits of a Decimal as an integer, without those in head,
	// the microseconds of Time, the packed fields of Date and DateTime, and the length of Text, Bytes and
	// JSON.
	n uint64
	// p points to the bytes of Text, Bytes and JSON (its text). For a Decimal with too many digits it is a
	// *decimal.Decimal, else nil.
	p unsafe.Pointer
}

// head determines how the rest of a Value is read.
type head struct {
	kind Kind
	// aux is the declared scale of a Decimal, the collation of a Text, the number of fractional digits of a
	// Time or DateTime, and the minimum number of printed digits of a Uint. For a Float it is one more than
	// the number of digits printed after the point, 0 for as many as needed, or singleDigits.
	aux uint8
	// exponent is the power of ten by which the digits of a Decimal are multiplied.
	exponent int16
	// high are the digits of a Decimal that do not fit into n: multiplied by 1 << 64 and added to n, which is
	// signed.
	high int32
}

// NewInt makes a signed integer.
func NewInt(i int64) Value { return Value{head: head{kind: Int}, n: uint64(i)} }

// NewUint makes an unsigned integer.
func NewUint(u uint64) Value { return Value{head: head{kind: Uint}, n: u} }

// NewUintWidth makes an unsigned integer that prints with leading zeros, like that of a ZEROFILL column.
func NewUintWidth(u uint64, digits int) Value {
	return Value{head: head{kind: Uint, aux: uint8(digits)}, n: u}
}

// NewFloat makes a double.
func NewFloat(f float64) Value { return Value{head: head{kind: Float}, n: math.Float64bits(f)} }

// NewFloatScale makes a double that prints with digits after the point, like the result of ROUND(x, digits).
func NewFloatScale(f float64, digits int) Value {
	return Value{head: head{kind: Float, aux: uint8(min(max(digits, 0), MaxScale) + 1)}, n: math.Float64bits(f)}
}

// NewSingle makes a double from a FLOAT column's value, which prints with the 6 digits that MySQL shows.
func NewSingle(f float32) Value {
	return Value{head: head{kind: Float, aux: singleDigits}, n: math.Float64bits(float64(f))}
}

// singleDigits is the aux of a Float that prints as a FLOAT.
const singleDigits = math.MaxUint8

// NewBool makes MySQL's truth values, 1 and 0.
func NewBool(b bool) Value {
	if b {
		return NewInt(1)
	}
	return NewInt(0)
}

// NewBytes makes a binary string that refers to b; a nil b is the empty string.
func NewBytes(b []byte) Value {
	return Value{head: head{kind: Bytes}, n: uint64(len(b)), p: unsafe.Pointer(unsafe.SliceData(b))}
}

// NewText makes a character string that refers to b, UTF-8.
func NewText(b []byte) Value {
	return Value{head: head{kind: Text}, n: uint64(len(b)), p: unsafe.Pointer(unsafe.SliceData(b))}
}

// NewString makes a character string.
func NewString(s string) Value { return NewText([]byte(s)) }

// NewJSON makes a JSON document that refers to its text b, which must have the normal form: as functions write
// documents, with one space after each colon and comma, the members of objects in the order of the lengths and
// then the bytes of their names, each name once, no escapes that are not needed, and numbers as MySQL prints
// them. Comparisons and keys rely on the order. Package jsondoc makes this form of other texts.
func NewJSON(b []byte) Value {
	return Value{head: head{kind: JSON}, n: uint64(len(b)), p: unsafe.Pointer(unsafe.SliceData(b))}
}

// Kind is the value's kind.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is NULL.
func (v Value) IsNull() bool { return v.kind == Null }

// Int is the integer of an Int, unconverted.
func (v Value) Int() int64 { return int64(v.n) }

// Uint is the integer of a Uint, unconverted.
func (v Value) Uint() uint64 { return v.n }

// Float is the number of a Float, unconverted.
func (v Value) Float() float64 { return math.Float64frombits(v.n) }

// Scale is the number of digits after the point of a Decimal, Time or DateTime.
func (v Value) Scale() int {
	if v.kind == Decimal || v.kind.IsTemporal() {
		return int(v.aux)
	}
	return 0
}

// Clone is v with its own copy of its bytes.
func (v Value) Clone() Value {
	if v.hasBytes() {
		return v.withBytes(bytes.Clone(v.Raw()))
	}
	return v
}

// Identical reports whether the values cannot be distinguished.
func Identical(v, w Value) bool {
	if v.kind != w.kind || v.aux != w.aux || v.n != w.n || v.high != w.high || v.exponent != w.exponent {
		return false
	}
	if v.isLarge() && w.isLarge() {
		x, y := v.Decimal(), w.Decimal()
		return x.Equal(y) && x.Exponent() == y.Exponent()
	}
	return v.isLarge() == w.isLarge() && bytes.Equal(v.Raw(), w.Raw())
}

// IsString reports whether the value is a Text or Bytes.
func (v Value) IsString() bool { return v.kind == Text || v.kind == Bytes }

// Raw is the bytes of a Text, Bytes or JSON, unconverted and not copied.
func (v Value) Raw() []byte {
	if v.kind != Text && v.kind != Bytes && v.kind != JSON {
		return nil
	}
	return unsafe.Slice((*byte)(v.p), v.n)
}

func (v Value) hasBytes() bool { return v.kind == Text || v.kind == Bytes || v.kind == JSON }

// withBytes is a string or document with other bytes.
func (v Value) withBytes(b []byte) Value {
	v.n, v.p = uint64(len(b)), unsafe.Pointer(unsafe.SliceData(b))
	return v
}

// isLarge reports whether the value is a Decimal whose digits do not fit into n.
func (v Value) isLarge() bool { return v.kind == Decimal && (v.p != nil || v.high != 0) }

// IsNumber reports whether values of the kind are numbers.
func (k Kind) IsNumber() bool { return k >= Int && k <= Decimal }

// IsString reports whether values of the kind are strings.
func (k Kind) IsString() bool { return k == Text || k == Bytes }

// IsTemporal reports whether values of the kind are dates or times.
func (k Kind) IsTemporal() bool { return k >= Date && k <= DateTime }

func (k Kind) String() string {
	return [...]string{"NULL", "BIGINT", "BIGINT UNSIGNED", "DOUBLE", "DECIMAL", "VARCHAR", "VARBINARY", "DATE", "TIME",
		"DATETIME", "JSON"}[k]
}

// Type is what is known of a column's or an expression's values.
type Type struct {
	Kind     Kind
	Nullable bool
	Collated // of Text
	// Bool is true for conditions, whose values are 1 and 0; JSON writes them as true and false.
	Bool bool
	// Length is the maximum number of bytes or display characters, 0 if unknown.
	Length int
	// Decimals is the number of digits after the point of a Decimal; AnyScale if each value has its own.
	Decimals int
	// Digits is the maximum number of digits of an exact number, on both sides of the point; 0 leaves it to
	// Precision.
	Digits int
	// Name is MySQL's name if it is not the kind's own: MEDIUMBLOB, LONGBLOB, INT.
	Name string
	// Members is set for columns of ENUM and SET.
	Members *Members
	// Charset is the character set of a Text if it is not utf8mb4. The values are always UTF-8: it only
	// matters if their bytes are requested.
	Charset string
}

// Members are those of an ENUM or SET, whose values are texts, and numbers in numeric context.
type Members struct {
	// Ordinal is the number of a value.
	Ordinal func(Value) uint64
	// Names are the members of a SET, in the order of their bits in the number; nil for an ENUM.
	Names []string
}

// AppendBits appends the bytes of a number that is a BIT of this many bits, the highest first.
func AppendBits(dst []byte, bits int, n uint64) []byte {
	for shift := (bits+7)/8*8 - 8; shift >= 0; shift -= 8 {
		dst = append(dst, byte(n>>shift))
	}
	return dst
}

// IsBit reports whether the values are those of a BIT, whose number of bits is Length.
func (t Type) IsBit() bool { return t.Kind == Uint && t.Name == "BIT" }
