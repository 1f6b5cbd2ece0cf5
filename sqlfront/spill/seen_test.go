package spill

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSeen compares with a map, in memory and in files.
func TestSeen(t *testing.T) {
	for _, memory := range []int64{0, 1 << 14} {
		seed := rand.Uint64()
		t.Logf("memory %d, seed %d", memory, seed)
		r := rand.New(rand.NewPCG(seed, 1))
		space := &Space{}
		space.Init(context.Background(), Options{Memory: memory, Dir: t.TempDir()})
		s, known := space.NewSeen(), map[string]bool{}
		for range 4000 {
			key := strings.Repeat("k", r.IntN(30)) + strconv.Itoa(r.IntN(1500))
			fresh, err := s.Add([]byte(key))
			require.NoError(t, err)
			require.Equal(t, !known[key], fresh, key)
			known[key] = true
		}
		require.Equal(t, memory > 0, s.Spilled())
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		require.NoError(t, space.Close())
		require.Zero(t, space.used.Load())
	}
}
