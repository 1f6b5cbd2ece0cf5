package cellkey

import (
	"encoding/binary"
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
)

// Stored values begin with a byte that distinguishes null from the empty value.
const (
	valueNull  = 0
	valueBytes = 1
	// valueExpiring is followed by the first time at which the cell has expired, 8 bytes,
	// big-endian, in ms, and the value.
	valueExpiring = 2

	expiringLen = 1 + 8
)

// AppendExpiring appends the stored form of a value, which must not be null, of a cell
// that expires at a time.
func AppendExpiring(dst, value []byte, expires int64) []byte {
	return append(binary.BigEndian.AppendUint64(append(dst, valueExpiring), uint64(expires)), value...)
}

// Expires returns the first time at which the cell of a stored form has expired; ok is
// false if it does not expire.
func Expires(stored []byte) (at int64, ok bool) {
	if len(stored) < expiringLen || stored[0] != valueExpiring {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(stored[1:])), true
}

// HasExpired reports whether the cell of a stored form has expired at the time now.
func HasExpired(stored []byte, now int64) bool {
	at, ok := Expires(stored)
	return ok && now >= at
}

// AppendValue appends the stored form of a value; nil is null.
func AppendValue(dst, value []byte) []byte {
	if value == nil {
		return append(dst, valueNull)
	}
	return append(append(dst, valueBytes), value...)
}

// StoredLen returns the length of a value's stored form.
func StoredLen(value []byte) int { return 1 + len(value) }

// ValueLen returns the length of the value of a stored form of some length, and 0 if that
// is null or damaged.
func ValueLen(stored int) int { return max(0, stored-1) }

// DecodeValue returns the value of a stored form, which it aliases. It returns
// kv.ErrFormat if that is damaged.
func DecodeValue(stored []byte) ([]byte, error) {
	if len(stored) > 0 && stored[0] == valueBytes {
		return stored[1:len(stored):len(stored)], nil
	}
	return decodeOther(stored)
}

func decodeOther(stored []byte) ([]byte, error) {
	if len(stored) == 1 && stored[0] == valueNull {
		return nil, nil
	}
	if _, ok := Expires(stored); ok {
		return stored[expiringLen:len(stored):len(stored)], nil
	}
	return nil, fmt.Errorf("%w: a stored value is damaged", kv.ErrFormat)
}

// StoredMark is the first byte of a value's stored form.
type StoredMark []byte

var (
	nullMark  = StoredMark{valueNull}
	bytesMark = StoredMark{valueBytes}
)

// MarkOf returns the mark of a value; nil is null.
func MarkOf(value []byte) StoredMark {
	if value == nil {
		return nullMark
	}
	return bytesMark
}
