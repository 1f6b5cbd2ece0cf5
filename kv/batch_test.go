package kv

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// cellsOf returns the cells of a batch.
func cellsOf(b *Batch) (out []Cell) {
	for i := range b.Len() {
		out = append(out, b.Cell(i))
	}
	return out
}

// A cell's parts are its own: writing or appending to one does not change others.
func TestBatchKeepsCellsApart(t *testing.T) {
	var b Batch
	for round := range 3 {
		var want []Cell
		for i := 0; i < 200; i++ {
			c := Cell{Family: i % 3, Row: fmt.Appendf(nil, "row%d", i), Qualifier: bytes.Repeat([]byte{'q'}, i%5),
				Timestamp: int64(i), Value: bytes.Repeat([]byte{'v'}, i*i%700)}
			b.Add(c.Family, c.Row, c.Qualifier, c.Timestamp, c.Value)
			want = append(want, c)
		}
		require.True(t, b.Full())
		for i, c := range cellsOf(&b) {
			_ = append(c.Row, "behind"...)
			_ = append(c.Qualifier, "behind"...)
			_ = append(c.Value, "behind"...)
			require.Equal(t, want[i], c, "round %d, cell %d", round, i)
		}
		b.Reset()
		require.False(t, b.Full())
		require.Zero(t, b.Len())
	}
}

// Empty values are not null, even before any byte has been added.
func TestBatchTellsEmptyFromNull(t *testing.T) {
	for _, value := range [][]byte{nil, {}} {
		var b Batch
		b.Add(0, nil, nil, 1, value)
		require.Equal(t, []Cell{{Row: []byte{}, Qualifier: []byte{}, Timestamp: 1, Value: value}}, cellsOf(&b))
	}
}

// Large values have memory of their own, which is used again, and an unused
// batch keeps little of it.
func TestBatchOfLargeValues(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	var b Batch
	for round := range 200 {
		var want []Cell
		for !b.Full() {
			n := r.IntN(3 * LargeValue)
			if r.IntN(20) == 0 {
				n = r.IntN(1 << 20)
			}
			c := Cell{Row: fmt.Appendf(nil, "row%d", n), Qualifier: []byte("q"), Timestamp: int64(round),
				Value: bytes.Repeat([]byte{byte(n)}, n)}
			b.Add(0, c.Row, c.Qualifier, c.Timestamp, c.Value)
			want = append(want, c)
		}
		for i, c := range cellsOf(&b) {
			require.Equal(t, len(c.Value), cap(c.Value))
			require.Equal(t, want[i], c, "round %d, cell %d", round, i)
		}
		if round%3 == 0 {
			b.Release()
			require.LessOrEqual(t, b.large.size(), keptBatch)
		}
		b.Reset()
		require.LessOrEqual(t, b.large.size(), keptBatch+2<<20)
	}
	scan := func() {
		b.Reset()
		b.Add(0, nil, nil, 0, large[:5*LargeValue])
		b.Add(0, nil, nil, 0, large)
	}
	scan()
	require.Zero(t, testing.AllocsPerRun(100, scan))
}

var large = bytes.Repeat([]byte("large"), 1<<20)

// size returns the size of the slabs.
func (s *slabs) size() (n int) {
	for _, b := range s.all {
		n += cap(b)
	}
	return n
}

// A value handed over by Leave stays as it is, before and after Reset.
func TestBatchLeavesValues(t *testing.T) {
	for _, behind := range []bool{false, true} {
		var b Batch
		var left [][]byte
		for round := range 10 {
			for i := range 3 {
				b.Add(0, []byte("r"), nil, 1, bytes.Repeat([]byte{byte(10*round + i)}, LargeValue+round))
			}
			value := b.Values()[round%3]
			left = append(left, value)
			if behind {
				b.Reset()
				b.Leave(value)
				b.Leave(value)
				b.Release()
			} else {
				b.Leave(value)
				b.Release()
			}
			for _, v := range b.values {
				require.Nil(t, v, "a header of what was left is kept")
			}
		}
		for round, value := range left {
			require.Equal(t, bytes.Repeat([]byte{byte(10*round + round%3)}, LargeValue+round), value)
		}
	}
}

// The buffer for other parts is large if many bytes come together, and an
// unused batch does not keep it then.
func TestBatchLetsGoOfMuch(t *testing.T) {
	var b Batch
	b.Add(0, make([]byte, 1<<20), []byte("q"), 1, nil)
	require.True(t, b.Full())
	b.Reset()
	require.GreaterOrEqual(t, cap(b.buf), 1<<20)
	b.Release()
	require.LessOrEqual(t, cap(b.buf), keptBatch)
	b.Add(0, []byte("r"), nil, 1, nil)
	b.Release()
	require.NotZero(t, cap(b.buf))
}
