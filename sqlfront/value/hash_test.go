package value

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// vectorsOf are the values as vectors: of any kind, and of their own kind if they have a single one.
func vectorsOf(values []Value, kind Kind) (out []*Vector) {
	for _, k := range []Kind{Null, kind} {
		v := &Vector{}
		v.Start(k, len(values))
		for i, x := range values {
			v.Set(int32(i), x)
		}
		out = append(out, v)
	}
	return out
}

// TestHashesOfVectors: identical values have the same hash, and few others share one.
func TestHashesOfVectors(t *testing.T) {
	kinds := map[Kind]func(i int) Value{
		Int:   func(i int) Value { return NewInt(int64(i) - 500) },
		Float: func(i int) Value { return NewFloat(float64(i) / 3) },
		Bytes: func(i int) Value { return NewBytes(bytes.Repeat([]byte{byte(i)}, i/256)) },
		Text:  func(i int) Value { return NewText(bytes.Repeat([]byte{byte(i), 'x'}, i/256+1)) },
	}
	const n = 1024
	for kind, make := range kinds {
		var values []Value
		for i := range n {
			values = append(values, make(i), make(i))
		}
		values = append(values, Value{}, Value{})
		for _, v := range vectorsOf(values, kind) {
			rows := []int32{}
			for i := range values {
				rows = append(rows, int32(i))
			}
			hashes := append([]uint32{}, rowsToHashes(v, rows)...)
			different := map[uint32]bool{}
			for i := int32(0); i < int32(len(values)); i += 2 {
				require.True(t, v.Same(i, i+1), "%v at %d", kind, i)
				require.Equal(t, hashes[i], hashes[i+1], "%v at %d", kind, i)
				different[hashes[i]] = true
				if i > 0 {
					require.Equal(t, Identical(v.At(i), v.At(i-1)), v.Same(i, i-1), "%v at %d", kind, i)
				}
			}
			require.Greater(t, len(different), n/2, "hashes of %v", kind)
		}
	}
}

// TestChanges: a row has changed if one of its values differs from the row before, wherever the bytes are.
func TestChanges(t *testing.T) {
	shared := []byte("shared")
	bytes := []Value{
		NewBytes(shared), NewBytes(shared), NewBytes([]byte("shared")), NewBytes(shared[:5]), {}, {}, NewBytes(nil), NewBytes(shared[:0]), NewBytes(shared),
	}
	ints := []Value{NewInt(1), NewInt(1), NewInt(2), {}, {}, NewInt(0), NewInt(0), NewInt(0), NewInt(1)}
	floats := []Value{NewFloat(1), NewFloat(1), NewFloat(1), {}, NewFloat(2), NewFloat(2), NewFloat(2), NewFloat(0), NewFloat(0)}
	known := []Value{NewInt(1), NewInt(1), NewInt(1), NewInt(1), NewInt(-1), NewInt(-1), NewInt(1), NewInt(1), NewInt(1)}
	columns := append(vectorsOf(bytes, Bytes), vectorsOf(ints, Int)...)
	columns = append(columns, vectorsOf(floats, Float)...)
	columns = append(columns, vectorsOf(known, Int)...)
	for _, rows := range [][]int32{{}, {3}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 2, 5, 6, 8}, {1, 3, 4, 7}} {
		for _, set := range [][]*Vector{columns[:1], columns[1:2], columns[2:3], columns[3:4], columns[4:5], columns[5:6], columns[7:], columns[1:4:4], columns} {
			want := make([]bool, len(rows))
			for at := range rows {
				want[at] = at == 0 || !SameRows(set, rows[at-1], rows[at])
			}
			require.Equal(t, want, Changes([]bool{true, true}, set, rows), "%v", rows)
		}
	}
}

func rowsToHashes(v *Vector, rows []int32) []uint32 {
	hashes := make([]uint32, len(rows))
	v.AddHashes(rows, hashes)
	return hashes
}
