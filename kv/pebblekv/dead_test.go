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

// TestDeadCells: rows that come and go leave no more in memory to step over than
// some reads are worth; without a flush it would be all that there ever were.
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
	require.Eventually(t, func() bool { return stored(s) < rounds*deadRows/4 }, 10*time.Second, time.Millisecond)
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

// stored is how many entries a reader of everything has to look at.
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
