package kvtest

import (
	"context"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

var lifecycleTests = []test{
	{"Reopen", testReopen, 0},
	{"Closed", testClosed, 0},
	{"ClosedCursor", testClosedCursor, 0},
	{"Cancel", testCancel, 0},
	{"CancelledCommit", testCancelledCommit, 0},
	{"Stats", testStats, 0},
	{"Loads", testLoads, ownTime},
	{"Check", testCheck, 0},
}

func testReopen(f *fixture) {
	f.put("s", f.inOrder()...)
	f.put("g$a", "a/q/1=kept", "b/q/1=deleted")
	f.write(func(tx kv.Txn) error { return tx.DeleteColumn(f.ctx, f.table("g$a"), []byte("b"), []byte("q")) })
	for range 3 {
		open := f.begin()
		require.NoError(f, f.putIn(open, "g$a", "c/q/1=not committed"))
		undone := f.begin()
		require.NoError(f, f.putIn(undone, "g$a", "d/q/1=undone"))
		undone.Rollback()
		before := f.all("s")
		f.reopen()
		require.Equal(f, before, f.all("s"))
		require.Equal(f, "a/q/1=kept", f.all("g$a"))
	}
	f.put("g$a", "c/q/1=later")
	f.reopen()
	require.Equal(f, "a/q/1=kept c/q/1=later", f.all("g$a"))
}

func testClosed(f *fixture) {
	f.put("s", "r/q/1=")
	t := f.table("s")
	fresh, reader := f.begin(), f.begin()
	require.Equal(f, "r/q/1=", f.readIn(reader, everything, "s"))
	writer := f.begin()
	require.NoError(f, f.putIn(writer, "s", "w/q/1="))
	require.NoError(f, f.store.Close())
	require.NoError(f, f.store.Close(), "again")

	open := map[string]kv.Txn{"fresh": fresh, "reader": reader, "writer": writer}
	if tx, err := f.store.Begin(f.ctx, kv.TxnOptions{}); err != nil {
		require.ErrorIs(f, err, kv.ErrClosed)
	} else {
		open["new"] = tx
	}
	for name, tx := range open {
		for method, write := range writes(f, t) {
			require.ErrorIs(f, write(f.ctx, tx), kv.ErrClosed, "%s %s", name, method)
		}
		require.ErrorIs(f, tx.LockRow(f.ctx, t, []byte("r"), kv.RowLock{}), kv.ErrClosed, name)
		_, err := scanCells(f.ctx, tx, []*kv.Table{t}, &everything)
		require.ErrorIs(f, err, kv.ErrClosed, name)
	}
	require.ErrorIs(f, writer.Commit(f.ctx), kv.ErrClosed)
	require.ErrorIs(f, f.store.ChangeCatalog(f.ctx, drop("s")), kv.ErrClosed)
	f.store = f.opener(f)
	require.Equal(f, "r/q/1=", f.all("s"))
}

func testClosedCursor(f *fixture) {
	f.put("s", f.inOrder()...)
	tx := f.begin()
	cursor := f.cursor(tx, &everything)
	_, err := take(cursor, 3, true)
	require.NoError(f, err)
	require.NoError(f, f.store.Close())
	require.False(f, cursor.Next())
	require.ErrorIs(f, cursor.Err(), kv.ErrClosed)
	require.False(f, cursor.Next())
	require.NoError(f, cursor.Close())
	require.NoError(f, cursor.Close(), "again")
}

func testCancel(f *fixture) {
	f.write(func(tx kv.Txn) error {
		for i := range 5_000 {
			c := kv.Cell{Row: []byte{byte(i >> 8), byte(i)}, Qualifier: []byte("q"), Timestamp: 1}
			if err := tx.Put(f.ctx, f.tables(tx, []string{"s"})[0], c); err != nil {
				return err
			}
		}
		return nil
	})
	ctx, cancel := context.WithCancel(f.ctx)
	tx := f.begin()
	t := f.tables(tx, []string{"s"})[0]
	cursor, err := tx.Scan(ctx, []*kv.Table{t}, &everything)
	require.NoError(f, err)
	_, err = take(cursor, 10, true)
	require.NoError(f, err)
	cancel()
	cells, err := take(cursor, -1, true)
	require.ErrorIs(f, err, context.Canceled)
	require.Less(f, len(cells), 1_100, "it stops soon")
	require.False(f, cursor.Next())
	require.NoError(f, cursor.Close())

	for name, write := range writes(f, t) {
		require.ErrorIs(f, write(ctx, tx), context.Canceled, name)
	}
	_, err = scanCells(ctx, tx, []*kv.Table{t}, &everything)
	require.ErrorIs(f, err, context.Canceled)
	require.Equal(f, 5_000, f.count(tx), "the transaction goes on")
}

// testCancelledCommit: what is reported is what happened.
func testCancelledCommit(f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx)
	tx := f.begin()
	require.NoError(f, f.putIn(tx, "s", "a/q/1="))
	cancel()
	want := "a/q/1="
	if err := tx.Commit(ctx); err != nil {
		require.ErrorIs(f, err, context.Canceled)
		want = ""
	}
	require.Equal(f, want, f.all("s"))
	f.put("s", "a/q/1=") // the lock is free
}

func testStats(f *fixture) {
	reader, ok := f.store.(kv.StatsReader)
	if !ok {
		f.Skip("the store has no statistics")
	}
	f.put("s", f.inOrder()...)
	f.flush()
	for _, exact := range []bool{false, true} {
		stats, err := reader.TableStats(f.ctx, f.table("s"), exact)
		require.NoError(f, err)
		require.Len(f, stats, f.layout.Scheme.NumLeaves())
		var sum kv.PartitionStats
		for _, p := range stats {
			sum.Cells += p.Cells
			sum.Bytes += p.Bytes
			sum.Estimated = sum.Estimated || p.Estimated
		}
		require.Positive(f, sum.Bytes)
		f.requireEnds(stats, "s", f.inOrder())
		if !sum.Estimated {
			require.EqualValues(f, len(f.inOrder()), sum.Cells)
		}
		require.False(f, exact && sum.Estimated)
	}
}

// requireEnds holds the first and the last row of each leaf to the cells
// that were put.
func (f *fixture) requireEnds(stats []kv.PartitionStats, table string, cells []string) {
	f.Helper()
	t := f.table(table)
	for p, each := range stats {
		var rows []string
		for _, text := range cells {
			c := parseCell(f, text)
			if at, ok := t.Partitioning.Place(c.Row, c.Timestamp); ok && at == p {
				rows = append(rows, string(c.Row))
			}
		}
		if len(rows) == 0 {
			require.Nil(f, each.MinRow)
			require.Nil(f, each.MaxRow)
			continue
		}
		require.Equal(f, slices.Min(rows), string(each.MinRow))
		require.Equal(f, slices.Max(rows), string(each.MaxRow))
	}
}

func testLoads(f *fixture) {
	reader, ok := f.store.(kv.LoadReader)
	if !ok {
		f.Skip("the store does not count what is asked of it")
	}
	t := f.table("s")
	at, _ := t.Partitioning.Place([]byte("a"), 1)
	of := func() kv.PartitionLoad { return reader.TableLoads(f.table("s"))[at] }
	require.Zero(f, of())
	f.put("s", "a/q/1=", "a/r/1=")
	require.EqualValues(f, 2, of().Writes)
	before := of().Reads
	f.all("s")
	require.GreaterOrEqual(f, of().Reads, before+2)
	before = of().Reads
	f.change(drop("g$a"))
	require.EqualValues(f, 2, of().Writes, "another table's change leaves the counts")
	require.Equal(f, before, of().Reads)
	others := 0
	for i, l := range reader.TableLoads(f.table("s")) {
		if i != at && l.Writes > 0 {
			others++
		}
	}
	require.Zero(f, others)
	f.change(func(c *kv.CatalogChange) error { return c.TruncateTable(database, "s") })
	require.EqualValues(f, 2, of().Writes, "the partition is the same")
	f.reopen()
	require.Zero(f, f.store.(kv.LoadReader).TableLoads(f.table("s"))[at], "since the store was opened")
}
