package index_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/partition"
)

// cellsOf yields rows with their columns a and b, and then an error if it is not nil.
func cellsOf(ts int64, failed error, rows ...[3]string) iter.Seq2[kv.Cell, error] {
	return func(yield func(kv.Cell, error) bool) {
		for _, r := range rows {
			for i, q := range []string{"", "a", "b"} {
				value := []byte(r[i])
				if i == 0 {
					value = []byte{}
				}
				if !yield(kv.Cell{Row: []byte(r[0]), Qualifier: []byte(q), Timestamp: ts, Value: value}, nil) {
					return
				}
			}
		}
		if failed != nil {
			yield(kv.Cell{}, failed)
		}
	}
}

func (f *fixture) load(cells iter.Seq2[kv.Cell, error]) (kv.BulkStats, error) {
	f.Helper()
	return f.store.BulkLoad(f.Context(), []*kv.Table{f.catalog().Table("d", "t")}, cells, kv.BulkOptions{})
}

// TestBulkLoad loads rows into a table with indexes: new ones, and replacements of existing ones, which may
// swap unique values; all or none of them.
func TestBulkLoad(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(&partition.Scheme{}, kv.Retention{}, "plain", "unique", "cells")
	stats, err := f.load(cellsOf(1, nil, [3]string{"r2", "x", "2"}, [3]string{"r1", "x", "1"}))
	require.NoError(t, err)
	require.Equal(t, int64(6), stats.Cells)
	f.requireSound()
	_, err = f.load(cellsOf(2, nil, [3]string{"r1", "x", "2"}, [3]string{"r2", "x", "1"}, [3]string{"r3", "", ""},
		[3]string{"r1", "x", "4"}, [3]string{"r2", "x", "2"}))
	require.NoError(t, err)
	f.requireSound()
	var duplicate *kv.DuplicateEntryError
	_, err = f.load(cellsOf(3, nil, [3]string{"r5", "x", "5"}, [3]string{"r6", "x", "2"}))
	require.ErrorAs(t, err, &duplicate)
	require.Equal(t, "r2", string(duplicate.Row))
	source := errors.New("the source is broken")
	_, err = f.load(cellsOf(3, source, [3]string{"r5", "x", "5"}))
	require.Equal(t, source, err)
	txn := f.begin(kv.TxnOptions{ReadOnly: true})
	defer txn.Rollback()
	all, err := read(t.Context(), txn, txn.Catalog().Table("d", "t"), &kv.Scan{})
	require.NoError(t, err)
	require.Len(t, all, 15, "three rows, two of them in two versions")
	f.requireSound()
}

// TestBulkLoadBesideWriters loads rows that others write.
func TestBulkLoadBesideWriters(t *testing.T) {
	f := open(t, pebblekv.Options{})
	f.withTable(kvtest.Layouts()[2].Scheme, kv.Retention{}, "plain", "unique", "cells")
	var over atomic.Bool
	var wg sync.WaitGroup
	for n := range 2 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 9))
			for !over.Load() {
				err := f.write(func(txn kv.Txn, tb *kv.Table) error {
					return put(f.Context(), txn, tb, fmt.Sprintf("%02d", r.IntN(100)), 2, fmt.Append(nil, r.Int()),
						[]byte("b"))
				})
				if err != nil && !errors.Is(err, kv.ErrConflict) && !errors.Is(err, kv.ErrDeadlock) {
					f.Errorf("%v", err)
				}
			}
		})
	}
	for n := range 20 {
		var rows [][3]string
		for i := range 50 {
			rows = append(rows, [3]string{fmt.Sprintf("%02d", (i*7+n)%100), fmt.Sprint(n, i), "b"})
		}
		_, err := f.load(cellsOf(int64(3+n), nil, rows...))
		if !errors.Is(err, kv.ErrDeadlock) {
			require.NoError(t, err)
		}
	}
	over.Store(true)
	wg.Wait()
	f.requireSound()
}
