package rowcodec

import "encoding/binary"

// OrderedBytes writes lengths and exponents as SQLite4 does: short ones in a byte, and each longer one sorts
// after shorter ones (https://sqlite.org/src4/doc/trunk/www/varint.wiki).
const (
	mostOneByte    = 240
	mostTwoBytes   = 2287
	mostThreeBytes = 67823
	threeBytes     = 249
	longest        = 255 - 8 // plus the number of bytes that follow
)

// appendVaruint appends n, with its bits inverted for descending order.
func appendVaruint(dst []byte, n uint64, turned bool) []byte {
	start := len(dst)
	switch {
	case n <= mostOneByte:
		dst = append(dst, byte(n))
	case n <= mostTwoBytes:
		dst = append(dst, byte((n-mostOneByte)>>8)+mostOneByte+1, byte(n-mostOneByte))
	case n <= mostThreeBytes:
		n -= mostTwoBytes + 1
		dst = append(dst, threeBytes, byte(n>>8), byte(n))
	default:
		bytes := 3
		for bytes < 8 && n>>(8*bytes) != 0 {
			bytes++
		}
		dst = append(dst, byte(longest+bytes))
		dst = append(dst, binary.BigEndian.AppendUint64(nil, n)[8-bytes:]...)
	}
	if turned {
		turn(dst[start:])
	}
	return dst
}

// turn inverts all bits.
func turn(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// readVaruint returns n and the number of bytes read, 0 if there are too few.
func readVaruint(b []byte, turned bool) (n uint64, size int) {
	var buf [9]byte
	head := buf[:copy(buf[:], b)]
	if len(head) == 0 {
		return 0, 0
	}
	if turned {
		turn(head)
	}
	switch first := head[0]; {
	case first <= mostOneByte:
		return uint64(first), 1
	case first < threeBytes && len(head) >= 2:
		return uint64(first-mostOneByte-1)<<8 + uint64(head[1]) + mostOneByte, 2
	case first == threeBytes && len(head) >= 3:
		return mostTwoBytes + 1 + uint64(head[1])<<8 + uint64(head[2]), 3
	case first > threeBytes && len(head) >= 1+int(first)-longest:
		size = int(first) - longest
		for _, c := range head[1 : 1+size] {
			n = n<<8 | uint64(c)
		}
		return n, 1 + size
	}
	return 0, 0
}
