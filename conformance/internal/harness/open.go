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

// OpenWith is an embedded store in memory with parameters of the DSN.
func OpenWith(t *testing.T, parameters string) *sql.DB {
	db, err := sql.Open("hbasekv", ":memory:?"+parameters)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// Conn is a connection that the test gives back at its end.
func Conn(t testing.TB, db *sql.DB) *sql.Conn {
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// CommonParameters make what both servers have by default the same.
const CommonParameters = "time_zone=%27%2B00:00%27"

// PlainTable are the columns of a table as HBase has it: K, Q, T and V.
const PlainTable = "(K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1048576), PRIMARY KEY (K, Q, T))"

// OpenDB is a database that the test closes, over the wire where -wire is given.
func OpenDB(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	return overWire(t, OpenEmbedded(t, dsn), dsn)
}

// OpenEmbedded is a database of the embedded driver, whatever -wire says.
func OpenEmbedded(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// OnLayouts runs a test on a table t without partitions and on one with seven.
func OnLayouts(t *testing.T, parameters string, test func(*testing.T, *sql.DB)) {
	for name, partitioning := range map[string]string{"none": "", "key7": " PARTITION BY KEY(K) PARTITIONS 7"} {
		t.Run(name, func(t *testing.T) {
			db := OpenDB(t, ":memory:"+parameters)
			Must(t, db, "CREATE TABLE t "+PlainTable+partitioning)
			test(t, db)
		})
	}
}

// Begin opens a transaction that the test rolls back at the latest at its end.
func Begin(t testing.TB, db *sql.DB) *sql.Tx {
	t.Helper()
	tx, err := db.Begin()
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

// Pin is a connection with its id.
func Pin(t *testing.T, db *sql.DB) (*sql.Conn, string) {
	t.Helper()
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn, Single(t, conn, "SELECT CONNECTION_ID()")
}

// MemoryDSN is a store in memory for recorded and random statements. Its zone is the one
// in which MariaDB answered, wherever the machine is.
func MemoryDSN() string {
	return fmt.Sprintf("file::memory:?versions=all&parallelism=%d&%s", *Parallelism, CommonParameters)
}

// MemberColumns are those of tables whose values are joined and looked up.
const MemberColumns = " (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))"

// SpillDB is a database whose statements may keep little in memory, and the
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

// RequireNoFiles finds no temporary file, neither by name nor open.
func RequireNoFiles(t testing.TB, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Empty(t, OpenFilesIn(dir))
}

// OpenFilesIn are the open files of this process below dir, those without a
// name included; none where the system does not tell.
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
