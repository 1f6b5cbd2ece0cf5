package cancelcheck

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/caught"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// counted is a context that ends at its check number endAt, if that is not 0.
type counted struct {
	context.Context
	looks, endAt int
}

func (c *counted) Err() error {
	if c.looks++; c.endAt > 0 && c.looks >= c.endAt {
		return context.Canceled
	}
	return nil
}

func TestStepLooksOnceAStride(t *testing.T) {
	ctx := &counted{Context: context.Background()}
	m := Meter{Ctx: ctx}
	for range 10 * Stride {
		require.NoError(t, m.Step(1))
	}
	require.Equal(t, 10, ctx.looks)
	require.NoError(t, m.Step(5*Stride))
	require.Equal(t, 11, ctx.looks)
	require.NoError(t, (*Meter)(nil).Step(Stride))
	require.NoError(t, (&Meter{}).Step(Stride))
}

func TestPartsAreAll(t *testing.T) {
	b := make([]byte, 3*Stride+7)
	for i := range b {
		b[i] = byte(i * 31)
	}
	var got []byte
	require.NoError(t, (&Meter{}).Parts(b, func(part []byte) { got = append(got, part...) }))
	require.Equal(t, b, got)
	m := Meter{Ctx: &counted{endAt: 2}}
	n := 0
	require.ErrorIs(t, m.Parts(b, func([]byte) { n++ }), context.Canceled)
	require.Equal(t, 2, n)
}

func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for _, n := range []int{0, 1, 2, 1000, 1024, 1025, 2048, 5000, 100_000} {
		items := make([]int, n)
		for i := range items {
			items[i] = r.IntN(n)
		}
		want := slices.Clone(items)
		slices.Sort(want)
		ended := slices.Clone(items)
		require.NoError(t, Sort(&Meter{}, items, cmp.Compare[int]))
		require.Equal(t, want, items)

		ctx := &counted{endAt: 3}
		if err := Sort(&Meter{Ctx: ctx}, ended, cmp.Compare[int]); n < 100_000 && err == nil {
			continue
		}
		require.Equal(t, 3, ctx.looks)
		slices.Sort(ended)
		require.Equal(t, want, ended, "what was ended has all items")
	}
}

func TestShareDoesAllTasksOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 50} {
		done := make([]atomic.Int32, 20)
		require.NoError(t, Share(context.Background(), workers, len(done), func(m *Meter, task int) error {
			done[task].Add(1)
			return m.Step(1)
		}))
		for task := range done {
			require.EqualValues(t, 1, done[task].Load(), "task %d of %d workers", task, workers)
		}
	}
}

func TestShareEndsWithAnError(t *testing.T) {
	failed := errors.New("failed")
	err := Share(context.Background(), 3, 1000, func(_ *Meter, task int) error {
		if task == 2 {
			return failed
		}
		return nil
	})
	require.ErrorIs(t, err, failed)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, Share(ctx, 2, 10, func(m *Meter, _ int) error { return m.Step(Stride) }), context.Canceled)
}

// TestSharedPanic: a panic of a goroutine that shares the work does not end the others.
func TestSharedPanic(t *testing.T) {
	err := Share(t.Context(), 4, 100, func(_ *Meter, task int) error {
		if task == 50 {
			panic("at work")
		}
		return nil
	})
	var p *caught.Panic
	require.ErrorAs(t, err, &p)
	require.Equal(t, "at work", p.Value)
}
