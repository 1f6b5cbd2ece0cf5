package value

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// AddHashes adds the value at each of the rows to the hash at the row's index in the list. Identical values
// have the same hash, and different ones mostly have different hashes: of a long string only the ends are
// hashed.
func (v *Vector) AddHashes(rows []int32, hashes []uint32) {
	switch {
	case v.Kind == Bytes:
		for at, i := range rows {
			hashes[at] = mix(hashes[at], ends(v.Bytes[i]))
		}
	case v.Kind == Int && v.Nulls == nil:
		for at, i := range rows {
			hashes[at] = mix(hashes[at], uint64(v.Ints[i]))
		}
	case v.Kind == Null:
		for at, i := range rows {
			x := &v.Values[i]
			hashes[at] = mix(hashes[at], x.n^ends(x.Raw()))
		}
	default:
		for at, i := range rows {
			x := v.At(i)
			hashes[at] = mix(hashes[at], x.n)
		}
	}
}

// Same reports whether the values at i and j are certainly identical.
func (v *Vector) Same(i, j int32) bool {
	switch {
	case v.Kind == Null:
		x, y := &v.Values[i], &v.Values[j]
		return x.n == y.n && Identical(*x, *y)
	case v.IsNull(i) || v.IsNull(j):
		return v.IsNull(i) && v.IsNull(j)
	case v.Kind == Bytes:
		return bytes.Equal(v.Bytes[i], v.Bytes[j])
	case v.Kind == Int:
		return v.Ints[i] == v.Ints[j]
	}
	return v.Floats[i] == v.Floats[j]
}

// SameRows reports whether rows i and j are certainly identical in all columns.
func SameRows(columns []*Vector, i, j int32) bool {
	for _, v := range columns {
		if !v.Same(i, j) {
			return false
		}
	}
	return true
}

// Changes reports, for each of the rows, whether some column's value is not certainly identical to that of
// the row before; it is true for the first row. The result is dst, which is overwritten. Done a column at a
// time this takes 3 to 7 % less for pivots and groups by a part of K than SameRows of each two rows.
func Changes(dst []bool, columns []*Vector, rows []int32) []bool {
	dst = append(dst[:0], make([]bool, len(rows))...)
	if len(rows) == 0 {
		return dst
	}
	for _, v := range columns {
		v.markChanges(rows, dst)
	}
	dst[0] = true
	return dst
}

func (v *Vector) markChanges(rows []int32, changed []bool) {
	switch {
	case v.Kind == Bytes:
		markBytes(v.Bytes, rows, changed)
	case v.Kind == Int && v.Nulls == nil:
		markInts(v.Ints, rows, changed)
	default:
		for at := 1; at < len(rows); at++ {
			if !changed[at] && !v.Same(rows[at-1], rows[at]) {
				changed[at] = true
			}
		}
	}
}

func markInts(values []int64, rows []int32, changed []bool) {
	last := values[rows[0]]
	for at, i := range rows {
		if x := values[i]; x != last {
			changed[at], last = true, x
		}
	}
}

// markBytes does not compare bytes at the same address.
func markBytes(values [][]byte, rows []int32, changed []bool) {
	last := values[rows[0]]
	for at, i := range rows {
		x := values[i]
		if len(x) == len(last) && unsafe.SliceData(x) == unsafe.SliceData(last) {
			continue
		}
		if (x == nil) != (last == nil) || string(x) != string(last) {
			changed[at] = true
		}
		last = x
	}
}

// mix is a hash of a hash and 64 bits.
func mix(hash uint32, x uint64) uint32 {
	high, low := bits.Mul64(x^uint64(hash), 0x9e3779b97f4a7c15) // 2^64, divided by the golden ratio
	low ^= high
	return uint32(low ^ low>>32)
}

// ends are bits of a string's first and last bytes, and of its length.
func ends(s []byte) uint64 {
	n := len(s)
	switch {
	case n >= 8:
		return binary.LittleEndian.Uint64(s) ^ binary.LittleEndian.Uint64(s[n-8:])<<7 ^ uint64(n)
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(s)) | uint64(binary.LittleEndian.Uint32(s[n-4:]))<<32 ^ uint64(n)
	case n > 0:
		return uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16 | uint64(n)<<24
	}
	return 0
}
