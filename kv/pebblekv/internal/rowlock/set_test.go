package rowlock

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestRowSet requires that a set is exact while small, and never misses a row
// that is in it.
func TestRowSet(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for _, n := range []int{0, 1, 10, 11, 100, 1000} {
		s := NewSet(10, 1<<10)
		var ids []ID
		for range n {
			id := ID{r.Uint64(), r.Uint64()}
			ids = append(ids, id)
			s.Add(id)
			s.Add(id)
		}
		s.Settle()
		rows, exact := s.Exact()
		require.Equal(t, n <= 10, exact)
		for _, id := range ids {
			require.True(t, s.MayHold(id))
		}
		if exact {
			require.Len(t, rows, n)
			require.False(t, s.MayHold(ID{1, 2}))
		}
	}
}
