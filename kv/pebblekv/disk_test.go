package pebblekv

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// fullDisk is a file system that can be full: for all files, or for all except
// the log.
type fullDisk struct {
	vfs.FS
	full, logFits atomic.Bool
}

func newFullDisk(inner vfs.FS) *fullDisk {
	d := &fullDisk{}
	d.FS = errorfs.Wrap(inner, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFilePreallocate, errorfs.OpMkdirAll:
		default:
			return nil
		}
		if !d.full.Load() || d.logFits.Load() && strings.HasSuffix(op.Path, ".log") {
			return nil
		}
		return &os.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
	}))
	return d
}

func commitRow(t *testing.T, s *Store, row string, size int) error {
	t.Helper()
	tx := kvtest.Begin(s, kv.TxnOptions{})
	defer tx.Rollback()
	table := tx.Catalog().Table("d", "g$a")
	require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: []byte(row), Timestamp: 1, Value: make([]byte, size)}))
	return tx.Commit(t.Context())
}

func rowsOf(t *testing.T, s *Store) []bruteCell {
	t.Helper()
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	return readAll(t, tx, tx.Catalog().Tables("d"), &kv.Scan{})
}

// openWithRow opens a new store with a row a.
func openWithRow(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	require.NoError(t, err)
	createTable(t, s, "g", "a", &partition.Scheme{})
	require.NoError(t, commitRow(t, s, "a", 10))
	return s
}

// reopened opens the store as soon as that succeeds: a disk may stay full for a
// moment.
func reopened(t *testing.T, o Options) (s *Store) {
	t.Helper()
	require.Eventually(t, func() (ok bool) {
		var err error
		s, err = Open(o)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	return s
}

func closeSound(t *testing.T, s *Store) {
	t.Helper()
	kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
	require.NoError(t, s.Close())
}

// TestDiskFullForTables requires that a failed flush is an error, that writes
// are refused with the reason while reads continue, and that writes continue
// once there is space.
func TestDiskFullForTables(t *testing.T) {
	disk := newFullDisk(vfs.NewMem())
	s := openWithRow(t, Options{Dir: "d", FS: disk, Sync: true})
	disk.full.Store(true)
	disk.logFits.Store(true)
	require.ErrorIs(t, s.Flush(t.Context()), kv.ErrDiskFull)
	err := commitRow(t, s, "b", 10)
	require.ErrorIs(t, err, kv.ErrDiskFull)
	require.ErrorContains(t, err, ".sst")
	require.ErrorIs(t, s.ChangeCatalog(t.Context(), func(*kv.CatalogChange) error { return nil }), kv.ErrDiskFull)
	require.ErrorIs(t, s.Backup(t.Context(), "copy"), kv.ErrDiskFull)
	require.Len(t, rowsOf(t, s), 1)
	disk.full.Store(false)
	require.Eventually(t, func() bool { return commitRow(t, s, "c", 10) == nil }, time.Minute, 10*time.Millisecond)
	require.NoError(t, s.Flush(t.Context()))
	require.Len(t, rowsOf(t, s), 2)
	closeSound(t, s)
}

// TestDiskFullForLog requires that a commit that does not fit fails and says
// that the store must be opened again, and that all acknowledged commits are
// there then.
func TestDiskFullForLog(t *testing.T) {
	disk := newFullDisk(vfs.NewMem())
	s := openWithRow(t, Options{Dir: "d", FS: disk, Sync: true})
	disk.full.Store(true)
	for range 2 {
		err := commitRow(t, s, "b", 10)
		require.ErrorIs(t, err, kv.ErrFailed)
		require.ErrorIs(t, err, kv.ErrDiskFull)
		require.ErrorContains(t, err, ".log")
	}
	disk.full.Store(false)
	require.ErrorIs(t, commitRow(t, s, "c", 10), kv.ErrFailed, "still")
	require.NotEmpty(t, rowsOf(t, s))
	require.NoError(t, s.Close())

	disk.full.Store(true)
	_, err := Open(Options{Dir: "d", FS: disk, Sync: true})
	require.ErrorIs(t, err, kv.ErrDiskFull, "opening does not wait for space")
	disk.full.Store(false)
	s = reopened(t, Options{Dir: "d", FS: disk, Sync: true})
	require.NoError(t, commitRow(t, s, "c", 10))
	require.GreaterOrEqual(t, len(rowsOf(t, s)), 2)
	closeSound(t, s)
}

// TestDiskFullWhileOpening requires that Open, if it must write data of the log
// to a table, returns kv.ErrDiskFull on each try on a full disk.
func TestDiskFullWhileOpening(t *testing.T) {
	disk := newFullDisk(vfs.NewMem())
	s := openWithRow(t, Options{Dir: "d", FS: disk, Sync: true})
	require.NoError(t, s.Close())
	disk.full.Store(true)
	disk.logFits.Store(true)
	for range 3 {
		_, err := Open(Options{Dir: "d", FS: disk})
		require.ErrorIs(t, err, kv.ErrDiskFull)
	}
	disk.full.Store(false)
	s = reopened(t, Options{Dir: "d", FS: disk})
	require.Len(t, rowsOf(t, s), 1)
	require.NoError(t, s.Close())
}

// TestSmallDisk fills a real file system of 24 MiB, if one can be mounted.
func TestSmallDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %s", out)
	}
	defer func() { require.NoError(t, exec.Command("umount", "-l", dir).Run()) }()
	s, err := Open(Options{Dir: filepath.Join(dir, "store"), Sync: true})
	require.NoError(t, err)
	createTable(t, s, "g", "a", &partition.Scheme{})
	rows := 0
	for ; err == nil && rows < 1000; rows++ {
		err = commitRow(t, s, fmt.Sprintf("%04d", rows), 100<<10)
	}
	require.ErrorIs(t, err, kv.ErrDiskFull)
	require.ErrorContains(t, err, dir)
	require.GreaterOrEqual(t, len(rowsOf(t, s)), rows-1)
	require.NoError(t, s.Close())
	require.NoError(t, exec.Command("mount", "-o", "remount,size=200m", dir).Run())
	s = reopened(t, Options{Dir: filepath.Join(dir, "store"), Sync: true})
	require.GreaterOrEqual(t, len(rowsOf(t, s)), rows-1)
	require.NoError(t, commitRow(t, s, "after", 10))
	closeSound(t, s)
}

// readDir is set in a second process, of a user without write access, that opens
// a store for reading.
const readDir = "HBASEKV_TEST_READ"

// readOnce opens the store, prints what it found, and waits for its input to end.
func readOnce(dir string) {
	s, err := Open(Options{Dir: dir, ReadOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	c, err := tx.Scan(context.Background(), tx.Catalog().Tables("d"), &kv.Scan{})
	n := 0
	for err == nil && c.Next() {
		n++
	}
	fmt.Println("read", n, err, c.Close())
	_, _ = os.Stdin.Read(make([]byte, 1))
	_ = s.Close()
}

// stranger returns the test binary as a command of a user who owns nothing.
func stranger(t *testing.T, dir string) (*exec.Cmd, func() string, io.Closer) {
	binary := filepath.Join(t.TempDir(), "test")
	data, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(binary, data, 0o755))
	for d := filepath.Dir(binary); d != "/" && d != os.TempDir(); d = filepath.Dir(d) {
		require.NoError(t, os.Chmod(d, 0o755))
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), readDir+"="+dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	return cmd, func() string { lines.Scan(); return lines.Text() }, in
}

// TestReadOnlyDirectory reads a store as a user without write access: several
// processes may do so at once, but not beside a writer.
func TestReadOnlyDirectory(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	dir := filepath.Join(t.TempDir(), "store")
	s := openWithRow(t, Options{Dir: dir, Sync: true})
	require.NoError(t, exec.Command("chmod", "-R", "a+rX", dir).Run())
	cmd, say, in := stranger(t, dir)
	require.Contains(t, say(), "another process holds the store: "+dir)
	require.NoError(t, os.Chmod(dir, 0o700))
	require.NoError(t, errors.Join(in.Close(), cmd.Wait()))
	require.NoError(t, s.Close())
	cmd, say, in = stranger(t, dir)
	require.Contains(t, say(), "permission denied", "it is the owner's alone")
	require.NoError(t, errors.Join(in.Close(), cmd.Wait()))
	require.NoError(t, exec.Command("chmod", "-R", "a+rX", dir).Run())

	first, say1, in1 := stranger(t, dir)
	require.Equal(t, "read 1 <nil> <nil>", say1())
	second, say2, in2 := stranger(t, dir)
	require.Equal(t, "read 1 <nil> <nil>", say2())
	_, err := Open(Options{Dir: dir})
	require.ErrorIs(t, err, kv.ErrLocked, "readers keep the writer out")
	require.NoError(t, errors.Join(in1.Close(), in2.Close(), first.Wait(), second.Wait()))

	require.NoError(t, os.Remove(filepath.Join(dir, "LOCK")))
	cmd, say, in = stranger(t, dir)
	require.Equal(t, "read 1 <nil> <nil>", say(), "without a lock file")
	require.NoError(t, errors.Join(in.Close(), cmd.Wait()))
	require.NoFileExists(t, filepath.Join(dir, "LOCK"))

	require.NoError(t, os.Chmod(dir, 0o700))
	cmd, say, in = stranger(t, dir)
	said := say()
	require.Contains(t, said, dir)
	require.Contains(t, said, "permission denied")
	require.NoError(t, errors.Join(in.Close(), cmd.Wait()))
}

// TestReadOnlyWritesNothing requires that opening for reading does not write,
// whatever is in the log.
func TestReadOnlyWritesNothing(t *testing.T) {
	mem := vfs.NewMem()
	s := openWithRow(t, Options{Dir: "d", FS: mem, Sync: true})
	require.NoError(t, s.Flush(t.Context()))
	require.NoError(t, commitRow(t, s, "b", 10))
	require.NoError(t, s.Close())
	before := mem.String()
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose {
			return &os.PathError{Op: "write", Path: op.Path, Err: syscall.EROFS}
		}
		return nil
	}))
	s, err := Open(Options{Dir: "d", FS: fs, ReadOnly: true})
	require.NoError(t, err)
	require.Len(t, rowsOf(t, s), 2)
	closeSound(t, s)
	require.Equal(t, before, mem.String())
	_, err = Open(Options{Dir: "d", FS: fs})
	require.ErrorIs(t, err, syscall.EROFS)
	require.ErrorContains(t, err, "d")
}

// TestPrivate requires that only the owner can access a store's files.
func TestPrivate(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "above", "store")
	s := openWithRow(t, Options{Dir: dir, Sync: true})
	require.NoError(t, s.Flush(t.Context()))
	require.NoError(t, commitRow(t, s, "b", 10))
	require.NoError(t, s.Backup(t.Context(), filepath.Join(root, "copies", "one")))
	memory := openWithRow(t, Options{InMemory: true})
	require.NoError(t, memory.Backup(t.Context(), filepath.Join(root, "copies", "two")))
	require.NoError(t, memory.Close())
	require.NoError(t, s.Close())
	wide := filepath.Join(root, "wide")
	require.NoError(t, os.Mkdir(wide, 0o755))
	require.NoError(t, openWithRow(t, Options{Dir: wide, Sync: true}).Close())
	files := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		switch {
		case path == root:
		case path == wide:
			require.Equal(t, fs.FileMode(0o755), info.Mode().Perm(), "a directory that was there is left as it is")
		case d.IsDir():
			require.Equal(t, fs.FileMode(0o700), info.Mode().Perm(), path)
		default:
			files++
			require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), path)
		}
		return nil
	}))
	require.Greater(t, files, 20)
}
