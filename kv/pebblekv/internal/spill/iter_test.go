package spill

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// row is the key of the i-th cell of a test, without the parts that the store does not look at.
func row(i int) []byte { return fmt.Appendf(nil, "space%05dq", i) }

// openPart makes a store of n writes, numbered in key order, and an iterator over those whose numbers are below
// first or at least last. looks counts the writes that it looks at.
func openPart(t *testing.T, n, first, last int) (it *Iter, looks *int) {
	s, err := Open(vfs.NewMem(), "d", 1<<20)
	require.NoError(t, err)
	require.NoError(t, s.AddRun(func(run *Run) error {
		for i := range n {
			if err := run.Add(row(i), uint32(i), []byte("v")); err != nil {
				return err
			}
		}
		return nil
	}))
	looks = new(int)
	it, err = s.Iter(func(number uint32) bool {
		*looks++
		return int(number) < first || int(number) >= last
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, it.Close())
		s.Release()
	})
	return it, looks
}

// TestSeeksPassInvisibleOnce seeks from cell to cell, in both directions, over writes of which most were undone or
// came later: each is looked at a few times, not by each seek.
func TestSeeksPassInvisibleOnce(t *testing.T) {
	const n = 2000
	for name, gone := range map[string]struct{ first, last int }{"undone": {100, 1900}, "later": {100, n}, "all": {0, n}} {
		t.Run(name, func(t *testing.T) {
			it, looks := openPart(t, n, gone.first, gone.last)
			for i := range n {
				want := i
				if i >= gone.first {
					want = max(i, gone.last)
				}
				requireAt(t, it, it.Seek(row(i)), want, want < n)
			}
			for i := n; i > 0; i-- {
				want := i - 1
				if i <= gone.last {
					want = min(i, gone.first) - 1
				}
				requireAt(t, it, it.SeekLT(row(i)), want, want >= 0)
			}
			require.LessOrEqual(t, *looks, 4*n)
		})
	}
}

func requireAt(t *testing.T, it *Iter, ok bool, i int, exists bool) {
	require.Equal(t, exists, ok, "cell %d", i)
	if ok {
		require.Equal(t, string(row(i)), string(it.Key()))
	}
}

// TestBoundsEndSteps reads single cells among writes that were undone, in an order of its own: no read looks at
// the others.
func TestBoundsEndSteps(t *testing.T) {
	const n = 2000
	it, looks := openPart(t, n, 100, n)
	for _, i := range []int{1000, 50, 300, 99, 100} {
		it.SetBounds(row(i), row(i+1))
		requireAt(t, it, it.Seek(row(i)), i, i < 100)
		requireAt(t, it, it.SeekLT(row(i+1)), i, i < 100)
	}
	require.LessOrEqual(t, *looks, 10)
	it.SetBounds(nil, nil)
	requireAt(t, it, it.SeekLT(row(n)), 99, true)
	requireAt(t, it, it.Seek(row(0)), 0, true)
	require.True(t, it.Next())
	requireAt(t, it, it.Seek(row(1)), 1, true)
	requireAt(t, it, it.Seek(row(0)), 0, true)
}
