package pebblekv

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/txn"
	"github.com/hbasekv/hbasekv/partition"
)

// TestBulkLoadBesideDeletedRange requires that a load waits for a transaction that has deleted, and so
// locked, a range as a whole only if the range reaches in between the load's rows.
func TestBulkLoadBesideDeletedRange(t *testing.T) {
	minDeleted := txn.MinDeleted
	txn.MinDeleted = 1
	t.Cleanup(func() { txn.MinDeleted = minDeleted })
	s, err := Open(Options{InMemory: true, LockTimeout: 20 * time.Millisecond})
	require.NoError(t, err)
	defer s.Close()
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	load := func(rows ...string) error {
		var cells []kv.Cell
		for i, row := range rows {
			cells = append(cells, kv.Cell{Row: []byte(row), Timestamp: int64(i)})
		}
		_, err := s.BulkLoad(t.Context(), []*kv.Table{table}, cellSeq(cells), kv.BulkOptions{LockTimeout: 20 * time.Millisecond})
		return err
	}
	require.NoError(t, load("b", "m"))
	tx := kvtest.Begin(s, kv.TxnOptions{})
	row := func(key string) kv.Position { return kv.Position{Depth: kv.DepthRow, Row: []byte(key)} }
	done, err := tx.(kv.RangeDeleter).DeleteRanges(t.Context(), table, &kv.Scan{Ranges: []kv.Range{{Start: row("b"), End: row("n")}}})
	require.NoError(t, err)
	require.True(t, done.Done)
	for _, waits := range [][]string{{"b"}, {"mm"}, {"z", "a"}, {"d", "zz", "e"}} {
		require.ErrorIs(t, load(waits...), kv.ErrLockTimeout, waits)
	}
	for _, free := range [][]string{{"n"}, {"z", "o", "p"}, {"", "a"}, {"azzz"}} {
		require.NoError(t, load(free...), free)
	}
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, load("b", "mm"))
}
