package pebblekv

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// TestDeleteColumnsInOrder deletes columns in order, with moves, other reads and undone deletions
// in between: the position from the last column must not be reused then.
func TestDeleteColumnsInOrder(t *testing.T) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for i := range 8 {
		require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: formatRow(i), Timestamp: 1}))
	}
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, s.Flush(t.Context()))

	tx, other := kvtest.Begin(s, kv.TxnOptions{}), kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	left := func() (rows []string) {
		for _, c := range readAll(t, tx, []*kv.Table{table}, &kv.Scan{Ordered: true}) {
			rows = append(rows, string(c.Row))
		}
		return rows
	}
	remove := func(rows ...int) {
		for _, i := range rows {
			require.NoError(t, tx.DeleteColumn(t.Context(), table, formatRow(i), nil))
		}
	}
	tx.Now()
	other.Now()
	remove(0, 1)
	require.Len(t, readAll(t, other, []*kv.Table{table}, &kv.Scan{Ordered: true}), 8)
	remove(2, 3)
	require.Equal(t, []string{string(formatRow(4)), string(formatRow(5)), string(formatRow(6)), string(formatRow(7))}, left())

	remove(4)
	before := tx.Savepoint()
	remove(5)
	tx.RollbackTo(before)
	require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: formatRow(9), Timestamp: 1}))
	remove(9)
	require.Equal(t, []string{string(formatRow(5)), string(formatRow(6)), string(formatRow(7))}, left())
	tx.Rollback()
	other.Rollback()
}
