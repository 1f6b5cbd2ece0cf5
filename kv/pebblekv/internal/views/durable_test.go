package views

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// TestReadersSeeDurableCommits takes the steps of commits in every order: each commit is
// announced, written and counted, one commit after the other, and becomes durable some time
// later, perhaps together with others. A reader always sees exactly the durable ones.
func TestReadersSeeDurableCommits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	e := engineInMemory(t)
	vs := &e.Views
	vs.Begin(kv.EmptyCatalog())
	vs.HoldDurable()
	defer func() { require.NoError(t, vs.Close()) }()
	var written, durable uint64
	seen := func() uint64 {
		v := vs.Acquire(DurableReader)
		defer func() { require.NoError(t, v.Release(Reader)) }()
		n := uint64(0)
		for ; ; n++ {
			_, closer, err := v.snap.Get(keyOf(int(n) + 1))
			if err != nil {
				require.ErrorIs(t, err, pebble.ErrNotFound)
				break
			}
			require.NoError(t, closer.Close())
		}
		require.Equal(t, n, v.Clock)
		return n
	}
	become := func() {
		for durable < written && r.IntN(2) == 0 {
			durable += 1 + r.Uint64N(written-durable)
			vs.Durable(durable)
		}
		if r.IntN(3) == 0 {
			require.Equal(t, durable, seen(), "of %d", written)
		}
	}
	for range 600 {
		vs.WillWrite()
		become()
		put(t, e, []int{int(written) + 1})
		become()
		written = vs.Committed(nil, false, &Written{})
		become()
	}
	durable = written
	vs.Durable(durable)
	require.Equal(t, durable, seen())
	require.Empty(t, vs.held)
}
