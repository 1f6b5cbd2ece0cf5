package pebblekv

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// putValues commits rows of one cell with values of some bytes.
func putValues(t *testing.T, s *Store, table *kv.Table, rows, bytes int) {
	t.Helper()
	tx := kvtest.Begin(s, kv.TxnOptions{})
	defer tx.Rollback()
	for i := range rows {
		require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(i), Timestamp: 1, Value: make([]byte, bytes)}))
	}
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, s.Flush(t.Context()))
}

// misses returns how many blocks have been read from files. Reading the figures reads some, too.
func misses(t *testing.T, s *Store) (n float64) {
	t.Helper()
	figures, err := s.Figures(t.Context())
	require.NoError(t, err)
	for _, f := range figures {
		if f.Name == "block_cache_misses_total" {
			n = f.Value
		}
	}
	return n
}

// TestBlocksStayCached requires that what has been read is in the cache also after much has been written, when
// memtables have grown to their full size, which Pebble takes out of the cache.
func TestBlocksStayCached(t *testing.T) {
	s := openMem(t)
	large, table := createTable(t, s, "h", "b", &partition.Scheme{}), createTable(t, s, "g", "a", &partition.Scheme{})
	for range 3 {
		putValues(t, s, large, 25, 1<<20)
	}
	const rows = 5000
	putValues(t, s, table, rows, 200)
	reader := kvtest.Begin(s, kv.TxnOptions{})
	defer reader.Rollback()
	missed := 0.0
	for range 100 { // the cache is fitted, and files are compacted, soon after a flush
		alone := misses(t, s)
		before := misses(t, s)
		n, err := countRows(reader, table)
		require.NoError(t, err)
		require.Equal(t, rows, n)
		if missed = misses(t, s) - before - (before - alone); missed <= 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	require.Zero(t, missed, "blocks are read again each time")
}
