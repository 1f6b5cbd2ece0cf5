package rowlock

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLockMap holds the table to Go's map, with many rows of one place.
func TestLockMap(t *testing.T) {
	n := rand.Uint64()
	t.Logf("seed %d", n)
	r := rand.New(rand.NewPCG(n, 0))
	var m lockMap
	want := map[ID]lock{}
	owners := []*Owner{{}, {}, {}}
	for step := range 200_000 {
		id := ID{r.Uint64() % 64 * r.Uint64() % 16, r.Uint64() % 64}
		if step%40_000 < 20_000 {
			id[0] = r.Uint64()
			id[1] = id[0] % 7
		}
		switch r.IntN(5) {
		case 0, 1:
			l := lock{holder: owners[r.IntN(3)]}
			m.set(id, l)
			want[id] = l
		case 2:
			m.remove(id)
			delete(want, id)
		case 3:
			for id = range want { // some
				m.remove(id)
				delete(want, id)
				break
			}
		}
		require.Equal(t, want[id], m.get(id))
		require.Equal(t, len(want), m.n)
		if step%1000 == 0 {
			m.shrink()
		}
	}
	for id, l := range want {
		require.Equal(t, l, m.get(id))
		m.remove(id)
	}
	require.Zero(t, m.n)
	for i := range uint64(maxIdleLockSlots) {
		m.set(ID{i}, lock{holder: owners[0]})
	}
	for i := range uint64(maxIdleLockSlots) {
		m.remove(ID{i})
	}
	m.shrink()
	require.Len(t, m.slots, minLockSlots)
}
