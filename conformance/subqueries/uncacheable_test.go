package subqueries

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestUncacheableSubqueries: a subquery that calls RAND or UUID, or sets a variable, is evaluated
// for each row, though it uses nothing of the row
// (https://dev.mysql.com/doc/refman/5.7/en/explain-output.html, UNCACHEABLE SUBQUERY).
func TestUncacheableSubqueries(t *testing.T) {
	for _, setting := range []string{"", "?parallelism=3"} {
		db := harness.OpenDB(t, "file::memory:"+setting)
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		harness.Must(t, conn, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 3")
		var cells []string
		for i := range 2000 {
			cells = append(cells, fmt.Sprintf("('%04d', 'q', 1, 'v')", i))
		}
		harness.Must(t, conn, "INSERT INTO t VALUES "+strings.Join(cells, ", "))

		different := func(query string) {
			t.Helper()
			require.Equal(t, []string{"2000"}, harness.Lines(t, conn, "SELECT COUNT(DISTINCT x) FROM ("+query+") d"),
				query)
		}
		different("SELECT (SELECT UUID()) x FROM t")
		different("SELECT (SELECT CONCAT(u, 1) FROM (SELECT UUID() u) e) x FROM t")
		different("SELECT (SELECT UUID() UNION SELECT NULL LIMIT 1) x FROM t")
		different("SELECT (SELECT (SELECT RAND())) x FROM t")
		require.Equal(t, []string{"0001 2", "0002 3", "0003 4"},
			harness.Lines(t, conn, "SELECT K, (SELECT @n := @n + 1) FROM t, (SELECT @n := 1) s WHERE K BETWEEN '0001' AND '0003' ORDER BY K"))

		half := harness.Lines(t, conn, "SELECT COUNT(*) BETWEEN 500 AND 1500 FROM t WHERE (SELECT RAND()) < 0.5")
		require.Equal(t, []string{"1"}, half)
		require.Equal(t, half, harness.Lines(t, conn, "SELECT COUNT(*) < 20 FROM t WHERE K = (SELECT LPAD(FLOOR(RAND() * 2000), 4, '0'))"))
		require.Equal(t, []string{"0"}, harness.Lines(t, conn, "SELECT COUNT(*) FROM t WHERE V IN (SELECT UUID())"))
		require.Equal(t, []string{"2000"},
			harness.Lines(t, conn, "SELECT COUNT(*) FROM t WHERE EXISTS (SELECT UUID())"))

		harness.Must(t, conn, "UPDATE t SET V = (SELECT UUID())")
		different("SELECT V x FROM t")
		require.Contains(t, strings.Join(harness.Lines(t, conn, "EXPLAIN SELECT (SELECT RAND()) FROM t"), "\n"), "UNCACHEABLE SUBQUERY")
	}
}

// TestCacheableSubqueries: a subquery that only reads variables, or the time, is evaluated once.
func TestCacheableSubqueries(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:")
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	harness.Must(t, conn, "CREATE TABLE t "+harness.PlainTable)
	harness.Must(t, conn, "SET @k = 'a'")
	explained := strings.Join(harness.Lines(t, conn, "EXPLAIN SELECT * FROM t WHERE K = (SELECT @k) AND T < (SELECT UNIX_TIMESTAMP())"), "\n")
	require.Contains(t, explained, " SUBQUERY ")
	require.NotContains(t, explained, "UNCACHEABLE")
	require.Contains(t, explained, " ref ")
}
