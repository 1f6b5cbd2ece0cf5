package kvtest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

var lockTests = []test{
	{"Wait", testLockWait, rowLocks | manyRows},
	{"WaitThenConflict", testLockConflict, rowLocks | manyRows},
	{"Timeout", testLockTimeout, rowLocks | manyRows},
	{"Cancel", testLockCancel, rowLocks | manyRows},
	{"Deadlock", testDeadlock, rowLocks | manyRows},
	{"Group", testLockGroup, rowLocks | manyRows},
	{"Savepoint", testLockSavepoint, rowLocks | manyRows},
	{"Readers", testLockReaders, rowLocks | manyRows},
	{"Close", testLockClose, rowLocks | manyRows},
	{"Shared", testLockShared, rowLocks | manyRows},
	{"SharedDeadlock", testLockUpgrade, rowLocks | manyRows},
	{"NoWait", testLockNoWait, rowLocks | manyRows},
	{"Renew", testLockRenew, rowLocks | manyRows},
}

// blocked is long enough to see that something waits.
const blocked = 20 * time.Millisecond

// background runs fn and gives its error later.
func background(fn func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- fn() }()
	return done
}

func (f *fixture) waits(done <-chan error) {
	f.Helper()
	select {
	case err := <-done:
		require.Fail(f, "it should wait", "%v", err)
	case <-time.After(blocked):
	}
}

// waitsFirst is waits for where it matters that nobody comes before tx: on a busy
// machine what runs in the background may not have begun behind a while.
func (f *fixture) waitsFirst(tx kv.Txn, done <-chan error) {
	f.Helper()
	f.waits(done)
	for !waitsForRow(tx) {
		require.NoError(f, f.ctx.Err(), "it should wait for a row")
		f.waits(done)
	}
}

// waitsForRow is also true of a transaction that does not tell.
func waitsForRow(tx kv.Txn) bool {
	switch tx := tx.(type) {
	case *txn:
		return tx.model.locks.hasWaiting(tx)
	case kv.Observed:
		return !tx.Observe().WaitsSince.IsZero()
	}
	return true
}

func (f *fixture) ends(done <-chan error) error {
	f.Helper()
	select {
	case err := <-done:
		return err
	case <-f.ctx.Done():
		require.Fail(f, "it should not wait any more")
		return nil
	}
}

// testLockWait: what the holder did not change is the waiter's.
func testLockWait(f *fixture) {
	f.put("s", "r/q/1=0")
	for name, hold := range map[string]func(tx kv.Txn) error{
		"LockRow": func(tx kv.Txn) error { return tx.LockRow(f.ctx, f.table("s"), []byte("r"), kv.RowLock{}) },
		"Put":     func(tx kv.Txn) error { return f.putIn(tx, "s", "r/q/1=undone") },
	} {
		holder, waiter := f.begin(), f.begin()
		require.NoError(f, hold(holder), name)
		waiter.Catalog()
		done := background(func() error { return f.putIn(waiter, "s", "r/q/1="+name) })
		f.waits(done)
		holder.Rollback()
		require.NoError(f, f.ends(done), name)
		require.NoError(f, waiter.Commit(f.ctx))
		require.Equal(f, "r/q/1="+name, f.all("s"))
	}
}

func testLockConflict(f *fixture) {
	holder, waiter := f.begin(), f.begin()
	require.NoError(f, f.putIn(holder, "s", "r/q/1=holder"))
	waiter.Catalog()
	done := background(func() error { return f.putIn(waiter, "s", "r/q/1=waiter") })
	f.waits(done)
	require.NoError(f, holder.Commit(f.ctx))
	require.ErrorIs(f, f.ends(done), kv.ErrConflict)
	waiter.Rollback()
	require.Equal(f, "r/q/1=holder", f.all("s"))
	f.put("s", "r/q/1=next")
}

func testLockTimeout(f *fixture) {
	holder := f.begin()
	require.NoError(f, f.putIn(holder, "s", "r/q/1=holder"))
	waiter := Begin(f.store, kv.TxnOptions{LockTimeout: blocked})
	defer waiter.Rollback()
	require.NoError(f, f.putIn(waiter, "s", "other/q/1=waiter"))
	for name, write := range writes(f, f.table("s")) {
		start := time.Now()
		require.ErrorIs(f, write(f.ctx, waiter), kv.ErrLockTimeout, name)
		require.GreaterOrEqual(f, time.Since(start), blocked)
	}
	require.ErrorIs(f, waiter.LockRow(f.ctx, f.table("s"), []byte("r"), kv.RowLock{}), kv.ErrLockTimeout)
	holder.Rollback()
	require.NoError(f, f.putIn(waiter, "s", "r/q/1=waiter"), "the transaction stands as before")
	require.NoError(f, waiter.Commit(f.ctx))
	require.Equal(f, "other/q/1=waiter r/q/1=waiter", f.all("s"))
}

func testLockCancel(f *fixture) {
	holder, waiter := f.begin(), f.begin()
	require.NoError(f, f.putIn(holder, "s", "r/q/1=holder"))
	ctx, cancel := context.WithCancel(f.ctx)
	done := background(func() error { return waiter.LockRow(ctx, f.table("s"), []byte("r"), kv.RowLock{}) })
	f.waits(done)
	cancel()
	require.ErrorIs(f, f.ends(done), context.Canceled)
	require.NoError(f, f.putIn(waiter, "s", "other/q/1=waiter"), "the transaction stands as before")
	require.NoError(f, waiter.Commit(f.ctx))
	require.NoError(f, holder.Commit(f.ctx))
}

// testDeadlock lets n transactions each hold a row and want the next one's.
func testDeadlock(f *fixture) {
	for _, n := range []int{2, 3, 5} {
		rows := []string{"a", "b", "c", "d", "e"}[:n]
		txns := make([]kv.Txn, n)
		for i, row := range rows {
			txns[i] = f.begin()
			require.NoError(f, f.putIn(txns[i], "s", row+"/q/1="))
		}
		waiting := make([]<-chan error, n)
		for i := range n - 1 {
			waiting[i] = background(func() error { return f.putIn(txns[i], "s", rows[i+1]+"/p/1=") })
			f.waitsFirst(txns[i], waiting[i])
		}
		last := txns[n-1]
		require.ErrorIs(f, f.putIn(last, "s", rows[0]+"/p/1="), kv.ErrDeadlock, "at once, by the one that closes the circle")
		require.Error(f, last.Commit(f.ctx), "only Rollback is left")
		last.Rollback()
		require.NoError(f, f.ends(waiting[n-2]), "its lock is free")
		for i := n - 2; i >= 0; i-- {
			txns[i].Rollback()
			if i > 0 {
				require.NoError(f, f.ends(waiting[i-1]))
			}
		}
		require.Empty(f, f.all("s"))
	}
}

// testLockGroup: a row is locked in all families of the group, and only there.
func testLockGroup(f *fixture) {
	holder := f.begin()
	require.NoError(f, f.putIn(holder, "g$a", "r/q/1="))
	other := Begin(f.store, kv.TxnOptions{LockTimeout: blocked})
	defer other.Rollback()
	require.ErrorIs(f, f.putIn(other, "g$b", "r/q/1="), kv.ErrLockTimeout)
	require.NoError(f, f.putIn(other, "g$b", "rr/q/1=", "/q/1="))
	require.NoError(f, f.putIn(other, "s", "r/q/1="))
	require.NoError(f, holder.Commit(f.ctx))
	require.NoError(f, other.Commit(f.ctx))
}

func testLockSavepoint(f *fixture) {
	holder := f.begin()
	savepoint := holder.Savepoint()
	require.NoError(f, f.putIn(holder, "s", "r/q/1="))
	holder.RollbackTo(savepoint)
	other := Begin(f.store, kv.TxnOptions{LockTimeout: blocked})
	defer other.Rollback()
	require.ErrorIs(f, f.putIn(other, "s", "r/q/1="), kv.ErrLockTimeout, "row locks are kept")
	require.NoError(f, holder.Commit(f.ctx))
}

// testLockReaders: readers wait for no writer, and no writer for readers.
func testLockReaders(f *fixture) {
	f.put("s", "r/q/1=old")
	reader, writer := f.begin(), f.begin()
	cursor := f.cursor(reader, &everything)
	require.NoError(f, f.putIn(writer, "s", "r/q/1=new"))
	require.Equal(f, "r/q/1=old", f.all("s"))
	require.NoError(f, writer.Commit(f.ctx))
	require.Equal(f, "r/q/1=old", f.rest(cursor))
}

func testLockClose(f *fixture) {
	holder, waiter := f.begin(), f.begin()
	require.NoError(f, f.putIn(holder, "s", "r/q/1="))
	done := background(func() error { return f.putIn(waiter, "s", "r/q/1=") })
	f.waits(done)
	require.NoError(f, f.store.Close())
	require.ErrorIs(f, f.ends(done), kv.ErrClosed)
}

var shared = kv.RowLock{Shared: true}

// testLockShared: several share a lock, and nobody writes under it.
func testLockShared(f *fixture) {
	t, r := f.table("s"), []byte("r")
	a, b, writer, late := f.begin(), f.begin(), f.begin(), f.begin()
	for _, tx := range []kv.Txn{a, b, a} {
		require.NoError(f, tx.LockRow(f.ctx, t, r, shared))
	}
	writes := background(func() error { return f.putIn(writer, "s", "r/q/1=writer") })
	f.waits(writes)
	a.Rollback()
	f.waits(writes)
	require.NoError(f, b.Commit(f.ctx))
	require.NoError(f, f.ends(writes))
	reads := background(func() error { return late.LockRow(f.ctx, t, r, shared) })
	f.waits(reads)
	writer.Rollback()
	require.NoError(f, f.ends(reads))
	require.NoError(f, f.putIn(late, "s", "r/q/1=late"), "the only one who shares it may write")
	require.NoError(f, late.LockRow(f.ctx, t, r, shared))
	other := Begin(f.store, kv.TxnOptions{LockTimeout: blocked})
	defer other.Rollback()
	require.ErrorIs(f, other.LockRow(f.ctx, t, r, shared), kv.ErrLockTimeout, "it is not shared any more")
	require.NoError(f, late.Commit(f.ctx))
	require.Equal(f, "r/q/1=late", f.all("s"))
}

// testLockUpgrade: of two who share a lock and both want it alone, one gets it.
func testLockUpgrade(f *fixture) {
	t, r := f.table("s"), []byte("r")
	a, b, queued := f.begin(), f.begin(), f.begin()
	require.NoError(f, a.LockRow(f.ctx, t, r, shared))
	require.NoError(f, b.LockRow(f.ctx, t, r, shared))
	behind := background(func() error { return f.putIn(queued, "s", "r/p/1=queued") })
	f.waitsFirst(queued, behind)
	upgrade := background(func() error { return f.putIn(a, "s", "r/q/1=a") })
	f.waitsFirst(a, upgrade)
	require.ErrorIs(f, f.putIn(b, "s", "r/q/1=b"), kv.ErrDeadlock)
	b.Rollback()
	require.NoError(f, f.ends(upgrade), "who holds the lock comes before who waits for it")
	f.waits(behind)
	a.Rollback()
	require.NoError(f, f.ends(behind))
	require.NoError(f, queued.Commit(f.ctx))
}

func testLockNoWait(f *fixture) {
	t := f.table("s")
	holder, sharer, other := f.begin(), f.begin(), f.begin()
	require.NoError(f, holder.LockRow(f.ctx, t, []byte("r"), kv.RowLock{NoWait: true}))
	require.NoError(f, sharer.LockRow(f.ctx, t, []byte("s"), kv.RowLock{Shared: true, NoWait: true}))
	for _, how := range []kv.RowLock{{NoWait: true}, {NoWait: true, Shared: true}} {
		require.ErrorIs(f, other.LockRow(f.ctx, t, []byte("r"), how), kv.ErrRowLocked)
	}
	require.NoError(f, other.LockRow(f.ctx, t, []byte("s"), kv.RowLock{NoWait: true, Shared: true}))
	require.ErrorIs(f, other.LockRow(f.ctx, t, []byte("s"), kv.RowLock{NoWait: true}), kv.ErrRowLocked, "it is shared")
	require.NoError(f, f.putIn(other, "s", "t/q/1="), "the transaction stands as before")
	require.NoError(f, other.Commit(f.ctx))
}

// testLockRenew: a new snapshot, after a conflict too, with the locks and the
// writes that there were.
func testLockRenew(f *fixture) {
	f.put("s", "a/q/1=0", "b/q/1=0")
	tx := f.begin()
	require.NoError(f, tx.Renew(context.Background()), "nothing has been read yet")
	require.NoError(f, f.putIn(tx, "s", "a/q/2=mine"))
	savepoint := tx.Savepoint()
	require.NoError(f, f.putIn(tx, "s", "a/q/3=undone"))
	f.put("s", "b/q/1=1")
	require.ErrorIs(f, f.putIn(tx, "s", "b/q/2=mine"), kv.ErrConflict)
	require.NoError(f, tx.Renew(context.Background()))
	require.Equal(f, "a/q/3=undone a/q/2=mine a/q/1=0 b/q/1=1", f.readIn(tx, everything, "s"))
	other := Begin(f.store, kv.TxnOptions{LockTimeout: blocked})
	defer other.Rollback()
	for _, row := range []string{"a", "b"} {
		require.ErrorIs(f, f.putIn(other, "s", row+"/q/9=other"), kv.ErrLockTimeout,
			"also the row that was found changed is locked")
	}
	require.NoError(f, f.putIn(tx, "s", "b/q/2=mine"))
	tx.RollbackTo(savepoint)
	require.NoError(f, f.putIn(tx, "s", "b/q/3=mine"))
	require.NoError(f, tx.Commit(f.ctx))
	require.Equal(f, "a/q/2=mine a/q/1=0 b/q/3=mine b/q/1=1", f.all("s"))
	require.Error(f, tx.Renew(context.Background()), "it is over")

	gone := f.begin()
	require.NoError(f, f.putIn(gone, "s", "a/q/5=gone"))
	f.change(func(c *kv.CatalogChange) error { return c.TruncateTable(database, "s") })
	require.ErrorIs(f, gone.Renew(context.Background()), kv.ErrCatalogChanged)
	require.ErrorIs(f, gone.Commit(f.ctx), kv.ErrCatalogChanged)
	reader := Begin(f.store, kv.TxnOptions{ReadOnly: true})
	defer reader.Rollback()
	require.Empty(f, f.readIn(reader, everything, "s"))
	f.put("s", "a/q/1=new")
	require.NoError(f, reader.Renew(context.Background()))
	require.Equal(f, "a/q/1=new", f.readIn(reader, everything, "s"))
}
