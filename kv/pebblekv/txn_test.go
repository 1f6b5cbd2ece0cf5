package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

func row(i int) []byte { return strconv.AppendInt(nil, int64(i), 10) }

// TestTransfers moves money between rows in concurrent transactions, while
// readers sum it up.
func TestTransfers(t *testing.T) {
	s := openMem(t)
	scheme, err := partition.NewKey(7)
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", scheme)
	const accounts = 12
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for i := range accounts {
		require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(i), Value: row(100)}))
	}
	require.NoError(t, tx.Commit(t.Context()))

	var done, refused atomic.Int64
	var wg sync.WaitGroup
	for worker := range 6 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(worker), 0))
			for range 150 {
				if err := transfer(t.Context(), s, table, r.IntN(accounts), r.IntN(accounts)); err == nil {
					done.Add(1)
				} else {
					refused.Add(1)
					require.Subset(t, []error{kv.ErrConflict, kv.ErrDeadlock, kv.ErrLockTimeout}, []error{err})
				}
				if r.IntN(4) == 0 {
					require.Equal(t, accounts*100, total(t, s, table))
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, accounts*100, total(t, s, table))
	require.Positive(t, done.Load())
	require.Zero(t, s.txns.Locks.Held())
	require.True(t, s.engine.Views.RemembersNothing())
	t.Logf("%d done, %d refused", done.Load(), refused.Load())
}

func transfer(ctx context.Context, s *Store, t *kv.Table, from, to int) error {
	tx := kvtest.Begin(s, kv.TxnOptions{})
	defer tx.Rollback()
	for _, move := range []struct{ account, sum int }{{from, -1}, {to, 1}} {
		if err := tx.LockRow(ctx, t, row(move.account), kv.RowLock{}); err != nil {
			return err
		}
		c, err := tx.Scan(ctx, []*kv.Table{t}, rowGet(row(move.account), kv.DepthRow, nil))
		if err != nil {
			return err
		}
		c.Next()
		v, err := c.Value()
		if err != nil {
			return err
		}
		n, _ := strconv.Atoi(string(v))
		if err := c.Close(); err != nil {
			return err
		}
		if err := tx.Put(ctx, t, kv.Cell{Row: row(move.account), Value: row(n + move.sum)}); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

func total(t *testing.T, s *Store, table *kv.Table) int {
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	sum := 0
	for _, c := range readAll(t, tx, []*kv.Table{table}, &kv.Scan{NeedValue: true}) {
		n, err := strconv.Atoi(string(c.Value))
		require.NoError(t, err)
		sum += n
	}
	return sum
}

// TestQueue requires that waiters for a row get it in the order in which they came.
func TestQueue(t *testing.T) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	first := kvtest.Begin(s, kv.TxnOptions{})
	require.NoError(t, first.LockRow(t.Context(), table, row(1), kv.RowLock{}))
	got := make(chan int, 4)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			tx := kvtest.Begin(s, kv.TxnOptions{LockTimeout: time.Minute})
			defer tx.Rollback()
			require.NoError(t, tx.LockRow(t.Context(), table, row(1), kv.RowLock{}))
			got <- i
		})
		require.Eventually(t, func() bool { return s.txns.Locks.Waiting() == i+1 }, time.Minute, time.Millisecond)
	}
	first.Rollback()
	wg.Wait()
	for i := range 4 {
		require.Equal(t, i, <-got)
	}
}

// TestWaitsThatEndAtOnce requires that a waiter that gets a lock at the moment in which
// it gives up has it, and nobody else; and that its next wait starts again.
func TestWaitsThatEndAtOnce(t *testing.T) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	var holders, got atomic.Int32
	var all sync.WaitGroup
	for worker := range uint64(8) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(worker, 0))
			for range 500 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(400))*time.Microsecond)
				tx := kvtest.Begin(s, kv.TxnOptions{LockTimeout: time.Duration(1 + r.IntN(400_000))})
				err := tx.LockRow(ctx, table, row(1), kv.RowLock{})
				if err == nil {
					got.Add(1)
					if holders.Add(1) != 1 {
						t.Error("two hold one lock")
					}
					time.Sleep(time.Duration(r.IntN(50)) * time.Microsecond)
					holders.Add(-1)
				} else if !errors.Is(err, kv.ErrLockTimeout) && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				tx.Rollback()
				cancel()
			}
		})
	}
	all.Wait()
	require.Positive(t, got.Load())
	require.Zero(t, s.txns.Locks.Held())
}

// TestNoReaderPassesAWriter requires that a shared lock waits behind an earlier writer,
// and that the shared locks behind that writer are granted together.
func TestNoReaderPassesAWriter(t *testing.T) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	got := make(chan string, 4)
	var wg sync.WaitGroup
	wait := func(name string, how kv.RowLock, hold <-chan struct{}) {
		before := s.txns.Locks.Waiting()
		wg.Go(func() {
			tx := kvtest.Begin(s, kv.TxnOptions{LockTimeout: time.Minute})
			defer tx.Rollback()
			require.NoError(t, tx.LockRow(t.Context(), table, row(1), how))
			got <- name
			<-hold
		})
		require.Eventually(t, func() bool { return s.txns.Locks.Waiting() > before }, time.Minute, time.Millisecond)
	}
	first := kvtest.Begin(s, kv.TxnOptions{})
	require.NoError(t, first.LockRow(t.Context(), table, row(1), kv.RowLock{Shared: true}))
	writer, readers := make(chan struct{}), make(chan struct{})
	wait("writer", kv.RowLock{}, writer)
	for range 3 {
		wait("reader", kv.RowLock{Shared: true}, readers)
	}
	first.Rollback()
	require.Equal(t, "writer", <-got)
	require.Equal(t, 3, s.txns.Locks.Waiting())
	close(writer)
	for range 3 {
		require.Equal(t, "reader", <-got, "all at once")
	}
	close(readers)
	wg.Wait()
	require.Zero(t, s.txns.Locks.Held())
}

// TestSharedAfterAWriterGaveUp requires that a writer that leaves the queue
// lets those behind it pass.
func TestSharedAfterAWriterGaveUp(t *testing.T) {
	for _, c := range []struct {
		name   string
		giveUp error
		// begin returns what the writer waits with, until wait has passed or it is cancelled.
		begin func(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc, kv.TxnOptions)
	}{
		{"cancelled", context.Canceled, func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc,
			kv.TxnOptions) {
			ctx, cancel := context.WithCancel(ctx)
			return ctx, cancel, kv.TxnOptions{LockTimeout: time.Hour}
		}},
		{"timeout", kv.ErrLockTimeout, func(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc,
			kv.TxnOptions) {
			return ctx, func() {}, kv.TxnOptions{LockTimeout: wait}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openMem(t)
			table := createTable(t, s, "g", "a", &partition.Scheme{})
			first := kvtest.Begin(s, kv.TxnOptions{})
			defer first.Rollback()
			require.NoError(t, first.LockRow(t.Context(), table, row(1), kv.RowLock{Shared: true}))
			met := false
			// On a busy machine a writer can have given up before anyone waits behind it.
			for wait := 20 * time.Millisecond; !met; wait *= 4 {
				ctx, cancel, opts := c.begin(t.Context(), wait)
				writer := lockInBackground(ctx, s, opts, table, kv.RowLock{})
				s.awaitWaiters(1, writer)
				reader := lockInBackground(t.Context(), s, kv.TxnOptions{LockTimeout: time.Hour}, table, kv.RowLock{Shared: true})
				met = s.awaitWaiters(2, reader)
				cancel()
				require.ErrorIs(t, <-writer, c.giveUp)
				require.NoError(t, <-reader)
			}
		})
	}
}

// lockInBackground locks a row in a transaction that then ends, and returns the
// error in a channel.
func lockInBackground(ctx context.Context, s *Store, o kv.TxnOptions, table *kv.Table, how kv.RowLock) chan error {
	done := make(chan error, 1)
	go func() {
		tx := kvtest.Begin(s, o)
		err := tx.LockRow(ctx, table, row(1), how)
		tx.Rollback()
		done <- err
	}()
	return done
}

// awaitWaiters waits until n wait for locks; false if the last of them was done before.
func (s *Store) awaitWaiters(n int, last chan error) bool {
	for len(last) == 0 {
		if s.txns.Locks.Waiting() == n {
			return true
		}
		time.Sleep(time.Millisecond / 4)
	}
	return false
}

// TestDeadlockOfThree closes a cycle of three transactions: the one that closes it fails
// at once, the others continue.
func TestDeadlockOfThree(t *testing.T) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	var txs [3]kv.Txn
	for i := range txs {
		txs[i] = kvtest.Begin(s, kv.TxnOptions{LockTimeout: time.Minute})
		require.NoError(t, txs[i].LockRow(t.Context(), table, row(i), kv.RowLock{}))
	}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			require.NoError(t, txs[i].LockRow(t.Context(), table, row(i+1), kv.RowLock{}))
			txs[i].Rollback()
		})
		require.Eventually(t, func() bool { return s.txns.Locks.Waiting() == i+1 }, time.Minute, time.Millisecond)
	}
	require.ErrorIs(t, txs[2].LockRow(t.Context(), table, row(0), kv.RowLock{}), kv.ErrDeadlock)
	require.ErrorIs(t, txs[2].Put(t.Context(), table, kv.Cell{}), kv.ErrDeadlock, "only Rollback is left")
	txs[2].Rollback()
	wg.Wait()
	require.Zero(t, s.txns.Locks.Held())
}

// TestCloseUnderLoad closes a store under scans, writes and waiters: each gets
// kv.ErrClosed, and the files are closed with the last of them.
func TestCloseUnderLoad(t *testing.T) {
	for range 10 {
		s, err := Open(Options{InMemory: true})
		require.NoError(t, err)
		table := createTable(t, s, "g", "a", &partition.Scheme{})
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for i := range 5000 {
			require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(i), Value: row(i)}))
		}
		require.NoError(t, tx.Commit(t.Context()))
		held := kvtest.Begin(s, kv.TxnOptions{})
		require.NoError(t, held.LockRow(t.Context(), table, row(1), kv.RowLock{}))

		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() { require.ErrorIs(t, readUntilClosed(t.Context(), s, table), kv.ErrClosed) })
			wg.Go(func() {
				for err := error(nil); ; {
					tx := kvtest.Begin(s, kv.TxnOptions{})
					if err = tx.Put(t.Context(), table, kv.Cell{Row: row(100 + i)}); err == nil {
						err = tx.Commit(t.Context())
					}
					tx.Rollback()
					if err != nil {
						require.ErrorIs(t, err, kv.ErrClosed)
						return
					}
				}
			})
		}
		wg.Go(func() {
			tx := kvtest.Begin(s, kv.TxnOptions{LockTimeout: time.Minute})
			require.ErrorIs(t, tx.LockRow(t.Context(), table, row(1), kv.RowLock{}), kv.ErrClosed)
		})
		time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
		require.NoError(t, s.Close())
		wg.Wait()
		<-s.Gone()
		held.Rollback()
		require.Zero(t, s.OpenIterators())
	}
}

func readUntilClosed(ctx context.Context, s *Store, t *kv.Table) error {
	for {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		c, err := tx.Scan(ctx, []*kv.Table{t}, &kv.Scan{NeedValue: true})
		if err != nil {
			return err
		}
		for c.Next() {
			if v, err := c.Value(); err != nil || string(v) != string(c.Cell().Row) && len(v) > 0 {
				return fmt.Errorf("%q %q %w", c.Cell().Row, v, err)
			}
		}
		if err := c.Close(); err != nil {
			return err
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
}

// TestOpenCursorOutlivesClose requires that bytes that a reader uses stay as they are.
func TestOpenCursorOutlivesClose(t *testing.T) {
	s, err := Open(Options{InMemory: true})
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	tx := kvtest.Begin(s, kv.TxnOptions{})
	require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: []byte("row"), Value: []byte("value")}))
	require.NoError(t, tx.Commit(t.Context()))
	tx = kvtest.Begin(s, kv.TxnOptions{})
	c, err := tx.Scan(t.Context(), []*kv.Table{table}, &kv.Scan{NeedValue: true})
	require.NoError(t, err)
	require.True(t, c.Next())
	cell := c.Cell()
	v, err := c.Value()
	require.NoError(t, err)
	require.Equal(t, 1, s.OpenIterators())
	require.NoError(t, s.Close())
	require.Equal(t, "row", string(cell.Row))
	require.Equal(t, "value", string(v))
	require.False(t, c.Next())
	require.ErrorIs(t, c.Err(), kv.ErrClosed)
	<-s.Gone()
	require.Zero(t, s.OpenIterators())
	require.NoError(t, c.Close())
	_, err = c.Value()
	require.ErrorIs(t, err, kv.ErrClosed)
	tx.Rollback()
}

// TestManyVersions requires that the work for the newest version does not grow
// with the older versions.
func TestManyVersions(t *testing.T) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for column := range 20 {
		for v := range 1000 {
			require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(column), Timestamp: int64(v)}))
		}
	}
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, s.Flush(t.Context()))
	for _, scan := range []*kv.Scan{
		{MaxVersions: 1},
		{MaxVersions: 1, Reverse: true},
		{MaxVersions: 1, Time: kv.TimeRange{Max: 500, Bounded: true}},
		{FirstPerRow: true},
		{FirstPerRow: true, Reverse: true},
	} {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		c, err := tx.Scan(t.Context(), []*kv.Table{table}, scan)
		require.NoError(t, err)
		n := 0
		for c.Next() {
			n++
		}
		require.NoError(t, c.Close())
		require.Equal(t, 20, n)
		require.Less(t, c.Stats().Cells+c.Stats().Seeks, int64(200), "%+v", scan)
		tx.Rollback()
	}
}

// TestPutNextRuns requires that many writes of one column in one millisecond cost one
// lookup each, not one for each earlier version.
func TestPutNextRuns(t *testing.T) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for i := range 20_000 {
		got, err := tx.PutNext(t.Context(), table, kv.Cell{Timestamp: 5})
		require.NoError(t, err)
		require.Equal(t, int64(5+i), got)
	}
	require.NoError(t, tx.DeleteVersion(t.Context(), table, nil, nil, 7))
	got, err := tx.PutNext(t.Context(), table, kv.Cell{Timestamp: 5})
	require.NoError(t, err)
	require.Equal(t, int64(7), got)
	require.NoError(t, tx.Commit(t.Context()))
}

// TestAllocations requires that reading a cell does not allocate.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("Pebble allocates more under the race detector, to find bytes that are kept too long")
	}
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for i := range 5000 {
		require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(i), Qualifier: []byte("q"), Value: row(i)}))
	}
	require.NoError(t, tx.Commit(t.Context()))
	for _, scan := range []*kv.Scan{{NeedValue: true}, {NeedValue: true, MaxVersions: 1},
		{NeedValue: true, Reverse: true, MaxVersions: 1}} {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		c, err := tx.Scan(t.Context(), []*kv.Table{table}, scan)
		require.NoError(t, err)
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			if _ = c.Next(); c.Cell() == nil {
				t.Fail()
			}
			if _, err := c.Value(); err != nil {
				t.Fail()
			}
		}))
		require.NoError(t, c.Close())
		tx.Rollback()
	}
}
