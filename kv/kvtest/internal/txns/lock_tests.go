package txns

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// LockTests are the tests of row locks.
var LockTests = []fixture.Test{
	{Name: "Wait", Run: testLockWait, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "WaitThenConflict", Run: testLockConflict, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "Timeout", Run: testLockTimeout, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "Cancel", Run: testLockCancel, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "Deadlock", Run: testDeadlock, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "Group", Run: testLockGroup, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "Savepoint", Run: testLockSavepoint, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "Readers", Run: testLockReaders, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "Close", Run: testLockClose, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "Shared", Run: testLockShared, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "SharedDeadlock", Run: testLockUpgrade, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "NoWait", Run: testLockNoWait, Needs: fixture.RowLocks | fixture.ManyRows},
	{Name: "Renew", Run: testLockRenew, Needs: fixture.RowLocks | fixture.ManyRows},
}

// testLockWait requires that a waiter gets the lock on a row that the holder
// did not change, without a conflict.
func testLockWait(f *fixture.Fixture) {
	f.Put("s", "r/q/1=0")
	for name, hold := range map[string]func(tx kv.Txn) error{
		"LockRow": func(tx kv.Txn) error { return tx.LockRow(f.Ctx, f.Table("s"), []byte("r"), kv.RowLock{}) },
		"Put":     func(tx kv.Txn) error { return f.PutIn(tx, "s", "r/q/1=undone") },
	} {
		holder, waiter := f.Begin(), f.Begin()
		require.NoError(f, hold(holder), name)
		waiter.Catalog()
		done := fixture.Background(func() error { return f.PutIn(waiter, "s", "r/q/1="+name) })
		f.Waits(done)
		holder.Rollback()
		require.NoError(f, f.Ends(done), name)
		require.NoError(f, waiter.Commit(f.Ctx))
		require.Equal(f, "r/q/1="+name, f.All("s"))
	}
}

func testLockConflict(f *fixture.Fixture) {
	holder, waiter := f.Begin(), f.Begin()
	require.NoError(f, f.PutIn(holder, "s", "r/q/1=holder"))
	waiter.Catalog()
	done := fixture.Background(func() error { return f.PutIn(waiter, "s", "r/q/1=waiter") })
	f.Waits(done)
	require.NoError(f, holder.Commit(f.Ctx))
	require.ErrorIs(f, f.Ends(done), kv.ErrConflict)
	waiter.Rollback()
	require.Equal(f, "r/q/1=holder", f.All("s"))
	f.Put("s", "r/q/1=next")
}

func testLockTimeout(f *fixture.Fixture) {
	holder := f.Begin()
	require.NoError(f, f.PutIn(holder, "s", "r/q/1=holder"))
	waiter := fixture.Begin(f.Store, kv.TxnOptions{LockTimeout: fixture.Blocked})
	defer waiter.Rollback()
	require.NoError(f, f.PutIn(waiter, "s", "other/q/1=waiter"))
	for name, write := range fixture.Writes(f, f.Table("s")) {
		start := time.Now()
		require.ErrorIs(f, write(f.Ctx, waiter), kv.ErrLockTimeout, name)
		require.GreaterOrEqual(f, time.Since(start), fixture.Blocked)
	}
	require.ErrorIs(f, waiter.LockRow(f.Ctx, f.Table("s"), []byte("r"), kv.RowLock{}), kv.ErrLockTimeout)
	holder.Rollback()
	require.NoError(f, f.PutIn(waiter, "s", "r/q/1=waiter"), "the transaction stands as before")
	require.NoError(f, waiter.Commit(f.Ctx))
	require.Equal(f, "other/q/1=waiter r/q/1=waiter", f.All("s"))
}

func testLockCancel(f *fixture.Fixture) {
	holder, waiter := f.Begin(), f.Begin()
	require.NoError(f, f.PutIn(holder, "s", "r/q/1=holder"))
	ctx, cancel := context.WithCancel(f.Ctx)
	done := fixture.Background(func() error { return waiter.LockRow(ctx, f.Table("s"), []byte("r"), kv.RowLock{}) })
	f.Waits(done)
	cancel()
	require.ErrorIs(f, f.Ends(done), context.Canceled)
	require.NoError(f, f.PutIn(waiter, "s", "other/q/1=waiter"), "the transaction stands as before")
	require.NoError(f, waiter.Commit(f.Ctx))
	require.NoError(f, holder.Commit(f.Ctx))
}

// testDeadlock lets n transactions each hold a row and wait for the row of the
// next one.
func testDeadlock(f *fixture.Fixture) {
	for _, n := range []int{2, 3, 5} {
		rows := []string{"a", "b", "c", "d", "e"}[:n]
		txns := make([]kv.Txn, n)
		for i, row := range rows {
			txns[i] = f.Begin()
			require.NoError(f, f.PutIn(txns[i], "s", row+"/q/1="))
		}
		waiting := make([]<-chan error, n)
		for i := range n - 1 {
			waiting[i] = fixture.Background(func() error { return f.PutIn(txns[i], "s", rows[i+1]+"/p/1=") })
			f.WaitsFirst(txns[i], waiting[i])
		}
		last := txns[n-1]
		require.ErrorIs(f, f.PutIn(last, "s", rows[0]+"/p/1="), kv.ErrDeadlock, "at once, by the one that closes the circle")
		require.Error(f, last.Commit(f.Ctx), "only Rollback is left")
		last.Rollback()
		require.NoError(f, f.Ends(waiting[n-2]), "its lock is free")
		for i := n - 2; i >= 0; i-- {
			txns[i].Rollback()
			if i > 0 {
				require.NoError(f, f.Ends(waiting[i-1]))
			}
		}
		require.Empty(f, f.All("s"))
	}
}

// testLockGroup requires that a row is locked in all families of its group, and
// only there.
func testLockGroup(f *fixture.Fixture) {
	holder := f.Begin()
	require.NoError(f, f.PutIn(holder, "g$a", "r/q/1="))
	other := fixture.Begin(f.Store, kv.TxnOptions{LockTimeout: fixture.Blocked})
	defer other.Rollback()
	require.ErrorIs(f, f.PutIn(other, "g$b", "r/q/1="), kv.ErrLockTimeout)
	require.NoError(f, f.PutIn(other, "g$b", "rr/q/1=", "/q/1="))
	require.NoError(f, f.PutIn(other, "s", "r/q/1="))
	require.NoError(f, holder.Commit(f.Ctx))
	require.NoError(f, other.Commit(f.Ctx))
}

func testLockSavepoint(f *fixture.Fixture) {
	holder := f.Begin()
	savepoint := holder.Savepoint()
	require.NoError(f, f.PutIn(holder, "s", "r/q/1="))
	holder.RollbackTo(savepoint)
	other := fixture.Begin(f.Store, kv.TxnOptions{LockTimeout: fixture.Blocked})
	defer other.Rollback()
	require.ErrorIs(f, f.PutIn(other, "s", "r/q/1="), kv.ErrLockTimeout, "row locks are kept")
	require.NoError(f, holder.Commit(f.Ctx))
}

// testLockReaders requires that readers do not wait for writers, and that
// writers do not wait for readers.
func testLockReaders(f *fixture.Fixture) {
	f.Put("s", "r/q/1=old")
	reader, writer := f.Begin(), f.Begin()
	cursor := f.Cursor(reader, &fixture.Everything)
	require.NoError(f, f.PutIn(writer, "s", "r/q/1=new"))
	require.Equal(f, "r/q/1=old", f.All("s"))
	require.NoError(f, writer.Commit(f.Ctx))
	require.Equal(f, "r/q/1=old", f.Rest(cursor))
}

func testLockClose(f *fixture.Fixture) {
	holder, waiter := f.Begin(), f.Begin()
	require.NoError(f, f.PutIn(holder, "s", "r/q/1="))
	done := fixture.Background(func() error { return f.PutIn(waiter, "s", "r/q/1=") })
	f.Waits(done)
	require.NoError(f, f.Store.Close())
	require.ErrorIs(f, f.Ends(done), kv.ErrClosed)
}

var shared = kv.RowLock{Shared: true}

// testLockShared requires that several transactions can share a lock, and that
// none can write under it.
func testLockShared(f *fixture.Fixture) {
	t, r := f.Table("s"), []byte("r")
	a, b, writer, late := f.Begin(), f.Begin(), f.Begin(), f.Begin()
	for _, tx := range []kv.Txn{a, b, a} {
		require.NoError(f, tx.LockRow(f.Ctx, t, r, shared))
	}
	writes := fixture.Background(func() error { return f.PutIn(writer, "s", "r/q/1=writer") })
	f.Waits(writes)
	a.Rollback()
	f.Waits(writes)
	require.NoError(f, b.Commit(f.Ctx))
	require.NoError(f, f.Ends(writes))
	reads := fixture.Background(func() error { return late.LockRow(f.Ctx, t, r, shared) })
	f.Waits(reads)
	writer.Rollback()
	require.NoError(f, f.Ends(reads))
	require.NoError(f, f.PutIn(late, "s", "r/q/1=late"), "the only one who shares it may write")
	require.NoError(f, late.LockRow(f.Ctx, t, r, shared))
	other := fixture.Begin(f.Store, kv.TxnOptions{LockTimeout: fixture.Blocked})
	defer other.Rollback()
	require.ErrorIs(f, other.LockRow(f.Ctx, t, r, shared), kv.ErrLockTimeout, "it is not shared any more")
	require.NoError(f, late.Commit(f.Ctx))
	require.Equal(f, "r/q/1=late", f.All("s"))
}

// testLockUpgrade requires that if two transactions share a lock and both want
// it exclusively, one gets it.
func testLockUpgrade(f *fixture.Fixture) {
	t, r := f.Table("s"), []byte("r")
	a, b, queued := f.Begin(), f.Begin(), f.Begin()
	require.NoError(f, a.LockRow(f.Ctx, t, r, shared))
	require.NoError(f, b.LockRow(f.Ctx, t, r, shared))
	behind := fixture.Background(func() error { return f.PutIn(queued, "s", "r/p/1=queued") })
	f.WaitsFirst(queued, behind)
	upgrade := fixture.Background(func() error { return f.PutIn(a, "s", "r/q/1=a") })
	f.WaitsFirst(a, upgrade)
	require.ErrorIs(f, f.PutIn(b, "s", "r/q/1=b"), kv.ErrDeadlock)
	b.Rollback()
	require.NoError(f, f.Ends(upgrade), "who holds the lock comes before who waits for it")
	f.Waits(behind)
	a.Rollback()
	require.NoError(f, f.Ends(behind))
	require.NoError(f, queued.Commit(f.Ctx))
}

func testLockNoWait(f *fixture.Fixture) {
	t := f.Table("s")
	holder, sharer, other := f.Begin(), f.Begin(), f.Begin()
	require.NoError(f, holder.LockRow(f.Ctx, t, []byte("r"), kv.RowLock{NoWait: true}))
	require.NoError(f, sharer.LockRow(f.Ctx, t, []byte("s"), kv.RowLock{Shared: true, NoWait: true}))
	for _, how := range []kv.RowLock{{NoWait: true}, {NoWait: true, Shared: true}} {
		require.ErrorIs(f, other.LockRow(f.Ctx, t, []byte("r"), how), kv.ErrRowLocked)
	}
	require.NoError(f, other.LockRow(f.Ctx, t, []byte("s"), kv.RowLock{NoWait: true, Shared: true}))
	require.ErrorIs(f, other.LockRow(f.Ctx, t, []byte("s"), kv.RowLock{NoWait: true}), kv.ErrRowLocked, "it is shared")
	require.NoError(f, f.PutIn(other, "s", "t/q/1="), "the transaction stands as before")
	require.NoError(f, other.Commit(f.Ctx))
}

// testLockRenew requires that a transaction can take a new snapshot, even after
// a conflict, and keeps its locks and writes.
func testLockRenew(f *fixture.Fixture) {
	f.Put("s", "a/q/1=0", "b/q/1=0")
	tx := f.Begin()
	require.NoError(f, tx.Renew(context.Background()), "nothing has been read yet")
	require.NoError(f, f.PutIn(tx, "s", "a/q/2=mine"))
	savepoint := tx.Savepoint()
	require.NoError(f, f.PutIn(tx, "s", "a/q/3=undone"))
	f.Put("s", "b/q/1=1")
	require.ErrorIs(f, f.PutIn(tx, "s", "b/q/2=mine"), kv.ErrConflict)
	require.NoError(f, tx.Renew(context.Background()))
	require.Equal(f, "a/q/3=undone a/q/2=mine a/q/1=0 b/q/1=1", f.ReadIn(tx, fixture.Everything, "s"))
	other := fixture.Begin(f.Store, kv.TxnOptions{LockTimeout: fixture.Blocked})
	defer other.Rollback()
	for _, row := range []string{"a", "b"} {
		require.ErrorIs(f, f.PutIn(other, "s", row+"/q/9=other"), kv.ErrLockTimeout,
			"also the row that was found changed is locked")
	}
	require.NoError(f, f.PutIn(tx, "s", "b/q/2=mine"))
	tx.RollbackTo(savepoint)
	require.NoError(f, f.PutIn(tx, "s", "b/q/3=mine"))
	require.NoError(f, tx.Commit(f.Ctx))
	require.Equal(f, "a/q/2=mine a/q/1=0 b/q/3=mine b/q/1=1", f.All("s"))
	require.Error(f, tx.Renew(context.Background()), "it is over")

	gone := f.Begin()
	require.NoError(f, f.PutIn(gone, "s", "a/q/5=gone"))
	f.Change(func(c *kv.CatalogChange) error { return c.TruncateTable(fixture.Database, "s") })
	require.ErrorIs(f, gone.Renew(context.Background()), kv.ErrCatalogChanged)
	require.ErrorIs(f, gone.Commit(f.Ctx), kv.ErrCatalogChanged)
	reader := fixture.Begin(f.Store, kv.TxnOptions{ReadOnly: true})
	defer reader.Rollback()
	require.Empty(f, f.ReadIn(reader, fixture.Everything, "s"))
	f.Put("s", "a/q/1=new")
	require.NoError(f, reader.Renew(context.Background()))
	require.Equal(f, "a/q/1=new", f.ReadIn(reader, fixture.Everything, "s"))
}
