// Package txns has the suite's tests of what transactions see, lock and conflict on.
package txns

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// SnapshotTests are the tests of what a transaction sees.
var SnapshotTests = []fixture.Test{
	{Name: "Repeatable", Run: testRepeatable, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "TakenByTheFirstRead", Run: testSnapshotStart, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "CursorsSeeNoLaterWrite", Run: testCursorsAndWrites, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "ScanAtASavepoint", Run: testScanAt, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "SeveralCursors", Run: testSeveralCursors, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "CursorsSideBySide", Run: testCursorsSideBySide, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "Conflict", Run: testConflict, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "NoConflict", Run: testNoConflict, Needs: fixture.Snapshots | fixture.ManyRows},
	{Name: "Increments", Run: testIncrements},
	{Name: "Transfers", Run: testTransfers, Needs: fixture.Snapshots | fixture.ManyRows},
}

func testRepeatable(f *fixture.Fixture) {
	f.Put("s", "a/q/1=1", "b/q/1=1", "c/q/1=1")
	f.Flush()
	reader := f.Begin()
	require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=1", f.ReadIn(reader, fixture.Everything, "s"))
	f.Put("s", "a/q/1=2", "a/q/2=2", "d/q/1=2")
	f.Put("g$a", "a/q/1=2")
	f.Write(func(tx kv.Txn) error {
		return tx.DeleteColumn(f.Ctx, f.Tables(tx, []string{"s"})[0], []byte("b"), []byte("q"))
	})
	for _, step := range []func(){func() {}, f.Flush, f.Compact} {
		step()
		require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=1", f.ReadIn(reader, fixture.Everything, "s"))
		require.Empty(f, f.ReadIn(reader, fixture.Everything, "g$a"), "of all tables")
	}
	require.NoError(f, reader.Commit(f.Ctx))
	require.Equal(f, "a/q/2=2 a/q/1=2 c/q/1=1 d/q/1=2", f.All("s"))
}

func testSnapshotStart(f *fixture.Fixture) {
	reader, writer, named := f.Begin(), f.Begin(), f.Begin()
	named.Catalog()
	f.Put("s", "a/q/1=1")
	require.Equal(f, "a/q/1=1", f.ReadIn(reader, fixture.Everything, "s"))
	require.NoError(f, f.PutIn(writer, "s", "a/q/2=2"), "its snapshot is from now on")
	require.NoError(f, writer.Commit(f.Ctx))
	require.Equal(f, "a/q/1=1", f.ReadIn(reader, fixture.Everything, "s"))
	require.Empty(f, f.ReadIn(named, fixture.Everything, "s"), "Catalog takes the snapshot")
}

func testCursorsAndWrites(f *fixture.Fixture) {
	f.Put("s", "a/q/1=1", "b/q/1=1", "c/q/1=1")
	tx := f.Begin()
	t := f.Tables(tx, []string{"s"})[0]
	require.NoError(f, f.PutIn(tx, "s", "d/q/1=own"))
	early := f.Cursor(tx, &fixture.Everything)
	started := f.Cursor(tx, &fixture.Everything)
	first, err := fixture.Take(started, 1, true)
	require.NoError(f, err)

	savepoint := tx.Savepoint()
	require.NoError(f, f.PutIn(tx, "s", "a/q/0=later", "c/q/2=later", "e/q/1=later"))
	require.NoError(f, tx.DeleteColumn(f.Ctx, t, []byte("b"), []byte("q")))
	late := f.Cursor(tx, &fixture.Everything)
	tx.RollbackTo(savepoint)
	require.NoError(f, f.PutIn(tx, "s", "f/q/1=last"))
	f.Put("s", "x/q/1=other")

	require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=1 d/q/1=own", f.Rest(early))
	require.Equal(f, "a/q/1=1", fixture.CellsText(first, false, true))
	require.Equal(f, "b/q/1=1 c/q/1=1 d/q/1=own", f.Rest(started))
	require.Equal(f, "a/q/1=1 a/q/0=later c/q/2=later c/q/1=1 d/q/1=own e/q/1=later", f.Rest(late))
	require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=1 d/q/1=own f/q/1=last", f.ReadIn(tx, fixture.Everything, "s"))
}

// testScanAt reads the writes of a transaction as they were at a savepoint.
func testScanAt(f *fixture.Fixture) {
	f.Put("s", "a/q/1=1", "b/q/1=1")
	tx := f.Begin()
	at := fixture.Everything
	at.At = tx.Savepoint()
	require.NoError(f, f.PutIn(tx, "s", "c/q/1=own"))
	require.Equal(f, "a/q/1=1 b/q/1=1", f.ReadIn(tx, at, "s"), "before the first write")

	at.At = tx.Savepoint()
	require.NoError(f, tx.DeleteColumn(f.Ctx, f.Tables(tx, []string{"s"})[0], []byte("a"), []byte("q")))
	require.NoError(f, f.PutIn(tx, "s", "b/q/1=changed", "d/q/1=later"))
	cursor := f.Cursor(tx, &at)
	require.NoError(f, f.PutIn(tx, "s", "c/q/1=changed"))
	require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=own", f.Rest(cursor))
	require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=own", f.ReadIn(tx, at, "s"))
	require.Equal(f, "b/q/1=changed c/q/1=changed d/q/1=later", f.ReadIn(tx, fixture.Everything, "s"))
}

func testSeveralCursors(f *fixture.Fixture) {
	f.Put("s", fixture.InOrder...)
	tx := f.Begin()
	reverse := fixture.Everything
	reverse.Reverse = true
	forward, backward := f.Cursor(tx, &fixture.Everything), f.Cursor(tx, &reverse)
	n := len(fixture.InOrder)
	for i := range n {
		a, err := fixture.Take(forward, 1, true)
		require.NoError(f, err)
		b, err := fixture.Take(backward, 1, true)
		require.NoError(f, err)
		require.Equal(f, fixture.InOrder[i]+" "+fixture.InOrder[n-1-i], fixture.CellsText(append(a, b...), false, true))
	}
	require.Empty(f, f.Rest(forward))
	require.Empty(f, f.Rest(backward))
	require.NoError(f, forward.Close(), "again")
	require.False(f, forward.Next())
}

// testCursorsSideBySide reads several cursors of a transaction that has written,
// each in its own goroutine, while other transactions commit.
func testCursorsSideBySide(f *fixture.Fixture) {
	for i := range 200 {
		f.Put("s", "r"+strconv.Itoa(i)+"/q/1=1")
	}
	tx := f.Begin()
	for i := range 50 {
		require.NoError(f, f.PutIn(tx, "s", "r"+strconv.Itoa(i*3)+"/q/2=own"))
	}
	want := f.ReadIn(tx, fixture.Everything, "s")
	cursors := make([]kv.Cursor, 4)
	for i := range cursors {
		cursors[i] = f.Cursor(tx, &fixture.Everything)
	}
	got := make([]string, len(cursors))
	errs := make([]error, len(cursors))
	var wait sync.WaitGroup
	for i, c := range cursors {
		wait.Go(func() {
			cells, err := fixture.Take(c, 1<<20, true)
			got[i], errs[i] = fixture.CellsText(cells, false, true), errors.Join(err, c.Err(), c.Close())
		})
	}
	for i := range 20 {
		f.Put("s", "later"+strconv.Itoa(i)+"/q/1=1")
	}
	wait.Wait()
	for i := range cursors {
		require.NoError(f, errs[i])
		require.Equal(f, want, got[i])
	}
}

// testConflict requires that of two transactions that change a row the first to
// commit wins.
func testConflict(f *fixture.Fixture) {
	f.Put("s", "r/q/1=0", "other/q/1=0")
	for name, write := range fixture.Writes(f, f.Table("s")) {
		loser := f.Begin()
		require.NoError(f, f.PutIn(loser, "s", "other/q/1=lost"))
		f.Put("s", "r/q/1=won")
		require.ErrorIs(f, write(f.Ctx, loser), kv.ErrConflict, name)
		require.Error(f, loser.Commit(f.Ctx), "only Rollback is left")
		loser.Rollback()
		require.Equal(f, "other/q/1=0 r/q/1=won", f.All("s"))
		f.Put("s", "other/q/1=0") // its lock is free
	}
	loser := f.Begin()
	loser.Catalog()
	f.Put("s", "r/another/1=won")
	require.ErrorIs(f, loser.LockRow(f.Ctx, f.Table("s"), []byte("r"), kv.RowLock{}), kv.ErrConflict,
		"another column of the row")
	loser.Rollback()

	deleted := f.Begin()
	deleted.Catalog()
	f.Write(func(tx kv.Txn) error { return tx.DeleteColumn(f.Ctx, f.Table("s"), []byte("r"), []byte("q")) })
	require.ErrorIs(f, f.PutIn(deleted, "s", "r/q/1=lost"), kv.ErrConflict)
}

func testNoConflict(f *fixture.Fixture) {
	f.Put("s", "a/q/1=0", "aa/q/1=0")
	one, two := f.Begin(), f.Begin()
	require.NoError(f, f.PutIn(one, "s", "a/q/1=1"))
	require.NoError(f, f.PutIn(two, "s", "aa/q/1=2", `a\x00/q/1=2`, "/q/1=2"))
	require.NoError(f, f.PutIn(two, "g$a", "a/q/1=2"), "another table")
	require.NoError(f, one.Commit(f.Ctx))
	require.NoError(f, two.Commit(f.Ctx))
	require.Equal(f, `/q/1=2 a/q/1=1 a\x00/q/1=2 aa/q/1=2`, f.All("s"))

	locker := f.Begin()
	require.NoError(f, locker.LockRow(f.Ctx, f.Table("s"), []byte("a"), kv.RowLock{}))
	late := f.Begin()
	late.Catalog()
	require.NoError(f, locker.Commit(f.Ctx))
	require.NoError(f, f.PutIn(late, "s", "a/q/1=3"), "a lock changes nothing")

	undone := f.Begin()
	require.NoError(f, f.PutIn(undone, "s", "aa/q/1=undone"))
	undone.Rollback()
	require.NoError(f, f.PutIn(late, "s", "aa/q/1=3"), "nor does a rollback")
	require.NoError(f, late.Commit(f.Ctx))
}

// retry runs fn in transactions until one commits.
func retry(f *fixture.Fixture, fn func(tx kv.Txn) error) error {
	for {
		tx := f.Within(fixture.Begin(f.Store, kv.TxnOptions{}))
		err := fn(tx)
		if err == nil {
			err = tx.Commit(f.Ctx)
		}
		tx.Rollback()
		if !errors.Is(err, kv.ErrConflict) && !errors.Is(err, kv.ErrDeadlock) {
			return err
		}
	}
}

// testIncrements requires that no increment and no version of concurrent writers is lost.
func testIncrements(f *fixture.Fixture) {
	const workers, each = 8, 25
	f.Put("s", "n/q/1=0")
	t := f.Table("s")
	fixture.Parallel(f, workers, func(int) error {
		for range each {
			if err := retry(f, func(tx kv.Txn) error { return increment(f.Ctx, tx, t) }); err != nil {
				return err
			}
		}
		return nil
	})
	require.Equal(f, "n/q/1="+strconv.Itoa(workers*each),
		f.Read(kv.Scan{NeedValue: true, Qualifiers: []kv.QualifierRange{{Start: []byte("q")}}}, "s"))
	require.Equal(f, workers*each+1, f.Count(f.Begin()), "and a version for each")
}

// increment adds 1 to the value of n/q/1 and a version to n/p.
func increment(ctx context.Context, tx kv.Txn, t *kv.Table) error {
	column := fixture.AtColumn("n", "q")
	cells, err := fixture.ScanCells(ctx, tx, []*kv.Table{t}, &kv.Scan{NeedValue: true,
		Ranges: []kv.Range{{Start: column, End: fixture.After(column)}}})
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(cells[0].Value))
	if err != nil {
		return err
	}
	next := kv.Cell{Row: []byte("n"), Qualifier: []byte("q"), Timestamp: 1, Value: strconv.AppendInt(nil, int64(n)+1, 10)}
	_, err = tx.PutNext(ctx, t, kv.Cell{Row: []byte("n"), Qualifier: []byte("p"), Timestamp: 1})
	return errors.Join(err, tx.Put(ctx, t, next))
}

// testTransfers moves amounts between rows of all partitions. Every snapshot must
// have the same sum.
func testTransfers(f *fixture.Fixture) {
	accounts := []string{"a", "b", "c", "d", "e", "f"}
	for _, row := range accounts {
		f.Put("s", row+"/q/1=100")
	}
	t := f.Table("s")
	sum := func(tx kv.Txn) (total int, err error) {
		cells, err := fixture.ScanCells(f.Ctx, tx, []*kv.Table{t}, &kv.Scan{NeedValue: true, MaxVersions: 1})
		for _, c := range cells {
			n, _ := strconv.Atoi(string(c.Value))
			total += n
		}
		return total, err
	}
	fixture.Parallel(f, 6, func(worker int) error {
		for i := range 30 {
			err := retry(f, func(tx kv.Txn) error {
				from, to := accounts[(worker+i)%6], accounts[(worker*i+1)%6]
				if from == to || worker == 0 {
					total, err := sum(tx)
					if total != 600 {
						return errors.Join(err, errors.New("a snapshot has the sum "+strconv.Itoa(total)))
					}
					return nil
				}
				return errors.Join(add(f.Ctx, tx, t, from, -1), add(f.Ctx, tx, t, to, 1))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	total, err := sum(f.Begin())
	require.NoError(f, err)
	require.Equal(f, 600, total)
}

func add(ctx context.Context, tx kv.Txn, t *kv.Table, row string, amount int) error {
	cells, err := fixture.ScanCells(ctx, tx, []*kv.Table{t}, &kv.Scan{NeedValue: true,
		Ranges: []kv.Range{{Start: fixture.AtRow(row), End: fixture.After(fixture.AtRow(row))}}})
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(cells[0].Value))
	if err != nil {
		return err
	}
	cells[0].Value = strconv.AppendInt(nil, int64(n+amount), 10)
	return tx.Put(ctx, t, cells[0])
}
