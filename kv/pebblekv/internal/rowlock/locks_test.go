package rowlock

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestLocksLikeMap adds, changes and removes locks, of which many want the same slots, and compares them with a map.
func TestLocksLikeMap(t *testing.T) {
	type lock struct {
		holder number
		more   *moreOfLock
	}
	random := rand.New(rand.NewPCG(testseed.Of(t), 0))
	ls, want := locks{}, map[ID]lock{}
	for range 200_000 {
		id := ID{random.Uint64N(3), random.Uint64N(2)<<56 | random.Uint64N(600)}
		old, held := want[id]
		s, more := ls.get(id)
		require.Equal(t, lock{old.holder, old.more}, lock{s.holder, more})
		holder := number(1 + random.Uint32N(5))
		switch random.IntN(5) {
		case 0:
			require.Equal(t, !held, ls.add(id, holder))
			if !held {
				want[id] = lock{holder: holder}
			}
		case 1:
			want[id] = lock{holder: holder}
			if random.IntN(2) == 0 {
				want[id] = lock{holder, &moreOfLock{}}
			}
			ls.set(id, holder, want[id].more)
		case 2, 3:
			if held {
				ls.remove(id)
				delete(want, id)
			}
		case 4:
			if random.IntN(1000) == 0 {
				ls.shrink()
			}
		}
		require.Equal(t, len(want), ls.n)
	}
	all := slices.Collect(ls.all)
	require.Len(t, all, len(want))
	require.ElementsMatch(t, slices.Collect(maps.Keys(want)), all)
	for id := range want {
		ls.remove(id)
	}
	require.Zero(t, ls.n)
	require.Empty(t, ls.more)
}
