package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/hbasekv/hbasekv/driver"
)

const windowCells = 100_000

// windowQuestions run in both databases: a number for each row, in the order of
// the store; a sum over a moving frame; a rank after a sort.
var windowQuestions = []struct{ name, query string }{
	{"number", "SELECT COUNT(*), MAX(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY K) AS n FROM w) x"},
	{"newest", "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY K ORDER BY Q) AS n FROM w) x WHERE n = 1"},
	{"moving", "SELECT COUNT(*), MAX(s) FROM (SELECT SUM(T) OVER (ORDER BY K, Q ROWS BETWEEN 500 PRECEDING AND 500 FOLLOWING) AS s FROM w) x"},
	{"extreme", "SELECT COUNT(*), MAX(s) FROM (SELECT MIN(T) OVER (ORDER BY K, Q ROWS BETWEEN 500 PRECEDING AND 500 FOLLOWING) AS s FROM w) x"},
	{"rank", "SELECT COUNT(*), MAX(r) FROM (SELECT RANK() OVER (ORDER BY T % 1000) AS r FROM w) x"},
	{"recursion", "WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 1000) SELECT COUNT(*) FROM s"},
}

func fillWindows(b *testing.B, db *sql.DB) {
	for at := 0; at < windowCells; at += 500 {
		var rows []string
		for i := at; i < at+500; i++ {
			rows = append(rows, fmt.Sprintf("('row%07d', 'q%d', %d, '%040d')", i/5, i%5, i*7919%1_000_003, i))
		}
		_, err := db.Exec("INSERT INTO w VALUES " + strings.Join(rows, ", "))
		require.NoError(b, err)
	}
}

// BenchmarkWindows runs the same questions on the same cells in hbasekv and SQLite.
func BenchmarkWindows(b *testing.B) {
	for _, store := range []struct{ name, driver, dsn, table string }{
		{"hbasekv", "hbasekv", "file:" + filepath.Join(b.TempDir(), "h"), "K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T)"},
		{"sqlite", "sqlite3", mattnDSN(filepath.Join(b.TempDir(), "s"), "OFF"), "K blob, Q blob, T integer, V blob, PRIMARY KEY (K, Q, T)"},
	} {
		db, err := sql.Open(store.driver, store.dsn)
		require.NoError(b, err)
		end := ")"
		if store.name == "sqlite" {
			end = ") WITHOUT ROWID"
		}
		_, err = db.Exec("CREATE TABLE w (" + store.table + end)
		require.NoError(b, err)
		fillWindows(b, db)
		for _, q := range windowQuestions {
			b.Run(q.name+"/"+store.name, func(b *testing.B) {
				timed(b, func() {
					rows, err := db.Query(q.query)
					require.NoError(b, err)
					for rows.Next() {
					}
					require.NoError(b, rows.Err())
				})
			})
		}
		require.NoError(b, db.Close())
	}
}
