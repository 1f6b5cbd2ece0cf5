package kv

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cell's parts are its own: whoever writes or appends to one spoils no other.
func TestBatchKeepsCellsApart(t *testing.T) {
	var b Batch
	for round := range 3 {
		var want []Cell
		for i := 0; i < 200; i++ {
			c := Cell{Family: i % 3, Row: fmt.Appendf(nil, "row%d", i), Qualifier: bytes.Repeat([]byte{'q'}, i%5), Timestamp: int64(i), Value: bytes.Repeat([]byte{'v'}, i*i%700)}
			b.Add(c.Family, c.Row, c.Qualifier, c.Timestamp, c.Value)
			want = append(want, c)
		}
		require.True(t, b.Full())
		for i, c := range b.Cells {
			_ = append(c.Row, "behind"...)
			_ = append(c.Qualifier, "behind"...)
			_ = append(c.Value, "behind"...)
			require.Equal(t, want[i], c, "round %d, cell %d", round, i)
		}
		b.Reset()
		require.False(t, b.Full())
		require.Empty(t, b.Cells)
	}
}

// What is empty is not null, also where no byte has been added yet.
func TestBatchTellsEmptyFromNull(t *testing.T) {
	for _, value := range [][]byte{nil, {}} {
		var b Batch
		b.Add(0, nil, nil, 1, value)
		require.Equal(t, []Cell{{Row: []byte{}, Qualifier: []byte{}, Timestamp: 1, Value: value}}, b.Cells)
	}
}

// A large value is given its room, which an unused batch does not keep.
func TestBatchLetsGoOfMuch(t *testing.T) {
	var b Batch
	b.Add(0, []byte("r"), []byte("q"), 1, make([]byte, 1<<20))
	require.True(t, b.Full())
	b.Reset()
	require.GreaterOrEqual(t, cap(b.buf), 1<<20)
	b.Release()
	require.LessOrEqual(t, cap(b.buf), keptBatch)
	b.Add(0, []byte("r"), nil, 1, nil)
	b.Release()
	require.NotZero(t, cap(b.buf))
}
