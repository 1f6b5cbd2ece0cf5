package pebblekv

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// TestDeadCells writes and deletes rows repeatedly: flushes bound the deleted
// entries in memory that reads must step over.
func TestDeadCells(t *testing.T) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	const rounds = 2000
	for round := range rounds {
		putRows(t, s, table, round)
		require.Equal(t, deadRows, seen(t, s, table))
		deleteRows(t, s, table)
		require.Zero(t, seen(t, s, table))
	}
	require.Eventually(t, func() bool { return stored(s) < rounds*deadRows/4 }, time.Minute, time.Millisecond)
}

const deadRows = 50

func putRows(t *testing.T, s *Store, table *kv.Table, round int) {
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for i := range deadRows {
		cell := kv.Cell{Row: fmt.Appendf(nil, "%08d-%d", round, i), Timestamp: 1}
		require.NoError(t, tx.Put(t.Context(), table, cell))
	}
	require.NoError(t, tx.Commit(t.Context()))
}

func seen(t *testing.T, s *Store, table *kv.Table) int {
	tx := kvtest.Begin(s, kv.TxnOptions{})
	defer tx.Rollback()
	n, err := countRows(tx, table)
	require.NoError(t, err)
	return n
}

func deleteRows(t *testing.T, s *Store, table *kv.Table) {
	tx := kvtest.Begin(s, kv.TxnOptions{})
	c, err := tx.Scan(t.Context(), []*kv.Table{table}, &kv.Scan{})
	require.NoError(t, err)
	for c.Next() {
		require.NoError(t, tx.DeleteVersion(t.Context(), table, c.Cell().Row, nil, 1))
	}
	require.NoError(t, c.Close())
	require.NoError(t, tx.Commit(t.Context()))
}

// stored returns how many entries a reader of everything has to look at.
func stored(s *Store) uint64 {
	it, err := s.db.NewIter(&pebble.IterOptions{})
	if err != nil {
		return math.MaxUint64
	}
	for ok := it.First(); ok; ok = it.Next() {
	}
	n := it.Stats().InternalStats.PointCount
	_ = it.Close()
	return n
}

// TestCalmMemory requires that reads cause a flush if many cells are in memory
// and next to nothing is written.
func TestCalmMemory(t *testing.T) {
	s := openMem(t)
	s.engine.Tuning.SeekFlush = 1000
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	write := func(from, to int) {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for i := from; i < to; i++ {
			require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(i), Timestamp: 1}))
		}
		require.NoError(t, tx.Commit(t.Context()))
	}
	const many = 1 << 16
	write(0, many)
	flushes := func() int64 { return s.db.Metrics().Flush.Count }
	for i := range 10_000 { // every tenth writes a cell
		if i%10 == 0 {
			write(many+i, many+i+1)
		}
		readRow(t, s, table, i)
	}
	require.Zero(t, flushes())
	for i := 0; flushes() == 0; i++ {
		require.Less(t, i, 1_000_000)
		readRow(t, s, table, i%many)
	}
}

func readRow(t *testing.T, s *Store, table *kv.Table, i int) {
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	at := kv.Position{Row: row(i), Depth: kv.DepthRow}
	behind := at
	behind.After = true
	c, err := tx.Scan(t.Context(), []*kv.Table{table}, &kv.Scan{Ranges: []kv.Range{{Start: at, End: behind}}})
	require.NoError(t, err)
	require.True(t, c.Next())
	require.NoError(t, c.Close())
}
