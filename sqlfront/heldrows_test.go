package sqlfront_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
)

// manyRows are 49 * 49 rows, each of which makes a string of 700 bytes: more than 100 times what expressions
// may hold at once.
const (
	manyRows   = "FROM b x JOIN b y ON x.T + y.T > 0"
	longString = "CONCAT(x.V, REPEAT('x', 700))"
)

// overManyRows are aggregates, operators and anything else that evaluates an expression for each row, in
// which %s is a string.
var overManyRows = []string{
	"SELECT LENGTH(MAX(%s)) " + manyRows, "SELECT MIN(UPPER(%s)) " + manyRows, "SELECT SUM(%s) " + manyRows, "SELECT AVG(%s) " + manyRows,
	"SELECT STD(%s), VAR_SAMP(%[1]s), BIT_XOR(%[1]s), BIT_AND(%[1]s), BIT_OR(%[1]s) " + manyRows,
	"SELECT COUNT(DISTINCT LEFT(%s, 3)), SUM(DISTINCT LENGTH(%[1]s)) " + manyRows, "SELECT COUNT(DISTINCT LEFT(%s, 3), RIGHT(%[1]s, 3)) " + manyRows,
	"SELECT GROUP_CONCAT(DISTINCT LEFT(%s, 3) ORDER BY REVERSE(%[1]s)) " + manyRows,
	"SELECT COUNT(*), MAX(%s) FROM (SELECT x.K, x.V, x.T " + manyRows + " LIMIT 10000) x",
	"SELECT LEFT(%s, 2) AS k, COUNT(*), MIN(%[1]s) " + manyRows + " GROUP BY k", "SELECT LENGTH(%s) AS k, COUNT(*) " + manyRows + " GROUP BY k WITH ROLLUP",
	"SELECT DISTINCT LEFT(%s, 2) " + manyRows, "SELECT DISTINCT LEFT(%s, 2) " + manyRows + " LIMIT 1000",
	"SELECT x.K " + manyRows + " ORDER BY %s LIMIT 3", "SELECT LENGTH(%s) AS l " + manyRows + " UNION SELECT 1 ORDER BY REVERSE(l)",
	"SELECT LENGTH(%s) " + manyRows + " INTERSECT SELECT 1", "SELECT COUNT(*) " + manyRows + " WHERE %s LIKE '%%z'",
	"SELECT COUNT(*) " + manyRows + " HAVING MAX(%s) = 'a'", "SELECT COUNT(*) " + manyRows + " JOIN b z ON CONCAT(z.V, z.K) = %s",
	"SELECT COUNT(*) " + manyRows + " LEFT JOIN b z ON z.K = %s", "SELECT COUNT(*) " + manyRows + " JOIN b z ON z.V = RIGHT(%s, 3) AND z.T < x.T",
	"SELECT COUNT(*) " + manyRows + " WHERE EXISTS (SELECT 1 FROM b z WHERE z.V = %s)",
	"SELECT COUNT(*) " + manyRows + " WHERE NOT EXISTS (SELECT 1 FROM b z WHERE CONCAT(z.V, z.K) = %s AND z.T > x.T)",
	"SELECT COUNT(*) " + manyRows + " WHERE %s IN (SELECT CONCAT(V, K) FROM b)", "SELECT COUNT(*) " + manyRows + " WHERE (%s, x.T) IN (SELECT V, T FROM b)",
	"SELECT COUNT(*) FROM b x WHERE %s > ALL (SELECT CONCAT(y.K, z.K) FROM b y JOIN b z)",
	"SELECT SUM((SELECT MAX(T) FROM b z WHERE z.V = %s)) " + manyRows, "SELECT MAX((SELECT MAX(CONCAT(z.V, %s)) FROM b z)) FROM b x",
	"SELECT SUM(n) FROM (SELECT RANK() OVER (ORDER BY %s) AS n " + manyRows + ") d", "SELECT SUM(n) FROM (SELECT LENGTH(MAX(%s) OVER (ORDER BY x.T)) AS n " + manyRows + ") d",
	"SELECT SUM(n) FROM (SELECT SUM(LENGTH(%s)) OVER (ORDER BY x.T ROWS 3 PRECEDING) AS n " + manyRows + ") d",
	"WITH RECURSIVE s AS (SELECT 1 AS n UNION SELECT LENGTH(%s) " + manyRows + " JOIN s) SELECT COUNT(*) FROM s",
	"SELECT COUNT(%s = 'a' OR %[1]s < 'b') " + manyRows, "SELECT SUM(%s BETWEEN 'a' AND 'b'), SUM(%[1]s IN ('a', y.V, y.K)) " + manyRows,
	"SELECT SUM(%s LIKE 'a%%'), SUM(%[1]s REGEXP '^a'), SUM(%[1]s IS NULL), SUM(NOT %[1]s), SUM(%[1]s XOR 1) " + manyRows,
	"SELECT SUM(%s + 1), SUM(%[1]s * %[1]s), SUM(-%[1]s), SUM(%[1]s DIV 2), SUM(%[1]s | 1), SUM(~%[1]s) " + manyRows,
	"SELECT COUNT(%s + INTERVAL 1 DAY), COUNT(CASE %[1]s WHEN 'a' THEN %[1]s ELSE REVERSE(%[1]s) END) " + manyRows,
	"SELECT MAX(CAST(%s AS CHAR)), MAX(CAST(%[1]s AS BINARY)), SUM(CAST(%[1]s AS SIGNED)), COUNT(CAST(%[1]s AS DECIMAL(20, 2))), COUNT(CAST(%[1]s AS DATE)) " + manyRows,
	"SELECT MAX(CONVERT(%s USING utf8mb4) COLLATE utf8mb4_bin), MAX(BINARY %[1]s), COUNT(CONVERT(%[1]s USING utf8mb4)), COUNT(@held_v := LEFT(%[1]s, 1)) " + manyRows,
	"SELECT COUNT(JSON_ARRAY(%s, JSON_OBJECT('a', %[1]s))), COUNT(JSON_SET(JSON_OBJECT('a', %[1]s), '$.a', 1)) " + manyRows,
	"UPDATE b u JOIN (SELECT COUNT(%s) AS n " + manyRows + ") d SET u.V = u.V", "DELETE u FROM b u JOIN (SELECT COUNT(%s) AS n " + manyRows + ") d ON d.n = 0",
	"INSERT INTO made (K, Q, T, V) SELECT x.K, y.K, x.T, LEFT(%s, 3) " + manyRows, "SET @a = (SELECT MAX(%s) " + manyRows + ")", "DO (SELECT COUNT(%s) " + manyRows + ")",
}

// callsOf are calls of each function over a string, whose further arguments are literals.
func callsOf(of string) (out []string) {
	for _, f := range bind.Functions() {
		if neverFolded[f.Name] || f.Max == 0 {
			continue
		}
		for _, more := range []string{"'a'", "2"} {
			args := []string{of}
			for len(args) < f.Min {
				args = append(args, more)
			}
			out = append(out, f.Name+"("+strings.Join(args, ", ")+")")
			args[0], args[len(args)-1] = args[len(args)-1], args[0]
			out = append(out, f.Name+"("+strings.Join(args, ", ")+")")
		}
	}
	return out
}

// TestRowsAreGivenUp: values computed for a row are held no longer than the row is needed, whatever evaluates
// them, row by row and in batches. Rows that make 100 times what may be held at once succeed if little of it
// is kept.
func TestRowsAreGivenUp(t *testing.T) {
	e := newEngine(t)
	s, err := e.NewSession(context.Background(), sqlfront.SessionOptions{Database: "d", QueryMemory: 16 << 10, MaxAllowedPacket: 8 << 10,
		TempDir: t.TempDir()})
	require.NoError(t, err)
	mustExec(t, s, strings.Replace(createT, "TABLE t", "TABLE b", 1))
	mustExec(t, s, strings.Replace(createT, "TABLE t", "TABLE made", 1))
	for i := range 49 {
		mustExec(t, s, fmt.Sprintf("INSERT INTO b VALUES ('k%02d', 'q', %d, 'v%02d')", i, i+1, i%7))
	}
	for _, batch := range []int{7, 1 << 16} {
		mustExec(t, s, fmt.Sprintf("SET hbasekv_batch_cells = %d, hbasekv_join_rows = %[1]d, hbasekv_parallelism = 1", batch))
		for _, form := range overManyRows {
			mustExec(t, s, "BEGIN")
			sql := fmt.Sprintf(form, longString)
			require.NotContains(t, strings.ToUpper(answer(s, sql)), "ERROR", sql)
			mustExec(t, s, "ROLLBACK")
		}
	}
	for _, call := range callsOf(longString) { // row by row
		sql := "SELECT COUNT(" + call + ") " + manyRows
		require.NotContains(t, answer(s, sql), "ERROR 1038", sql)
	}
}
