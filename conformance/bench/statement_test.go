package bench

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// BenchmarkStatement runs the same one-cell read as a prepared statement, as
// one repeated text, and as texts that differ in their literals.
func BenchmarkStatement(b *testing.B) {
	const query = "SELECT K, Q, T, V FROM c WHERE K = ? AND Q = ?"
	key := benchKey(someRow(1))
	literal := fmt.Sprintf("SELECT K, Q, T, V FROM c WHERE K = '%s' AND Q = 'c'", key)
	db := openBench(b, 1)
	prepared, err := db.Prepare(query)
	require.NoError(b, err)
	defer prepared.Close()
	preparedLiteral, err := db.Prepare(literal)
	require.NoError(b, err)
	defer preparedLiteral.Close()
	run := func(name string, query func(i int) (*sql.Rows, error)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				rows, err := query(i)
				drainOne(b, rows, err)
			}
		})
	}
	run("args/prepared", func(int) (*sql.Rows, error) { return prepared.Query(key, "c") })
	run("args/text", func(int) (*sql.Rows, error) { return db.Query(query, key, "c") })
	run("literals/prepared", func(int) (*sql.Rows, error) { return preparedLiteral.Query() })
	run("literals/text", func(int) (*sql.Rows, error) { return db.Query(literal) })
	run("args/different", func(i int) (*sql.Rows, error) { return prepared.Query(benchKey(i%benchRows()), "c") })
	run("literals/different", func(i int) (*sql.Rows, error) {
		return db.Query("SELECT K, Q, T, V FROM c WHERE K = '" + benchKey(i%benchRows()) + "' AND Q = 'c'")
	})
	conn, err := db.Conn(context.Background())
	require.NoError(b, err)
	defer conn.Close()
	run("args/text-conn", func(int) (*sql.Rows, error) { return conn.QueryContext(context.Background(), query, key, "c") })
}

// BenchmarkWriteStatement runs UPDATE, DELETE and INSERT of one cell as prepared
// statements and as texts that differ in their literals.
func BenchmarkWriteStatement(b *testing.B) {
	db := harness.OpenDB(b, ":memory:")
	createBench(b, db, "c", 1)
	run := func(name, prepared string, args func(i int) []any, text func(i int) string) {
		stmt, err := db.Prepare(prepared)
		require.NoError(b, err)
		defer stmt.Close()
		exec := func(name string, one func(i int) error) {
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if err := one(i); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		exec(name+"/prepared", func(i int) error {
			_, err := stmt.Exec(args(i)...)
			return err
		})
		exec(name+"/different", func(i int) error {
			_, err := db.Exec(text(i))
			return err
		})
	}
	key := benchKey(0)
	harness.Must(b, db, fmt.Sprintf("INSERT INTO c VALUES ('%s', 'c', 1, '')", key))
	run("update", "UPDATE c SET V = ? WHERE K = ? AND Q = 'c'", func(i int) []any { return []any{strconv.Itoa(i), key} },
		func(i int) string {
			return "UPDATE c SET V = '" + strconv.Itoa(i) + "' WHERE K = '" + key + "' AND Q = 'c'"
		})
	run("delete", "DELETE FROM c WHERE K = ? AND Q = ?", func(i int) []any { return []any{"none", strconv.Itoa(i)} },
		func(i int) string { return "DELETE FROM c WHERE K = 'none' AND Q = '" + strconv.Itoa(i) + "'" })
	run("insert", "INSERT INTO c VALUES (?, 'p', ?, ?)", func(i int) []any { return []any{key, int64(i), benchText} },
		func(i int) string {
			return "INSERT INTO c VALUES ('" + key + "', 'd', " + strconv.Itoa(i) + ", '" + benchText + "')"
		})
}

func drainOne(b *testing.B, rows *sql.Rows, err error) {
	if err != nil {
		b.Fatal(err)
	}
	var k, q, v sql.RawBytes
	var t int64
	n := 0
	for ; rows.Next(); n++ {
		if err := rows.Scan(&k, &q, &t, &v); err != nil {
			b.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil || n != 1 {
		b.Fatal(n, err)
	}
}
