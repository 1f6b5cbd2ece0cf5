package sorted

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMap compares maps and their copies with Go maps.
func TestMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m, want := New[int, int](cmp.Compare[int]), map[int]*int{}
	for range 300 {
		old, was := m, want
		m = m.Copy()
		want = maps.Clone(was)
		changed := map[int]*int{}
		for range r.IntN(5) {
			key, is := r.IntN(40), new(int)
			if r.IntN(3) == 0 {
				is = nil
			}
			if m.Set(key, is); is == nil {
				delete(want, key)
			} else {
				want[key] = is
			}
			changed[key] = was[key]
		}
		for key, before := range m.Changed() {
			require.Same(t, changed[key], before)
			require.NotSame(t, before, m.Get(key))
		}
		m.Settle()
		same(t, m, want)
		same(t, old, was)
	}
}

func same(t *testing.T, m Map[int, int], want map[int]*int) {
	t.Helper()
	require.Equal(t, len(want), m.Len())
	last, n := -1, 0
	for key, is := range m.All() {
		require.Less(t, last, key)
		require.Same(t, want[key], is)
		last = key
		n++
	}
	require.Equal(t, len(want), n)
}
