package pebblekv

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/txn"
	"github.com/hbasekv/hbasekv/partition"
)

// smallMemory is how many bytes transactions of these tests may keep in memory: some hundred writes.
const smallMemory = 64 << 10

// largeTxn is a transaction that writes more than its memory, and what it should have written.
type largeTxn struct {
	kv.Txn
	table *kv.Table
	now   map[string]string
}

// write puts and deletes cells of n rows, in key order or not.
func (x *largeTxn) write(t *testing.T, r *rand.Rand, n int, ordered bool) error {
	for i := range n {
		if !ordered {
			i = r.IntN(n)
		}
		row, q := fmt.Appendf(nil, "row%05d", i), []byte{'q', byte('0' + r.IntN(3))}
		at := fmt.Sprintf("%s/%s", row, q)
		if r.IntN(3) == 0 {
			if err := x.DeleteColumn(t.Context(), x.table, row, q); err != nil {
				return err
			}
			delete(x.now, at)
			continue
		}
		value := fmt.Sprint("value ", r.Int())
		c := kv.Cell{Row: row, Qualifier: q, Timestamp: 1, Value: []byte(value)}
		if err := x.Put(t.Context(), x.table, c); err != nil {
			return err
		}
		x.now[at] = value
	}
	return nil
}

// TestLargeTransaction writes more than the memory, rolls back to savepoints, deletes spans, and commits or
// not: the store has everything or nothing, and no files are left.
func TestLargeTransaction(t *testing.T) {
	minDeleted := txn.MinDeleted
	txn.MinDeleted = 1
	t.Cleanup(func() { txn.MinDeleted = minDeleted })
	r := seed(t)
	for name, scheme := range schemes(t) {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewMem()
			s, err := Open(Options{Dir: "d", FS: mem, TxnMemory: smallMemory})
			require.NoError(t, err)
			table := createTable(t, s, "g", "a", scheme)
			want := map[string]string{}
			for round := range 6 {
				x := &largeTxn{kvtest.Begin(s, kv.TxnOptions{Serializable: round%2 == 0}), table, maps.Clone(want)}
				require.NoError(t, x.write(t, r, 300+r.IntN(600), round%3 == 0))
				before, then := x.Savepoint(), maps.Clone(x.now)
				require.NoError(t, x.write(t, r, 700, false))
				if r.IntN(2) == 0 {
					x.RollbackTo(before)
					x.now = then
				}
				if r.IntN(2) == 0 {
					done, err := x.Txn.(kv.RangeDeleter).DeleteRanges(t.Context(), table, &kv.Scan{})
					require.NoError(t, err)
					require.True(t, done.Done)
					x.now = map[string]string{}
				}
				require.NoError(t, x.write(t, r, 400, false))
				if round%3 == 2 {
					x.Rollback()
				} else {
					require.NoError(t, x.Commit(t.Context()))
					want = x.now
				}
				requireCells(t, s, want)
				requireNoStages(t, mem)
			}
			kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
			require.NoError(t, s.Close())
			s, err = Open(Options{Dir: "d", FS: mem})
			require.NoError(t, err)
			requireCells(t, s, want)
			require.NoError(t, s.Close())
		})
	}
}

// TestLargeTransactionFaults makes disk operations of a large transaction fail in turn: then nothing of it is
// visible and nothing is left.
func TestLargeTransactionFaults(t *testing.T) {
	for fault, wanted := range diskFaults {
		for step, written := 0, false; !written; step += 7 {
			mem := vfs.NewMem()
			var left atomic.Int64
			disk := failingOnce(mem, &left, fault, onStages)
			s, err := Open(Options{Dir: "d", FS: disk, Sync: true, TxnMemory: smallMemory})
			require.NoError(t, err)
			table := createTable(t, s, "g", "a", must(partition.NewKey(3)))
			require.NoError(t, commitRow(t, s, "before", 10))
			left.Store(int64(step) + 1)
			x := &largeTxn{kvtest.Begin(s, kv.TxnOptions{}), table, map[string]string{}}
			if err = x.write(t, rand.New(rand.NewPCG(1, 1)), 600, false); err == nil {
				err = x.Commit(t.Context())
			}
			x.Rollback()
			written = left.Swap(-1) > 0
			switch {
			case written:
				require.NoError(t, err)
				require.Greater(t, step, 20, "many steps have failed before")
			case err != nil:
				require.ErrorIs(t, err, wanted, "step %d", step)
				require.Len(t, rowsOf(t, s), 1)
			}
			requireNoStages(t, mem)
			require.NoError(t, commitRow(t, s, "after", 10))
			require.NoError(t, s.Close())
		}
	}
}

// TestLargeTransactionPowerLoss requires that a power failure leaves a large transaction complete or not at
// all, and complete once it is acknowledged.
func TestLargeTransactionPowerLoss(t *testing.T) {
	disk := &cutDisk{mem: newCrashable(), random: seed(t)}
	s, err := Open(Options{Dir: "d", FS: errorfs.Wrap(disk.mem, errorfs.InjectorFunc(disk.hook)), Sync: true, TxnMemory: smallMemory})
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", must(partition.NewKey(3)))
	for round := range 3 {
		before := len(rowsOf(t, s))
		disk.taken()
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for i := range 800 {
			row := fmt.Appendf(nil, "row%d-%05d", round, i*7919%800)
			require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row, Timestamp: 1}))
		}
		require.NoError(t, tx.Commit(t.Context()))
		images := disk.taken()
		for _, image := range images {
			n := countAfterCrash(t, image)
			require.True(t, n == before || n == before+800, "%d of %d", n-before, 800)
			requireNoStages(t, image)
		}
		require.NotEmpty(t, images)
		require.Equal(t, before+800, countAfterCrash(t, disk.crash()))
	}
	require.NoError(t, s.Close())
}

// cutDisk keeps what a power failure leaves behind at some of its operations, which Pebble's own goroutines do too.
type cutDisk struct {
	mem    *crashable
	mu     sync.Mutex // guards the rest
	steps  int
	random *rand.Rand
	images []vfs.FS
}

func (d *cutDisk) hook(errorfs.Op) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.steps++; d.steps%97 == 0 {
		d.images = append(d.images, d.cut())
	}
	return nil
}

func (d *cutDisk) crash() vfs.FS {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cut()
}

func (d *cutDisk) cut() vfs.FS {
	return d.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: d.random.IntN(101), RNG: d.random})
}

// taken returns the images since the last call.
func (d *cutDisk) taken() []vfs.FS {
	d.mu.Lock()
	defer d.mu.Unlock()
	images := d.images
	d.images = nil
	return images
}

// TestLargeTransactionLocks requires that the table's lock replaces many row locks if nobody else has locks
// in the table, and is waited for like these; otherwise the row locks stay.
func TestLargeTransactionLocks(t *testing.T) {
	many := txn.ManyLocks
	txn.ManyLocks = 100
	t.Cleanup(func() { txn.ManyLocks = many })
	for _, beside := range []bool{false, true} {
		s, err := Open(Options{InMemory: true, TxnMemory: smallMemory, LockTimeout: 50 * time.Millisecond})
		require.NoError(t, err)
		table := createTable(t, s, "g", "a", &partition.Scheme{})
		put := func(tx kv.Txn, row string) error {
			return tx.Put(t.Context(), table, kv.Cell{Row: []byte(row), Timestamp: 1})
		}
		other := kvtest.Begin(s, kv.TxnOptions{})
		if beside {
			require.NoError(t, put(other, "other"))
		}
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for i := range 2000 {
			require.NoError(t, put(tx, fmt.Sprintf("row%05d", i)))
		}
		held := tx.(kv.Observed).Observe().RowsLocked
		require.ErrorIs(t, put(kvtest.Begin(s, kv.TxnOptions{}), "row00007"), kv.ErrLockTimeout)
		if beside {
			require.GreaterOrEqual(t, held, uint64(2000))
			require.NoError(t, put(other, "row99999"))
			require.NoError(t, other.Commit(t.Context()))
		} else {
			require.Less(t, held, uint64(2000))
			require.ErrorIs(t, put(other, "row99999"), kv.ErrLockTimeout)
			other.Rollback()
		}
		old := kvtest.Begin(s, kv.TxnOptions{})
		old.Catalog()
		require.NoError(t, tx.Commit(t.Context()))
		require.ErrorIs(t, put(old, "row00007"), kv.ErrConflict)
		old.Rollback()
		require.NoError(t, put(kvtest.Begin(s, kv.TxnOptions{}), "row00007"))
		require.NoError(t, s.Close())
	}
}

// TestLargeTransactionUndoneRows requires that rows whose writes were undone have not changed for others,
// even if the writes had gone to disk.
func TestLargeTransactionUndoneRows(t *testing.T) {
	s, err := Open(Options{InMemory: true, TxnMemory: smallMemory})
	require.NoError(t, err)
	defer s.Close()
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	old, tx := kvtest.Begin(s, kv.TxnOptions{}), kvtest.Begin(s, kv.TxnOptions{})
	old.Catalog()
	put := func(tx kv.Txn, row string) error {
		return tx.Put(t.Context(), table, kv.Cell{Row: []byte(row), Timestamp: 1})
	}
	many := func(prefix string) {
		for i := range 2000 {
			require.NoError(t, put(tx, fmt.Sprintf("%s%05d", prefix, i)))
		}
	}
	many("kept")
	savepoint := tx.Savepoint()
	many("undone")
	require.NoError(t, put(tx, "kept00001"))
	tx.RollbackTo(savepoint)
	require.NoError(t, put(tx, "last"))
	require.NoError(t, tx.Commit(t.Context()))
	for _, row := range []string{"undone00000", "undone01999", "other"} {
		require.NoError(t, put(old, row))
	}
	for _, row := range []string{"kept00000", "kept00001", "kept01999", "last"} {
		require.ErrorIs(t, put(old, row), kv.ErrConflict, row)
	}
	old.Rollback()
}

// TestLargeTransactionReadsRows reads rows that the transaction has just locked, as INSERT of a typed row does:
// those that it has written, in memory or to disk, taken back, or not.
func TestLargeTransactionReadsRows(t *testing.T) {
	r := seed(t)
	for name, scheme := range schemes(t) {
		t.Run(name, func(t *testing.T) {
			s, err := Open(Options{InMemory: true, TxnMemory: smallMemory})
			require.NoError(t, err)
			defer s.Close()
			table := createTable(t, s, "g", "a", scheme)
			tx := kvtest.Begin(s, kv.TxnOptions{})
			want := map[string]map[string]string{}
			before, then := tx.Savepoint(), map[string]map[string]string{}
			for range 4000 {
				row := fmt.Sprintf("row%d", r.IntN(1500))
				require.NoError(t, tx.LockRow(t.Context(), table, []byte(row), kv.RowLock{}))
				require.Equal(t, want[row], cellsOfRow(t, tx, table, row), row)
				switch r.IntN(200) {
				case 0:
					before, then = tx.Savepoint(), maps.Clone(want)
				case 1:
					tx.RollbackTo(before)
					want = maps.Clone(then)
				default:
					want[row] = maps.Clone(want[row])
					require.NoError(t, changeRow(t, r, tx, table, row, want))
				}
			}
			tx.Rollback()
		})
	}
}

// changeRow puts or deletes a cell of a row, also in want.
func changeRow(t *testing.T, r *rand.Rand, tx kv.Txn, table *kv.Table, row string, want map[string]map[string]string) error {
	q := string('a' + rune(r.IntN(3)))
	if r.IntN(3) == 0 {
		if delete(want[row], q); len(want[row]) == 0 {
			delete(want, row)
		}
		return tx.DeleteColumn(t.Context(), table, []byte(row), []byte(q))
	}
	value := fmt.Sprint(r.Int())
	if want[row] == nil {
		want[row] = map[string]string{}
	}
	want[row][q] = value
	return tx.Put(t.Context(), table, kv.Cell{Row: []byte(row), Qualifier: []byte(q), Timestamp: 1, Value: []byte(value)})
}

// cellsOfRow reads a row, nil if it has no cells.
func cellsOfRow(t *testing.T, tx kv.Txn, table *kv.Table, row string) (cells map[string]string) {
	cur, err := tx.Scan(t.Context(), []*kv.Table{table}, rowGet([]byte(row), kv.DepthRow, nil))
	require.NoError(t, err)
	for cur.Next() {
		if cells == nil {
			cells = map[string]string{}
		}
		value, err := cur.Value()
		require.NoError(t, err)
		cells[string(cur.Cell().Qualifier)] = string(value)
	}
	require.NoError(t, cur.Err())
	require.NoError(t, cur.Close())
	return cells
}
