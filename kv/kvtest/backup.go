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
)

// RunBackup holds a store to the contract of kv.Backuper; open opens a copy that
// the store has made. Copies are made in the operating system's files.
func RunBackup(t *testing.T, place Place, open func(t testing.TB, dir string) kv.Store) {
	for _, each := range []struct {
		name   string
		layout Layout
		run    func(f *fixture, b *backups)
	}{
		{"Copy", Layouts()[2], testBackup},
		{"CopySlices", SlicedLayouts()[2], testBackup},
		{"UnderWrites", Layouts()[2], testBackupUnderWrites},
		{"Target", Layouts()[2], testBackupTarget},
	} {
		t.Run(each.name, func(t *testing.T) {
			f := newFixture(t, place, each.layout)
			each.run(f, &backups{f: f, store: f.store.(kv.Backuper), dir: t.TempDir(), open: open})
		})
	}
}

// backups makes copies of the fixture's store.
type backups struct {
	f     *fixture
	store kv.Backuper
	dir   string
	open  func(t testing.TB, dir string) kv.Store
}

func (b *backups) path(name string) string { return filepath.Join(b.dir, name) }

// read is everything that the copy's table holds.
func (b *backups) read(name, table string) string {
	copied := &fixture{T: b.f.T, ctx: b.f.ctx, store: b.open(b.f, b.path(name))}
	defer func() { require.NoError(b.f, copied.store.Close()) }()
	RequireSound(b.f.ctx, b.f, copied.store, kv.CheckLookups)
	return copied.all(table)
}

// testBackup: a copy has what was committed before, and the two go their own
// ways from then on.
func testBackup(f *fixture, b *backups) {
	f.put("s", inOrder...)
	f.flush()
	f.put("g$a", "a/q/1=in memory")
	open := f.begin()
	require.NoError(f, f.putIn(open, "g$a", "b/q/1=not committed"))
	require.NoError(f, b.store.Backup(f.ctx, b.path("one")))
	require.NoError(f, os.Mkdir(b.path("two"), 0o755))
	require.NoError(f, b.store.Backup(f.ctx, b.path("two")), "to an empty directory")
	require.NoError(f, open.Commit(f.ctx))
	before := f.all("s")
	f.change(drop("s"))
	f.compact()
	require.NoError(f, b.store.Backup(f.ctx, b.path("a/b/three")), "with the directories above it")

	require.Equal(f, before, b.read("one", "s"))
	require.Equal(f, "a/q/1=in memory", b.read("one", "g$a"))
	require.Equal(f, "a/q/1=in memory", b.read("two", "g$a"))
	require.Equal(f, "a/q/1=in memory b/q/1=not committed", b.read("a/b/three", "g$a"))
	copied := &fixture{T: f.T, ctx: f.ctx, store: b.open(f, b.path("one"))}
	copied.put("g$a", "z/q/1=of the copy")
	require.NoError(f, copied.store.Close())
	require.Equal(f, "a/q/1=in memory z/q/1=of the copy", b.read("one", "g$a"))
	require.Equal(f, "a/q/1=in memory b/q/1=not committed", f.all("g$a"))
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

// testBackupUnderWrites: each transaction writes its number to three rows of
// different partitions; a copy made meanwhile has some number of whole
// transactions from the first on, and those that were committed before it.
func testBackupUnderWrites(f *fixture, b *backups) {
	next := 0
	for i := range 5 {
		name := fmt.Sprint(i)
		committed, stop := f.putNumbers(&next)
		atLeast := <-committed
		err := b.store.Backup(f.ctx, b.path(name))
		require.NoError(f, stop())
		require.NoError(f, err)
		b.requireNumbers(name, atLeast)
	}
}

// fewNumbers are written without a pause: on a slow disk a copy takes long, and
// whoever reads it has to read them all.
const fewNumbers = 2000

// putNumbers writes numbers from the next one on until it is stopped. It tells
// the last that is committed to whoever asks.
func (f *fixture) putNumbers(next *int) (committed <-chan int, stop func() error) {
	ctx, cancel := context.WithCancel(f.ctx)
	last, done := make(chan int, 1), make(chan error, 1)
	go func() {
		var err error
		for first := *next; err == nil && ctx.Err() == nil; {
			if *next-first > fewNumbers {
				time.Sleep(time.Millisecond)
			}
			if err = f.putNumber(*next); err == nil {
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

func (f *fixture) putNumber(n int) error {
	tx := Begin(f.store, kv.TxnOptions{})
	defer tx.Rollback()
	for _, row := range []string{"a", "m", "z"} {
		c := kv.Cell{Row: []byte(row), Qualifier: []byte("q"), Timestamp: int64(n), Value: make([]byte, 100)}
		if err := tx.Put(f.ctx, tx.Catalog().Table(database, "g$a"), c); err != nil {
			return err
		}
	}
	return tx.Commit(f.ctx)
}

func (b *backups) requireNumbers(name string, atLeast int) {
	s := b.open(b.f, b.path(name))
	defer func() { require.NoError(b.f, s.Close()) }()
	RequireSound(b.f.ctx, b.f, s, kv.CheckCells)
	tx := Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	cells, err := scanCells(b.f.ctx, tx, []*kv.Table{tx.Catalog().Table(database, "g$a")}, &everything)
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

// testBackupTarget: what is in use is refused and left alone, and what fails
// leaves nothing.
func testBackupTarget(f *fixture, b *backups) {
	f.put("g$a", "a/q/1=x")
	require.NoError(f, os.WriteFile(b.path("file"), []byte("f"), 0o600))
	require.NoError(f, b.store.Backup(f.ctx, b.path("full")))
	for _, name := range []string{"file", "full"} {
		err := b.store.Backup(f.ctx, b.path(name))
		require.ErrorIs(f, err, kv.ErrBackupTarget, name)
		require.ErrorContains(f, err, b.path(name))
	}
	require.ErrorIs(f, b.store.Backup(f.ctx, ""), kv.ErrBackupTarget)
	require.Error(f, b.store.Backup(f.ctx, b.path("file/below")))
	ended, cancel := context.WithCancel(f.ctx)
	cancel()
	require.ErrorIs(f, b.store.Backup(ended, b.path("x/y")), context.Canceled)
	require.Equal(f, []string{"file", "full"}, b.names(""))
	require.Equal(f, "a/q/1=x", b.read("full", "g$a"))
	require.NoError(f, f.store.Close())
	require.ErrorIs(f, b.store.Backup(f.ctx, b.path("closed")), kv.ErrClosed)
}
