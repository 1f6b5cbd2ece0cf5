package rowcodec

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// appendFixed appends the last size bytes of a number, the highest first.
func appendFixed(dst []byte, bits uint64, size int) []byte {
	for shift := 8*size - 8; shift >= 0; shift -= 8 {
		dst = append(dst, byte(bits>>shift))
	}
	return dst
}

// readFixed is the inverse of appendFixed; signed says that the first bit is the sign.
func readFixed(b []byte, signed bool) (bits uint64) {
	if signed && b[0]&0x80 != 0 {
		bits = math.MaxUint64
	}
	for _, c := range b {
		bits = bits<<8 | uint64(c)
	}
	return bits
}

// signBit is the sign bit of a number of size bytes.
func signBit(size int) uint64 { return 1 << (8*size - 1) }

// isReal reports whether a float is a finite number, as all of SQL's are.
func isReal(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// sortable64 is the bits of a float in a form that sorts as the numbers do: all are inverted for negative
// numbers, only the sign for others. 0 has no sign.
func sortable64(f float64) uint64 {
	bits := math.Float64bits(f + 0)
	if f < 0 {
		return ^bits
	}
	return bits | 1<<63
}

func fromSortable64(bits uint64) float64 {
	if bits&(1<<63) == 0 {
		return math.Float64frombits(^bits)
	}
	return math.Float64frombits(bits &^ (1 << 63))
}

func sortable32(f float32) uint32 {
	bits := math.Float32bits(f + 0)
	if f < 0 {
		return ^bits
	}
	return bits | 1<<31
}

func fromSortable32(bits uint32) float32 {
	if bits&(1<<31) == 0 {
		return math.Float32frombits(^bits)
	}
	return math.Float32frombits(bits &^ (1 << 31))
}

// appendBigDecimal appends the result of Bytes.toBytes(BigDecimal): the scale in four bytes and the digits as
// an integer in two's complement.
func appendBigDecimal(dst []byte, v value.Value) []byte {
	scale := v.Scale()
	digits := v.AsDecimal().Shift(int32(scale)).BigInt()
	return appendTwos(appendFixed(dst, uint64(scale), 4), digits)
}

// appendTwos appends an integer in as few bytes as Java's BigInteger does.
func appendTwos(dst []byte, n *big.Int) []byte {
	size := n.BitLen()/8 + 1
	if n.Sign() < 0 { // -128 has as many bits as 128 and fits into one byte less
		size = new(big.Int).Not(n).BitLen()/8 + 1
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	start := len(dst)
	dst = slices.Grow(dst, size)[:start+size]
	n.FillBytes(dst[start:])
	return dst
}

// mostDecimalBytes is more than the digits of any DECIMAL need.
const mostDecimalBytes = 64

// readBigDecimal is the inverse of appendBigDecimal.
func readBigDecimal(b []byte) (v value.Value, ok bool) {
	const head = 4
	if len(b) <= head || len(b) > mostDecimalBytes {
		return v, false
	}
	scale := int32(binary.BigEndian.Uint32(b))
	if scale < -value.MaxDigits || scale > value.MaxDigits {
		return v, false
	}
	n := new(big.Int).SetBytes(b[head:])
	if b[head]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b[head:]))))
	}
	return value.NewDecimal(decimal.NewFromBigInt(n, -scale)), true
}
