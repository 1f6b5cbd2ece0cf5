package index_test

import (
	"context"
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

// fill writes rows with distinct values of a.
func (f *fixture) fill(rows int) {
	f.Helper()
	require.NoError(f, f.write(func(txn kv.Txn, t *kv.Table) error {
		for i := range rows {
			if err := put(f.Context(), txn, t, string([]byte{byte(i >> 8), byte(i)}), 1, fmt.Append(nil, i), []byte("b")); err != nil {
				return err
			}
		}
		return nil
	}))
}

// TestBuildBesideWriters builds indexes while others write to a partitioned table.
func TestBuildBesideWriters(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(kvtest.Layouts()[2].Scheme, kv.Retention{})
	f.fill(3000)
	var over atomic.Bool
	var wg sync.WaitGroup
	for n := range 3 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 1))
			for !over.Load() {
				err := f.write(func(txn kv.Txn, t *kv.Table) error {
					for range 1 + r.IntN(3) {
						row := string([]byte{byte(r.IntN(12)), byte(r.IntN(256))})
						err := put(f.Context(), txn, t, row, 2, fmt.Append(nil, r.Int()), []byte("b"))
						if r.IntN(4) == 0 && err == nil {
							err = txn.DeleteColumn(f.Context(), t, []byte(row), []byte{})
						}
						if err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil && !errors.Is(err, kv.ErrConflict) && !errors.Is(err, kv.ErrCatalogChanged) && !errors.Is(err, kv.ErrDeadlock) {
					f.Errorf("%v", err)
				}
			}
		})
	}
	for _, name := range []string{"plain", "unique", "cells"} {
		var rows int64
		err := index.Build(t.Context(), f.store, f.addIndex(name), index.BuildOptions{Rows: 1000, Progress: func(n int64) {
			require.GreaterOrEqual(t, n, rows)
			rows = n
		}})
		require.NoError(t, err)
		require.Greater(t, rows, int64(1000))
	}
	over.Store(true)
	wg.Wait()
	require.Empty(t, index.UnfinishedIn(f.catalog()))
	f.requireSound()
}

// TestBuildDuplicates requires that a unique index of two rows with the same entry is dropped, with an error
// that names both.
func TestBuildDuplicates(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "plain")
	require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
		for i := range 3 {
			require.NoError(t, put(t.Context(), txn, tb, fmt.Sprintf("r%d", i), 1, []byte("a"), fmt.Append(nil, i/2)))
		}
		return nil
	}))
	err := index.Build(t.Context(), f.store, f.addIndex("unique"), index.BuildOptions{Rows: 1})
	var duplicate *kv.DuplicateEntryError
	require.ErrorAs(t, err, &duplicate)
	require.Equal(t, "r0", string(duplicate.Row))
	require.Len(t, f.catalog().Table("d", "t").Indexes, 1)
	require.Len(t, f.catalog().AllTables("d"), 2)
	f.requireSound()
}

// TestBuildEnds requires that a build that is cancelled, or whose index somebody drops, leaves nothing.
func TestBuildEnds(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{})
	f.fill(500)
	ctx, cancel := context.WithCancel(t.Context())
	err := index.Build(ctx, f.store, f.addIndex("plain"), index.BuildOptions{Rows: 50, Progress: func(int64) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, f.catalog().AllTables("d"), 1)
	err = index.Build(t.Context(), f.store, f.addIndex("plain"), index.BuildOptions{Rows: 50, Progress: func(n int64) {
		if n == 50 {
			f.change(func(c *kv.CatalogChange) error { return c.DropTable("d", "t") })
		}
	}})
	require.ErrorIs(t, err, kv.ErrNoIndex)
	require.Empty(t, f.catalog().AllTables("d"))
}

// TestBuildBegins requires that a transaction that began before an index was added and has written fails, so
// that the build misses nothing, and that one without writes continues.
func TestBuildBegins(t *testing.T) {
	for _, o := range []kv.TxnOptions{{}, {Single: true}} {
		f := open(t, pebblekv.Options{})
		f.withTable(&partition.Scheme{}, kv.Retention{})
		txn := f.begin(o)
		defer txn.Rollback()
		require.NoError(t, put(t.Context(), txn, txn.Catalog().Table("d", "t"), "r1", 1, []byte("a"), nil))
		entries := f.addIndex("plain")
		require.ErrorIs(t, txn.Commit(t.Context()), kv.ErrCatalogChanged)
		require.NoError(t, index.Build(t.Context(), f.store, entries, index.BuildOptions{}))
		f.requireSound()
	}
}

// TestBuildAgain requires that an index that was being built when the store was closed is found, maintained
// by writers, and built from the start.
func TestBuildAgain(t *testing.T) {
	dir := t.TempDir()
	s, err := pebblekv.OpenReopener(pebblekv.Options{Dir: dir})
	require.NoError(t, err)
	f := &fixture{TB: t, store: index.Wrap(s, maker)}
	f.withTable(&partition.Scheme{}, kv.Retention{})
	f.fill(300)
	entries := f.addIndex("unique")
	require.NoError(t, f.store.Close())

	f = open(t, pebblekv.Options{Dir: dir})
	found := index.UnfinishedIn(f.catalog())
	require.Len(t, found, 1)
	require.Equal(t, entries, found[0].Table.Indexes[found[0].Index].Entries)
	require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
		return put(t.Context(), txn, tb, "zz", 1, []byte("new"), []byte("b"))
	}))
	require.NoError(t, index.Build(t.Context(), f.store, entries, index.BuildOptions{}))
	require.Empty(t, index.UnfinishedIn(f.catalog()))
	f.requireSound()
}

// TestBuildPastSnapshot requires that a transaction whose snapshot is older than a row's entries, and which
// cannot see them, removes the row only together with them.
func TestBuildPastSnapshot(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{})
	f.fill(3000)
	var txn kv.Txn
	err := index.Build(t.Context(), f.store, f.addIndex("plain"), index.BuildOptions{Rows: 2000, Progress: func(rows int64) {
		if rows < 2000 {
			txn = f.begin(kv.TxnOptions{})
			txn.Catalog() // takes the snapshot
		} else if rows == 2000 && txn != nil {
			require.NoError(t, txn.DeleteColumn(t.Context(), txn.Catalog().Table("d", "t"), []byte{0, 7}, []byte{}))
			require.ErrorIs(t, txn.Commit(t.Context()), kv.ErrCatalogChanged)
			txn = nil
		}
	}})
	require.NoError(t, err)
	f.requireSound()
}
