package pebblekv

import (
	"encoding/binary"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

func tableNamed(t *testing.T, s *Store, name string) *kv.Table {
	t.Helper()
	table := s.catalog().Table("d", name)
	require.NotNil(t, table)
	return table
}

func count(t *testing.T, s *Store, table *kv.Table, n uint64) uint64 {
	t.Helper()
	first, err := s.Count(t.Context(), table, n)
	require.NoError(t, err)
	return first
}

// TestCounters uses counters of tables that are closed, renamed, truncated and dropped.
func TestCounters(t *testing.T) {
	o := Options{Dir: "d", FS: vfs.NewMem()}
	s, err := Open(o)
	require.NoError(t, err)
	a, b := createTable(t, s, "g", "a", &partition.Scheme{}), createTable(t, s, "h", "b", &partition.Scheme{})
	require.EqualValues(t, 1, count(t, s, a, 3))
	require.EqualValues(t, 4, count(t, s, a, 1000))
	require.EqualValues(t, 1, count(t, s, b, 1), "each table has its own")
	require.NoError(t, s.CountFrom(t.Context(), a, 2000))
	require.NoError(t, s.CountFrom(t.Context(), a, 7), "which is behind it")
	require.EqualValues(t, 2000, count(t, s, a, 1))

	require.NoError(t, s.Close())
	_, err = s.Count(t.Context(), a, 1)
	require.ErrorIs(t, err, kv.ErrClosed)
	s, err = Open(o)
	require.NoError(t, err)
	a = tableNamed(t, s, "g$a")
	next, err := s.NextCount(a)
	require.NoError(t, err)
	require.EqualValues(t, 2001, next, "a store that was closed has no gap")

	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		renamed := *a
		renamed.Group, renamed.Name = "x", "x$a"
		return c.AlterTable(renamed)
	}))
	renamed := tableNamed(t, s, "x$a")
	require.EqualValues(t, 2001, count(t, s, renamed, 1))
	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error { return c.TruncateTable("d", "x$a") }))
	require.EqualValues(t, 1, count(t, s, tableNamed(t, s, "x$a"), 1))
	_, err = s.Count(t.Context(), renamed, 1000)
	require.ErrorIs(t, err, kv.ErrCatalogChanged, "that counter is gone")
	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error { return c.DropTable("d", "x$a") }))
	require.Equal(t, []string{"counter/2/0"}, counterRecords(t, s))
	require.NoError(t, s.Close())

	o.ReadOnly = true
	s, err = Open(o)
	require.NoError(t, err)
	_, err = s.Count(t.Context(), b, 1)
	require.ErrorIs(t, err, kv.ErrReadOnly)
	next, err = s.NextCount(b)
	require.NoError(t, err)
	require.EqualValues(t, 2, next)
	require.NoError(t, s.Close())
}

func counterRecords(t *testing.T, s *Store) (out []string) {
	t.Helper()
	it, err := s.db.NewIter(nil)
	require.NoError(t, err)
	for ok := it.First(); ok; ok = it.Next() {
		if key := string(it.Key()); len(key) > 12 && key[4:12] == "counter/" {
			out = append(out, key[4:])
		}
	}
	require.NoError(t, it.Close())
	return out
}

// TestCounterEnd takes the last numbers.
func TestCounterEnd(t *testing.T) {
	s, err := Open(Options{Dir: "d", InMemory: true})
	require.NoError(t, err)
	a := createTable(t, s, "g", "a", &partition.Scheme{})
	require.NoError(t, s.CountFrom(t.Context(), a, kv.MaxCount-1))
	_, err = s.Count(t.Context(), a, 3)
	require.ErrorIs(t, err, kv.ErrCounterEnd)
	require.EqualValues(t, uint64(kv.MaxCount-1), count(t, s, a, 2))
	_, err = s.Count(t.Context(), a, 1)
	require.ErrorIs(t, err, kv.ErrCounterEnd)
	require.NoError(t, s.CountFrom(t.Context(), a, 1<<64-1))
	_, err = s.Count(t.Context(), a, 1)
	require.ErrorIs(t, err, kv.ErrCounterEnd)
	require.NoError(t, s.Close())
}

// TestCountersTogether counts in many goroutines: no number comes twice.
func TestCountersTogether(t *testing.T) {
	s, err := Open(Options{Dir: "d", InMemory: true})
	require.NoError(t, err)
	a := createTable(t, s, "g", "a", &partition.Scheme{})
	var all sync.Map
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for n := range uint64(200) {
				first, err := s.Count(t.Context(), a, n%4+1)
				if err != nil {
					t.Error(err)
				}
				for i := range n%4 + 1 {
					if _, twice := all.LoadOrStore(first+i, true); twice {
						t.Error(first+i, "came twice")
					}
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, s.Close())
}

// TestCountersAfterPowerLoss cuts the power at any moment: no number of a row that survives
// comes again.
func TestCountersAfterPowerLoss(t *testing.T) {
	r := seed(t)
	for _, sync := range []bool{true, false} {
		fs := newCrashable()
		s, err := Open(Options{Dir: "d", FS: fs, Sync: sync})
		require.NoError(t, err)
		table := createTable(t, s, "g", "a", &partition.Scheme{})
		var images []*vfs.MemFS
		for range 60 {
			tx := kvtest.Begin(s, kv.TxnOptions{})
			n := uint64(1 + r.IntN(100))
			first := count(t, s, table, n)
			for i := range n {
				require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: binary.BigEndian.AppendUint64(nil, first+i)}))
			}
			if r.IntN(5) == 0 {
				require.NoError(t, s.Flush(t.Context()))
			}
			require.NoError(t, tx.Commit(t.Context()))
			images = append(images, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r}))
		}
		require.NoError(t, s.Close())
		for _, image := range images {
			requireNewNumber(t, image)
		}
	}
}

// requireNewNumber opens a store as it was left, and requires a number that no row has.
func requireNewNumber(t *testing.T, left *vfs.MemFS) {
	t.Helper()
	s, err := Open(Options{Dir: "d", FS: left})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	tables := s.catalog().Tables("d")
	if len(tables) == 0 {
		return // the power failed before the table existed
	}
	tx := kvtest.Begin(s, kv.TxnOptions{})
	defer tx.Rollback()
	cells := readAll(t, tx, tables, &kv.Scan{})
	var rows []uint64
	for _, c := range cells {
		rows = append(rows, binary.BigEndian.Uint64(c.Row))
	}
	if next := count(t, s, tables[0], 1); len(rows) > 0 {
		require.Greater(t, next, slices.Max(rows))
	}
}
