package pebblekv

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/partition"
)

const testRegion = 256 << 10

// openRegions opens a store that splits at testRegion, with the families a and
// b of a RANGE-partitioned group with the bound m.
func openRegions(t testing.TB, o Options) *Store {
	o.MaxRegionBytes = testRegion
	s, err := Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func createRanges(t testing.TB, s *Store) {
	scheme, err := partition.NewRange([]string{"p", "q"}, [][]byte{[]byte("m"), nil})
	require.NoError(t, err)
	createTable(t, s, "g", "a", scheme)
	createTable(t, s, "g", "b", scheme)
}

// fillRows puts n incompressible rows of about a kilobyte.
func fillRows(t testing.TB, s *Store, family, prefix string, n int) {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	value := make([]byte, 1000)
	for from := 0; from < n; from += 200 {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for i := from; i < min(n, from+200); i++ {
			for j := range value {
				value[j] = byte(random.Uint32())
			}
			table := tx.Catalog().Table("d", "g$"+family)
			c := kv.Cell{Row: fmt.Appendf(nil, "%s%06d", prefix, i), Qualifier: []byte("q"), Timestamp: 1, Value: value}
			require.NoError(t, tx.Put(t.Context(), table, c))
		}
		require.NoError(t, tx.Commit(t.Context()))
	}
}

// settle waits until the partitions of the group no longer change.
func settle(t testing.TB, s *Store) *kv.Table {
	require.NoError(t, s.Flush(t.Context()))
	require.Eventually(t, func() bool { return s.regions.asked.Load() == 0 }, time.Minute, time.Millisecond)
	require.NoError(t, s.balanceRegions(t.Context()), "nothing is left to do, or done now")
	return kvtest.Catalog(s).Table("d", "g$a")
}

func rowsIn(t testing.TB, s *Store, family string) (rows []string) {
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	c, err := tx.Scan(t.Context(), []*kv.Table{tx.Catalog().Table("d", "g$"+family)}, &kv.Scan{Ordered: true})
	require.NoError(t, err)
	for c.Next() {
		rows = append(rows, string(c.Cell().Row))
	}
	require.NoError(t, c.Err())
	require.NoError(t, c.Close())
	return rows
}

func TestAutoSplit(t *testing.T) {
	dir := t.TempDir()
	s := openRegions(t, Options{Dir: dir})
	createRanges(t, s)
	fillRows(t, s, "a", "c", 1000)
	fillRows(t, s, "b", "d", 1000)
	require.NoError(t, s.Flush(t.Context()))
	require.Eventually(t, func() bool { return kvtest.Catalog(s).Table("d", "g$b").Partitioning.Len() > 8 }, time.Minute,
		time.Millisecond,
		"a flush is enough")
	table := settle(t, s)

	r, err := s.regionsOf("d", "g$a")
	require.NoError(t, err)
	require.Greater(t, table.Partitioning.Len(), 8)
	for i, size := range r.Sizes {
		require.LessOrEqual(t, size, uint64(testRegion), "partition %s", r.Scheme.Name(i))
		if i < len(r.Sizes)-2 {
			require.Greater(t, size, uint64(testRegion)/layout.MergePart/2)
		}
		require.True(t, strings.HasPrefix(r.Scheme.Name(i), "p") || r.Scheme.Name(i) == "q")
	}
	require.True(t, table.Partitioning.Equal(kvtest.Catalog(s).Table("d", "g$b").Partitioning), "families are split together")
	require.Len(t, slices.Compact(slices.Clone(keyspace.Of(table).Spaces)), 2, "no cell has moved")
	require.Len(t, rowsIn(t, s, "a"), 1000)
	require.Len(t, rowsIn(t, s, "b"), 1000)
	before := table.Partitioning
	require.NoError(t, s.Close())

	s = openRegions(t, Options{Dir: dir})
	require.True(t, before.Equal(settle(t, s).Partitioning), "it stays so")
	require.Len(t, rowsIn(t, s, "b"), 1000)
}

// TestAutoMerge requires that only regions that the store has split are merged
// when they have shrunk.
func TestAutoMerge(t *testing.T) {
	s := openRegions(t, Options{InMemory: true})
	createRanges(t, s)
	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		_, err := c.SplitPartitions("d", "g$a", [][]byte{[]byte("b"), []byte("c")})
		return err
	}))
	fillRows(t, s, "a", "e", 1000)
	require.Greater(t, settle(t, s).Partitioning.Len(), 6)

	tx := kvtest.Begin(s, kv.TxnOptions{})
	for _, row := range rowsIn(t, s, "a")[5:] {
		require.NoError(t, tx.DeleteColumn(t.Context(), tx.Catalog().Table("d", "g$a"), []byte(row), []byte("q")))
	}
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, s.Compact(t.Context(), kvtest.Catalog(s).Table("d", "g$a"), nil))
	table := settle(t, s)
	want, err := partition.NewRange([]string{"p_1", "p_2", "p", "q"}, [][]byte{[]byte("b"), []byte("c"), []byte("m"), nil})
	require.NoError(t, err)
	require.True(t, want.Equal(table.Partitioning), "%v", table.Partitioning)
	require.Empty(t, keyspace.Of(table).AutoSplits)
	require.Len(t, rowsIn(t, s, "a"), 5)
}

// TestLargeRow requires that a row is never split.
func TestLargeRow(t *testing.T) {
	s := openRegions(t, Options{InMemory: true})
	createRanges(t, s)
	tx := kvtest.Begin(s, kv.TxnOptions{})
	value := make([]byte, 3*testRegion)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range value {
		value[i] = byte(random.Uint32())
	}
	for _, q := range []string{"q", "r"} {
		c := kv.Cell{Row: []byte("large"), Qualifier: []byte(q), Timestamp: 1, Value: value}
		require.NoError(t, tx.Put(t.Context(), tx.Catalog().Table("d", "g$a"), c))
	}
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, 2, settle(t, s).Partitioning.Len())
	fillRows(t, s, "a", "l", 20)
	fillRows(t, s, "b", "lb", 20)
	table := settle(t, s)
	at, ok := table.Partitioning.Locate([]byte("large"))
	require.True(t, ok)
	require.True(t, table.Partitioning.Bounds(at).Contains([]byte("large")))
	require.Len(t, rowsIn(t, s, "a"), 22, "20 rows and one of two cells")
}

func TestNoAutoSplit(t *testing.T) {
	s, err := Open(Options{InMemory: true, MaxRegionBytes: -1})
	require.NoError(t, err)
	createRanges(t, s)
	fillRows(t, s, "a", "c", 1000)
	require.NoError(t, s.Flush(t.Context()))
	require.Zero(t, s.regions.asked.Load())
	require.Equal(t, 2, kvtest.Catalog(s).Table("d", "g$a").Partitioning.Len())
	require.NoError(t, s.Close())
}

// TestAutoSplitUnderWriters requires that no transaction fails, and no write is
// lost, if the layout changes between its first write and its commit.
func TestAutoSplitUnderWriters(t *testing.T) {
	s := openRegions(t, Options{InMemory: true})
	createRanges(t, s)
	early := kvtest.Begin(s, kv.TxnOptions{})
	for _, row := range []string{"a", "c000100x", "c200100x", "z"} {
		c := kv.Cell{Row: []byte(row), Qualifier: []byte("early"), Timestamp: 1}
		require.NoError(t, early.Put(t.Context(), early.Catalog().Table("d", "g$a"), c))
	}
	const writers, each = 4, 500
	failed := make(chan error, writers)
	for w := range writers {
		go func() { failed <- writeMany(t.Context(), s, w, each) }()
	}
	for done := 0; done < writers; {
		select {
		case err := <-failed:
			require.NoError(t, err)
			done++
		default:
			require.NoError(t, s.Flush(t.Context()))
		}
	}
	require.Greater(t, settle(t, s).Partitioning.Len(), 6)
	require.NoError(t, early.Commit(t.Context()))
	require.Len(t, rowsIn(t, s, "a"), writers*each+4)
}

func writeMany(ctx context.Context, s *Store, writer, n int) error {
	random := rand.New(rand.NewPCG(3, uint64(writer)))
	value := make([]byte, 1000)
	for i := range n {
		for j := range value {
			value[j] = byte(random.Uint32())
		}
		c := kv.Cell{Row: fmt.Appendf(nil, "c%d%05d", writer, i), Qualifier: []byte("q"), Timestamp: 1, Value: value}
		tx := kvtest.Begin(s, kv.TxnOptions{})
		err := tx.Put(ctx, tx.Catalog().Table("d", "g$a"), c)
		if err == nil {
			err = tx.Commit(ctx)
		}
		tx.Rollback()
		if err != nil {
			return err
		}
	}
	return nil
}

// TestCloseWhileSplitting requires that Close waits for a running look.
func TestCloseWhileSplitting(t *testing.T) {
	for range 10 {
		s := openRegions(t, Options{InMemory: true})
		createRanges(t, s)
		fillRows(t, s, "a", "c", 600)
		require.NoError(t, s.Flush(t.Context()))
		require.NoError(t, s.Close())
	}
}

// TestNoSplitWhileMoving requires that a table whose cells are being moved is
// only split after the move.
func TestNoSplitWhileMoving(t *testing.T) {
	s := openRegions(t, Options{InMemory: true})
	createRanges(t, s)
	fillRows(t, s, "a", "c", 1000)
	scheme, err := partition.NewRange([]string{"p", "q"}, [][]byte{[]byte("c000500"), nil})
	require.NoError(t, err)
	looks, begun := 0, 0
	err = s.Repartition(t.Context(), "d", "g$a", func(table *kv.Table) error {
		table.Partitioning = scheme
		return nil
	}, kv.MoveOptions{Progress: func(p kv.MoveProgress) {
		if p == (kv.MoveProgress{}) {
			begun++
			return
		}
		looks++
		if looks == 1 {
			require.NoError(t, s.Flush(t.Context()))
			require.NoError(t, s.balanceRegions(t.Context()))
			require.Equal(t, 2, kvtest.Catalog(s).Table("d", "g$a").Partitioning.Len())
		}
	}})
	require.NoError(t, err)
	require.Positive(t, looks)
	require.Equal(t, 1, begun)
	require.Greater(t, settle(t, s).Partitioning.Len(), 4)
	require.Len(t, rowsIn(t, s, "a"), 1000)
}
