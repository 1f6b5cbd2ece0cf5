package value

import (
	"encoding/binary"
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/value/fixed"
)

// The tags that start the keys of AppendKey.
const (
	keyNull = iota
	keyInt
	keyUint
	keyFloat
	keyDecimal
	keyText
	keyBytes
	keyTemporal
	keyJSON
)

// AppendKeys appends the keys of a row's values.
func AppendKeys(dst []byte, row []Value) []byte {
	for _, v := range row {
		dst = AppendKey(dst, v)
	}
	return dst
}

// AppendKey appends bytes that are equal for values which GROUP BY and DISTINCT treat as equal, including
// NULLs: numbers by value, text by its collation, documents by their content. No key is a prefix of another
// one.
func AppendKey(dst []byte, v Value) []byte {
	switch v.kind {
	case Int:
		return appendIntKey(dst, int64(v.n))
	case Uint:
		if v.n <= math.MaxInt64 {
			return appendIntKey(dst, int64(v.n))
		}
		return binary.BigEndian.AppendUint64(append(dst, keyUint), v.n)
	case Float:
		return appendFloatKey(dst, v.Float())
	case Decimal:
		return appendDecimalKey(dst, v)
	case Text:
		return appendTextKey(dst, v)
	case Bytes:
		return appendStringKey(append(dst, keyBytes), v.Raw())
	case Date, Time, DateTime:
		return binary.BigEndian.AppendUint64(append(dst, keyTemporal, byte(v.kind)), v.n)
	case JSON:
		return appendJSONKey(append(dst, keyJSON), v)
	}
	return append(dst, keyNull)
}

// AppendKey is AppendKey of the value at i.
func (v *Vector) AppendKey(dst []byte, i int32) []byte {
	switch {
	case v.IsNull(i):
		return append(dst, keyNull)
	case v.Kind == Bytes:
		return appendStringKey(append(dst, keyBytes), v.Bytes[i])
	case v.Kind == Int:
		return appendIntKey(dst, v.Ints[i])
	}
	return AppendKey(dst, v.At(i))
}

// InKeys reports whether ReadKey can read values of a kind.
func InKeys(k Kind) bool { return k == Int || k == Bytes }

// ReadKey is the value with which AppendKey was called, and the bytes after its key. The value is NULL or of
// a kind that is InKeys; it shares the memory of the key.
func ReadKey(key []byte) (v Value, rest []byte) {
	tag, key := key[0], key[1:]
	switch tag {
	case keyInt:
		return NewInt(int64(binary.BigEndian.Uint64(key))), key[8:]
	case keyBytes:
		n, size := binary.Uvarint(key)
		end := size + int(n)
		return NewBytes(key[size:end:end]), key[end:]
	}
	return Value{}, key
}

func appendIntKey(dst []byte, i int64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, keyInt), uint64(i))
}

func appendFloatKey(dst []byte, f float64) []byte {
	if i, ok := ExactInt(NewFloat(f)); ok {
		return appendIntKey(dst, i)
	}
	return binary.BigEndian.AppendUint64(append(dst, keyFloat), math.Float64bits(f))
}

func appendDecimalKey(dst []byte, v Value) []byte {
	v = v.Printed()
	if i, ok := ExactInt(v); ok {
		return appendIntKey(dst, i)
	}
	dst = append(dst, keyDecimal)
	if x, ok := v.Fixed64(); ok {
		var buf [fixed.MostDigits - fixed.LeastExponent]byte
		return appendStringKey(dst, x.Trimmed().AppendText(buf[:0]))
	}
	return appendStringKey(dst, []byte(v.Decimal().String()))
}

func appendTextKey(dst []byte, v Value) []byte {
	dst = append(dst, keyText, 0, 0, 0, 0)
	mark := len(dst)
	dst = v.Collation().AppendKey(dst, v.Raw())
	binary.BigEndian.PutUint32(dst[mark-4:], uint32(len(dst)-mark))
	return dst
}
