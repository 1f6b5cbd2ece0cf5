package harness

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/hbasekv/hbasekv/driver"
)

// OpenWith opens an embedded in-memory store with parameters of the DSN.
func OpenWith(t *testing.T, parameters string) *sql.DB {
	db, err := sql.Open("hbasekv", ":memory:?"+parameters)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// Conn returns a connection, which is closed at the test's end.
func Conn(t testing.TB, db *sql.DB) *sql.Conn {
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// CommonParameters make the defaults of both servers equal.
const CommonParameters = "time_zone=%27%2B00:00%27"

// PlainTable has the columns of HBase's cells: K, Q, T and V.
const PlainTable = "(K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1048576), PRIMARY KEY (K, Q, T))"

// OpenDB opens a database, which is closed at the test's end; with -wire, over MySQL's
// protocol.
func OpenDB(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	return overWire(t, OpenEmbedded(t, dsn), dsn)
}

// OpenEmbedded opens a database with the embedded driver, whatever -wire is.
func OpenEmbedded(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// OnLayouts runs a test on a table t without partitions, and on one with seven.
func OnLayouts(t *testing.T, parameters string, test func(*testing.T, *sql.DB)) {
	for name, partitioning := range map[string]string{"none": "", "key7": " PARTITION BY KEY(K) PARTITIONS 7"} {
		t.Run(name, func(t *testing.T) {
			db := OpenDB(t, ":memory:"+parameters)
			Must(t, db, "CREATE TABLE t "+PlainTable+partitioning)
			test(t, db)
		})
	}
}

// Begin opens a transaction, which is rolled back at the test's end at the latest.
func Begin(t testing.TB, db *sql.DB) *sql.Tx {
	t.Helper()
	tx, err := db.Begin()
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

// Pin returns a connection and its id.
func Pin(t *testing.T, db *sql.DB) (*sql.Conn, string) {
	t.Helper()
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn, Single(t, conn, "SELECT CONNECTION_ID()")
}

// MemoryDSN is an in-memory store for recorded and random statements, with the time zone
// in which MariaDB answered.
func MemoryDSN() string {
	return fmt.Sprintf("file::memory:?versions=all&parallelism=%d&%s", *Parallelism, CommonParameters)
}

// MemberColumns are the columns of tables whose values are joined and looked up.
const MemberColumns = " (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))"

// SpillDB is a database whose statements may use little memory, and the
// directory of their temporary files.
func SpillDB(t testing.TB, memory string) (*sql.DB, string) {
	dir := t.TempDir()
	db, err := sql.Open("hbasekv", "file::memory:?versions=all&queryMemory="+memory+"&tmpDir="+url.QueryEscape(dir))
	require.NoError(t, err)
	t.Cleanup(func() {
		RequireNoFiles(t, dir)
		require.NoError(t, db.Close())
	})
	return db, dir
}

// RequireNoFiles checks that no temporary file is left, by name or open.
func RequireNoFiles(t testing.TB, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Empty(t, OpenFilesIn(dir))
}

// OpenFilesIn are this process's open files below dir, including those without
// a name; none if the system does not tell.
func OpenFilesIn(dir string) []string {
	links, _ := os.ReadDir("/proc/self/fd")
	var out []string
	for _, l := range links {
		if path, err := os.Readlink("/proc/self/fd/" + l.Name()); err == nil && strings.HasPrefix(path, dir+"/") {
			out = append(out, path)
		}
	}
	return out
}
