package sql

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestErrorCount: max_error_count limits how many warnings are kept; all are counted, and so is an
// error for which there is no room. The figures are MariaDB's.
// https://dev.mysql.com/doc/refman/8.0/en/show-warnings.html
func TestErrorCount(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	harness.Must(t, conn, "CREATE TABLE t "+harness.PlainTable)
	var rows []string
	for i := range 100 {
		rows = append(rows, fmt.Sprintf("('%03d', 'q', 1, '%dx')", i, i+1))
	}
	harness.Must(t, conn, "INSERT INTO t VALUES "+strings.Join(rows, ", "))
	const sum, wrong = "SELECT SUM(V) FROM t", "SELECT EXP(IF(SUM(V) > 0, 1000, 0)) FROM t"
	ask := func(most any, first, second string) []string {
		if most != nil {
			harness.Must(t, conn, fmt.Sprintf("SET max_error_count = %v", most))
		}
		_, err := harness.TryLines(conn, first)
		require.Equal(t, first == wrong, err != nil)
		return harness.Lines(t, conn, second)
	}
	require.Equal(t, []string{"100 0"}, ask(nil, sum, "SELECT @@warning_count, @@error_count"))
	require.Len(t, ask(nil, sum, "SHOW WARNINGS"), 64)
	require.Equal(t, []string{"100"}, ask(nil, sum, "SHOW COUNT(*) WARNINGS"))
	require.Len(t, ask(nil, wrong, "SHOW WARNINGS"), 64)
	require.Equal(t, []string{"1"}, ask(nil, wrong, "SHOW COUNT(*) ERRORS"))
	require.Len(t, ask(70000, "SELECT 1", "SHOW WARNINGS"), 0)
	require.Len(t, ask(nil, wrong, "SHOW WARNINGS"), 101)
	require.Equal(t, []string{"Warning 1292 Truncated incorrect DOUBLE value: '1x'", "Warning 1292 Truncated incorrect DOUBLE value: '2x'"},
		ask(2, sum, "SHOW WARNINGS"))
	require.Equal(t, []string{"100"}, ask(2, sum, "SHOW COUNT(*) WARNINGS"))
	require.Empty(t, ask(0, wrong, "SHOW WARNINGS"))
	require.Equal(t, []string{"101 1"}, ask(0, wrong, "SELECT @@warning_count, @@error_count"))

	harness.Must(t, conn, "SET max_error_count = DEFAULT", "SET max_error_count = 70000")
	require.Equal(t, []string{"Warning 1292 Truncated incorrect max_error_count value: '70000'"}, harness.Lines(t, conn, "SHOW WARNINGS"))
	require.Equal(t, []string{"65535"}, harness.Lines(t, conn, "SELECT @@max_error_count"))
	harness.Must(t, conn, "SET max_error_count = -1")
	require.Equal(t, []string{"Warning 1292 Truncated incorrect max_error_count value: '-1'"}, harness.Lines(t, conn, "SHOW WARNINGS"))
	require.Equal(t, []string{"0"}, harness.Lines(t, conn, "SELECT @@max_error_count"))
}

// TestManyWarningsTakeNoMemory: each goroutine that reads a part of a table keeps at most
// max_error_count warnings, and counts all.
func TestManyWarningsTakeNoMemory(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?parallelism=2")
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	harness.Must(t, conn, "CREATE TABLE t "+harness.PlainTable)
	var cells []string
	for i := range 2000 {
		cells = append(cells, fmt.Sprintf("('%04d', 'q', 1, 'no number, nor anything that begins as one')", i))
	}
	harness.Must(t, conn, "INSERT INTO t VALUES "+strings.Join(cells, ", "))
	before := harness.LiveHeap()
	rows, err := conn.QueryContext(t.Context(), "SELECT Q, SUM(V"+strings.Repeat(" + V", 99)+") FROM t GROUP BY Q")
	require.NoError(t, err)
	defer rows.Close()
	require.True(t, rows.Next())
	require.Less(t, harness.LiveHeap()-before, int64(4<<20))
	require.NoError(t, rows.Close())
	require.Equal(t, []string{"200000"}, harness.Lines(t, conn, "SHOW COUNT(*) WARNINGS"))
	require.Len(t, harness.Lines(t, conn, "SHOW WARNINGS"), 64)
}
