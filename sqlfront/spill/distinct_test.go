package spill

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestDistinct compares with a map, in memory and in files.
func TestDistinct(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for _, memory := range []int64{0, 1 << 14} {
		t.Logf("memory %d", memory)
		space := &Space{}
		space.Init(context.Background(), Options{Memory: memory, Dir: t.TempDir()})
		s, known := space.NewDistinct(), map[string]bool{}
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

// TestSeenFilters checks that few new keys are looked up in files, if there are many files.
func TestSeenFilters(t *testing.T) {
	space := &Space{}
	space.Init(context.Background(), Options{Memory: 1 << 14, Dir: t.TempDir()})
	s := space.NewDistinct()
	for i := range 5000 {
		fresh, err := s.Add([]byte("key " + strconv.Itoa(i)))
		require.NoError(t, err)
		require.True(t, fresh)
	}
	require.Greater(t, len(s.files), 10)
	asked := 0
	for i := range 1000 {
		for _, f := range s.files {
			if f.mayHave([]byte("other " + strconv.Itoa(i))) {
				asked++
			}
		}
	}
	require.Less(t, asked, 1000*len(s.files)/50)
	require.NoError(t, s.Close())
	require.NoError(t, space.Close())
	require.Zero(t, space.used.Load())
}

// TestListReset reuses a list, in memory and in a file.
func TestListReset(t *testing.T) {
	for _, memory := range []int64{0, 1 << 10} {
		space := &Space{}
		space.Init(context.Background(), Options{Memory: memory, Dir: t.TempDir()})
		l := space.NewList()
		for round := range 4 {
			for i := range 50 * round {
				require.NoError(t, l.Add([]value.Value{value.NewInt(int64(i)), value.NewString(strings.Repeat("x", i))}))
			}
			require.NoError(t, l.Rewind())
			for i := range 50 * round {
				row, err := l.Next()
				require.NoError(t, err)
				require.Equal(t, int64(i), row[0].Int())
				require.Len(t, row[1].Raw(), i)
			}
			row, err := l.Next()
			require.NoError(t, err)
			require.Nil(t, row)
			require.Equal(t, memory > 0 && round > 0, l.Spilled())
			require.NoError(t, l.Reset())
		}
		require.NoError(t, l.Close())
		require.Zero(t, space.used.Load())
		require.NoError(t, space.Close())
	}
}

// TestFewPutOffMakeNoFile checks that a set does not create a file for few deferred rows, as sets of
// many groups have.
func TestFewPutOffMakeNoFile(t *testing.T) {
	s := newSpace(t, 64<<10)
	account := s.Account()
	account.Grow(128 << 10)
	defer account.Release()
	for _, rows := range []int{3, 20_000} {
		set := account.NewSet(new(bool))
		var got []int64
		for i := range 2 * rows {
			row := []value.Value{value.NewInt(int64(i % rows))}
			fresh, err := set.Add(strconv.AppendInt(nil, row[0].Int(), 10), row)
			require.NoError(t, err)
			if fresh {
				got = append(got, row[0].Int())
			}
		}
		require.True(t, set.Spilled())
		require.Equal(t, rows > 3, s.own.Files.Load() > 0)
		for {
			row, err := set.Next()
			require.NoError(t, err)
			if row == nil {
				break
			}
			got = append(got, row[0].Int())
		}
		require.Len(t, got, rows)
		require.True(t, slices.IsSorted(got))
		require.NoError(t, set.Close())
	}
}

// TestDividedAgainIsGivenUp divides partitions again and again: the files of one must be gone before
// the next is processed.
func TestDividedAgainIsGivenUp(t *testing.T) {
	s := newSpace(t, 1<<10)
	create, most := createTemp, 0
	defer func() { createTemp = create }()
	createTemp = func(dir string) (storage, error) {
		s.mu.Lock()
		most = max(most, len(s.files)+1)
		s.mu.Unlock()
		return create(dir)
	}
	set := s.NewSet()
	const rows = 100_000
	got := 0
	for i := range rows {
		fresh, err := set.Add(strconv.AppendInt(nil, int64(i), 10), nil)
		require.NoError(t, err)
		if fresh {
			got++
		}
	}
	for row, err := set.Next(); row != nil; row, err = set.Next() {
		require.NoError(t, err)
		got++
	}
	require.Equal(t, rows, got)
	require.Greater(t, s.own.Files.Load(), int64(20))
	require.Less(t, most, 12)
	require.NoError(t, set.Close())
}

// TestLargeRowsOfPartitions checks that partitions free the memory of large rows after writing them.
func TestLargeRowsOfPartitions(t *testing.T) {
	space := &Space{}
	space.Init(context.Background(), Options{Memory: 1 << 20, Dir: t.TempDir()})
	s, large := space.NewPartitions(), []value.Value{value.NewString(strings.Repeat("x", 1<<20))}
	for i := range 200 {
		require.NoError(t, s.Add(rowmem.KeyHash([]byte(strconv.Itoa(i))), large))
	}
	for _, c := range s.each {
		require.LessOrEqual(t, cap(c.row)+cap(c.buf), 2*s.block)
	}
	require.NoError(t, s.Close())
	require.NoError(t, space.Close())
}
