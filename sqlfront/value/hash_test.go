package value

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// vectorsOf are the values as vectors: of any kind, and of their own where that is one.
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

// Values that are the same have the same hash, and few of others share one.
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

func rowsToHashes(v *Vector, rows []int32) []uint32 {
	hashes := make([]uint32, len(rows))
	v.AddHashes(rows, hashes)
	return hashes
}
