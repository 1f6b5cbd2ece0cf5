package kvtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// RunBackup tests a store against the contract of kv.Backuper. open opens a copy
// that the store has made. Copies are made in the operating system's files.
func RunBackup(t *testing.T, place fixture.Place, open func(t testing.TB, dir string) kv.Store) {
	for _, each := range []struct {
		name   string
		layout fixture.Layout
		run    func(f *fixture.Fixture, b *backups)
	}{
		{"Copy", fixture.Layouts()[2], testBackup},
		{"CopySlices", fixture.SlicedLayouts()[2], testBackup},
		{"UnderWrites", fixture.Layouts()[2], testBackupUnderWrites},
		{"Target", fixture.Layouts()[2], testBackupTarget},
	} {
		t.Run(each.name, func(t *testing.T) {
			f := fixture.New(t, place, each.layout)
			each.run(f, &backups{f: f, store: f.Store.(kv.Backuper), dir: t.TempDir(), open: open})
		})
	}
}

// backups makes copies of the fixture's store.
type backups struct {
	f     *fixture.Fixture
	store kv.Backuper
	dir   string
	open  func(t testing.TB, dir string) kv.Store
}

func (b *backups) path(name string) string { return filepath.Join(b.dir, name) }

// read returns everything in a table of the copy.
func (b *backups) read(name, table string) string {
	copied := &fixture.Fixture{T: b.f.T, Ctx: b.f.Ctx, Store: b.open(b.f, b.path(name))}
	defer func() { require.NoError(b.f, copied.Store.Close()) }()
	fixture.RequireSound(b.f.Ctx, b.f, copied.Store, kv.CheckLookups)
	return copied.All(table)
}

// testBackup requires that a copy has everything committed before it, and that
// the store and its copy are independent afterwards.
func testBackup(f *fixture.Fixture, b *backups) {
	f.Put("s", fixture.InOrder...)
	f.Flush()
	f.Put("g$a", "a/q/1=in memory")
	open := f.Begin()
	require.NoError(f, f.PutIn(open, "g$a", "b/q/1=not committed"))
	require.NoError(f, b.store.Backup(f.Ctx, b.path("one")))
	require.NoError(f, os.Mkdir(b.path("two"), 0o755))
	require.NoError(f, b.store.Backup(f.Ctx, b.path("two")), "to an empty directory")
	require.NoError(f, open.Commit(f.Ctx))
	before := f.All("s")
	f.Change(fixture.Drop("s"))
	f.Compact()
	require.NoError(f, b.store.Backup(f.Ctx, b.path("a/b/three")), "with the directories above it")

	require.Equal(f, before, b.read("one", "s"))
	require.Equal(f, "a/q/1=in memory", b.read("one", "g$a"))
	require.Equal(f, "a/q/1=in memory", b.read("two", "g$a"))
	require.Equal(f, "a/q/1=in memory b/q/1=not committed", b.read("a/b/three", "g$a"))
	copied := &fixture.Fixture{T: f.T, Ctx: f.Ctx, Store: b.open(f, b.path("one"))}
	copied.Put("g$a", "z/q/1=of the copy")
	require.NoError(f, copied.Store.Close())
	require.Equal(f, "a/q/1=in memory z/q/1=of the copy", b.read("one", "g$a"))
	require.Equal(f, "a/q/1=in memory b/q/1=not committed", f.All("g$a"))
	require.Equal(f, []string{"a", "one", "two"}, b.names(""))
	require.Equal(f, []string{"b"}, b.names("a"))
}

func (b *backups) names(dir string) []string {
	entries, err := os.ReadDir(b.path(dir))
	require.NoError(b.f, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// testBackupUnderWrites runs transactions that each write their number to three
// rows in different partitions. A copy made meanwhile must contain the first n
// of these transactions, each of them completely, and all that were committed
// before it began.
func testBackupUnderWrites(f *fixture.Fixture, b *backups) {
	next := 0
	for i := range 5 {
		name := fmt.Sprint(i)
		committed, stop := putNumbers(f, &next)
		atLeast := <-committed
		err := b.store.Backup(f.Ctx, b.path(name))
		require.NoError(f, stop())
		require.NoError(f, err)
		b.requireNumbers(name, atLeast)
	}
}

// fewNumbers are written without a pause: on a slow disk a copy takes long, and
// all of them must be read back from it.
const fewNumbers = 2000

// putNumbers writes numbers, starting at the next one, until it is stopped. It
// sends the last committed one to a receiver.
func putNumbers(f *fixture.Fixture, next *int) (committed <-chan int, stop func() error) {
	ctx, cancel := context.WithCancel(f.Ctx)
	last, done := make(chan int, 1), make(chan error, 1)
	go func() {
		var err error
		for first := *next; err == nil && ctx.Err() == nil; {
			if *next-first > fewNumbers {
				time.Sleep(time.Millisecond)
			}
			if err = putNumber(f, *next); err == nil {
				select {
				case <-last:
				default:
				}
				last <- *next
				*next++
			}
		}
		done <- err
	}()
	return last, func() error {
		cancel()
		return <-done
	}
}

func putNumber(f *fixture.Fixture, n int) error {
	tx := fixture.Begin(f.Store, kv.TxnOptions{})
	defer tx.Rollback()
	for _, row := range []string{"a", "m", "z"} {
		c := kv.Cell{Row: []byte(row), Qualifier: []byte("q"), Timestamp: int64(n), Value: make([]byte, 100)}
		if err := tx.Put(f.Ctx, tx.Catalog().Table(fixture.Database, "g$a"), c); err != nil {
			return err
		}
	}
	return tx.Commit(f.Ctx)
}

func (b *backups) requireNumbers(name string, atLeast int) {
	s := b.open(b.f, b.path(name))
	defer func() { require.NoError(b.f, s.Close()) }()
	fixture.RequireSound(b.f.Ctx, b.f, s, kv.CheckCells)
	tx := fixture.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	cells, err := fixture.ScanCells(b.f.Ctx, tx, []*kv.Table{tx.Catalog().Table(fixture.Database, "g$a")}, &fixture.Everything)
	require.NoError(b.f, err)
	versions := map[string]int{}
	for i := range cells {
		versions[string(cells[i].Row)]++
	}
	n := versions["a"]
	require.Greater(b.f, n, atLeast)
	require.Equal(b.f, map[string]int{"a": n, "m": n, "z": n}, versions)
	require.EqualValues(b.f, n-1, cells[0].Timestamp)
}

// testBackupTarget requires that a directory in use is refused and left alone,
// and that a failed backup leaves nothing.
func testBackupTarget(f *fixture.Fixture, b *backups) {
	f.Put("g$a", "a/q/1=x")
	require.NoError(f, os.WriteFile(b.path("file"), []byte("f"), 0o600))
	require.NoError(f, b.store.Backup(f.Ctx, b.path("full")))
	for _, name := range []string{"file", "full"} {
		err := b.store.Backup(f.Ctx, b.path(name))
		require.ErrorIs(f, err, kv.ErrBackupTarget, name)
		require.ErrorContains(f, err, b.path(name))
	}
	require.ErrorIs(f, b.store.Backup(f.Ctx, ""), kv.ErrBackupTarget)
	require.Error(f, b.store.Backup(f.Ctx, b.path("file/below")))
	ended, cancel := context.WithCancel(f.Ctx)
	cancel()
	require.ErrorIs(f, b.store.Backup(ended, b.path("x/y")), context.Canceled)
	require.Equal(f, []string{"file", "full"}, b.names(""))
	require.Equal(f, "a/q/1=x", b.read("full", "g$a"))
	require.NoError(f, f.Store.Close())
	require.ErrorIs(f, b.store.Backup(f.Ctx, b.path("closed")), kv.ErrClosed)
}
