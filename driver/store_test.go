package driver

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
)

func TestOneStoreUnderManyNames(t *testing.T) {
	path := storePath(t)
	link := filepath.Join(t.TempDir(), "link")
	db := open(t, path)
	run(t, db, createTable, "INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
	require.NoError(t, os.Symlink(path, link))
	t.Chdir(filepath.Dir(path))
	for _, name := range []string{link, "store", "./store", "file:" + path, "file://" + path, "../" + filepath.Base(filepath.Dir(path)) + "/store"} {
		other := open(t, name)
		require.Equal(t, "v", one(t, other, "SELECT V FROM g$f"), name)
	}
}

func TestStoreIsClosedWithItsLastUser(t *testing.T) {
	path := storePath(t)
	first, second := open(t, path), open(t, path)
	run(t, first, createTable)
	require.NoError(t, second.Ping())
	require.NoError(t, first.Close())
	run(t, second, "INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
	require.NoError(t, second.Close())
	require.NoError(t, helper(path), "the directory is free again")
	require.Equal(t, "v", one(t, open(t, path), "SELECT V FROM g$f"))
}

func TestConflictingOptionsAreRefused(t *testing.T) {
	path := storePath(t)
	db := open(t, "file:"+path+"?cache=32MiB&maxRegionSize=1GiB&txnMemory=8MiB")
	require.NoError(t, db.Ping())
	for dsn, says := range map[string]string{
		"?sync=false":      "sync=true",
		"?cache=64MiB":     "cache=32MiB",
		"?maxRegionSize=0": "maxRegionSize=1GiB",
		"?txnMemory=1GiB":  "txnMemory=8MiB",
	} {
		err := open(t, "file:"+path+dsn).Ping()
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, path)
	}
	for _, dsn := range []string{"", "?cache=32MiB", "?cache=33554432&sync=true&maxRegionSize=1024MiB", "?versions=all&clientFoundRows=1"} {
		require.NoError(t, open(t, "file:"+path+dsn).Ping(), dsn)
	}
}

func TestReadOnly(t *testing.T) {
	path := storePath(t)
	err := open(t, "file:"+path+"?readOnly=true").Ping()
	require.ErrorContains(t, err, path)
	require.NoDirExists(t, path)

	writer := open(t, path)
	run(t, writer, createTable, "INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
	beside := open(t, "file:"+path+"?readOnly=true")
	requireReadOnly(t, beside)
	require.NoError(t, writer.Close())
	require.NoError(t, beside.Close())

	alone := open(t, "file:"+path+"?readOnly=true")
	requireReadOnly(t, alone)
	require.ErrorContains(t, open(t, path).Ping(), "readOnly=true")
	requireNumber(t, 1049, open(t, "file:"+path+"?readOnly=true&db=missing").Ping())
}

func requireReadOnly(t *testing.T, db *sql.DB) {
	t.Helper()
	require.Equal(t, "v", one(t, db, "SELECT V FROM g$f"))
	for _, s := range []string{"INSERT INTO g$f VALUES ('k', 'q', 2, 'v')", "DELETE FROM g$f", "TRUNCATE TABLE g$f", "DROP TABLE g$f", "CREATE DATABASE x"} {
		_, err := db.Exec(s)
		requireNumber(t, 1290, err)
	}
	require.Equal(t, "v", one(t, db, "SELECT V FROM g$f"))
}

func TestPathThatIsNoStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.MkdirAll(other, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(other, "photo.jpg"), []byte("text"), 0o600))
	for _, path := range []string{file, filepath.Join(file, "below"), other} {
		err := open(t, path).Ping()
		require.ErrorContains(t, err, path)
	}
	require.FileExists(t, filepath.Join(other, "photo.jpg"))
}

func TestMemoryIsPrivateAndSharedByThePool(t *testing.T) {
	db, other := openTable(t), open(t, MemoryPath)
	_, err := other.Exec("SELECT * FROM g$f")
	requireNumber(t, 1146, err)
	ctx := context.Background()
	first, err := db.Conn(ctx)
	require.NoError(t, err)
	defer first.Close()
	second, err := db.Conn(ctx)
	require.NoError(t, err)
	defer second.Close()
	_, err = first.ExecContext(ctx, "INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
	require.NoError(t, err)
	var v string
	require.NoError(t, second.QueryRowContext(ctx, "SELECT V FROM g$f").Scan(&v))
	require.Equal(t, "v", v)
}

func TestDatabaseIsCreated(t *testing.T) {
	path := storePath(t)
	db := open(t, "file:"+path+"?db=shop")
	require.Equal(t, "shop", one(t, db, "SELECT DATABASE()"))
	run(t, db, createTable)
	_, err := open(t, path).Exec("SELECT * FROM g$f")
	requireNumber(t, 1146, err)
	require.Equal(t, "information_schema", one(t, open(t, "file:"+path+"?db=information_schema"), "SELECT DATABASE()"))
}

// helperDSN in the environment turns the test binary into another process,
// which opens the store and reports the outcome.
const helperDSN = "HBASEKV_TEST_OPEN"

func helperProcess(dsn string) int {
	db, err := sql.Open(Name, dsn)
	if err == nil {
		err = db.Ping()
		db.Close()
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func helper(dsn string) error {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperDSN+"="+dsn)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s", out)
	}
	return nil
}

func TestSecondProcessIsRefused(t *testing.T) {
	path := storePath(t)
	db := open(t, path)
	require.NoError(t, db.Ping())
	err := helper(path)
	require.ErrorContains(t, err, "another process holds")
	require.ErrorContains(t, err, path)
	require.NoError(t, db.Close())
	require.NoError(t, helper(path))
}

// TestOpenAndCloseAtOnce opens and closes one path from many goroutines: every
// success sees an open store, and a store is never opened twice.
func TestOpenAndCloseAtOnce(t *testing.T) {
	var mu sync.Mutex
	isOpen := false
	r := newRegistry(func(storeOptions) (kv.Store, error) {
		mu.Lock()
		defer mu.Unlock()
		if isOpen {
			return nil, fmt.Errorf("open twice")
		}
		isOpen = true
		return &closing{Model: kvtest.NewModel(), closed: func() { mu.Lock(); isOpen = false; mu.Unlock() }}, nil
	})
	cfg := NewConfig(storePath(t))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				c := newConnector(cfg, r)
				opened, err := c.Connect(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				if err := opened.Close(); err != nil {
					t.Error(err)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	require.False(t, isOpen)
	require.Empty(t, r.stores)
}

// closing is a store that reports when it is closed.
type closing struct {
	*kvtest.Model
	closed func()
}

func (c *closing) Close() error {
	err := c.Model.Close()
	c.closed()
	return err
}

func TestOpenErrorDoesNotLast(t *testing.T) {
	failing := true
	r := newRegistry(func(storeOptions) (kv.Store, error) {
		if failing {
			return nil, fmt.Errorf("no space")
		}
		return kvtest.NewModel(), nil
	})
	c := newConnector(NewConfig(storePath(t)), r)
	db := sql.OpenDB(c)
	defer db.Close()
	require.ErrorContains(t, db.Ping(), "no space")
	require.Empty(t, r.stores)
	failing = false
	require.NoError(t, db.Ping())
}

// openedURI is the URI with which the last store of the scheme drivertest was
// opened.
var openedURI string

// registerScheme registers it once, however often the test runs.
var registerScheme = sync.OnceFunc(func() {
	kv.Register("drivertest", func(_ context.Context, uri string) (kv.Store, error) {
		openedURI = uri
		s, err := pebblekv.Open(pebblekv.Options{InMemory: true})
		if err != nil {
			return nil, err
		}
		return s, s.ChangeCatalog(context.Background(), func(c *kv.CatalogChange) error {
			return c.CreateDatabase(kv.Database{Name: "default"})
		})
	})
})

// A store with a scheme is opened by the package that has registered the
// scheme.
func TestStoreOfAScheme(t *testing.T) {
	registerScheme()
	db, err := sql.Open("hbasekv", "drivertest://h1,h2/default?speed=much%20more&readOnly=true")
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Ping())
	require.Equal(t, "drivertest://h1,h2/?speed=much+more", openedURI)

	db, err = sql.Open("hbasekv", "unknown://h1")
	require.NoError(t, err)
	defer db.Close()
	require.ErrorContains(t, db.Ping(), "unknown store unknown://")
	for _, dsn := range []string{"drivertest://h?sync=false", "drivertest://h?cache=1MiB", "drivertest://h?clock=%2B1h"} {
		_, err := ParseDSN(dsn)
		require.Error(t, err, dsn)
	}
}
