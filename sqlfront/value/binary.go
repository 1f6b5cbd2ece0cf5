package value

import (
	"encoding/binary"
	"errors"
	"math/big"

	"github.com/shopspring/decimal"
)

// The bytes of AppendBinary: a tag with the kind and flags, then aux if it is not 0, then the payload of the
// kind. They are only in temporary files, so the format may change with each version.
const (
	tagKind     = 0x0f
	tagAux      = 0x10 // the byte aux follows
	tagNegative = 0x20 // of a Decimal
)

var errBinary = errors.New("the bytes are not a value")

// AppendBinary appends v in the form that ReadBinary reads.
func AppendBinary(dst []byte, v Value) []byte {
	tag := byte(v.kind)
	if v.aux != 0 {
		tag |= tagAux
	}
	if v.kind == Decimal && v.Decimal().Sign() < 0 {
		tag |= tagNegative
	}
	dst = append(dst, tag)
	if v.aux != 0 {
		dst = append(dst, v.aux)
	}
	switch v.kind {
	case Int, Time:
		return binary.AppendVarint(dst, int64(v.n))
	case Uint, Date, DateTime:
		return binary.AppendUvarint(dst, v.n)
	case Float:
		return binary.LittleEndian.AppendUint64(dst, v.n)
	case Decimal:
		return appendDecimalBinary(dst, v.Decimal())
	case Text, Bytes, JSON:
		return appendStringKey(dst, v.Raw())
	}
	return dst
}

func appendDecimalBinary(dst []byte, d decimal.Decimal) []byte {
	dst = binary.AppendVarint(dst, int64(d.Exponent()))
	return appendStringKey(dst, d.Coefficient().Bytes())
}

// ReadBinary reads a value from the front of b and returns the rest. The value refers to b. The error only
// says that b does not begin with a value.
func ReadBinary(b []byte) (v Value, rest []byte, err error) {
	if len(b) == 0 {
		return Value{}, nil, errBinary
	}
	tag := b[0]
	v.kind, b = Kind(tag&tagKind), b[1:]
	if tag&tagAux != 0 {
		if len(b) == 0 {
			return Value{}, nil, errBinary
		}
		v.aux, b = b[0], b[1:]
	}
	if rest = v.readPayload(b, tag&tagNegative != 0); rest == nil {
		return Value{}, nil, errBinary
	}
	return v, rest, nil
}

// readPayload returns the rest, or nil if b is too short or the kind is unknown.
func (v *Value) readPayload(b []byte, negative bool) []byte {
	switch v.kind {
	case Null:
		return b[:len(b):len(b)]
	case Int, Time:
		n, size := binary.Varint(b)
		v.n = uint64(n)
		return behind(b, size)
	case Uint, Date, DateTime:
		n, size := binary.Uvarint(b)
		v.n = n
		return behind(b, size)
	case Float:
		if len(b) < 8 {
			return nil
		}
		v.n = binary.LittleEndian.Uint64(b)
		return b[8:]
	case Decimal:
		return v.readDecimal(b, negative)
	case Text, Bytes, JSON:
		s, rest := readString(b)
		*v = v.withBytes(s)
		return rest
	}
	return nil
}

func (v *Value) readDecimal(b []byte, negative bool) []byte {
	exponent, size := binary.Varint(b)
	if size <= 0 || exponent != int64(int32(exponent)) {
		return nil
	}
	digits, rest := readString(b[size:])
	coefficient := new(big.Int).SetBytes(digits)
	if negative {
		coefficient.Neg(coefficient)
	}
	*v = NewDecimalScale(decimal.NewFromBigInt(coefficient, int32(exponent)), int(v.aux))
	return rest
}

// readString reads what appendStringKey wrote; rest is nil if b is too short.
func readString(b []byte) (s, rest []byte) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil
	}
	end := size + int(n)
	return b[size:end:end], b[end:]
}

func behind(b []byte, size int) []byte {
	if size <= 0 {
		return nil
	}
	return b[size:]
}

// Size is the memory that v takes, in bytes: its own and what it refers to.
func (v Value) Size() int {
	n := ownSize + len(v.Raw())
	if v.isLarge() {
		n += decimalSize
	}
	return n
}

// ownSize is the size of a Value, decimalSize about that of a Decimal's digits.
const (
	ownSize     = 24
	decimalSize = 80
)
