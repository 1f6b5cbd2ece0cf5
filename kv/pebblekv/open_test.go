package pebblekv

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testgc"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/partition"
)

// holdDir is set in a second process that holds a store open.
const holdDir = "HBASEKV_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdDir); dir != "" {
		hold(dir)
		return
	}
	if dir := os.Getenv(readDir); dir != "" {
		readOnce(dir)
		return
	}
	testgc.Seldom()
	goleak.VerifyTestMain(m)
}

// hold opens the store, prints so, and waits for its input to end.
func hold(dir string) {
	s, err := Open(Options{Dir: dir})
	fmt.Println("held", err)
	_, _ = os.Stdin.Read(make([]byte, 1))
	_ = s.Close()
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))

	_, err := Open(Options{})
	require.ErrorContains(t, err, "needs a directory")
	_, err = Open(Options{Dir: file})
	require.ErrorContains(t, err, file+" is a file")
	_, err = Open(Options{Dir: filepath.Join(file, "below")})
	require.ErrorContains(t, err, filepath.Join(file, "below"))
	_, err = Open(Options{Dir: dir})
	require.ErrorContains(t, err, dir+" is not a store: it contains file")
	missing := filepath.Join(dir, "missing")
	_, err = Open(Options{Dir: missing, ReadOnly: true})
	require.ErrorContains(t, err, "no store to read at "+missing)
	require.NoDirExists(t, missing)

	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate {
			return &os.PathError{Op: "open", Path: op.Path, Err: os.ErrPermission}
		}
		return nil
	}))
	_, err = Open(Options{Dir: "d", FS: fs})
	require.ErrorIs(t, err, os.ErrPermission)
	require.ErrorContains(t, err, "the store at d")
	require.NotErrorIs(t, err, kv.ErrLocked)
}

func TestOpenFormats(t *testing.T) {
	fs := vfs.NewMem()
	s, err := Open(Options{Dir: "d", FS: fs})
	require.NoError(t, err)
	require.NoError(t, s.db.Set(cellkey.SystemKey(layout.FormatRecord), []byte("4"), pebble.Sync))
	require.NoError(t, s.Close())
	_, err = Open(Options{Dir: "d", FS: fs})
	require.ErrorIs(t, err, kv.ErrFormat)
	require.ErrorContains(t, err, "d: ")
	require.ErrorContains(t, err, "made by a later version of hbasekv: it has format 4, and this one reads up to format 3")

	db, err := pebble.Open("other", &pebble.Options{FS: fs, Logger: silent{}})
	require.NoError(t, err)
	require.NoError(t, db.Set([]byte("k"), nil, pebble.Sync))
	require.NoError(t, db.Close())
	_, err = Open(Options{Dir: "other", FS: fs})
	require.ErrorIs(t, err, kv.ErrFormat, "another comparer")

	db, err = pebble.Open("alike", &pebble.Options{FS: fs, Logger: silent{}, Comparer: cellkey.Comparer})
	require.NoError(t, err)
	require.NoError(t, db.Set([]byte("k"), nil, pebble.Sync))
	require.NoError(t, db.Close())
	_, err = Open(Options{Dir: "alike", FS: fs})
	require.ErrorIs(t, err, kv.ErrFormat, "no format record")
}

// TestOpenLaterPebble opens a store whose marker names a format unknown to Pebble.
func TestOpenLaterPebble(t *testing.T) {
	fs := vfs.NewMem()
	s, err := Open(Options{Dir: "d", FS: fs})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	name := named(t, fs, formatMarker)[0]
	require.NoError(t, fs.Rename("d/"+name, "d/"+formatMarker+"999999.999"))
	_, err = Open(Options{Dir: "d", FS: fs})
	require.ErrorIs(t, err, kv.ErrFormat)
	require.ErrorContains(t, err, "d was made by a later version of hbasekv")
}

func TestOpenTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, err := Open(Options{Dir: dir})
	require.NoError(t, err)
	_, err = Open(Options{Dir: dir})
	require.ErrorIs(t, err, kv.ErrLocked)
	require.ErrorContains(t, err, dir)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	_, err = Open(Options{Dir: link})
	require.ErrorIs(t, err, kv.ErrLocked, "under another name")
	require.NoError(t, s.Close())
	s, err = Open(Options{Dir: dir, ReadOnly: true})
	require.NoError(t, err)
	require.ErrorIs(t, s.ChangeCatalog(t.Context(), func(*kv.CatalogChange) error { return nil }), kv.ErrReadOnly)
	require.NoError(t, s.Close())
}

func TestOpenInSecondProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdDir+"="+dir)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := make([]byte, 64)
	n, err := out.Read(said)
	require.NoError(t, err)
	require.Equal(t, "held <nil>", strings.TrimSpace(string(said[:n])))

	_, err = Open(Options{Dir: dir})
	require.ErrorIs(t, err, kv.ErrLocked)
	require.ErrorContains(t, err, dir)
	require.NotContains(t, err.Error(), "this process")

	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	s, err := Open(Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// TestPowerLoss cuts the power after each commit: acknowledged commits are there, others
// completely or not at all.
func TestPowerLoss(t *testing.T) {
	r := seed(t)
	fs := newCrashable()
	s, err := Open(Options{Dir: "d", FS: fs, Sync: true})
	require.NoError(t, err)
	scheme, err := partition.NewKey(3)
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", scheme)
	for n := range 30 {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for i := range 20 {
			c := kv.Cell{Row: fmt.Append(nil, n, "/", i), Timestamp: 1, Value: []byte("v")}
			require.NoError(t, tx.Put(t.Context(), table, c))
		}
		if r.IntN(5) == 0 {
			require.NoError(t, s.Flush(t.Context()))
		}
		early := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
		require.NoError(t, tx.Commit(t.Context()))
		late := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
		require.Equal(t, 20*n, countAfterCrash(t, early))
		require.Equal(t, 20*(n+1), countAfterCrash(t, late))
	}
	require.NoError(t, s.Close())
}

func countAfterCrash(t *testing.T, fs vfs.FS) int {
	t.Helper()
	s, err := Open(Options{Dir: "d", FS: fs})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	tx := kvtest.Begin(s, kv.TxnOptions{})
	defer tx.Rollback()
	return len(readAll(t, tx, tx.Catalog().Tables("d"), &kv.Scan{}))
}

// TestPowerLossDDL requires that a change of the catalog is complete and durable, synced
// or not, and so is everything committed before.
func TestPowerLossDDL(t *testing.T) {
	fs := newCrashable()
	s, err := Open(Options{Dir: "d", FS: fs})
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	tx := kvtest.Begin(s, kv.TxnOptions{})
	require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: []byte("r")}))
	require.NoError(t, tx.Commit(t.Context()))
	createTable(t, s, "g", "b", &partition.Scheme{})
	require.Equal(t, 1, countAfterCrash(t, fs.CrashClone(vfs.CrashCloneCfg{})))
	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		return c.TruncateTable("d",
			"g$a")
	}))
	require.Equal(t, 0, countAfterCrash(t, fs.CrashClone(vfs.CrashCloneCfg{})))
	require.NoError(t, s.Close())
}

// TestDiskFails requires that commits fail and reads continue after an error of the log.
func TestDiskFails(t *testing.T) {
	broken := errors.New("the disk is broken")
	var fail atomic.Bool // which Pebble's own goroutines ask too
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if fail.Load() && strings.HasSuffix(op.Path, ".log") && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return broken
		}
		return nil
	}))
	s, err := Open(Options{Dir: "d", FS: fs, Sync: true})
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	put := func(row string) error {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		defer tx.Rollback()
		require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: []byte(row)}))
		return tx.Commit(t.Context())
	}
	require.NoError(t, put("a"))
	fail.Store(true)
	require.Error(t, put("b"))
	require.Error(t, put("c"))
	tx := kvtest.Begin(s, kv.TxnOptions{})
	require.NotEmpty(t, readAll(t, tx, []*kv.Table{table}, &kv.Scan{}))
	tx.Rollback()
	fail.Store(false)
	_ = s.Close()
}
