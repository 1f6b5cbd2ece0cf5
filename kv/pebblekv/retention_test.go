package pebblekv

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// TestRetentionReads bounds the work of reads of a table with a retention: expired
// partitions and blocks are not read, and reading the newest versions takes no
// more than in a table that keeps everything.
func TestRetentionReads(t *testing.T) {
	clock := &handClock{}
	clock.ms.Store(10_500)
	s := openCollecting(t, clock)
	table := slicedTable(t, s, &partition.Scheme{}, 100, 5)
	latest, all := kv.Scan{Ordered: true, MaxVersions: 1}, kv.Scan{Ordered: true}
	const live = 5 * 500 // 5 slices of 100 versions of 5 columns
	cells, newest := readStats(t, s, table, latest)
	require.Equal(t, 5, cells)
	for _, c := range []struct {
		name      string
		retention kv.Retention
		scan      kv.Scan
		cells     int
		want      kv.ScanStats
	}{
		{"ttl", kv.Retention{TTLSeconds: 1}, all, live, kv.ScanStats{Cells: live, Seeks: 5, Partitions: 5}},
		{"latest with versions", kv.Retention{MaxVersions: 3}, latest, 5, newest},
		{"latest with ttl of some", kv.Retention{TTLSeconds: 1, MinVersions: 1}, latest, 5, newest},
		{"old partitions", kv.Retention{TTLSeconds: 1}, kv.Scan{Ordered: true, Slices: []int{0, 1, 94}}, 0, kv.ScanStats{}},
	} {
		retain(t, s, table.Name, c.retention)
		cells, stats := readStats(t, s, table, c.scan)
		require.Equal(t, c.cells, cells, c.name)
		require.Equal(t, c.want, stats, c.name)
	}
}

// TestRetentionSkipsBlocks requires that rows that were written together, and so
// expire together, are skipped without being read.
func TestRetentionSkipsBlocks(t *testing.T) {
	clock := &handClock{}
	s := openCollecting(t, clock)
	createTable(t, s, "g", "a", &partition.Scheme{})
	table := retain(t, s, "g$a", kv.Retention{TTLSeconds: 1, MaxVersions: 3})
	const rows = 20_000
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for i := range rows {
		c := kv.Cell{Row: formatRow(i), Timestamp: int64(i), Value: make([]byte, 100)}
		require.NoError(t, tx.Put(t.Context(), table, c))
	}
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, s.Flush(t.Context()))
	clock.ms.Store(1000 + rows*3/4)
	cells, stats := readStats(t, s, table, kv.Scan{MaxVersions: 1})
	require.Equal(t, rows/4, cells)
	require.Less(t, stats.Cells, int64(rows/3))
}
