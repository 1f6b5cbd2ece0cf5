package pebblekv

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/bulk"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/tablebuild"
	"github.com/hbasekv/hbasekv/partition"
)

// smallLoads makes bulk loads of few cells work like large ones: write several files of a key space
// concurrently, and sort on disk.
func smallLoads(t testing.TB) {
	before := bulk.StoreLimits
	bulk.StoreLimits.Limits = tablebuild.Limits{GatherBytes: 500, SortBytes: 4 << 10, BatchBytes: 1 << 10, Outputs: 3,
		Runs:       3,
		TableBytes: 4 << 10}
	t.Cleanup(func() { bulk.StoreLimits = before })
}

// fewExactRows makes loads forget which rows they have: about is how many of these they can distinguish.
func fewExactRows(t testing.TB, about int) {
	before := bulk.StoreLimits
	bulk.StoreLimits.ExactRows, bulk.StoreLimits.RowBits = 0, about
	t.Cleanup(func() { bulk.StoreLimits = before })
}

// loadedCells returns n cells of n/5 rows in order.
func loadedCells(n int) []kv.Cell {
	cells := make([]kv.Cell, n)
	for i := range cells {
		cells[i] = kv.Cell{Row: fmt.Appendf(nil, "row%05d", i/5), Qualifier: []byte{'q', byte('0' + i%5)}, Timestamp: 1,
			Value: fmt.Appendf(nil, "value %d", i)}
	}
	return cells
}

func cellSeq(cells []kv.Cell) iter.Seq2[kv.Cell, error] {
	return func(yield func(kv.Cell, error) bool) {
		for _, c := range cells {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func tryLoad(t testing.TB, s *Store, cells []kv.Cell) (kv.BulkStats, error) {
	return s.BulkLoad(t.Context(), []*kv.Table{kvtest.Catalog(s).Table("d", "g$a")}, cellSeq(cells), kv.BulkOptions{})
}

// requireNoStages fails if a load has left something behind.
func requireNoStages(t testing.TB, in vfs.FS) {
	t.Helper()
	names, err := in.List("d")
	require.NoError(t, err)
	for _, name := range names {
		require.False(t, isStage(name), name)
	}
}

// TestBulkLoadOrders loads cells, more or less in order, over existing ones, and compares with a map.
func TestBulkLoadOrders(t *testing.T) {
	smallLoads(t)
	r := seed(t)
	for name, scheme := range schemes(t) {
		for _, swaps := range []int{0, 1, 10, 1000} {
			t.Run(fmt.Sprint(name, swaps), func(t *testing.T) {
				mem := vfs.NewMem()
				s, err := Open(Options{Dir: "d", FS: mem})
				require.NoError(t, err)
				table := createTable(t, s, "g", "a", scheme)
				want := map[string]string{}
				for round := range 3 {
					cells := loadedCells(800)
					for i := range cells {
						cells[i].Value = fmt.Append(cells[i].Value, " in ", round)
					}
					for range swaps {
						i, j := r.IntN(len(cells)), r.IntN(len(cells))
						cells[i], cells[j] = cells[j], cells[i]
						cells[j].Row = cells[i].Row // a row may come twice
					}
					distinct := map[string]bool{}
					for _, c := range cells {
						key := fmt.Sprintf("%s/%s", c.Row, c.Qualifier)
						want[key], distinct[key] = string(c.Value), true
					}
					stats, err := tryLoad(t, s, cells)
					require.NoError(t, err)
					require.Equal(t, int64(len(cells)), stats.Cells)
					require.Equal(t, int64(len(distinct)), stats.Written)
					require.Greater(t, stats.Files, 1)
					if disordered := outOfOrder(t, table, cells); disordered || name == "none" {
						require.Equal(t, disordered, stats.Sorted)
					}
					requireCells(t, s, want)
				}
				requireNoStages(t, mem)
				kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
				require.NoError(t, s.Close())
			})
		}
	}
}

// outOfOrder reports whether the cells of a key space do not ascend. A single swap may exchange cells of
// different key spaces.
func outOfOrder(t *testing.T, table *kv.Table, cells []kv.Cell) bool {
	last := map[keyspace.ID][]byte{}
	for _, c := range cells {
		p, ok := table.Partitioning.Locate(c.Row)
		require.True(t, ok)
		slice, ok := table.Partitioning.Slice(c.Timestamp)
		require.True(t, ok)
		space := keyspace.Space(table, p, slice)
		key := cellkey.AppendCell(nil, space, c.Row, c.Qualifier, c.Timestamp)
		if bytes.Compare(key, last[space]) < 0 {
			return true
		}
		last[space] = key
	}
	return false
}

func requireCells(t *testing.T, s *Store, want map[string]string) {
	t.Helper()
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	got := map[string]string{}
	for _, c := range readAll(t, tx, []*kv.Table{family(tx, "a")}, &kv.Scan{NeedValue: true}) {
		got[fmt.Sprintf("%s/%s", c.Row, c.Qualifier)] = string(c.Value)
	}
	require.Equal(t, want, got)
}

// diskFaults are errors of a disk, and the store's errors for them.
var diskFaults = map[error]error{syscall.ENOSPC: kv.ErrDiskFull, syscall.EIO: kv.ErrStorage}

// failingOnce is a disk on which one operation fails: the one at which left, which is decremented by
// operations that count, reaches 0.
func failingOnce(disk vfs.FS, left *atomic.Int64, fault error, counts func(errorfs.Op) bool) vfs.FS {
	return errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if counts(op) && left.Add(-1) == 0 {
			return &os.PathError{Op: "fault", Path: op.Path, Err: fault}
		}
		return nil
	}))
}

// onStages reports whether an operation is on the files that a load or a large transaction makes; removals
// do not count.
func onStages(op errorfs.Op) bool {
	return strings.Contains(op.Path, loadPrefix) && op.Kind != errorfs.OpRemoveAll && op.Kind != errorfs.OpRemove
}

// TestBulkLoadFaults makes each disk operation of a load fail once: then nothing of the load is visible,
// nothing is left on disk, and the store continues.
func TestBulkLoadFaults(t *testing.T) {
	smallLoads(t)
	cells := loadedCells(400)
	cells[7], cells[300] = cells[300], cells[7] // so that some of it is sorted on disk
	for fault, wanted := range diskFaults {
		for step, loaded := 0, false; !loaded; step += 3 {
			mem := vfs.NewMem()
			var left atomic.Int64
			left.Store(-1)
			s, err := Open(Options{Dir: "d", FS: failingOnce(mem, &left, fault, onStages), Sync: true})
			require.NoError(t, err)
			createTable(t, s, "g", "a", must(partition.NewKey(3)))
			require.NoError(t, commitRow(t, s, "before", 10))
			left.Store(int64(step) + 1)
			_, err = tryLoad(t, s, cells)
			loaded = left.Swap(-1) > 0
			if loaded {
				require.NoError(t, err)
				require.Greater(t, step, 50, "many steps have failed before")
			} else if err != nil {
				require.ErrorIs(t, err, wanted, "step %d", step)
				require.Len(t, rowsOf(t, s), 1)
				requireNoStages(t, mem)
				_, err = tryLoad(t, s, cells)
				require.NoError(t, err, "step %d", step)
			}
			require.Len(t, rowsOf(t, s), 1+len(cells))
			requireNoStages(t, mem)
			require.NoError(t, s.Close())
		}
	}
}

// TestBulkLoadPowerLoss requires that an acknowledged BulkLoad survives a power failure, whether or not the
// store syncs and whether or not earlier writes are only in memory, and that an unacknowledged one is gone,
// with its files.
func TestBulkLoadPowerLoss(t *testing.T) {
	smallLoads(t)
	r := seed(t)
	for _, sync := range []bool{true, false} {
		mem := newCrashable()
		s, err := Open(Options{Dir: "d", FS: mem, Sync: sync})
		require.NoError(t, err)
		table := createTable(t, s, "g", "a", must(partition.NewKey(3)))
		crash := func() vfs.FS { return mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r}) }
		for n := range 10 {
			if r.IntN(2) == 0 {
				require.NoError(t, commitRow(t, s, fmt.Sprintf("row%05d", r.IntN(40)), 10))
			}
			cells := loadedCells(200)
			var during vfs.FS
			before := len(rowsOf(t, s))
			source := func(yield func(kv.Cell, error) bool) {
				for i, c := range cells {
					if i == r.IntN(len(cells)) {
						during = crash()
					}
					c.Timestamp = int64(n + 2)
					if !yield(c, nil) {
						return
					}
				}
			}
			_, err = s.BulkLoad(t.Context(), []*kv.Table{table}, source, kv.BulkOptions{})
			require.NoError(t, err)
			after := crash()
			require.Equal(t, before+len(cells), countAfterCrash(t, after))
			requireNoStages(t, after)
			if during != nil {
				require.LessOrEqual(t, countAfterCrash(t, during), before)
				requireNoStages(t, during)
			}
		}
		require.NoError(t, s.Close())
	}
}

// TestBulkLoadManyRows requires that a load that does not know its rows one by one conflicts and waits like
// others.
func TestBulkLoadManyRows(t *testing.T) {
	fewExactRows(t, 1<<16)
	s, err := Open(Options{InMemory: true})
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	put := func(tx kv.Txn, row string) error {
		return tx.Put(t.Context(), table, kv.Cell{Row: []byte(row), Timestamp: 2})
	}
	old, holder := kvtest.Begin(s, kv.TxnOptions{}), kvtest.Begin(s, kv.TxnOptions{})
	old.Catalog()
	require.NoError(t, put(holder, "row00003"))
	done := make(chan error, 1)
	go func() {
		_, err := tryLoad(t, s, loadedCells(50))
		done <- err
	}()
	select {
	case err := <-done:
		require.Fail(t, "it should wait", "%v", err)
	case <-time.After(20 * time.Millisecond):
	}
	require.NoError(t, holder.Commit(t.Context()))
	require.NoError(t, <-done)
	require.NoError(t, put(old, "another row"))
	require.ErrorIs(t, put(old, "row00009"), kv.ErrConflict)
	old.Rollback()
	young := kvtest.Begin(s, kv.TxnOptions{})
	require.NoError(t, put(young, "row00009"))
	require.NoError(t, young.Commit(t.Context()))
	require.True(t, s.engine.Views.RemembersNothing(), "nobody needs it any more")
	require.NoError(t, s.Close())
}

// TestBulkLoadWhileMoving requires that a load waits for the end of a move, and uses the new layout.
func TestBulkLoadWhileMoving(t *testing.T) {
	smallChunks(t, 100)
	s, err := Open(Options{InMemory: true})
	require.NoError(t, err)
	movedTable(t, s, must(partition.NewKey(3)), 100)
	done := make(chan error, 1)
	require.NoError(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(must(partition.NewKey(7))), during(func() {
		go func() {
			_, err := tryLoad(t, s, loadedCells(1000))
			done <- err
		}()
		select {
		case err := <-done:
			require.Fail(t, "it should wait", "%v", err)
		case <-time.After(20 * time.Millisecond):
		}
	})))
	require.NoError(t, <-done)
	tx := kvtest.Begin(s, kv.TxnOptions{})
	require.Len(t, readAll(t, tx, []*kv.Table{family(tx, "a")}, &kv.Scan{}), 1000+100)
	tx.Rollback()
	kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
	require.NoError(t, s.Close())
}

// TestBulkLoadOvertakesMove requires that a load that has waited long enough makes the move begin again.
func TestBulkLoadOvertakesMove(t *testing.T) {
	smallChunks(t, 100)
	s, err := Open(Options{InMemory: true, LockTimeout: time.Millisecond})
	require.NoError(t, err)
	movedTable(t, s, must(partition.NewKey(3)), 100)
	require.NoError(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(must(partition.NewKey(7))), during(func() {
		_, err := tryLoad(t, s, loadedCells(1000))
		require.NoError(t, err)
	})))
	tx := kvtest.Begin(s, kv.TxnOptions{})
	require.Equal(t, 7, family(tx, "a").Partitioning.Len())
	require.Len(t, readAll(t, tx, []*kv.Table{family(tx, "a")}, &kv.Scan{}), 1000+100)
	tx.Rollback()
	kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
	require.NoError(t, s.Close())
}

// TestBulkLoadEnds requires that a load ends with the store, and that it blocks no writer while it reads its
// source.
func TestBulkLoadEnds(t *testing.T) {
	mem := vfs.NewMem()
	s, err := Open(Options{Dir: "d", FS: mem})
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	before := runtime.NumGoroutine()
	endless := func(yield func(kv.Cell, error) bool) {
		for n := 0; yield(kv.Cell{Row: row(n)}, nil); n++ {
			if n == 1000 {
				require.NoError(t, commitRow(t, s, "beside", 1))
				go s.Close()
			}
		}
	}
	_, err = s.BulkLoad(t.Context(), []*kv.Table{table}, endless, kv.BulkOptions{})
	require.Equal(t, kv.ErrClosed, err)
	<-s.Gone()
	requireNoStages(t, mem)
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before }, time.Minute, time.Millisecond)
	s, err = Open(Options{Dir: "d", FS: mem, ReadOnly: true})
	require.NoError(t, err)
	_, err = tryLoad(t, s, loadedCells(5))
	require.ErrorIs(t, err, kv.ErrReadOnly)
	require.Len(t, rowsOf(t, s), 1)
	require.NoError(t, s.Close())
}

// TestBulkLoadPanics requires that a panicking source leaves nothing behind.
func TestBulkLoadPanics(t *testing.T) {
	mem := vfs.NewMem()
	s, err := Open(Options{Dir: "d", FS: mem})
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	require.Panics(t, func() {
		_, _ = s.BulkLoad(t.Context(), []*kv.Table{table}, func(yield func(kv.Cell, error) bool) {
			yield(kv.Cell{Row: row(1)}, nil)
			panic("the source")
		}, kv.BulkOptions{})
	})
	requireNoStages(t, mem)
	require.NoError(t, s.Close())
}

// TestBulkLoadSplits requires that a load causes splits of RANGE partitions, like other writes.
func TestBulkLoadSplits(t *testing.T) {
	s, err := Open(Options{InMemory: true, MaxRegionBytes: 50 << 10})
	require.NoError(t, err)
	createTable(t, s, "g", "a", must(partition.NewRange([]string{"p"}, [][]byte{nil})))
	r := rand.New(rand.NewPCG(1, 2))
	cells := loadedCells(5000)
	for i := range cells {
		cells[i].Value = bytes.Repeat([]byte{byte(r.IntN(256)), byte(r.IntN(256))}, 50)
	}
	_, err = tryLoad(t, s, cells)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return kvtest.Catalog(s).Table("d", "g$a").Partitioning.Len() > 1 }, time.Minute,
		10*time.Millisecond)
	require.NoError(t, s.Close())
}

// TestBulkLoadCounts requires that loaded cells count as written.
func TestBulkLoadCounts(t *testing.T) {
	s, err := Open(Options{InMemory: true})
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", must(partition.NewRange([]string{"p", "q"}, [][]byte{[]byte("row00003"), nil})))
	_, err = tryLoad(t, s, loadedCells(50))
	require.NoError(t, err)
	loads := s.TableLoads(table)
	require.Equal(t, []int64{15, 35}, []int64{loads[0].Writes, loads[1].Writes})
	require.NoError(t, s.Close())
}

func keyScheme(t testing.TB, n int) *partition.Scheme {
	scheme, err := partition.NewKey(n)
	require.NoError(t, err)
	return scheme
}

// TestBulkLoadStoreFaults makes each operation of ingesting the files fail once, on the store's own files:
// acknowledged loads are there, also after a crash, and unacknowledged ones completely or not at all.
func TestBulkLoadStoreFaults(t *testing.T) {
	smallLoads(t)
	cells := loadedCells(100)
	for _, overlapping := range []bool{false, true} {
		for step, loaded := 1, false; !loaded; step++ {
			mem := newCrashable()
			var left atomic.Int64
			disk := failingOnce(mem, &left, syscall.EIO, func(op errorfs.Op) bool {
				return (op.Kind == errorfs.OpLink || !strings.Contains(op.Path, loadPrefix)) &&
					op.Kind.ReadOrWrite() == errorfs.OpIsWrite
			})
			s, err := Open(Options{Dir: "d", FS: disk, Sync: true})
			require.NoError(t, err)
			createTable(t, s, "g", "a", must(partition.NewKey(3)))
			before := 0
			if overlapping { // cells in memory are between the loaded rows
				require.NoError(t, commitRow(t, s, "row00003x", 10))
				before++
			}
			left.Store(int64(step))
			_, err = tryLoad(t, s, cells)
			loaded = left.Swap(-1) > 0
			seen := len(rowsOf(t, s))
			kept := countAfterCrash(t, mem.CrashClone(vfs.CrashCloneCfg{}))
			if err == nil {
				require.Equal(t, before+len(cells), seen, "step %d", step)
				require.Equal(t, before+len(cells), kept, "step %d", step)
			} else {
				require.Contains(t, []int{before, before + len(cells)}, seen, "step %d: %v", step, err)
				require.Contains(t, []int{before, before + len(cells)}, kept, "step %d: %v", step, err)
			}
			_ = s.Close()
			require.Less(t, step, 500)
		}
	}
}
