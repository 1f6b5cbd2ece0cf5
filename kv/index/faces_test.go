package index_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/partition"
)

// TestClients requires that the operations of HBase's clients maintain entries, and that an
// operation changes nothing if a row would take another row's entry in a unique index.
func TestClients(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "plain", "unique", "cells")
	client, name, family := rowapi.New(f.store, rowapi.Options{}), rowapi.TableName{Namespace: "d", Name: "t"}, rowapi.SoleFamily
	row := func(row, a string) *rowapi.Put {
		return rowapi.NewPut([]byte(row)).AddAt(family, []byte{}, 1, nil).AddAt(family, []byte("a"), 1, []byte(a)).
			AddAt(family, []byte("b"), 1, []byte("b"))
	}
	require.NoError(t, client.Put(t.Context(), name, row("r1", "x")))
	f.requireSound()
	err := client.Put(t.Context(), name, row("r2", "x"))
	var duplicate *kv.DuplicateEntryError
	require.ErrorAs(t, err, &duplicate)
	require.Equal(t, "r1", string(duplicate.Row))
	f.requireSound()
	require.NoError(t, client.Put(t.Context(), name, row("r2", "y")))
	_, err = client.Increment(t.Context(), name, rowapi.NewIncrement([]byte("r3")).Add(family, []byte("n"), 5))
	require.NoError(t, err)
	f.requireSound()
	require.NoError(t, client.Delete(t.Context(), name, rowapi.NewDelete([]byte("r1"))))
	require.NoError(t, client.Put(t.Context(), name, row("r4", "x")))
	f.requireSound()
	brief := row("r5", "z")
	brief.TTL = time.Second
	require.ErrorIs(t, client.Put(t.Context(), name, brief), rowapi.ErrUnsupported)
	f.requireSound()
}

// TestExpired requires that an expired row has no entry and is no duplicate, before and after its
// cells are collected, and that a rewritten row stays.
func TestExpired(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{TTLSeconds: 10}, "plain", "unique")
	insert := func(row string) error {
		return f.write(func(txn kv.Txn, tb *kv.Table) error {
			return put(t.Context(), txn, tb, row, f.now.Load(), []byte("a"), []byte("b"))
		})
	}
	require.NoError(t, insert("r1"))
	f.now.Add(9_000)
	var duplicate *kv.DuplicateEntryError
	require.ErrorAs(t, insert("r2"), &duplicate)
	require.NoError(t, insert("r1"))
	f.now.Add(9_000)
	require.ErrorAs(t, insert("r2"), &duplicate, "r1 has been written again")
	f.requireSound()
	f.now.Add(2_000)
	f.requireSound()
	require.NoError(t, insert("r2"))
	f.requireSound()
	require.NoError(t, f.store.Flush(t.Context()))
	for _, each := range f.catalog().AllTables("d") {
		_, err := f.store.Collect(t.Context(), each.Database, each.Name, kv.CollectOptions{})
		require.NoError(t, err)
	}
	f.requireSound()
	f.now.Add(11_000)
	f.requireSound()
	require.NoError(t, insert("r1"))
	f.requireSound()
}

// TestPowerLoss requires that entries match the rows after a power failure at any moment of
// writes and of a build.
func TestPowerLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 6 {
		fs := vfs.NewCrashableMem()
		f := open(t, pebblekv.Options{Dir: "d", FS: fs, Sync: round%2 == 0})
		f.withTable(&partition.Scheme{}, kv.Retention{}, "plain", "cells")
		var left []*vfs.MemFS
		lose := func() {
			if r.IntN(15) == 0 {
				left = append(left, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r}))
			}
		}
		for i := range 60 {
			require.NoError(t, f.write(func(txn kv.Txn, tb *kv.Table) error {
				for range 5 {
					row := fmt.Sprintf("r%c", 'a'+r.IntN(26))
					if err := put(t.Context(), txn, tb, row, int64(i), fmt.Append(nil, r.IntN(9), row), []byte("b")); err != nil {
						return err
					}
				}
				return nil
			}))
			lose()
		}
		require.NoError(t, index.Build(t.Context(), f.store, f.addIndex("unique"), index.BuildOptions{Rows: 2, Progress: func(int64) { lose() }}))
		for _, fs := range append(left, fs.CrashClone(vfs.CrashCloneCfg{})) {
			again := open(t, pebblekv.Options{Dir: "d", FS: fs})
			for _, each := range index.UnfinishedIn(again.catalog()) {
				require.NoError(t, index.Build(t.Context(), again.store, each.Table.Indexes[each.Index].Entries, index.BuildOptions{}))
			}
			if again.catalog().Table("d", "t") != nil {
				again.requireSound()
			}
		}
	}
}
