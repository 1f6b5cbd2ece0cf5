package index_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/partition"
)

// TestPartitionsGo requires that dropping and truncating partitions and slices of time removes the entries of
// their cells, and restores those of older versions.
func TestPartitionsGo(t *testing.T) {
	for name, drop := range map[string]struct {
		layout kvtest.Layout
		change func(c *kv.CatalogChange) error
	}{
		"Drop":          {kvtest.Layouts()[4], func(c *kv.CatalogChange) error { return c.DropPartitions("d", "t", []int{1, 3}) }},
		"Truncate":      {kvtest.Layouts()[4], func(c *kv.CatalogChange) error { return c.TruncatePartitions("d", "t", []int{1, 3}) }},
		"TruncateKey":   {kvtest.Layouts()[2], func(c *kv.CatalogChange) error { return c.TruncatePartitions("d", "t", []int{1, 3}) }},
		"Leaves":        {kvtest.SlicedLayouts()[3], func(c *kv.CatalogChange) error { return c.TruncateLeaves("d", "t", []int{1, 5}) }},
		"DropSlices":    {kvtest.SlicedLayouts()[0], func(c *kv.CatalogChange) error { return c.DropSlices("d", "t", []int{1}) }},
		"EmptiedSlices": {kvtest.SlicedLayouts()[2], func(c *kv.CatalogChange) error { return c.TruncateSlices("d", "t", []int{2}) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, pebblekv.Options{})
			f.withTable(drop.layout.Scheme, kv.Retention{}, "plain", "unique", "cells")
			require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
				for i := range 200 {
					row := string([]byte{"\x00ab~"[i%4], byte(i)})
					for ts := range int64(1 + i%4) {
						if err := put(t.Context(), txn, tb, row, ts, fmt.Append(nil, i, ts), []byte("b")); err != nil {
							return err
						}
					}
				}
				return nil
			}))
			f.change(drop.change)
			require.Empty(t, index.UnfinishedIn(f.catalog()))
			f.requireSound()
		})
	}
}

// TestPartitionsGoUnderWrites repeatedly truncates partitions while others write rows with unique entries.
func TestPartitionsGoUnderWrites(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(kvtest.Layouts()[4].Scheme, kv.Retention{}, "unique", "cells")
	var over atomic.Bool
	var wg sync.WaitGroup
	for n := range 3 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			for !over.Load() {
				err := f.write(func(txn kv.Txn, tb *kv.Table) error {
					row := string([]byte{"\x00ab~"[r.IntN(4)], byte(r.IntN(40))})
					return put(f.Context(), txn, tb, row, 2, fmt.Append(nil, r.IntN(60)), []byte("b"))
				})
				var duplicate *kv.DuplicateEntryError
				if err != nil && !errors.As(err, &duplicate) && !errors.Is(err, kv.ErrConflict) && !errors.Is(err, kv.ErrCatalogChanged) &&
					!errors.Is(err, kv.ErrDeadlock) {
					f.Errorf("%v", err)
				}
			}
		})
	}
	defer over.Store(true)
	var emptied sync.WaitGroup
	for range 2 {
		emptied.Go(func() {
			for range 10 {
				err := f.store.ChangeCatalog(f.Context(), func(c *kv.CatalogChange) error { return c.TruncatePartitions("d", "t", []int{1, 3}) })
				if err != nil {
					f.Errorf("%v", err)
				}
			}
		})
	}
	emptied.Wait()
	over.Store(true)
	wg.Wait()
	require.Empty(t, index.UnfinishedIn(f.catalog()))
	f.requireSound()
}

// TestStaleUnique requires that a unique entry of a removed row blocks nobody, even before the entry is
// removed, and that one of an existing row does.
func TestStaleUnique(t *testing.T) {
	dir := t.TempDir()
	s, err := pebblekv.OpenReopener(pebblekv.Options{Dir: dir})
	require.NoError(t, err)
	f := &fixture{TB: t, store: index.Wrap(s, maker)}
	f.withTable(kvtest.Layouts()[4].Scheme, kv.Retention{}, "unique")
	insert := func(row, a string) error {
		return f.write(func(txn kv.Txn, tb *kv.Table) error { return put(t.Context(), txn, tb, row, 1, []byte(a), []byte("b")) })
	}
	require.NoError(t, insert("\x00\x00", "x"))
	require.NoError(t, insert("~~", "y"))
	// The store is closed before the index is rebuilt.
	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error { return c.TruncatePartitions("d", "t", []int{0}) }))
	require.NoError(t, insert("~1", "x"))
	var duplicate *kv.DuplicateEntryError
	require.ErrorAs(t, insert("~2", "y"), &duplicate)
	require.NoError(t, f.store.Close())
	f = open(t, pebblekv.Options{Dir: dir})
	found := index.UnfinishedIn(f.catalog())
	require.Len(t, found, 1)
	require.NoError(t, index.Build(t.Context(), f.store, found[0].Table.Indexes[0].Entries, index.BuildOptions{}))
	f.requireSound()
}

// TestExchangeCutShort closes the store between an exchange of cells and the build of the indexes that it made
// stale, with writes in between: the build after the next start gives both tables their entries.
func TestExchangeCutShort(t *testing.T) {
	dir := t.TempDir()
	s, err := pebblekv.OpenReopener(pebblekv.Options{Dir: dir})
	require.NoError(t, err)
	f := &fixture{TB: t, store: index.Wrap(s, maker)}
	f.withTable(kvtest.Layouts()[4].Scheme, kv.Retention{}, "plain", "cells")
	f.change(func(c *kv.CatalogChange) error {
		like := *c.Catalog().Table("d", "t")
		x := kv.Table{Database: "d", Name: "x", MaxRow: like.MaxRow, MaxQualifier: like.MaxQualifier, Value: like.Value, Partitioning: &partition.Scheme{}}
		if _, err := c.CreateTable(x); err != nil {
			return err
		}
		_, err := c.AddIndex("d", "x", kv.Index{Name: "plain"}, kv.Table{MaxRow: 128, MaxQualifier: 64, Partitioning: &partition.Scheme{}})
		return err
	})
	require.NoError(t, index.Build(t.Context(), f.store, f.catalog().Table("d", "x").Indexes[0].Entries, index.BuildOptions{}))
	write := func(rows ...string) {
		require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) (err error) {
			for i, row := range rows {
				if i%2 == 1 {
					tb = txn.Catalog().Table("d", "x")
				}
				err = errors.Join(err, put(t.Context(), txn, tb, row, int64(i), []byte(row), []byte("b")))
			}
			return err
		}))
	}
	write("~1", "~2", "a1", "~3", "~4", "~5")
	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		tb := c.Catalog().Table("d", "t")
		return c.ExchangePartition(tb, tb.Partitioning.NumLeaves()-1, c.Catalog().Table("d", "x"))
	}))
	write("~2", "~1", "~6", "~7")
	require.NoError(t, f.store.Close())
	f = open(t, pebblekv.Options{Dir: dir})
	require.Len(t, index.UnfinishedIn(f.catalog()), 3)
	require.NoError(t, f.store.Finish(t.Context()))
	f.requireSound()
	report, err := index.Check(t.Context(), f.store, f.catalog().Table("d", "x").Indexes[0].Entries)
	require.NoError(t, err)
	require.Empty(t, report.Damage)
	require.EqualValues(t, 3, report.Rows) // ~1, ~4 and ~7
}
