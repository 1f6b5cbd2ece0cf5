package kvtest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

var lockTests = []test{
	{"Wait", testLockWait},
	{"WaitThenConflict", testLockConflict},
	{"Timeout", testLockTimeout},
	{"Cancel", testLockCancel},
	{"Deadlock", testDeadlock},
	{"Group", testLockGroup},
	{"Savepoint", testLockSavepoint},
	{"Readers", testLockReaders},
	{"Close", testLockClose},
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
		"LockRow": func(tx kv.Txn) error { return tx.LockRow(f.ctx, f.table("s"), []byte("r")) },
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
	waiter := f.store.Begin(kv.TxnOptions{LockTimeout: blocked})
	defer waiter.Rollback()
	require.NoError(f, f.putIn(waiter, "s", "other/q/1=waiter"))
	for name, write := range writes(f, f.table("s")) {
		start := time.Now()
		require.ErrorIs(f, write(f.ctx, waiter), kv.ErrLockTimeout, name)
		require.GreaterOrEqual(f, time.Since(start), blocked)
	}
	require.ErrorIs(f, waiter.LockRow(f.ctx, f.table("s"), []byte("r")), kv.ErrLockTimeout)
	holder.Rollback()
	require.NoError(f, f.putIn(waiter, "s", "r/q/1=waiter"), "the transaction stands as before")
	require.NoError(f, waiter.Commit(f.ctx))
	require.Equal(f, "other/q/1=waiter r/q/1=waiter", f.all("s"))
}

func testLockCancel(f *fixture) {
	holder, waiter := f.begin(), f.begin()
	require.NoError(f, f.putIn(holder, "s", "r/q/1=holder"))
	ctx, cancel := context.WithCancel(f.ctx)
	done := background(func() error { return waiter.LockRow(ctx, f.table("s"), []byte("r")) })
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
			f.waits(waiting[i])
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
	other := f.store.Begin(kv.TxnOptions{LockTimeout: blocked})
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
	other := f.store.Begin(kv.TxnOptions{LockTimeout: blocked})
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
