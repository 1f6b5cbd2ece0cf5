package index_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/partition"
)

// TestIsolate gives ranges of entries partitions of their own: splits, merges and few beyond the ones of many earlier
// exchanges. The entries stay those of the rows.
func TestIsolate(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "unique")
	require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) (err error) {
		for i := range 100 {
			row := fmt.Sprintf("%02d", i)
			for _, q := range []string{"", "a", "b"} {
				err = errors.Join(err, txn.Put(t.Context(), tb, kv.Cell{Row: []byte(row), Qualifier: []byte(q), Value: []byte(row)}))
			}
		}
		return err
	}))
	entries := func() *kv.Table { return f.catalog().TableByID(f.catalog().Table("d", "t").Indexes[0].Entries) }
	isolate := func(from, to string, parts int) {
		t.Helper()
		l := index.Local{Index: "unique"}
		if to != "" {
			l.Entries = partition.RowRange{Start: []byte("\x01" + from), End: []byte("\x01" + to)}
		}
		require.NoError(t, index.Isolate(t.Context(), f.store, f.catalog().Table("d", "t"), l, kv.MoveOptions{}))
		require.Equal(t, parts, entries().Partitioning.Len())
		f.requireSound()
	}
	isolate("20", "30", 3)
	isolate("40", "50", 5)
	isolate("20", "30", 5)
	isolate("10", "45", 4) // below 10, up to 45, up to 50, and others
	f.change(func(c *kv.CatalogChange) error {
		var points [][]byte
		for i := range 600 {
			points = append(points, fmt.Appendf(nil, "\x01%03d", i))
		}
		_, err := c.SplitPartitions("d", entries().Name, points)
		return err
	})
	isolate("07", "72", 3)
	isolate("", "", 1)
	require.False(t, entries().Partitioning.Partitioned())
	f.change(func(c *kv.CatalogChange) error { return c.DropIndex("d", "t", "unique") })
	l := index.Local{Index: "unique"}
	require.ErrorIs(t, index.Isolate(t.Context(), f.store, f.catalog().Table("d", "t"), l, kv.MoveOptions{}), kv.ErrCatalogChanged)
}
