// Package cellkey is the bytes of keys and values: nobody else takes a key apart.
//
// A cell's key is
//
//	space id   4 bytes, big-endian
//	row        escaped, terminated
//	qualifier  escaped, terminated
//	timestamp  8 bytes, big-endian, complemented so that newer sorts first
//
// Escaping writes 0x00 as 0x00 0xff and ends a part with 0x00 0x01, so that bytes.Compare on keys is HBase's
// order on cells and no part is a prefix of another. Changing the last byte of a terminator to 0x02 gives the
// first key after all keys that begin with the parts so far.
//
// This is an on-disk format. Functions whose names begin with Append append to the caller's buffer; results
// of other functions alias the key.
package cellkey

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
)

// The lengths of the parts of fixed length.
const (
	SpaceLen     = 4
	TimestampLen = 8

	escapeByte     = 0x00
	escapedZero    = 0xff
	terminatorByte = 0x01
	behindByte     = 0x02
	terminatorLen  = 2
)

// SystemSpace holds the store's own records; keyspace.ID counts from 1.
const SystemSpace keyspace.ID = 0

// AppendSpace appends the first key of a space.
func AppendSpace(dst []byte, id keyspace.ID) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(id))
}

// SpaceEnd returns the first key after the space.
func SpaceEnd(id keyspace.ID) []byte {
	return AppendSpace(nil, id+1)
}

// Extent returns the first key of an extent and the first one after it.
func Extent(e keyspace.Extent) (lower, upper []byte) {
	lower, upper = AppendSpace(nil, e.Space), SpaceEnd(e.Space)
	if e.Rows.Start != nil {
		lower = AppendRow(nil, e.Space, e.Rows.Start)
	}
	if e.Rows.End != nil {
		upper = AppendRow(nil, e.Space, e.Rows.End)
	}
	return lower, upper
}

// Space returns the space of a key; false if the key is too short for one.
func Space(key []byte) (keyspace.ID, bool) {
	if len(key) < SpaceLen {
		return 0, false
	}
	return keyspace.ID(binary.BigEndian.Uint32(key)), true
}

// Suffix returns the key without its space, which orders it within the space.
func Suffix(key []byte) []byte { return key[SpaceLen:] }

// IsIn reports whether the key is in the space.
func IsIn(key []byte, id keyspace.ID) bool { return binary.BigEndian.Uint32(key) == uint32(id) }

// SameSpace reports whether two keys are in one space.
func SameSpace(a, b []byte) bool { return bytes.Equal(a[:SpaceLen], b[:SpaceLen]) }

// AppendAs appends the key, moved to another space.
func AppendAs(dst, key []byte, id keyspace.ID) []byte {
	return append(AppendSpace(dst, id), key[SpaceLen:]...)
}

// MoveTo moves the key to another space, in place.
func MoveTo(key []byte, id keyspace.ID) {
	binary.BigEndian.PutUint32(key, uint32(id))
}

// SystemKey returns the key of one of the store's own records.
func SystemKey(name string) []byte {
	return append(AppendSpace(nil, SystemSpace), name...)
}

// AppendPart appends a row or a qualifier, escaped and terminated. The zero bytes of numbers come in runs, of which
// only the first byte is searched for.
func AppendPart(dst, part []byte) []byte {
	for i := bytes.IndexByte(part, escapeByte); i >= 0; i = bytes.IndexByte(part, escapeByte) {
		dst = append(append(dst, part[:i+1]...), escapedZero)
		for part = part[i+1:]; len(part) > 0 && part[0] == escapeByte; part = part[1:] {
			dst = append(dst, escapeByte, escapedZero)
		}
	}
	return append(append(dst, part...), escapeByte, terminatorByte)
}

// AppendTimestamp appends a timestamp to a column's key.
func AppendTimestamp(dst []byte, t int64) []byte {
	return binary.BigEndian.AppendUint64(dst, ^timeOrdinal(t))
}

// timeOrdinal maps timestamps to unsigned numbers in the same order.
func timeOrdinal(t int64) uint64 { return uint64(t) ^ (1 << 63) }

// AppendRow appends the key of a row: the first part of its cells' keys.
func AppendRow(dst []byte, id keyspace.ID, row []byte) []byte {
	return AppendPart(AppendSpace(dst, id), row)
}

// AppendColumn appends the key of a column.
func AppendColumn(dst []byte, id keyspace.ID, row, qualifier []byte) []byte {
	return AppendPart(AppendRow(dst, id, row), qualifier)
}

// AppendCell appends the key of a cell.
func AppendCell(dst []byte, id keyspace.ID, row, qualifier []byte, t int64) []byte {
	return AppendTimestamp(AppendColumn(dst, id, row, qualifier), t)
}

// AppendRowHead appends the common beginning of the keys of the rows that begin with head or, if whole is
// true, of the row head.
func AppendRowHead(dst []byte, id keyspace.ID, head []byte, whole bool) []byte {
	dst = AppendRow(dst, id, head)
	if whole {
		return dst
	}
	return dst[:len(dst)-terminatorLen]
}

// MakeBehind turns the key of a row or of a column into the first key after all its cells, in place.
func MakeBehind(key []byte) []byte {
	key[len(key)-1] = behindByte
	return key
}

// AppendBehindRow appends the first key after all cells of the row of a cell's key.
func AppendBehindRow(dst, key []byte) []byte { return MakeBehind(append(dst, key[:RowLen(key)]...)) }

// AppendPosition appends the first key at or after the position. The open position is the start of the space,
// or its end if end is set. The place after a version is the place before the next older one; after the oldest
// possible one it is the end of the column.
func AppendPosition(dst []byte, id keyspace.ID, p kv.Position, end bool) []byte {
	if p.Depth == kv.DepthNone && end {
		id++
	}
	if dst = AppendSpace(dst, id); p.Depth == kv.DepthNone {
		return dst
	}
	dst = AppendPart(dst, p.Row)
	if p.Depth >= kv.DepthColumn {
		dst = AppendPart(dst, p.Qualifier)
	}
	switch {
	case p.Depth == kv.DepthCell && !p.After:
		return AppendTimestamp(dst, p.Timestamp)
	case p.Depth == kv.DepthCell && p.Timestamp > math.MinInt64:
		return AppendTimestamp(dst, p.Timestamp-1)
	case p.After:
		MakeBehind(dst)
	}
	return dst
}

// partEnd returns the index after the terminator of the part that begins at start, or -1 if there is none.
// escaped tells whether the part has a zero byte. Numbers in keys have many of these: a search for the next
// one by bytes.IndexByte costs as much as eight words.
func partEnd(key []byte, start int) (end int, escaped bool) {
	for i := start; i < len(key); {
		if i+wordLen <= len(key) {
			zeros := zerosIn(binary.LittleEndian.Uint64(key[i:]))
			if zeros == 0 {
				i += wordLen
				continue
			}
			i += bits.TrailingZeros64(zeros) / 8
		} else if key[i] != escapeByte {
			i++
			continue
		}
		if i += 2; i > len(key) {
			break
		}
		if key[i-1] == terminatorByte {
			return i, escaped
		}
		if key[i-1] != escapedZero {
			return -1, escaped
		}
		escaped = true
	}
	return -1, escaped
}

const wordLen = 8

// zerosIn is not 0 if a byte of a word is zero; its lowest bit is then the top bit of the lowest such byte.
func zerosIn(word uint64) uint64 {
	const ones = 0x0101010101010101
	return (word - ones) &^ word & (ones << (wordLen - 1))
}

// appendUnescaped appends the bytes of a part given without its terminator.
func appendUnescaped(dst, part []byte) []byte {
	dst = slices.Grow(dst, len(part))
	for i := 0; i < len(part); i++ {
		if dst = append(dst, part[i]); part[i] == escapeByte {
			i++
		}
	}
	return dst
}

// Column returns the key without its timestamp, empty if the key is too short for one.
func Column(key []byte) []byte { return key[:max(0, len(key)-TimestampLen)] }

// Timestamp returns the timestamp of a cell's key; 0 if the key is too short for one.
func Timestamp(key []byte) int64 {
	if len(key) < TimestampLen {
		return 0
	}
	return int64(^binary.BigEndian.Uint64(key[len(key)-TimestampLen:]) ^ (1 << 63))
}

// RowLen returns the length of the key up to the end of its row, or -1 if it is not a cell's key.
func RowLen(key []byte) int {
	end, _ := partEnd(key, SpaceLen)
	return end
}

// ColumnLen returns the length of the key up to the end of its qualifier, or -1.
func ColumnLen(key []byte) int {
	row := RowLen(key)
	if row < 0 {
		return -1
	}
	end, _ := partEnd(key, row)
	return end
}

// Row returns the row of a key or of the beginning of one, and the length up to its end, or -1. The row
// aliases the key, or the buffer.
func Row(buf *[]byte, key []byte) (row []byte, end int) {
	end, escaped := partEnd(key, SpaceLen)
	if end < 0 {
		return nil, -1
	}
	return plainPart(buf, key[SpaceLen:end-terminatorLen], escaped), end
}

// RowHead returns the row of a key, or as much of it as the key has: keys at which scans begin and end may
// have only the beginning of a row, or none; then it is nil. It aliases the key, or the buffer.
func RowHead(buf *[]byte, key []byte) []byte {
	if len(key) <= SpaceLen {
		return nil
	}
	if row, end := Row(buf, key); end >= 0 {
		return row
	}
	*buf = appendUnescaped((*buf)[:0], key[SpaceLen:])
	return *buf
}

// IsOfColumn reports whether the key is a version of the column, which is given as a key without its
// timestamp.
func IsOfColumn(key, column []byte) bool {
	n := len(column)
	return len(key) == n+TimestampLen && bytes.Equal(key[:n], column)
}

// IsBehindColumn reports whether the key is the first one after the column of a version.
func IsBehindColumn(key, version []byte) bool {
	n := len(version) - TimestampLen
	return len(key) == n && key[n-1] == behindByte && bytes.Equal(key[:n-1], version[:n-1])
}

// IsBehindVersion reports whether the key is the place after a version.
func IsBehindVersion(key, version []byte) bool {
	n := len(version) - TimestampLen
	return len(key) == len(version) && Timestamp(key) == Timestamp(version)-1 && bytes.Equal(key[:n], version[:n])
}

func plainPart(buf *[]byte, part []byte, escaped bool) []byte {
	if !escaped {
		return part[:len(part):len(part)]
	}
	*buf = appendUnescaped((*buf)[:0], part)
	return *buf
}

// Damaged returns the error for a key that no cell has.
func Damaged(key []byte) error { return badKey(key) }

func badKey(key []byte) error {
	return fmt.Errorf("%w: a stored key is damaged: %x", kv.ErrFormat, key)
}
