package pebblekv

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// TestLargeTransactionReadersMemory opens readers of a large transaction, each after a few writes, and writes much more
// after each: a reader keeps the few writes, not the memory in which they came.
func TestLargeTransactionReadersMemory(t *testing.T) {
	const readers, few, many = 8, 100, 10_000
	s, err := Open(Options{Dir: t.TempDir(), TxnMemory: 16 << 20})
	require.NoError(t, err)
	defer s.Close()
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	tx := kvtest.Begin(s, kv.TxnOptions{})
	defer tx.Rollback()
	written := 0
	put := func(n int) {
		for range n {
			written++
			require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: fmt.Appendf(nil, "row%07d", written), Timestamp: 1, Value: make([]byte, 100)}))
		}
	}
	read := func() kv.Cursor {
		cur, err := tx.Scan(t.Context(), []*kv.Table{table}, &kv.Scan{Ordered: true})
		require.NoError(t, err)
		require.True(t, cur.Next())
		return cur
	}
	var open []kv.Cursor
	for range readers {
		put(many)
		require.NoError(t, read().Close()) // before it the writes go to disk
		put(few)
		open = append(open, read())
	}
	put(many)
	kept := heapInUse()
	for i, cur := range open {
		n := 1
		for cur.Next() {
			n++
		}
		require.NoError(t, cur.Err())
		require.Equal(t, (i+1)*(few+many), n)
		require.NoError(t, cur.Close())
	}
	open = nil
	require.Less(t, kept-heapInUse(), int64(readers<<18))
}

// heapInUse is how much memory is in use once what is not has been collected.
func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
