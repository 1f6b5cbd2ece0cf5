package sql

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
)

func openBad(t *testing.T) *sql.DB {
	db, err := sql.Open("hbasekv", ":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	for _, s := range []string{
		"CREATE TABLE g$f " + suite.FourColumns,
		"INSERT INTO g$f VALUES ('k', 'q', 1, 'v'), ('end', 'q', 9223372036854775807, 'v')",
		"CREATE TABLE r " + suite.FourColumns + " PARTITION BY RANGE COLUMNS(K) (PARTITION p VALUES LESS THAN ('m'))",
		"CREATE TABLE pre " + suite.BadPrefixed,
	} {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
	return db
}

// TestBadInput: bad input gives MySQL's number and a message, and changes
// nothing, outside a transaction and in one.
func TestBadInput(t *testing.T) {
	db := openBad(t)
	before := snapshot(t, db)
	for _, bad := range suite.BadInputs {
		_, err := db.Exec(bad.SQL, bad.Args...)
		checkBad(t, bad, err)
		tx, err := db.Begin()
		require.NoError(t, err)
		_, err = tx.Exec(bad.SQL, bad.Args...)
		checkBad(t, bad, err)
		require.NoError(t, tx.Commit(), bad.SQL)
	}
	require.Equal(t, before, snapshot(t, db))
}

func checkBad(t *testing.T, bad suite.BadInput, err error) {
	t.Helper()
	e, ok := err.(*mysql.MySQLError)
	if !ok {
		t.Errorf("%s: %v (%T), want error %d", bad.SQL, err, err, bad.Number)
		return
	}
	if e.Number != bad.Number || !strings.Contains(e.Message, bad.Says) || e.SQLState == [5]byte{} || len(e.Message) < 10 {
		t.Errorf("%s: %v, want error %d naming %q", bad.SQL, e, bad.Number, bad.Says)
	}
}

func snapshot(t *testing.T, db *sql.DB) []string {
	var out []string
	for _, q := range []string{"SELECT TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1",
		"SELECT K, CONCAT(Q, '/', T, '/', V) FROM g$f FOR SYSTEM_TIME ALL", "SELECT K, V FROM r", "SELECT K, V FROM pre"} {
		rows, err := db.Query(q)
		require.NoError(t, err, q)
		for rows.Next() {
			var a, b string
			require.NoError(t, rows.Scan(&a, &b))
			out = append(out, a+" "+b)
		}
		require.NoError(t, rows.Err())
	}
	return out
}

// TestBadDSN: the error names the part of the DSN that is wrong.
func TestBadDSN(t *testing.T) {
	for dsn, says := range map[string]string{
		":memory:?versions=":               "versions",
		"file:x?versions=-1":               "versions",
		"file:x?nonsense=1":                "nonsense",
		"file:x?sync=perhaps":              "sync",
		"file:x?cache=large":               "cache",
		"file:x?lockTimeout=5":             "lockTimeout",
		"file:x?readOnly=2":                "readOnly",
		"/proc/self/status/impossible/dir": "/proc/self/status",
		"errors_test.go":                   "errors_test.go",
		"":                                 "",
	} {
		db, err := sql.Open("hbasekv", dsn)
		if err == nil {
			err = db.Ping()
			db.Close()
		}
		require.Error(t, err, dsn)
		require.Contains(t, err.Error(), says, dsn)
	}
}

// TestCancelStopsAScan: a cancelled query ends at once with the context's own
// error, and the next one is not affected.
func TestCancelStopsAScan(t *testing.T) {
	db := openBad(t)
	_, err := db.Exec("CREATE TABLE big (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(10), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	for i := range 20 {
		values := make([]string, 0, 1000)
		for j := range 1000 {
			values = append(values, "("+harness.Lit(string([]byte{byte(i), byte(j >> 8), byte(j)}))+", 'q', 1, 'v')")
		}
		_, err := db.Exec("REPLACE INTO big (K, Q, T, V) VALUES " + strings.Join(values, ", "))
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	// The condition is slow on each row, so that the scan is running.
	_, err = db.ExecContext(ctx, "SELECT COUNT(*) FROM big WHERE SHA2(REPEAT(K, 2000), 512) = V")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var n int
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM big").Scan(&n))
	require.Equal(t, 20_000, n)
}

// TestPlaceholderCount: a statement needs as many arguments as it has
// placeholders, prepared or not, and otherwise does nothing.
func TestPlaceholderCount(t *testing.T) {
	db := openBad(t)
	before := snapshot(t, db)
	for _, s := range []string{
		"INSERT INTO g$f VALUES (?, ?, ?, ?)", "UPDATE g$f SET V = ? WHERE K = ? LIMIT ?", "DELETE FROM g$f WHERE K IN (?, ?)",
		"SELECT K FROM g$f WHERE K = ? LIMIT ?", "WITH x AS (SELECT ? AS n) SELECT n FROM x WHERE n = ?",
		"SELECT /*+ TIMERANGE(?, ?) */ K FROM g$f", "CREATE TABLE t1 " + suite.FourColumns + " COMMENT '?'",
	} {
		placeholders := strings.Count(strings.ReplaceAll(s, "'?'", ""), "?")
		for given := range placeholders + 2 {
			if given == placeholders {
				continue
			}
			args := slices.Repeat([]any{"1"}, given)
			_, err := db.Exec(s, args...)
			require.Error(t, err, "%s with %d arguments", s, given)
			_, err = db.Query(s, args...)
			require.Error(t, err, "%s with %d arguments", s, given)
			prepared, err := db.Prepare(s)
			require.NoError(t, err, s)
			_, err = prepared.Exec(args...)
			require.Error(t, err, "%s with %d arguments", s, given)
			require.NoError(t, prepared.Close())
		}
	}
	require.Equal(t, before, snapshot(t, db))
}
