package pebblekv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// This file alone knows the bytes of a key. A cell's key is
//
//	space id   4 bytes, big-endian
//	row        escaped, terminated
//	qualifier  escaped, terminated
//	timestamp  8 bytes, big-endian, complemented so that newer sorts first
//
// Escaping writes 0x00 as 0x00 0xff and ends a part with 0x00 0x01, so that
// bytes.Compare on keys is HBase's order on cells and no part is a prefix of
// another. Changing the bottom byte of a terminator to 0x02 gives the first
// key behind everything that shares the parts so far.
const (
	spaceLen     = 4
	timestampLen = 8

	escapeByte     = 0x00
	escapedZero    = 0xff
	terminatorByte = 0x01
	behindByte     = 0x02
)

// systemSpace holds the store's own records; kv.SpaceID counts from 1.
const systemSpace kv.SpaceID = 0

func appendSpace(dst []byte, id kv.SpaceID) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(id))
}

// spaceEnd is the first key behind the space.
func spaceEnd(id kv.SpaceID) []byte {
	return appendSpace(nil, id+1)
}

// extentKeys are the first key of an extent and the first one behind it.
func extentKeys(e kv.Extent) (lower, upper []byte) {
	lower, upper = appendSpace(nil, e.Space), spaceEnd(e.Space)
	if e.Rows.Start != nil {
		lower = appendRowKey(nil, e.Space, e.Rows.Start)
	}
	if e.Rows.End != nil {
		upper = appendRowKey(nil, e.Space, e.Rows.End)
	}
	return lower, upper
}

// keySpace is the space of a key; false where the key is too short for one.
func keySpace(key []byte) (kv.SpaceID, bool) {
	if len(key) < spaceLen {
		return 0, false
	}
	return kv.SpaceID(binary.BigEndian.Uint32(key)), true
}

// systemKey is the key of one of the store's own records.
func systemKey(name string) []byte {
	return append(appendSpace(nil, systemSpace), name...)
}

// appendPart appends a row or a qualifier, escaped and terminated.
func appendPart(dst, part []byte) []byte {
	for {
		i := bytes.IndexByte(part, escapeByte)
		if i < 0 {
			break
		}
		dst = append(dst, part[:i+1]...)
		dst = append(dst, escapedZero)
		part = part[i+1:]
	}
	dst = append(dst, part...)
	return append(dst, escapeByte, terminatorByte)
}

func appendTimestamp(dst []byte, t int64) []byte {
	return binary.BigEndian.AppendUint64(dst, ^timeOrdinal(t))
}

// timeOrdinal maps timestamps to unsigned numbers in the same order.
func timeOrdinal(t int64) uint64 { return uint64(t) ^ (1 << 63) }

func appendRowKey(dst []byte, id kv.SpaceID, row []byte) []byte {
	return appendPart(appendSpace(dst, id), row)
}

func appendColumnKey(dst []byte, id kv.SpaceID, row, qualifier []byte) []byte {
	return appendPart(appendRowKey(dst, id, row), qualifier)
}

func appendCellKey(dst []byte, id kv.SpaceID, row, qualifier []byte, t int64) []byte {
	return appendTimestamp(appendColumnKey(dst, id, row, qualifier), t)
}

// makeBehind turns the key of a row or of a column into the first key behind
// all its cells, in place.
func makeBehind(key []byte) []byte {
	key[len(key)-1] = behindByte
	return key
}

// appendPosition is the first key at or behind the position. The open position
// is the start of the space, or with end its end.
func appendPosition(dst []byte, id kv.SpaceID, p kv.Position, end bool) []byte {
	switch p.Depth {
	case kv.DepthRow:
		dst = appendRowKey(dst, id, p.Row)
	case kv.DepthColumn:
		dst = appendColumnKey(dst, id, p.Row, p.Qualifier)
	case kv.DepthCell:
		return appendCellPosition(dst, id, p)
	default:
		if end {
			id++
		}
		return appendSpace(dst, id)
	}
	if p.After {
		makeBehind(dst)
	}
	return dst
}

// appendCellPosition: the place behind a version is the place before the next
// older one, and behind the oldest possible it is the end of the column.
func appendCellPosition(dst []byte, id kv.SpaceID, p kv.Position) []byte {
	switch {
	case !p.After:
		return appendCellKey(dst, id, p.Row, p.Qualifier, p.Timestamp)
	case p.Timestamp == math.MinInt64:
		return makeBehind(appendColumnKey(dst, id, p.Row, p.Qualifier))
	}
	return appendCellKey(dst, id, p.Row, p.Qualifier, p.Timestamp-1)
}

// partEnd is the index behind the terminator of the part that begins at start,
// or -1 where there is none. escaped tells whether the part holds a zero byte.
func partEnd(key []byte, start int) (end int, escaped bool) {
	for i := start; i < len(key); {
		j := bytes.IndexByte(key[i:], escapeByte)
		if j < 0 || i+j+1 >= len(key) {
			return -1, escaped
		}
		i += j + 2
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

// appendUnescaped appends the bytes of a part given without its terminator.
func appendUnescaped(dst, part []byte) []byte {
	for {
		i := bytes.IndexByte(part, escapeByte)
		if i < 0 {
			return append(dst, part...)
		}
		dst = append(dst, part[:i+1]...)
		part = part[i+2:]
	}
}

// columnPart is the key without its timestamp.
func columnPart(key []byte) []byte { return key[:len(key)-timestampLen] }

// keyTimestamp is the timestamp of a cell's key.
func keyTimestamp(key []byte) int64 {
	return int64(^binary.BigEndian.Uint64(key[len(key)-timestampLen:]) ^ (1 << 63))
}

// rowLen is the length of the key up to the end of its row, or -1 where the
// bytes are not those of a cell's key.
func rowLen(key []byte) int {
	end, _ := partEnd(key, spaceLen)
	return end
}

// decodedKey is a cell's key taken apart. Its parts alias the key, or the
// buffers where they had to be unescaped.
type decodedKey struct {
	row, qualifier []byte
	timestamp      int64
	// rowEnd is the length of the key up to the end of its row.
	rowEnd int

	rowBuf, qualifierBuf []byte
}

// decode takes a key apart. It fails on bytes that no cell has.
func (d *decodedKey) decode(key []byte) error {
	rowEnd, escaped := partEnd(key, spaceLen)
	if rowEnd < 0 {
		return badKey(key)
	}
	d.rowEnd = rowEnd
	d.row = plainPart(&d.rowBuf, key[spaceLen:rowEnd-2], escaped)
	return d.decodeColumn(key)
}

// decodeColumn is decode for a key that shares its row with the last one, of
// which the row's bytes may have moved.
func (d *decodedKey) decodeColumn(key []byte) error {
	if n := len(key) - timestampLen - 2; n >= d.rowEnd && key[n] == escapeByte && key[n+1] == terminatorByte {
		if q := key[d.rowEnd:n:n]; bytes.IndexByte(q, escapeByte) < 0 {
			d.qualifier, d.timestamp = q, keyTimestamp(key)
			return nil
		}
	}
	end, escaped := partEnd(key, d.rowEnd)
	if end < 0 || end+timestampLen != len(key) {
		return badKey(key)
	}
	d.qualifier = plainPart(&d.qualifierBuf, key[d.rowEnd:end-2], escaped)
	d.timestamp = keyTimestamp(key)
	return nil
}

func plainPart(buf *[]byte, part []byte, escaped bool) []byte {
	if !escaped {
		return part[:len(part):len(part)]
	}
	*buf = appendUnescaped((*buf)[:0], part)
	return *buf
}

func badKey(key []byte) error {
	return fmt.Errorf("%w: a stored key is damaged: %x", kv.ErrFormat, key)
}

// Values carry one byte in front, so that null is not the empty value.
const (
	valueNull  = 0
	valueBytes = 1
)

// appendValue appends the stored form of a value; nil is null.
func appendValue(dst, value []byte) []byte {
	if value == nil {
		return append(dst, valueNull)
	}
	return append(append(dst, valueBytes), value...)
}

// storedLen is how long the stored form of a value is.
func storedLen(value []byte) int { return 1 + len(value) }

// decodeValue is the value of a stored form, which it aliases.
func decodeValue(stored []byte) ([]byte, error) {
	switch {
	case len(stored) == 1 && stored[0] == valueNull:
		return nil, nil
	case len(stored) >= 1 && stored[0] == valueBytes:
		return slices.Clip(stored[1:]), nil
	}
	return nil, fmt.Errorf("%w: a stored value is damaged", kv.ErrFormat)
}
