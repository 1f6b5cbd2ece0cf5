// Package rowkey builds row keys by the patterns that HBase's users know
// (https://hbase.apache.org/book.html#rowkey.design): keys that spread writes
// over partitions, that sort numbers and times as numbers, and that put the
// newest first. The SQL functions of the same names give the same bytes.
//
//	Salt, Unsalt, SaltRanges, SaltCondition   a bucket's byte in front
//	HashPrefix, ModPrefix, Reverse            other ways to spread
//	ReverseTimestamp, SortableLong, FixedWidth numbers whose bytes sort
//	Join, Split                               keys of several parts
//
// The functions return new byte slices and keep no arguments. The placement of Salt and the digits
// of HashPrefix are formats of stored data and never change.
package rowkey

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The errors of this package. They are wrapped with the value that was wrong.
var (
	ErrBuckets   = errors.New("the number of buckets must be from 1 to 256")
	ErrDigits    = errors.New("the number of digits must be from 1 to 32")
	ErrModulus   = errors.New("the modulus must be at least 1")
	ErrNegative  = errors.New("the number must not be negative")
	ErrWidth     = errors.New("the number has more digits than the width")
	ErrLength    = errors.New("the key must have 8 bytes")
	ErrSeparator = errors.New("a part of the key contains the separator")
)

// HashPrefix returns the row with the first 1 to 32 hexadecimal digits of its MD5 in front, in
// lower case. It spreads any keys evenly, and the key can still be computed from the row. It fails
// with ErrDigits.
func HashPrefix(row []byte, digits int) ([]byte, error) {
	if digits < 1 || digits > 2*md5.Size {
		return nil, fmt.Errorf("%w: %d", ErrDigits, digits)
	}
	sum := md5.Sum(row)
	return append(hex.AppendEncode(nil, sum[:])[:digits:digits], row...), nil
}

// ModPrefix returns the number in decimal with its remainder modulo n in front, which has as many
// digits as n-1: 1234507 modulo 100 is 071234507. It spreads numbers whose last digits vary, such
// as those of a sequence. It fails with ErrModulus or ErrNegative.
func ModPrefix(number int64, n int64) ([]byte, error) {
	switch {
	case n < 1:
		return nil, fmt.Errorf("%w: %d", ErrModulus, n)
	case number < 0:
		return nil, fmt.Errorf("%w: %d", ErrNegative, number)
	}
	width := len(strconv.FormatInt(n-1, 10))
	return fmt.Appendf(nil, "%0*d%d", width, number%n, number), nil
}

// Reverse returns the row's bytes from last to first. It spreads keys whose ends vary, such as
// phone numbers, and the key can still be computed from the row.
func Reverse(row []byte) []byte {
	out := slices.Clone(row)
	slices.Reverse(out)
	return out
}

// ReverseTimestamp returns 8 bytes that sort the latest timestamp first: HBase's
// Bytes.toBytes(Long.MAX_VALUE - timestamp). Negative timestamps sort after all others.
func ReverseTimestamp(timestamp int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(math.MaxInt64)-uint64(timestamp))
}

// FromReverseTimestamp is the inverse of ReverseTimestamp. It fails with ErrLength.
func FromReverseTimestamp(b []byte) (int64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("%w: got %d", ErrLength, len(b))
	}
	return int64(uint64(math.MaxInt64) - binary.BigEndian.Uint64(b)), nil
}

// SortableLong returns 8 bytes that sort as the numbers do, including negative ones: big-endian
// with the sign bit flipped.
func SortableLong(number int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(number)^signBit)
}

const signBit = 1 << 63

// FromSortableLong is the inverse of SortableLong. It fails with ErrLength.
func FromSortableLong(b []byte) (int64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("%w: got %d", ErrLength, len(b))
	}
	return int64(binary.BigEndian.Uint64(b) ^ signBit), nil
}

// FixedWidth returns the number in decimal with leading zeros: texts of the same width sort as the
// numbers do. It fails with ErrNegative or ErrWidth.
func FixedWidth(number int64, width int) ([]byte, error) {
	if number < 0 {
		return nil, fmt.Errorf("%w: %d", ErrNegative, number)
	}
	text := strconv.FormatInt(number, 10)
	if len(text) > width {
		return nil, fmt.Errorf("%w: %s in %d", ErrWidth, text, width)
	}
	return []byte(strings.Repeat("0", width-len(text)) + text), nil
}

// Join returns a key of several parts with a separator between them. Only the last part may
// contain the separator, so that Split returns the same parts and the range of one part's keys
// holds no others. An empty separator joins parts of fixed widths. It fails with ErrSeparator.
func Join(separator string, parts ...[]byte) ([]byte, error) {
	for i, part := range parts[:max(len(parts)-1, 0)] {
		if separator != "" && bytes.Contains(part, []byte(separator)) {
			return nil, fmt.Errorf("%w: part %d is %q", ErrSeparator, i+1, part)
		}
	}
	return bytes.Join(parts, []byte(separator)), nil
}

// Split returns the parts of a key of n parts, or fewer if the key has fewer. Everything after
// separator n-1 is the last part.
func Split(separator string, key []byte, n int) [][]byte {
	return bytes.SplitN(key, []byte(separator), n)
}
