package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// failingDisk fails the operations on some files, from the n-th one on, until it is repaired.
type failingDisk struct {
	vfs.FS
	mu   sync.Mutex
	err  error // nil while it works
	path string
	sync bool // syncs fail; otherwise writes do
	left int
	hit  bool
}

func newFailingDisk(inner vfs.FS) *failingDisk {
	d := &failingDisk{}
	d.FS = errorfs.Wrap(inner, errorfs.InjectorFunc(d.inject))
	return d
}

func (d *failingDisk) inject(op errorfs.Op) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch op.Kind {
	case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
		if !d.sync {
			return nil
		}
	case errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFilePreallocate:
		if d.sync {
			return nil
		}
	default:
		return nil
	}
	if d.err == nil || !strings.Contains(op.Path, d.path) {
		return nil
	}
	if d.left--; d.left >= 0 {
		return nil
	}
	d.hit = true
	return &os.PathError{Op: "write", Path: op.Path, Err: d.err}
}

func (d *failingDisk) fail(err error, path string, sync bool, after int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err, d.path, d.sync, d.left, d.hit = err, path, sync, after, false
}

func (d *failingDisk) met() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hit
}

// witness records what writers were told and readers have seen of rows that are written once.
type witness struct {
	t *testing.T
	s kv.Store

	mu    sync.Mutex
	acked map[string]bool
	seen  map[string]bool
	fails int
}

func newWitness(t *testing.T, s kv.Store) *witness {
	return &witness{t: t, s: s, acked: map[string]bool{}, seen: map[string]bool{}}
}

// write commits rows until ctx ends; errors must be the disk's.
func (w *witness) write(ctx context.Context, name string, size int) {
	for n := 0; ctx.Err() == nil; n++ {
		row := fmt.Sprintf("%s-%06d", name, n)
		err := putRandom(w.s, row, size)
		w.mu.Lock()
		if err == nil {
			w.acked[row] = true
		} else {
			w.fails++
		}
		w.mu.Unlock()
		if err != nil {
			requireDiskError(w.t, err)
			time.Sleep(time.Millisecond)
		}
	}
}

func requireDiskError(t *testing.T, err error) {
	for _, known := range []error{kv.ErrDiskFull, kv.ErrStorage, kv.ErrFailed, kv.ErrReopened} {
		if errors.Is(err, known) {
			return
		}
	}
	t.Errorf("not an error of the disk: %v", err)
}

func putRandom(s kv.Store, row string, size int) error {
	tx, err := s.Begin(context.Background(), kv.TxnOptions{})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	table := tx.Catalog().Table("d", "g$a")
	value := make([]byte, size)
	for i := range value {
		value[i] = byte(rand.IntN(256)) // incompressible
	}
	if err := tx.Put(context.Background(), table, kv.Cell{Row: []byte(row), Timestamp: 1, Value: value}); err != nil {
		return err
	}
	return tx.Commit(context.Background())
}

// read reads all rows until ctx ends. What a read-only transaction has seen counts at once, what a
// writing one has seen when it is committed.
func (w *witness) read(ctx context.Context, readOnly bool) {
	for ctx.Err() == nil {
		rows, err := rowsSeen(w.s, readOnly)
		if err != nil {
			requireDiskError(w.t, err)
			time.Sleep(time.Millisecond)
			continue
		}
		w.mu.Lock()
		for row := range rows {
			w.seen[row] = true
		}
		w.mu.Unlock()
	}
}

func rowsSeen(s kv.Store, readOnly bool) (map[string]bool, error) {
	ctx := context.Background()
	tx, err := s.Begin(ctx, kv.TxnOptions{ReadOnly: readOnly})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	c, err := tx.Scan(ctx, []*kv.Table{tx.Catalog().Table("d", "g$a")}, &kv.Scan{})
	if err != nil {
		return nil, err
	}
	rows := map[string]bool{}
	for c.Next() {
		rows[string(c.Cell().Row)] = true
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		return nil, err
	}
	return rows, tx.Commit(ctx)
}

// requireAll requires that everything acknowledged or seen is there.
func (w *witness) requireAll(s kv.Store) {
	w.t.Helper()
	rows, err := rowsSeen(s, true)
	require.NoError(w.t, err)
	w.mu.Lock()
	defer w.mu.Unlock()
	for row := range w.acked {
		require.True(w.t, rows[row], "%s was acknowledged", row)
	}
	for row := range w.seen {
		require.True(w.t, rows[row], "%s was seen", row)
	}
}

// TestReopens fails the log, its syncs, flushes and the manifest at random operations, under
// writers and readers. The store recovers by itself; everything acknowledged or seen is there
// then, and after a power failure.
func TestReopens(t *testing.T) {
	r := seed(t)
	for _, f := range []struct {
		name, path string
		err        error
		sync       bool
		flush      bool
	}{
		{"LogFull", ".log", syscall.ENOSPC, false, false},
		{"LogBroken", ".log", syscall.EIO, false, false},
		{"LogSync", ".log", syscall.EIO, true, false},
		{"AllFull", "", syscall.ENOSPC, false, true},
		{"Flush", ".sst", syscall.ENOSPC, false, true},
		{"FlushSync", ".sst", syscall.EIO, true, true},
		{"Manifest", "MANIFEST-", syscall.ENOSPC, false, true},
		{"ManifestSync", "MANIFEST-", syscall.EIO, true, true},
	} {
		t.Run(f.name, func(t *testing.T) {
			mem := newCrashable()
			disk := newFailingDisk(mem)
			s, err := OpenReopener(Options{Dir: "d", FS: disk, Sync: true})
			require.NoError(t, err)
			createTable(t, s, "g", "a", &partition.Scheme{})
			w := newWitness(t, s)
			ctx, stop := context.WithCancel(t.Context())
			var busy sync.WaitGroup
			for i := range 3 {
				busy.Go(func() { w.write(ctx, fmt.Sprint("w", i), 200) })
				busy.Go(func() { w.read(ctx, i < 2) })
			}
			for range 3 {
				time.Sleep(time.Millisecond * time.Duration(r.IntN(20)))
				disk.fail(f.err, f.path, f.sync, r.IntN(30))
				require.Eventually(t, func() bool {
					if f.flush {
						_ = s.Flush(ctx)
					}
					return disk.met() && s.Health().Err != nil
				}, time.Minute, time.Millisecond)
				time.Sleep(time.Millisecond * time.Duration(r.IntN(20)))
				disk.fail(nil, "", false, 0)
				goesOn(t, s, fmt.Sprint("again", r.Uint64()))
			}
			stop()
			busy.Wait()
			w.requireAll(s)
			cut := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(2) * 100, RNG: r})
			t.Logf("%d rows acknowledged, %d seen, %d refused; %+v", len(w.acked), len(w.seen), w.fails, s.Health())
			require.NoError(t, s.Close())
			after, err := Open(Options{Dir: "d", FS: cut, Sync: true})
			require.NoError(t, err)
			w.requireAll(after)
			closeSound(t, after)
		})
	}
}

// goesOn waits until a row can be written.
func goesOn(t *testing.T, s kv.Store, row string) {
	t.Helper()
	require.Eventually(t, func() bool { return putRandom(s, row, 10) == nil }, time.Minute, time.Millisecond)
}

// TestNotDurableIsNotSeen delays the sync of a commit: readers see the state before it, and a
// writing transaction that has seen it is not committed before it is durable.
func TestNotDurableIsNotSeen(t *testing.T) {
	for _, fails := range []bool{false, true} {
		var hold atomic.Bool
		held, release := make(chan struct{}, 100), make(chan struct{})
		var broken atomic.Bool
		fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			if !strings.HasSuffix(op.Path, ".log") || op.Kind != errorfs.OpFileSync && op.Kind != errorfs.OpFileSyncData {
				return nil
			}
			if hold.Load() {
				held <- struct{}{}
				<-release
			}
			if broken.Load() {
				return &os.PathError{Op: "sync", Path: op.Path, Err: syscall.EIO}
			}
			return nil
		}))
		s, err := Open(Options{Dir: "d", FS: fs, Sync: true})
		require.NoError(t, err)
		createTable(t, s, "g", "a", &partition.Scheme{})
		require.NoError(t, putRandom(s, "first", 1))
		hold.Store(true)
		committed := make(chan error, 1)
		go func() { committed <- putRandom(s, "second", 1) }()
		<-held
		rows, err := rowsSeen(s, true)
		require.NoError(t, err)
		require.Equal(t, map[string]bool{"first": true}, rows)
		type seen struct {
			rows map[string]bool
			err  error
		}
		writer := make(chan seen, 1)
		go func() {
			for { // until it sees what is not durable; the log is written first
				rows, err := rowsSeen(s, false)
				if err != nil || rows["second"] {
					writer <- seen{rows, err}
					return
				}
			}
		}()
		select {
		case got := <-writer:
			t.Fatal("committed what is not durable", got)
		case <-time.After(20 * time.Millisecond):
		}
		broken.Store(fails)
		hold.Store(false)
		close(release)
		err, got := <-committed, <-writer
		rows, readErr := rowsSeen(s, true)
		require.NoError(t, readErr)
		if fails {
			require.ErrorIs(t, err, kv.ErrFailed)
			require.ErrorIs(t, err, kv.ErrOutcomeUnknown)
			require.ErrorIs(t, got.err, kv.ErrFailed)
			require.Equal(t, map[string]bool{"first": true}, rows)
		} else {
			require.NoError(t, err)
			require.NoError(t, got.err)
			require.Equal(t, map[string]bool{"first": true, "second": true}, got.rows)
			require.Equal(t, got.rows, rows)
		}
		require.NoError(t, s.Close())
	}
}

// TestReopenEndsWhatIsUnderWay requires that old cursors and transactions end with an error that
// says so, and that nothing left open keeps the store from recovering.
func TestReopenEndsWhatIsUnderWay(t *testing.T) {
	disk := newFailingDisk(vfs.NewMem())
	s, err := OpenReopener(Options{Dir: "d", FS: disk, Sync: true})
	require.NoError(t, err)
	createTable(t, s, "g", "a", &partition.Scheme{})
	for i := range 10 {
		require.NoError(t, putRandom(s, fmt.Sprint("row", i), 10))
	}
	reader := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	table := reader.Catalog().Table("d", "g$a")
	c, err := reader.Scan(t.Context(), []*kv.Table{table}, &kv.Scan{})
	require.NoError(t, err)
	require.True(t, c.Next())
	writer := kvtest.Begin(s, kv.TxnOptions{Serializable: true})
	require.NoError(t, writer.Put(t.Context(), table, kv.Cell{Row: []byte("locked"), Timestamp: 1}))
	waits := make(chan error, 1)
	go func() {
		tx := kvtest.Begin(s, kv.TxnOptions{LockTimeout: time.Minute})
		defer tx.Rollback()
		waits <- tx.Put(context.Background(), table, kv.Cell{Row: []byte("locked"), Timestamp: 1})
	}()
	disk.fail(syscall.ENOSPC, ".log", false, 0)
	require.ErrorIs(t, putRandom(s, "lost", 10), kv.ErrDiskFull)
	disk.fail(nil, "", false, 0)
	goesOn(t, s, "locked")

	require.ErrorIs(t, <-waits, kv.ErrReopened)
	require.Equal(t, "row0", string(c.Cell().Row), "bytes that are in use stay")
	for c.Next() {
	}
	require.ErrorIs(t, c.Err(), kv.ErrReopened)
	require.ErrorIs(t, s.ChangeCatalogAfter(t.Context(), writer, func(*kv.CatalogChange) error { return nil }), kv.ErrReopened)
	require.ErrorIs(t, writer.Commit(t.Context()), kv.ErrReopened)
	require.NoError(t, c.Close())
	reader.Rollback()
	require.Equal(t, uint64(1), s.Health().Reopened)
	require.NoError(t, s.Close())
	require.NoError(t, reopened(t, Options{Dir: "d", FS: disk}).Close(), "the directory is free")
}

// TestReopenSmallDisk fills a real file system and frees space.
func TestReopenSmallDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %s", out)
	}
	defer func() { require.NoError(t, exec.Command("umount", "-l", dir).Run()) }()
	s, err := OpenReopener(Options{Dir: filepath.Join(dir, "store"), Sync: true})
	require.NoError(t, err)
	createTable(t, s, "g", "a", &partition.Scheme{})
	w := newWitness(t, s)
	ctx, stop := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	for i := range 3 {
		busy.Go(func() { w.write(ctx, fmt.Sprint("w", i), 20<<10) })
		busy.Go(func() { w.read(ctx, i < 2) })
	}
	require.Eventually(t, func() bool { return s.Health().Err != nil }, time.Minute, time.Millisecond)
	require.ErrorIs(t, s.Health().Err, kv.ErrDiskFull)
	require.NoError(t, exec.Command("mount", "-o", "remount,size=100m", dir).Run())
	goesOn(t, s, "again")
	stop()
	busy.Wait()
	w.requireAll(s)
	require.NoError(t, s.Close())
	after, err := Open(Options{Dir: filepath.Join(dir, "store"), Sync: true})
	require.NoError(t, err)
	w.requireAll(after)
	closeSound(t, after)
}

// TestFailedOpenLeavesNothing opens a store on a full disk repeatedly.
func TestFailedOpenLeavesNothing(t *testing.T) {
	mem := vfs.NewMem()
	disk := newFullDisk(mem)
	s := openWithRow(t, Options{Dir: "d", FS: disk, Sync: true})
	require.NoError(t, s.Close())
	for _, logFits := range []bool{true, false} {
		disk.logFits.Store(logFits)
		var before []string
		for i := range 5 {
			disk.full.Store(true)
			_, err := Open(Options{Dir: "d", FS: disk})
			require.ErrorIs(t, err, kv.ErrDiskFull)
			names, err := mem.List("d")
			require.NoError(t, err)
			if i == 0 {
				before = names
			}
			require.ElementsMatch(t, before, names)
		}
	}
	disk.full.Store(false)
	s, err := Open(Options{Dir: "d", FS: disk})
	require.NoError(t, err, "at once")
	require.Len(t, rowsOf(t, s), 1)
	closeSound(t, s)
}

// TestFailedOpenEndsWhatItBegan fails each write of opening a store in turn. No goroutine remains, which would
// hold the database, and compact it.
func TestFailedOpenEndsWhatItBegan(t *testing.T) {
	disk := newFailingDisk(vfs.NewMem())
	o := Options{Dir: "d", FS: disk, Sync: true}
	require.NoError(t, openWithRow(t, o).Close())
	for writes := 0; ; writes++ {
		before := goleak.IgnoreCurrent()
		disk.fail(syscall.EIO, "", false, writes)
		s, err := Open(o)
		if !disk.met() {
			disk.fail(nil, "", false, 0) // which the goroutines of the store would meet later
			require.NoError(t, err)
			require.NoError(t, s.Close())
			require.Greater(t, writes, 3)
			return
		}
		if err == nil {
			_ = s.Close()
		}
		require.NoError(t, goleak.Find(before), "after %d writes: %v", writes, err)
	}
}

// TestReopenerDoesAll requires that Reopener implements every optional interface that Store does.
func TestReopenerDoesAll(t *testing.T) {
	own := map[string]bool{"Gone": true, "OpenIterators": true} // methods of one database, for tests
	store, reopener := reflect.TypeFor[*Store](), reflect.TypeFor[*Reopener]()
	for i := range store.NumMethod() {
		m := store.Method(i)
		if _, ok := reopener.MethodByName(m.Name); !own[m.Name] {
			require.True(t, ok, m.Name)
		}
	}
}
