package index_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/partition"
)

// BenchmarkInsert puts rows of three columns, 100 in a transaction, into a table with some indexes of
// them; Two is as many rows again in the place of indexes. Found is what SQL does: it knows what a row has.
func BenchmarkInsert(b *testing.B) {
	for _, each := range []struct {
		name    string
		rows    int
		found   bool
		indexes []string
	}{{"None", 1, false, nil}, {"Plain", 1, false, []string{"plain"}}, {"PlainFound", 1, true, []string{"plain"}},
		{"UniqueFound", 1, true, []string{"unique"}}, {"PlainUniqueFound", 1, true, []string{"plain", "unique"}},
		{"Two", 2, false, nil}} {
		b.Run(each.name, func(b *testing.B) {
			f := open(b, pebblekv.Options{})
			f.withTable(&partition.Scheme{}, kv.Retention{}, each.indexes...)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				f.insert(b, n, each.rows, each.found)
				n++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*100), "ns/row")
		})
	}
}

// insert puts 100 rows, or several times as many.
func (f *fixture) insert(b *testing.B, n, times int, found bool) {
	txn := f.begin(kv.TxnOptions{Single: true})
	defer txn.Rollback()
	t := txn.Catalog().Table("d", "t")
	for i := range 100 * times {
		row := binary.BigEndian.AppendUint64(nil, uint64(n*1000+i))
		value := fmt.Appendf(nil, "value %d", (n*1000+i)*7919%1_000_000_007)
		if found {
			require.NoError(b, txn.LockRow(b.Context(), t, row, kv.RowLock{}))
			require.NoError(b, txn.(kv.Indexed).Found(t, row, nil))
		}
		require.NoError(b, put(b.Context(), txn, t, string(row), 1, value, []byte("the other column")))
		require.NoError(b, txn.(kv.Indexed).Settle(b.Context(), t, row))
	}
	require.NoError(b, txn.Commit(b.Context()))
}
