package driver

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/hbasekv/hbasekv/kv/kvtest/testgc"
)

func TestMain(m *testing.M) {
	if dsn := os.Getenv(helperDSN); dsn != "" {
		os.Exit(helperProcess(dsn))
	}
	testgc.Seldom()
	goleak.VerifyTestMain(m)
}

// open opens a database, which the test closes at its end.
func open(t testing.TB, dsn string) *sql.DB {
	db, err := sql.Open(Name, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// openTable is an in-memory database with an empty table g$f.
func openTable(t testing.TB) *sql.DB {
	db := open(t, MemoryPath)
	run(t, db, createTable)
	return db
}

const createTable = "CREATE TABLE g$f (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1048576), PRIMARY KEY (K, Q, T))"

func run(t testing.TB, db interface {
	Exec(string, ...any) (sql.Result, error)
}, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
}

// one returns the single value of a query, as a string.
func one(t testing.TB, db interface {
	QueryRow(string, ...any) *sql.Row
}, query string, args ...any) string {
	t.Helper()
	var s sql.NullString
	require.NoError(t, db.QueryRow(query, args...).Scan(&s), query)
	if !s.Valid {
		return "NULL"
	}
	return s.String
}

// requireNumber requires err to be a *mysql.MySQLError with that number, not
// wrapped.
func requireNumber(t testing.TB, number uint16, err error) {
	t.Helper()
	require.IsType(t, &mysql.MySQLError{}, err)
	require.Equal(t, number, err.(*mysql.MySQLError).Number, err)
}

// storePath is a directory that does not exist yet.
func storePath(t testing.TB) string { return filepath.Join(t.TempDir(), "store") }
