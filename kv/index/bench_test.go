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
// them; Two is as many rows again in the place of indexes.
func BenchmarkInsert(b *testing.B) {
	for _, each := range []struct {
		name    string
		rows    int
		indexes []string
	}{{"None", 1, nil}, {"Plain", 1, []string{"plain"}}, {"Unique", 1, []string{"unique"}},
		{"PlainUnique", 1, []string{"plain", "unique"}}, {"Two", 2, nil}} {
		b.Run(each.name, func(b *testing.B) {
			f := open(b, pebblekv.Options{})
			f.withTable(&partition.Scheme{}, kv.Retention{}, each.indexes...)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				f.insert(b, n, each.rows)
				n++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*100), "ns/row")
		})
	}
}

// insert puts 100 rows, or several times as many.
func (f *fixture) insert(b *testing.B, n, times int) {
	txn := f.begin(kv.TxnOptions{Single: true})
	defer txn.Rollback()
	t := txn.Catalog().Table("d", "t")
	for i := range 100 * times {
		row := binary.BigEndian.AppendUint64(nil, uint64(n*1000+i))
		value := fmt.Appendf(nil, "value %d", (n*1000+i)*7919%1_000_003)
		require.NoError(b, put(b.Context(), txn, t, string(row), 1, value, []byte("the other column")))
		require.NoError(b, txn.(kv.Indexed).Settle(b.Context(), t, row))
	}
	require.NoError(b, txn.Commit(b.Context()))
}
