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

// hundred writes the rows 00 to 99, whose entries begin with X'01' and the row.
func (f *fixture) hundred() {
	f.Helper()
	require.NoError(f, f.write(func(txn kv.Txn, tb *kv.Table) (err error) {
		for i := range 100 {
			row := fmt.Sprintf("%02d", i)
			for _, q := range []string{"", "a", "b"} {
				err = errors.Join(err, txn.Put(f.Context(), tb, kv.Cell{Row: []byte(row), Qualifier: []byte(q), Value: []byte(row)}))
			}
		}
		return err
	}))
}

// TestWithout removes rows with their entries without making the index stale, which it otherwise is until a rebuild.
func TestWithout(t *testing.T) {
	layout, err := partition.NewSplit([][]byte{[]byte("20"), []byte("50")})
	require.NoError(t, err)
	f := open(t, pebblekv.Options{})
	f.withTable(layout, kv.Retention{}, "unique")
	f.hundred()
	remove := func(local bool, from, to string, which int) (rows int64) {
		t.Helper()
		l := index.Local{Index: "unique", Entries: partition.RowRange{Start: []byte("\x01" + from), End: []byte("\x01" + to)}}
		if to == "" {
			l.Entries.End = nil
		}
		require.NoError(t, f.store.Full.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error { // which builds nothing
			locals := []index.Local{l}
			if !local {
				locals = nil
			}
			return index.Without(c, c.Catalog().Table("d", "t"), locals, func() error {
				return c.TruncatePartitions("d", "t", []int{which})
			})
		}))
		of := f.catalog().Table("d", "t").Indexes[0]
		require.Equal(t, !local, of.Building)
		report, err := index.Check(t.Context(), f.store, of.Entries)
		require.NoError(t, err)
		require.Empty(t, report.Damage)
		return report.Rows
	}
	require.EqualValues(t, 70, remove(true, "20", "50", 1))
	require.EqualValues(t, 20, remove(true, "50", "", 2))
	f.hundred()
	require.EqualValues(t, 70, remove(true, "20", "50", 1))
	require.EqualValues(t, 50, remove(false, "", "", 0))
}

// TestIsolate gives ranges of entries partitions of their own: splits, merges and few beyond the ones of many earlier
// exchanges. The entries stay those of the rows.
func TestIsolate(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "unique")
	f.hundred()
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
