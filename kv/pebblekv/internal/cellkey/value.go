package cellkey

import (
	"fmt"
	"slices"

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

// DecodeValue is the value of a stored form, which it aliases.
func DecodeValue(stored []byte) ([]byte, error) {
	switch {
	case len(stored) == 1 && stored[0] == valueNull:
		return nil, nil
	case len(stored) >= 1 && stored[0] == valueBytes:
		return slices.Clip(stored[1:]), nil
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
