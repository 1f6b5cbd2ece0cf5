package rowcodec

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// orderedCell has the values that HBase's class OrderedBytes writes for Java's types. It reads any of its
// numbers whose value is one of the column's type.
func orderedCell(name string, t coltype.Type) codec {
	read := orderedReader(t)
	if t.Base.HasMembers() || t.Base.IsText() || t.Base == coltype.JSON || t.Base.IsBytes() {
		read = orderedString(t, stringReader(t))
	}
	return codec{orderedAppender(name, t), read}
}

// orderedReader reads a number of any kind.
func orderedReader(t coltype.Type) func([]byte) (value.Value, bool) {
	of := func(bits uint64, _ bool) (value.Value, bool) { return fromMillis(int64(bits), t) }
	if t.Base.IsInteger() || t.Base == coltype.Bit || t.Base == coltype.Year {
		of = number(t)
	}
	return func(b []byte) (value.Value, bool) {
		v, size := readOrdered(b)
		if size == 0 || size != len(b) {
			return value.Value{}, false
		}
		return fromOrdered(t, v, of)
	}
}

// orderedAppender is the encoding of a type; unsigned integers use the next width.
func orderedAppender(name string, t coltype.Type) func([]byte, value.Value) ([]byte, error) {
	size := intBytes[t.Base]
	if t.Unsigned {
		size *= 2
	}
	switch {
	case t.Base == coltype.Bit, t.Base == coltype.Decimal, t.Base.IsInteger() && size > 8:
		return func(dst []byte, v value.Value) ([]byte, error) { return appendNumeric(dst, unpadded(v)), nil }
	case t.Base.IsInteger():
		return func(dst []byte, v value.Value) ([]byte, error) { return appendOrderedInt(dst, v.AsInt(), size), nil }
	case t.Base == coltype.Year:
		return func(dst []byte, v value.Value) ([]byte, error) { return appendOrderedInt(dst, v.AsInt(), 2), nil }
	case t.Base.IsFloat():
		return func(dst []byte, v value.Value) ([]byte, error) {
			return appendOrderedFloat(dst, v.AsFloat(), floatBytes(t)), nil
		}
	case t.Base.IsTemporal():
		return millisCell(name, t, func(dst []byte, n int64) []byte { return appendOrderedInt(dst, n, 8) }, nil).append
	case t.Base.IsBytes():
		return func(dst []byte, v value.Value) ([]byte, error) { return appendOrderedBlob(dst, v.Raw()), nil }
	}
	return func(dst []byte, v value.Value) ([]byte, error) {
		if bytes.IndexByte(v.Raw(), 0) >= 0 {
			return dst, incorrectString(name, v, "OrderedBytes has no texts with a zero byte")
		}
		return appendOrderedString(dst, v.Raw()), nil
	}
}

// unpadded is an unsigned number without the leading zeros that it prints.
func unpadded(v value.Value) value.Value {
	if v.Kind() == value.Uint {
		return value.NewUint(v.Uint())
	}
	return v
}

func incorrectString(name string, v value.Value, reason string) error {
	return mysqlerr.New(mysqlerr.TruncatedWrongForField, "Incorrect string value: %s for column '%s': %s",
		value.Print(v.Short()), name, reason)
}

// fromOrdered converts a number of any kind to a column's type; of converts integers. ok is false if the type
// does not have the number.
func fromOrdered(t coltype.Type, v value.Value, of func(uint64, bool) (value.Value, bool)) (value.Value, bool) {
	switch {
	case v.IsNull():
		return v, true
	case !v.Kind().IsNumber(), v.Kind() == value.Float && !isReal(v.Float()):
		return v, false
	case t.Base.IsFloat():
		return floatOf(t, v.AsFloat())
	case t.Base == coltype.Decimal:
		return t.FitDecimal(v.ToDecimal(value.MaxScale))
	}
	n, negative, ok := wholeNumber(v)
	if !ok {
		return v, false
	}
	return of(n, negative)
}

// wholeNumber is a number without digits after the point, in two's complement.
func wholeNumber(v value.Value) (bits uint64, negative, ok bool) {
	if v.Kind() == value.Uint {
		return v.Uint(), false, true
	}
	if n, ok := value.ExactInt(v); ok {
		return uint64(n), n < 0, true
	}
	d := v.AsDecimal()
	if b := d.BigInt(); v.Kind() == value.Decimal && d.IsInteger() && b.IsUint64() {
		return b.Uint64(), false, true
	}
	return 0, false, false
}

// orderedString reads a string or blob of OrderedBytes.
func orderedString(t coltype.Type, read func([]byte) (value.Value, bool)) func([]byte) (value.Value, bool) {
	return func(b []byte) (value.Value, bool) {
		v, size := readOrdered(b)
		switch {
		case size == 0 || size != len(b):
			return value.Value{}, false
		case v.IsNull():
			return v, true
		case !v.IsString():
			return value.Value{}, false
		}
		return read(v.Raw())
	}
}
