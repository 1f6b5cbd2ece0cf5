package rowcodec

import (
	"bytes"
	"encoding/binary"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// orderedInts are OrderedBytes' codes of integers, by their size in bytes.
var orderedInts = map[int]byte{1: codeInt8, 2: codeInt16, 4: codeInt32, 8: codeInt64}

func appendOrderedInt(dst []byte, n int64, size int) []byte {
	return appendFixed(append(dst, orderedInts[size]), uint64(n)^signBit(size), size)
}

func appendOrderedFloat(dst []byte, f float64, size int) []byte {
	if size == 4 {
		return binary.BigEndian.AppendUint32(append(dst, codeFloat32), sortable32(float32(f)))
	}
	return binary.BigEndian.AppendUint64(append(dst, codeFloat64), sortable64(f))
}

// appendOrderedString appends a text without zero bytes, and the zero byte that ends it.
func appendOrderedString(dst, text []byte) []byte {
	return append(append(append(dst, codeString), text...), 0)
}

// appendOrderedBlob appends 7 bits per byte; the first bit says that more bytes follow.
func appendOrderedBlob(dst, b []byte) []byte {
	dst = append(dst, codeBlob)
	if len(b) == 0 {
		return append(dst, 0)
	}
	dst = appendSevens(dst, b)
	dst[len(dst)-1] &^= 0x80
	return dst
}

// appendSevens appends the bits of b, 7 per byte after a set bit, padded with zeros.
func appendSevens(dst, b []byte) []byte {
	rest, bits := uint(0), 0
	for _, c := range b {
		rest, bits = rest<<8|uint(c), bits+8
		for bits >= 7 {
			bits -= 7
			dst = append(dst, 0x80|byte(rest>>bits))
		}
		rest &= 1<<bits - 1
	}
	if bits > 0 {
		dst = append(dst, 0x80|byte(rest<<(7-bits)))
	}
	return dst
}

// readOrdered returns a value of OrderedBytes, and its number of bytes; 0 if there is none. The value of
// codeNull is NULL. Text and bytes are new or refer to b.
func readOrdered(b []byte) (v value.Value, size int) {
	if len(b) == 0 {
		return v, 0
	}
	switch b[0] {
	case codeNull:
		return v, 1
	case codeInt8, codeInt16, codeInt32, codeInt64:
		return readOrderedInt(b, 1<<(b[0]-codeInt8))
	case codeFloat32, codeFloat64:
		return readOrderedFloat(b)
	case codeString:
		end := bytes.IndexByte(b, 0)
		if end < 0 {
			return v, 0
		}
		return value.NewText(b[1:end:end]), end + 1
	case codeBlob:
		return readOrderedBlob(b)
	case codeBlobCopy:
		return value.NewBytes(b[1:]), len(b)
	}
	return readNumeric(b)
}

func readOrderedInt(b []byte, size int) (v value.Value, read int) {
	if len(b) < 1+size {
		return v, 0
	}
	bits := readFixed(b[1:1+size], false) ^ signBit(size)
	return value.NewInt(int64(bits<<(64-8*size)) >> (64 - 8*size)), 1 + size
}

func readOrderedFloat(b []byte) (v value.Value, size int) {
	if b[0] == codeFloat32 && len(b) >= 5 {
		return value.NewFloat(float64(fromSortable32(binary.BigEndian.Uint32(b[1:])))), 5
	}
	if b[0] == codeFloat64 && len(b) >= 9 {
		return value.NewFloat(fromSortable64(binary.BigEndian.Uint64(b[1:]))), 9
	}
	return v, 0
}

func readOrderedBlob(b []byte) (v value.Value, size int) {
	end := 1
	for end < len(b) && b[end]&0x80 != 0 {
		end++
	}
	if end == len(b) {
		return v, 0
	}
	size = end + 1
	if end == 1 && b[1] == 0 {
		return value.NewBytes(nil), size
	}
	out := make([]byte, 0, (size-1)*7/8)
	rest, bits := uint(0), 0
	for _, c := range b[1:size] {
		rest, bits = rest<<7|uint(c&0x7f), bits+7
		if bits >= 8 {
			bits -= 8
			out = append(out, byte(rest>>bits))
		}
		rest &= 1<<bits - 1
	}
	return value.NewBytes(out), size
}
