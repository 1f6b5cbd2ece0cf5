package spill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// key returns a frequent key, of one kind or, if mixed, of several.
func key(r *rand.Rand, mixed bool) value.Value {
	n := r.IntN(40)
	switch {
	case n == 0:
		return value.Value{}
	case mixed && n < 5:
		return value.NewFloat(float64(n) / 2)
	}
	return value.NewInt(int64(n))
}

// TestMergeOfParts merges sorted parts of any sizes, with and without enough memory: equal rows
// stay in the order of the parts.
func TestMergeOfParts(t *testing.T) {
	r := seeded(t)
	for try := range 60 {
		s := newSpace(t, []int64{0, 1 << 10}[try%2])
		desc, only, mixed := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(4) == 0
		keys := Keys{{Column: 0, Desc: desc}, {Column: 2}}
		if only {
			keys = keys[:1]
		}
		var rows [][]value.Value
		parts := make([]*Sorter, r.IntN(12))
		for i := range parts {
			parts[i] = s.NewSorter(keys)
			parts[i].Hold = true
			for range r.IntN([]int{2, 50, 2000}[r.IntN(3)]) {
				row := []value.Value{key(r, mixed), value.NewInt(int64(len(rows))), value.NewInt(int64(r.IntN(3)))}
				rows = append(rows, row)
				require.NoError(t, parts[i].Add(row))
			}
			require.NoError(t, parts[i].Sort())
		}
		all := s.NewSorter(keys)
		require.NoError(t, all.Merge(parts, 1+r.IntN(4)))
		slices.SortStableFunc(rows, keys.Compare)
		if all.Kept() {
			require.EqualValues(t, len(rows), all.Rows())
			require.Nil(t, all.AppendRow(nil, int64(len(rows))))
		}
		for i, want := range rows {
			if all.Kept() {
				require.Equal(t, want[1].Int(), all.AppendRow(nil, int64(i))[1].Int(), "row %d", i)
			}
			row, err := all.Next()
			require.NoError(t, err)
			require.Equal(t, want[1].Int(), row[1].Int(), "row %d", i)
		}
		row, err := all.Next()
		require.NoError(t, err)
		require.Nil(t, row)
		require.NoError(t, all.Close())
		for _, p := range parts {
			require.NoError(t, p.Close())
		}
	}
}

// TestMergeOfPartsEnds checks that all goroutines of a merge end with the context.
func TestMergeOfPartsEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Space{}
	s.Init(ctx, Options{Dir: t.TempDir()})
	part := s.NewSorter(rowmem.ByFirst)
	for i := range 20_000 {
		require.NoError(t, part.Add([]value.Value{value.NewString(fmt.Sprintf("same start %d", i))}))
	}
	require.NoError(t, part.Sort())
	cancel()
	require.ErrorIs(t, s.NewSorter(rowmem.ByFirst).Merge([]*Sorter{part}, 3), context.Canceled)
}
