package kvtest

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

var snapshotTests = []test{
	{"Repeatable", testRepeatable, snapshots | manyRows},
	{"TakenByTheFirstRead", testSnapshotStart, snapshots | manyRows},
	{"CursorsSeeNoLaterWrite", testCursorsAndWrites, snapshots | manyRows},
	{"ScanAtASavepoint", testScanAt, snapshots | manyRows},
	{"SeveralCursors", testSeveralCursors, snapshots | manyRows},
	{"CursorsSideBySide", testCursorsSideBySide, snapshots | manyRows},
	{"Conflict", testConflict, snapshots | manyRows},
	{"NoConflict", testNoConflict, snapshots | manyRows},
	{"Increments", testIncrements, 0},
	{"Transfers", testTransfers, snapshots | manyRows},
}

func testRepeatable(f *fixture) {
	f.put("s", "a/q/1=1", "b/q/1=1", "c/q/1=1")
	f.flush()
	reader := f.begin()
	require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=1", f.readIn(reader, everything, "s"))
	f.put("s", "a/q/1=2", "a/q/2=2", "d/q/1=2")
	f.put("g$a", "a/q/1=2")
	f.write(func(tx kv.Txn) error {
		return tx.DeleteColumn(f.ctx, f.tables(tx, []string{"s"})[0], []byte("b"), []byte("q"))
	})
	for _, step := range []func(){func() {}, f.flush, f.compact} {
		step()
		require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=1", f.readIn(reader, everything, "s"))
		require.Empty(f, f.readIn(reader, everything, "g$a"), "of all tables")
	}
	require.NoError(f, reader.Commit(f.ctx))
	require.Equal(f, "a/q/2=2 a/q/1=2 c/q/1=1 d/q/1=2", f.all("s"))
}

func testSnapshotStart(f *fixture) {
	reader, writer, named := f.begin(), f.begin(), f.begin()
	named.Catalog()
	f.put("s", "a/q/1=1")
	require.Equal(f, "a/q/1=1", f.readIn(reader, everything, "s"))
	require.NoError(f, f.putIn(writer, "s", "a/q/2=2"), "its snapshot is from now on")
	require.NoError(f, writer.Commit(f.ctx))
	require.Equal(f, "a/q/1=1", f.readIn(reader, everything, "s"))
	require.Empty(f, f.readIn(named, everything, "s"), "Catalog takes the snapshot")
}

func testCursorsAndWrites(f *fixture) {
	f.put("s", "a/q/1=1", "b/q/1=1", "c/q/1=1")
	tx := f.begin()
	t := f.tables(tx, []string{"s"})[0]
	require.NoError(f, f.putIn(tx, "s", "d/q/1=own"))
	early := f.cursor(tx, &everything)
	started := f.cursor(tx, &everything)
	first, err := take(started, 1, true)
	require.NoError(f, err)

	savepoint := tx.Savepoint()
	require.NoError(f, f.putIn(tx, "s", "a/q/0=later", "c/q/2=later", "e/q/1=later"))
	require.NoError(f, tx.DeleteColumn(f.ctx, t, []byte("b"), []byte("q")))
	late := f.cursor(tx, &everything)
	tx.RollbackTo(savepoint)
	require.NoError(f, f.putIn(tx, "s", "f/q/1=last"))
	f.put("s", "x/q/1=other")

	require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=1 d/q/1=own", f.rest(early))
	require.Equal(f, "a/q/1=1", cellsText(first, false, true))
	require.Equal(f, "b/q/1=1 c/q/1=1 d/q/1=own", f.rest(started))
	require.Equal(f, "a/q/1=1 a/q/0=later c/q/2=later c/q/1=1 d/q/1=own e/q/1=later", f.rest(late))
	require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=1 d/q/1=own f/q/1=last", f.readIn(tx, everything, "s"))
}

// testScanAt reads the writes of a transaction as they were at a savepoint.
func testScanAt(f *fixture) {
	f.put("s", "a/q/1=1", "b/q/1=1")
	tx := f.begin()
	at := everything
	at.At = tx.Savepoint()
	require.NoError(f, f.putIn(tx, "s", "c/q/1=own"))
	require.Equal(f, "a/q/1=1 b/q/1=1", f.readIn(tx, at, "s"), "before the first write")

	at.At = tx.Savepoint()
	require.NoError(f, tx.DeleteColumn(f.ctx, f.tables(tx, []string{"s"})[0], []byte("a"), []byte("q")))
	require.NoError(f, f.putIn(tx, "s", "b/q/1=changed", "d/q/1=later"))
	cursor := f.cursor(tx, &at)
	require.NoError(f, f.putIn(tx, "s", "c/q/1=changed"))
	require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=own", f.rest(cursor))
	require.Equal(f, "a/q/1=1 b/q/1=1 c/q/1=own", f.readIn(tx, at, "s"))
	require.Equal(f, "b/q/1=changed c/q/1=changed d/q/1=later", f.readIn(tx, everything, "s"))
}

func (f *fixture) cursor(tx kv.Txn, s *kv.Scan) kv.Cursor {
	f.Helper()
	c, err := tx.Scan(f.ctx, f.tables(tx, []string{"s"}), s)
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, c.Close()) })
	return c
}

// rest is what is left of a cursor; it closes it.
func (f *fixture) rest(c kv.Cursor) string {
	f.Helper()
	cells, err := take(c, -1, true)
	require.NoError(f, err)
	require.False(f, c.Next(), "the end is the end")
	require.NoError(f, c.Err())
	require.NoError(f, c.Close())
	return cellsText(cells, false, true)
}

func testSeveralCursors(f *fixture) {
	f.put("s", inOrder...)
	tx := f.begin()
	reverse := everything
	reverse.Reverse = true
	forward, backward := f.cursor(tx, &everything), f.cursor(tx, &reverse)
	n := len(inOrder)
	for i := range n {
		a, err := take(forward, 1, true)
		require.NoError(f, err)
		b, err := take(backward, 1, true)
		require.NoError(f, err)
		require.Equal(f, inOrder[i]+" "+inOrder[n-1-i], cellsText(append(a, b...), false, true))
	}
	require.Empty(f, f.rest(forward))
	require.Empty(f, f.rest(backward))
	require.NoError(f, forward.Close(), "again")
	require.False(f, forward.Next())
}

// testCursorsSideBySide reads cursors of one transaction, which has written, on
// goroutines of their own, while others commit.
func testCursorsSideBySide(f *fixture) {
	for i := range 200 {
		f.put("s", "r"+strconv.Itoa(i)+"/q/1=1")
	}
	tx := f.begin()
	for i := range 50 {
		require.NoError(f, f.putIn(tx, "s", "r"+strconv.Itoa(i*3)+"/q/2=own"))
	}
	want := f.readIn(tx, everything, "s")
	cursors := make([]kv.Cursor, 4)
	for i := range cursors {
		cursors[i] = f.cursor(tx, &everything)
	}
	got := make([]string, len(cursors))
	errs := make([]error, len(cursors))
	var wait sync.WaitGroup
	for i, c := range cursors {
		wait.Go(func() {
			cells, err := take(c, 1<<20, true)
			got[i], errs[i] = cellsText(cells, false, true), errors.Join(err, c.Err(), c.Close())
		})
	}
	for i := range 20 {
		f.put("s", "later"+strconv.Itoa(i)+"/q/1=1")
	}
	wait.Wait()
	for i := range cursors {
		require.NoError(f, errs[i])
		require.Equal(f, want, got[i])
	}
}

// testConflict: of two transactions that change a row, the first to commit
// wins.
func testConflict(f *fixture) {
	f.put("s", "r/q/1=0", "other/q/1=0")
	for name, write := range writes(f, f.table("s")) {
		loser := f.begin()
		require.NoError(f, f.putIn(loser, "s", "other/q/1=lost"))
		f.put("s", "r/q/1=won")
		require.ErrorIs(f, write(f.ctx, loser), kv.ErrConflict, name)
		require.Error(f, loser.Commit(f.ctx), "only Rollback is left")
		loser.Rollback()
		require.Equal(f, "other/q/1=0 r/q/1=won", f.all("s"))
		f.put("s", "other/q/1=0") // its lock is free
	}
	loser := f.begin()
	loser.Catalog()
	f.put("s", "r/another/1=won")
	require.ErrorIs(f, loser.LockRow(f.ctx, f.table("s"), []byte("r"), kv.RowLock{}), kv.ErrConflict,
		"another column of the row")
	loser.Rollback()

	deleted := f.begin()
	deleted.Catalog()
	f.write(func(tx kv.Txn) error { return tx.DeleteColumn(f.ctx, f.table("s"), []byte("r"), []byte("q")) })
	require.ErrorIs(f, f.putIn(deleted, "s", "r/q/1=lost"), kv.ErrConflict)
}

func testNoConflict(f *fixture) {
	f.put("s", "a/q/1=0", "aa/q/1=0")
	one, two := f.begin(), f.begin()
	require.NoError(f, f.putIn(one, "s", "a/q/1=1"))
	require.NoError(f, f.putIn(two, "s", "aa/q/1=2", `a\x00/q/1=2`, "/q/1=2"))
	require.NoError(f, f.putIn(two, "g$a", "a/q/1=2"), "another table")
	require.NoError(f, one.Commit(f.ctx))
	require.NoError(f, two.Commit(f.ctx))
	require.Equal(f, `/q/1=2 a/q/1=1 a\x00/q/1=2 aa/q/1=2`, f.all("s"))

	locker := f.begin()
	require.NoError(f, locker.LockRow(f.ctx, f.table("s"), []byte("a"), kv.RowLock{}))
	late := f.begin()
	late.Catalog()
	require.NoError(f, locker.Commit(f.ctx))
	require.NoError(f, f.putIn(late, "s", "a/q/1=3"), "a lock changes nothing")

	undone := f.begin()
	require.NoError(f, f.putIn(undone, "s", "aa/q/1=undone"))
	undone.Rollback()
	require.NoError(f, f.putIn(late, "s", "aa/q/1=3"), "nor does a rollback")
	require.NoError(f, late.Commit(f.ctx))
}

// retry runs fn in transactions until one commits.
func retry(f *fixture, fn func(tx kv.Txn) error) error {
	for {
		tx := f.within(Begin(f.store, kv.TxnOptions{}))
		err := fn(tx)
		if err == nil {
			err = tx.Commit(f.ctx)
		}
		tx.Rollback()
		if !errors.Is(err, kv.ErrConflict) && !errors.Is(err, kv.ErrDeadlock) {
			return err
		}
	}
}

// parallel runs fn in some goroutines.
func parallel(f *fixture, n int, fn func(i int) error) {
	f.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = fn(i) })
	}
	wg.Wait()
	require.NoError(f, errors.Join(errs...))
}

// testIncrements: no increment and no version of concurrent writers is lost.
func testIncrements(f *fixture) {
	const workers, each = 8, 25
	f.put("s", "n/q/1=0")
	t := f.table("s")
	parallel(f, workers, func(int) error {
		for range each {
			if err := retry(f, func(tx kv.Txn) error { return increment(f.ctx, tx, t) }); err != nil {
				return err
			}
		}
		return nil
	})
	require.Equal(f, "n/q/1="+strconv.Itoa(workers*each),
		f.read(kv.Scan{NeedValue: true, Qualifiers: []kv.QualifierRange{{Start: []byte("q")}}}, "s"))
	require.Equal(f, workers*each+1, f.count(f.begin()), "and a version for each")
}

// increment adds 1 to the value of n/q/1 and a version to n/p.
func increment(ctx context.Context, tx kv.Txn, t *kv.Table) error {
	column := atColumn("n", "q")
	cells, err := scanCells(ctx, tx, []*kv.Table{t}, &kv.Scan{NeedValue: true,
		Ranges: []kv.Range{{Start: column, End: after(column)}}})
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

// testTransfers moves amounts between rows of all partitions; every snapshot
// has the same sum.
func testTransfers(f *fixture) {
	accounts := []string{"a", "b", "c", "d", "e", "f"}
	for _, row := range accounts {
		f.put("s", row+"/q/1=100")
	}
	t := f.table("s")
	sum := func(tx kv.Txn) (total int, err error) {
		cells, err := scanCells(f.ctx, tx, []*kv.Table{t}, &kv.Scan{NeedValue: true, MaxVersions: 1})
		for _, c := range cells {
			n, _ := strconv.Atoi(string(c.Value))
			total += n
		}
		return total, err
	}
	parallel(f, 6, func(worker int) error {
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
				return errors.Join(add(f.ctx, tx, t, from, -1), add(f.ctx, tx, t, to, 1))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	total, err := sum(f.begin())
	require.NoError(f, err)
	require.Equal(f, 600, total)
}

func add(ctx context.Context, tx kv.Txn, t *kv.Table, row string, amount int) error {
	cells, err := scanCells(ctx, tx, []*kv.Table{t}, &kv.Scan{NeedValue: true,
		Ranges: []kv.Range{{Start: atRow(row), End: after(atRow(row))}}})
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
