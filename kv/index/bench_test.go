package index_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"syscall"
	"testing"
	"time"

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

var buildRows = flag.Int("build.rows", 100_000, "rows of BenchmarkBuild")

// BenchmarkBuild builds an index of rows of three columns. Load is a bulk load of as many cells as there are
// entries, in the order in which the build meets them; Sorted is one in the order of the cells.
func BenchmarkBuild(b *testing.B) {
	b.Run("Index", func(b *testing.B) {
		f := openDisk(b)
		f.withTable(&partition.Scheme{}, kv.Retention{})
		for n := range *buildRows / 100 {
			f.insert(b, n, 1, false)
		}
		require.NoError(b, f.store.Flush(b.Context()))
		defer reportRows(b)()
		for b.Loop() {
			require.NoError(b, index.Build(b.Context(), f.store, f.addIndex("plain"), index.BuildOptions{}))
			f.change(func(c *kv.CatalogChange) error { return c.DropIndex("d", "t", "plain") })
		}
	})
	for _, order := range []struct {
		name string
		of   func(n int) int
	}{{"Load", func(n int) int { return n * 7919 % 1_000_000_007 }}, {"Sorted", func(n int) int { return n }}} {
		b.Run(order.name, func(b *testing.B) {
			f := openDisk(b)
			f.withTable(&partition.Scheme{}, kv.Retention{})
			defer reportRows(b)()
			for b.Loop() {
				f.loadCells(b, order.of)
			}
		})
	}
}

// openDisk opens a store on the disk.
func openDisk(b *testing.B) *fixture {
	return open(b, pebblekv.Options{Dir: b.TempDir()})
}

// loadCells loads cells that are as long as the entries of BenchmarkBuild.
func (f *fixture) loadCells(b *testing.B, of func(n int) int) {
	var row []byte
	_, err := f.store.BulkLoad(b.Context(), []*kv.Table{f.catalog().Table("d", "t")}, func(yield func(kv.Cell, error) bool) {
		for n := range *buildRows {
			row = fmt.Appendf(row[:0], "value %010d the other column, row %06d", of(n), n)
			if !yield(kv.Cell{Row: row, Timestamp: 1, Value: []byte{}}, nil) {
				return
			}
		}
	}, kv.BulkOptions{})
	require.NoError(b, err)
}

// reportRows returns a function that reports the time, and the processor time, of each row.
func reportRows(b *testing.B) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	return func() {
		rows := float64(b.N * *buildRows)
		b.ReportMetric(float64(b.Elapsed())/rows, "ns/row")
		b.ReportMetric(float64(used()-before)/rows, "cpu-ns/row")
	}
}
