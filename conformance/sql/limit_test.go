package sql

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestLimitLeavesOut: nothing is evaluated for rows that LIMIT omits, except what finds and
// sorts them: they neither fail nor warn
// (https://dev.mysql.com/doc/refman/5.7/en/limit-optimization.html).
func TestLimitLeavesOut(t *testing.T) {
	queries := []struct{ query, rows, warnings string }{
		{"SELECT 9223372036854775807 + T FROM t ORDER BY V DESC LIMIT 1", "9223372036854775800", ""},
		{"SELECT 9223372036854775806 + T FROM t ORDER BY T LIMIT 1 OFFSET 1", "9223372036854775801", ""},
		{"SELECT K, V + 0 FROM t ORDER BY V DESC LIMIT 2", "d 4, a 3", "4x 3x"},
		{"SELECT K, V + 0 FROM t ORDER BY Q, V LIMIT 1 OFFSET 2", "a 3", "3x"},
		{"SELECT V + 0 FROM t ORDER BY K LIMIT 1", "3", "3x"},
		{"SELECT V + 0 FROM t LIMIT 1 OFFSET 2", "1", "1x"},
		{"SELECT V + 0 FROM t LIMIT 0", "", ""},
		{"SELECT V + 0 FROM t ORDER BY V LIMIT 5 OFFSET 4", "", ""},
		{"SELECT SQL_CALC_FOUND_ROWS V + 0 FROM t LIMIT 1", "3", "3x"},
		{"SELECT SQL_CALC_FOUND_ROWS V + 0 FROM t ORDER BY V LIMIT 1", "1", "1x"},
		{"SELECT x FROM (SELECT V + 0 AS x, V FROM t ORDER BY V LIMIT 1) d", "1", "1x"},
		{"SELECT x FROM (SELECT V + 0 AS x, K FROM t) d ORDER BY K DESC LIMIT 1", "4", "4x"},
		{"(SELECT V + 0 AS x FROM t ORDER BY V LIMIT 1) UNION ALL (SELECT V + 0 FROM t ORDER BY V DESC LIMIT 1)", "1, 4", "1x 4x"},
		{"SELECT (SELECT b.V + a.T FROM t b ORDER BY b.V LIMIT 1) FROM t a WHERE a.K = 'b'", "2", "1x"},
		{"SELECT K, (SELECT b.K FROM t b WHERE b.T = a.T) FROM t a ORDER BY V DESC LIMIT 2", "d d, a a", ""},
		{"SELECT T, COUNT(*), (SELECT b.K FROM t b WHERE b.T = a.T) FROM t a GROUP BY T ORDER BY 2, T LIMIT 2", "-7 1 d, -5 1 a", ""},
		// The sort key is evaluated, and a known value is not evaluated again.
		{"SELECT V + 0 FROM t ORDER BY V + 0 LIMIT 1", "1", "3x 2x 1x 4x"},
		{"SELECT V + 1, K FROM t ORDER BY V + 0 DESC LIMIT 1", "5 d", "3x 2x 1x 4x 4x"},
		// The same holds for DISTINCT rows, windows, and groups without computations on
		// aggregates.
		{"SELECT DISTINCT V + 0 FROM t ORDER BY 1 LIMIT 1", "1", "3x 2x 1x 4x"},
		{"SELECT V + 0, ROW_NUMBER() OVER (ORDER BY K) r FROM t ORDER BY r DESC LIMIT 1", "4 4", "3x 2x 1x 4x"},
		{"SELECT V + 0, COUNT(*) FROM t GROUP BY V ORDER BY COUNT(*), V LIMIT 1", "1 1", "3x 2x 1x 4x"},
		{"SELECT MIN(V) + 0, COUNT(*) FROM t GROUP BY K ORDER BY MAX(T) DESC, K DESC LIMIT 1", "1 1", "1x"},
		{"SELECT 9223372036854775806 + COUNT(*) + MIN(T), COUNT(*) FROM t GROUP BY V ORDER BY MAX(T) LIMIT 1", "9223372036854775800 1", ""},
	}
	for _, setting := range []string{"", "?parallelism=3", "?parallelism=1"} {
		conn := harness.Conn(t, harness.OpenDB(t, "file::memory:"+setting))
		harness.Must(t, conn, "CREATE TABLE t "+harness.PlainTable)
		harness.Must(t, conn, "INSERT INTO t VALUES ('a', 'q', -5, '3x'), ('b', 'q', 1, '2x'), ('c', 'q', 1, '1x'), ('d', 'q', -7, '4x')")
		for _, c := range queries {
			require.Equal(t, c.rows, strings.Join(harness.Lines(t, conn, c.query), ", "), c.query)
			var values []string
			for _, line := range harness.Lines(t, conn, "SHOW WARNINGS") {
				_, of, _ := strings.Cut(line, "value: '")
				values = append(values, strings.TrimSuffix(of, "'"))
			}
			require.Equal(t, c.warnings, strings.Join(values, " "), c.query)
		}
		harness.Lines(t, conn, "SELECT SQL_CALC_FOUND_ROWS V + 0 FROM t ORDER BY V LIMIT 1 OFFSET 1")
		require.Equal(t, []string{"4"}, harness.Lines(t, conn, "SELECT FOUND_ROWS()"))
	}
}

// TestOffsets: a page has the right rows of all, however far from the first.
func TestOffsets(t *testing.T) {
	conn := harness.Conn(t, harness.OpenDB(t, ":memory:"))
	harness.Must(t, conn, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 3")
	var cells []string
	for i := range 1500 {
		cells = append(cells, fmt.Sprintf("('%04d', 'q', %d, '%d'), ('%04d', 'r', %d, NULL)", i, i, i%7, i, i))
	}
	harness.Must(t, conn, "INSERT INTO t VALUES "+strings.Join(cells, ", "))
	for _, query := range []string{
		"SELECT K, Q, V FROM t ORDER BY K, Q",
		"SELECT K, T + 1 FROM t ORDER BY K, Q",
		"SELECT K, Q, T FROM t",
		"SELECT K, V FROM t WHERE V > '2'",
		"SELECT K, V FROM t WHERE V > '2' ORDER BY K FOR UPDATE",
		"SELECT K, MAX(CASE WHEN Q = 'q' THEN V END) AS v FROM t GROUP BY K HAVING v <> '3' ORDER BY K",
		"SELECT a.K, b.T FROM t a JOIN t b ON b.K = a.K AND b.Q = 'r' WHERE a.Q = 'q' ORDER BY a.K",
		"SELECT x FROM (SELECT CONCAT(K, Q) AS x FROM t) d",
	} {
		all := harness.Lines(t, conn, query)
		query, locks := strings.CutSuffix(query, " FOR UPDATE")
		page := func(limit string) []string {
			if locks {
				limit += " FOR UPDATE"
			}
			return append([]string{}, harness.Lines(t, conn, query+limit)...)
		}
		for _, batch := range []string{"0", "1", "7", "-1"} {
			harness.Must(t, conn, "SET hbasekv_batch_cells = "+batch)
			for _, offset := range []int{0, 1, 63, 64, 65, 66, 128, 129, 1023, 1088, 1089, 1499, 1500, 2999, 3000, 4000} {
				from := min(offset, len(all))
				require.Equal(t, all[from:min(from+5, len(all))], page(fmt.Sprintf(" LIMIT 5 OFFSET %d", offset)), "%s from %d, batches of %s", query, offset, batch)
			}
			harness.Lines(t, conn, strings.Replace(query, "SELECT", "SELECT SQL_CALC_FOUND_ROWS", 1)+" LIMIT 1")
			require.Equal(t, []string{fmt.Sprint(len(all))}, harness.Lines(t, conn, "SELECT FOUND_ROWS()"), query)
		}
		harness.Must(t, conn, "SET hbasekv_batch_cells = 0")
	}
}
