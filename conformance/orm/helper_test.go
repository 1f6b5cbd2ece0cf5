package orm

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/hbasekv/hbasekv/driver"
)

const (
	memory      = ":memory:"
	allVersions = ":memory:?versions=all"
)

// binary is a row key that is no text: NUL, a quote, a backslash and bytes
// that are not UTF-8.
const binary = "a\x00'\\\xff\xfe"

// open is a database that the test closes.
func open(t *testing.T, dsn string) *sql.DB {
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// createTable is what the tools without a migrator start from.
const createTable = "CREATE TABLE shop$cells (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1024), PRIMARY KEY (K, Q, T))"

// stored is every version of shop$cells, as K/Q/T=V.
func stored(t *testing.T, db *sql.DB) string {
	t.Helper()
	return storedIn(t, db, "shop$cells")
}

func storedIn(t *testing.T, db *sql.DB, table string) string {
	t.Helper()
	rows, err := db.Query("SELECT /*+ VERSIONS(ALL) */ CONCAT(K, '/', Q, '/', T, '=', IFNULL(V, 'NULL')) FROM " + table + " ORDER BY K, Q, T DESC")
	require.NoError(t, err)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		require.NoError(t, rows.Scan(&s))
		all = append(all, s)
	}
	require.NoError(t, rows.Err())
	return strings.Join(all, " ")
}

// definition is the table as SHOW CREATE TABLE gives it.
func definition(t *testing.T, db *sql.DB) string {
	t.Helper()
	var name, text string
	require.NoError(t, db.QueryRow("SHOW CREATE TABLE shop$cells").Scan(&name, &text))
	return text
}

func ptr[T any](v T) *T { return &v }

// check ends an example that fails.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
