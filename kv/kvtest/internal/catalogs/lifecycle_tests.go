package catalogs

import (
	"context"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// LifecycleTests are the tests of closing and reopening a store.
var LifecycleTests = []fixture.Test{
	{Name: "Reopen", Run: testReopen},
	{Name: "Closed", Run: testClosed},
	{Name: "ClosedCursor", Run: testClosedCursor},
	{Name: "Cancel", Run: testCancel},
	{Name: "CancelledCommit", Run: testCancelledCommit},
	{Name: "Stats", Run: testStats},
	{Name: "Loads", Run: testLoads, Needs: fixture.OwnTime},
	{Name: "Check", Run: testCheck},
}

func testReopen(f *fixture.Fixture) {
	f.Put("s", f.InOrder()...)
	f.Put("g$a", "a/q/1=kept", "b/q/1=deleted")
	f.Write(func(tx kv.Txn) error { return tx.DeleteColumn(f.Ctx, f.Table("g$a"), []byte("b"), []byte("q")) })
	for range 3 {
		open := f.Begin()
		require.NoError(f, f.PutIn(open, "g$a", "c/q/1=not committed"))
		undone := f.Begin()
		require.NoError(f, f.PutIn(undone, "g$a", "d/q/1=undone"))
		undone.Rollback()
		before := f.All("s")
		f.Reopen()
		require.Equal(f, before, f.All("s"))
		require.Equal(f, "a/q/1=kept", f.All("g$a"))
	}
	f.Put("g$a", "c/q/1=later")
	f.Reopen()
	require.Equal(f, "a/q/1=kept c/q/1=later", f.All("g$a"))
}

func testClosed(f *fixture.Fixture) {
	f.Put("s", "r/q/1=")
	t := f.Table("s")
	fresh, reader := f.Begin(), f.Begin()
	require.Equal(f, "r/q/1=", f.ReadIn(reader, fixture.Everything, "s"))
	writer := f.Begin()
	require.NoError(f, f.PutIn(writer, "s", "w/q/1="))
	require.NoError(f, f.Store.Close())
	require.NoError(f, f.Store.Close(), "again")

	open := map[string]kv.Txn{"fresh": fresh, "reader": reader, "writer": writer}
	if tx, err := f.Store.Begin(f.Ctx, kv.TxnOptions{}); err != nil {
		require.ErrorIs(f, err, kv.ErrClosed)
	} else {
		open["new"] = tx
	}
	for name, tx := range open {
		for method, write := range fixture.Writes(f, t) {
			require.ErrorIs(f, write(f.Ctx, tx), kv.ErrClosed, "%s %s", name, method)
		}
		require.ErrorIs(f, tx.LockRow(f.Ctx, t, []byte("r"), kv.RowLock{}), kv.ErrClosed, name)
		_, err := fixture.ScanCells(f.Ctx, tx, []*kv.Table{t}, &fixture.Everything)
		require.ErrorIs(f, err, kv.ErrClosed, name)
	}
	require.ErrorIs(f, writer.Commit(f.Ctx), kv.ErrClosed)
	require.ErrorIs(f, f.Store.ChangeCatalog(f.Ctx, fixture.Drop("s")), kv.ErrClosed)
	f.Store = f.Opener(f)
	require.Equal(f, "r/q/1=", f.All("s"))
}

func testClosedCursor(f *fixture.Fixture) {
	f.Put("s", f.InOrder()...)
	tx := f.Begin()
	cursor := f.Cursor(tx, &fixture.Everything)
	_, err := fixture.Take(cursor, 3, true)
	require.NoError(f, err)
	require.NoError(f, f.Store.Close())
	require.False(f, cursor.Next())
	require.ErrorIs(f, cursor.Err(), kv.ErrClosed)
	require.False(f, cursor.Next())
	require.NoError(f, cursor.Close())
	require.NoError(f, cursor.Close(), "again")
}

func testCancel(f *fixture.Fixture) {
	f.Write(func(tx kv.Txn) error {
		for i := range 5_000 {
			c := kv.Cell{Row: []byte{byte(i >> 8), byte(i)}, Qualifier: []byte("q"), Timestamp: 1}
			if err := tx.Put(f.Ctx, f.Tables(tx, []string{"s"})[0], c); err != nil {
				return err
			}
		}
		return nil
	})
	ctx, cancel := context.WithCancel(f.Ctx)
	tx := f.Begin()
	t := f.Tables(tx, []string{"s"})[0]
	cursor, err := tx.Scan(ctx, []*kv.Table{t}, &fixture.Everything)
	require.NoError(f, err)
	_, err = fixture.Take(cursor, 10, true)
	require.NoError(f, err)
	cancel()
	cells, err := fixture.Take(cursor, -1, true)
	require.ErrorIs(f, err, context.Canceled)
	require.Less(f, len(cells), 1_100, "it stops soon")
	require.False(f, cursor.Next())
	require.NoError(f, cursor.Close())

	for name, write := range fixture.Writes(f, t) {
		require.ErrorIs(f, write(ctx, tx), context.Canceled, name)
	}
	_, err = fixture.ScanCells(ctx, tx, []*kv.Table{t}, &fixture.Everything)
	require.ErrorIs(f, err, context.Canceled)
	require.Equal(f, 5_000, f.Count(tx), "the transaction goes on")
}

// testCancelledCommit requires that the reported outcome is the actual one.
func testCancelledCommit(f *fixture.Fixture) {
	ctx, cancel := context.WithCancel(f.Ctx)
	tx := f.Begin()
	require.NoError(f, f.PutIn(tx, "s", "a/q/1="))
	cancel()
	want := "a/q/1="
	if err := tx.Commit(ctx); err != nil {
		require.ErrorIs(f, err, context.Canceled)
		want = ""
	}
	require.Equal(f, want, f.All("s"))
	f.Put("s", "a/q/1=") // the lock is free
}

func testStats(f *fixture.Fixture) {
	reader, ok := f.Store.(kv.StatsReader)
	if !ok {
		f.Skip("the store has no statistics")
	}
	f.Put("s", f.InOrder()...)
	f.Flush()
	for _, exact := range []bool{false, true} {
		stats, err := reader.TableStats(f.Ctx, f.Table("s"), exact)
		require.NoError(f, err)
		require.Len(f, stats, f.Layout.Scheme.NumLeaves())
		var sum kv.PartitionStats
		for _, p := range stats {
			sum.Cells += p.Cells
			sum.Bytes += p.Bytes
			sum.Estimated = sum.Estimated || p.Estimated
		}
		require.Positive(f, sum.Bytes)
		requireEnds(f, stats, "s", f.InOrder())
		if !sum.Estimated {
			require.EqualValues(f, len(f.InOrder()), sum.Cells)
		}
		require.False(f, exact && sum.Estimated)
	}
}

// requireEnds requires that the first and the last row of each leaf are those
// of the cells that were put.
func requireEnds(f *fixture.Fixture, stats []kv.PartitionStats, table string, cells []string) {
	f.Helper()
	t := f.Table(table)
	for p, each := range stats {
		var rows []string
		for _, text := range cells {
			c := fixture.ParseCell(f, text)
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

func testLoads(f *fixture.Fixture) {
	reader, ok := f.Store.(kv.LoadReader)
	if !ok {
		f.Skip("the store does not count what is asked of it")
	}
	t := f.Table("s")
	at, _ := t.Partitioning.Place([]byte("a"), 1)
	of := func() kv.PartitionLoad { return reader.TableLoads(f.Table("s"))[at] }
	require.Zero(f, of())
	f.Put("s", "a/q/1=", "a/r/1=")
	require.EqualValues(f, 2, of().Writes)
	before := of().Reads
	f.All("s")
	require.GreaterOrEqual(f, of().Reads, before+2)
	before = of().Reads
	f.Change(fixture.Drop("g$a"))
	require.EqualValues(f, 2, of().Writes, "another table's change leaves the counts")
	require.Equal(f, before, of().Reads)
	others := 0
	for i, l := range reader.TableLoads(f.Table("s")) {
		if i != at && l.Writes > 0 {
			others++
		}
	}
	require.Zero(f, others)
	f.Change(func(c *kv.CatalogChange) error { return c.TruncateTable(fixture.Database, "s") })
	require.EqualValues(f, 2, of().Writes, "the partition is the same")
	f.Reopen()
	require.Zero(f, f.Store.(kv.LoadReader).TableLoads(f.Table("s"))[at], "since the store was opened")
}
