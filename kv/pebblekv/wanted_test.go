package pebblekv

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// TestUnwantedIsLeftOut requires that few more than one unwanted cell of each row is
// returned, whether rows have few columns or many, which are sought past.
func TestUnwantedIsLeftOut(t *testing.T) {
	for _, columns := range []int{5, 400} {
		s := openMem(t)
		const rows = 600
		table := createTable(t, s, "g", "f", &partition.Scheme{})
		tx, err := s.Begin(t.Context(), kv.TxnOptions{})
		require.NoError(t, err)
		for row := range rows {
			for q := range columns {
				require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: fmt.Appendf(nil, "r%04d", row), Qualifier: fmt.Appendf(nil, "q%03d", q)}))
			}
		}
		require.NoError(t, tx.Commit(t.Context()))
		tx, err = s.Begin(t.Context(), kv.TxnOptions{})
		require.NoError(t, err)
		defer tx.Rollback()
		c, err := tx.Scan(t.Context(), []*kv.Table{table}, &kv.Scan{Wanted: []kv.QualifierRange{{Start: []byte("q003"), End: []byte("q003\x00")}}})
		require.NoError(t, err)
		defer c.Close()
		var batch kv.Batch
		given := 0
		for c.(kv.Batcher).NextBatch(&batch, 1000) {
			given += batch.Len()
		}
		require.NoError(t, c.Err())
		require.Less(t, given, rows*3)
		if columns > 5 {
			require.Less(t, c.Stats().Cells, int64(rows*columns/4))
		}
	}
}
