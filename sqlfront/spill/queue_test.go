package spill

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestQueue compares cursors that move forward at random with the rows themselves, in memory and in
// files.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for _, memory := range []int64{0, 1 << 12, 1 << 18} {
		t.Logf("memory %d", memory)
		var counters Counters
		space := &Space{}
		space.Init(context.Background(), Options{Memory: memory, Dir: t.TempDir(), Counters: &counters})
		q := space.NewQueue()
		cursors := []*QueueCursor{q.Cursor(), q.Cursor(), q.Cursor()}
		for range 3 {
			followQueue(t, r, q, cursors)
			q.Reset()
		}
		require.True(t, q.Spilled() == (memory > 0) || memory == 1<<18)
		require.NoError(t, q.Close())
		require.NoError(t, q.Close())
		require.NoError(t, space.Close())
		require.Zero(t, space.used.Load())
	}
}

func followQueue(t *testing.T, r *rand.Rand, q *Queue, cursors []*QueueCursor) {
	at := make([]int64, len(cursors))
	text := strings.Repeat("x", 40)
	total := int64(1500 + r.IntN(6000))
	for q.Len() < total {
		for range 1 + r.IntN(900) {
			require.NoError(t, q.Add([]value.Value{value.NewInt(q.Len()), value.NewString(text)}))
		}
		low := q.Len()
		for i, c := range cursors {
			for range r.IntN(1200) {
				if at[i] >= q.Len() {
					break
				}
				row, err := c.Row(at[i])
				require.NoError(t, err)
				require.Equal(t, at[i], row[0].Int())
				require.Equal(t, text, string(row[1].Raw()))
				at[i] += int64(r.IntN(3))
			}
			low = min(low, at[i])
		}
		q.Forget(low)
		if low < q.Len() {
			row, err := cursors[0].Row(low) // backwards, too
			require.NoError(t, err)
			require.Equal(t, low, row[0].Int())
		}
	}
}
