package pebblekv

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/txn"
	"github.com/hbasekv/hbasekv/partition"
)

func serial(s *Store) kv.Txn { return kvtest.Begin(s, kv.TxnOptions{Serializable: true}) }

func putRow(t testing.TB, s *Store, table *kv.Table, name string) {
	t.Helper()
	tx := kvtest.Begin(s, kv.TxnOptions{})
	defer tx.Rollback()
	require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: []byte(name), Qualifier: []byte("q"), Value: []byte("v")}))
	require.NoError(t, tx.Commit(t.Context()))
}

// TestReadsEndWhereTheReaderStopped requires that a scan that ends early has
// read up to where it ended, in either direction.
func TestReadsEndWhereTheReaderStopped(t *testing.T) {
	for _, c := range []struct {
		reverse  bool
		versions int
		read     int
		write    string
		conflict bool
	}{
		{false, 0, 2, "a5", true}, {false, 0, 2, "b", true}, {false, 0, 2, "b5", false}, {false, 0, 2, "d", false},
		{false, 1, 2, "a5", true}, {false, 1, 2, "b5", false}, {false, 0, 9, "z", true}, {false, 0, 0, "z", false},
		{true, 0, 2, "c5", true}, {true, 0, 2, "c", true}, {true, 0, 2, "a", false}, {true, 0, 2, "z", true},
		{true, 1, 2, "c5", true}, {true, 1, 2, "a", false}, {true, 2, 2, "a", false}, {true, 2, 2, "c5", true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			s := openMem(t)
			table, other := createTable(t, s, "g", "a", &partition.Scheme{}), createTable(t, s, "h", "a", &partition.Scheme{})
			for _, name := range []string{"a", "b", "c", "d"} {
				putRow(t, s, table, name)
			}
			tx := serial(s)
			defer tx.Rollback()
			cur, err := tx.Scan(t.Context(), []*kv.Table{table},
				&kv.Scan{Ordered: true, Reverse: c.reverse, MaxVersions: c.versions})
			require.NoError(t, err)
			for range c.read {
				cur.Next()
			}
			require.NoError(t, cur.Close())
			require.NoError(t, tx.Put(t.Context(), other, kv.Cell{Row: []byte("x")}))
			putRow(t, s, table, c.write)
			if err := tx.Commit(t.Context()); c.conflict {
				require.ErrorIs(t, err, kv.ErrConflict)
			} else {
				require.NoError(t, err)
			}
		})
	}
}

// TestReadsOfAnOpenCursor requires that an open cursor counts as read completely.
func TestReadsOfAnOpenCursor(t *testing.T) {
	s := openMem(t)
	table, other := createTable(t, s, "g", "a", &partition.Scheme{}), createTable(t, s, "h", "a", &partition.Scheme{})
	putRow(t, s, table, "a")
	tx := serial(s)
	defer tx.Rollback()
	cur, err := tx.Scan(t.Context(), []*kv.Table{table}, &kv.Scan{})
	require.NoError(t, err)
	require.True(t, cur.Next())
	require.NoError(t, tx.Put(t.Context(), other, kv.Cell{Row: []byte("x")}))
	putRow(t, s, table, "z")
	require.ErrorIs(t, tx.Commit(t.Context()), kv.ErrConflict)
	require.NoError(t, cur.Close())
	require.Zero(t, s.OpenIterators())
}

// TestHistoryIsBounded requires that forgotten commits count as a conflict for
// those who would need them, and for nobody else.
func TestHistoryIsBounded(t *testing.T) {
	for _, c := range []struct {
		rows     int
		bytes    int64
		read     string
		conflict bool
	}{
		{1000, 1 << 20, "nowhere", false}, {10, 1 << 20, "nowhere", true},
		{1000, 100, "nowhere", false}, {1000, 100, "m50x", true}, // between the first and last key of a commit
	} {
		s := openMem(t)
		s.engine.Tuning.HistoryRows, s.engine.Tuning.HistoryBytes = c.rows, c.bytes
		table, other := createTable(t, s, "g", "a", &partition.Scheme{}), createTable(t, s, "h", "a", &partition.Scheme{})
		tx, late := serial(s), kvtest.Begin(s, kv.TxnOptions{})
		late.Catalog()
		cur, err := tx.Scan(t.Context(), []*kv.Table{table}, rowGet([]byte(c.read), kv.DepthRow, nil))
		require.NoError(t, err)
		require.False(t, cur.Next())
		require.NoError(t, cur.Close())
		load := kvtest.Begin(s, kv.TxnOptions{})
		for i := range 100 {
			require.NoError(t, load.Put(t.Context(), table, kv.Cell{Row: fmt.Appendf(nil, "m%d", i), Value: make([]byte, 100)}))
		}
		require.NoError(t, load.Commit(t.Context()))
		if err = tx.Put(t.Context(), other, kv.Cell{Row: []byte("x")}); err == nil {
			err = tx.Commit(t.Context())
		}
		tx.Rollback()
		if c.conflict {
			require.ErrorIs(t, err, kv.ErrConflict, c)
		} else {
			require.NoError(t, err, c)
		}
		late.Rollback()
		fresh := serial(s)
		require.NoError(t, fresh.Put(t.Context(), table, kv.Cell{Row: []byte("m1")}), "a later snapshot needs nothing of it")
		require.NoError(t, fresh.Commit(t.Context()))
		require.True(t, s.engine.Views.RemembersNothing())
	}
}

// TestManyReads checks a transaction that reads more spans than are kept apart.
func TestManyReads(t *testing.T) {
	s := openMem(t)
	table, other := createTable(t, s, "g", "a", &partition.Scheme{}), createTable(t, s, "h", "a", &partition.Scheme{})
	const n = 3 * read.MaxReadSpans
	get := func(tx kv.Txn, i int) {
		cur, err := tx.Scan(t.Context(), []*kv.Table{table}, rowGet(fmt.Appendf(nil, "r%07d", i), kv.DepthRow, nil))
		require.NoError(t, err)
		cur.Next()
		require.NoError(t, cur.Close())
	}
	readMany := func() *txn.Txn {
		tx := serial(s).(*txn.Txn)
		for i := range n {
			get(tx, i*7919%n)
		}
		require.NoError(t, tx.Put(t.Context(), other, kv.Cell{Row: []byte("x")}))
		return tx
	}
	tx := readMany()
	require.LessOrEqual(t, tx.Reads.Len(), 3*read.MaxReadSpans)
	putRow(t, s, table, "s")
	putRow(t, s, table, "q")
	require.NoError(t, tx.Commit(t.Context()))
	tx = readMany()
	putRow(t, s, table, fmt.Sprintf("r%07d", seed(t).IntN(n)))
	require.ErrorIs(t, tx.Commit(t.Context()), kv.ErrConflict)
}

// TestSerialSum lets transactions each read the whole table and keep a sum that
// no single one could break, but which snapshot isolation would not keep.
func TestSerialSum(t *testing.T) {
	s := openMem(t)
	scheme, err := partition.NewKey(7)
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", scheme)
	var done atomic.Int64
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 40 {
				tx := serial(s)
				n, err := countRows(tx, table)
				if err == nil && n < 20 {
					err = tx.Put(t.Context(), table, kv.Cell{Row: fmt.Appendf(nil, "%d/%d", w, i)})
				}
				if err == nil {
					err = tx.Commit(t.Context())
				}
				tx.Rollback()
				if err == nil {
					done.Add(1)
				} else {
					require.ErrorIs(t, err, kv.ErrConflict)
				}
			}
		})
	}
	wg.Wait()
	tx := serial(s)
	defer tx.Rollback()
	n, err := countRows(tx, table)
	require.NoError(t, err)
	require.LessOrEqual(t, n, 20)
	require.Positive(t, done.Load())
}

func countRows(tx kv.Txn, table *kv.Table) (n int, err error) {
	cur, err := tx.Scan(context.Background(), []*kv.Table{table}, &kv.Scan{})
	if err != nil {
		return 0, err
	}
	for cur.Next() {
		n++
	}
	return n, cur.Close()
}
