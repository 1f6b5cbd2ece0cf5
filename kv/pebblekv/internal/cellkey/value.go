package cellkey

import (
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
)

// Values carry one byte in front, so that null is not the empty value.
const (
	valueNull  = 0
	valueBytes = 1
)

// AppendValue appends the stored form of a value; nil is null.
func AppendValue(dst, value []byte) []byte {
	if value == nil {
		return append(dst, valueNull)
	}
	return append(append(dst, valueBytes), value...)
}

// StoredLen is how long the stored form of a value is.
func StoredLen(value []byte) int { return 1 + len(value) }

// ValueLen is how long the value of a stored form of some length is, 0 also where that is
// null, or damaged.
func ValueLen(stored int) int { return max(0, stored-1) }

// DecodeValue is the value of a stored form, which it aliases.
func DecodeValue(stored []byte) ([]byte, error) {
	if len(stored) > 0 && stored[0] == valueBytes {
		return stored[1:len(stored):len(stored)], nil
	}
	return decodeNull(stored)
}

func decodeNull(stored []byte) ([]byte, error) {
	if len(stored) == 1 && stored[0] == valueNull {
		return nil, nil
	}
	return nil, fmt.Errorf("%w: a stored value is damaged", kv.ErrFormat)
}

// StoredMark is the first byte of a value's stored form.
type StoredMark []byte

var (
	nullMark  = StoredMark{valueNull}
	bytesMark = StoredMark{valueBytes}
)

// MarkOf is the mark of a value; nil is null.
func MarkOf(value []byte) StoredMark {
	if value == nil {
		return nullMark
	}
	return bytesMark
}
