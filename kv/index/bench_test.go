package index_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/partition"
)

// BenchmarkInsert puts rows of three columns, 100 in a transaction, into a table with several indexes on
// them; Two puts twice as many rows instead of having indexes. Found works like SQL: it knows what a row
// has.
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

// insert puts 100 rows, times times.
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

// BenchmarkBuild builds an index of rows of three columns; Load is a bulk load of as many cells as there
// are entries.
func BenchmarkBuild(b *testing.B) {
	const rows = 100_000
	b.Run("Index", func(b *testing.B) {
		f := open(b, pebblekv.Options{})
		f.withTable(&partition.Scheme{}, kv.Retention{})
		for n := range rows / 100 {
			f.insert(b, n, 1, false)
		}
		for b.Loop() {
			require.NoError(b, index.Build(b.Context(), f.store, f.addIndex("plain"), index.BuildOptions{}))
			f.change(func(c *kv.CatalogChange) error { return c.DropIndex("d", "t", "plain") })
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
	})
	b.Run("Load", func(b *testing.B) {
		f := open(b, pebblekv.Options{})
		f.withTable(&partition.Scheme{}, kv.Retention{})
		for b.Loop() {
			_, err := f.store.BulkLoad(b.Context(), []*kv.Table{f.catalog().Table("d", "t")}, func(yield func(kv.Cell, error) bool) {
				for n := range rows {
					row := fmt.Appendf(nil, "value %d the other column and a row", n*7919%1_000_000_007)
					if !yield(kv.Cell{Row: row, Timestamp: 1, Value: []byte{}}, nil) {
						return
					}
				}
			}, kv.BulkOptions{})
			require.NoError(b, err)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
	})
}
