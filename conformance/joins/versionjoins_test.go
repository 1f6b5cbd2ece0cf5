package joins

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestJoinsOfManyVersions joins cells with many versions by more than the merge key, and
// compares the result with the same condition evaluated for each pair.
func TestJoinsOfManyVersions(t *testing.T) {
	for _, setting := range []string{"", "&queryMemory=2KiB", "&parallelism=3", "&hbasekv_join_rows=1"} {
		db := harness.OpenDB(t, "file::memory:?versions=all"+setting)
		harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable,
			"INSERT INTO t VALUES "+strings.Join(manyVersions(), ", "))
		for _, on := range []string{"b.T = a.T", "b.T = a.T AND b.Q = 'hum'", "b.T = a.T + 2", "b.V = a.V AND b.T > a.T", "b.T = a.T AND b.V <> a.V", "b.V <=> a.V AND b.Q = a.Q",
			"b.Q = a.Q AND b.T = a.T - 3", "b.T + 9223372036854775000 = a.T + 9223372036854775000 AND b.T < 90", "CAST(b.V AS SIGNED) = a.T"} {
			for _, join := range []string{"t a JOIN t b", "t a LEFT JOIN t b"} {
				const asked = "SELECT COUNT(*), COUNT(b.K), SUM(a.T), SUM(b.T * LENGTH(a.Q)), MAX(b.V) FROM "
				got := harness.Lines(t, db, asked+join+" ON b.K = a.K AND "+on+" WHERE a.T < 120")
				require.Equal(t, harness.Lines(t, db, asked+join+" ON (b.K = a.K AND "+on+") + 0 = 1 WHERE a.T < 120"), got, "%s %s%s", join, on, setting)
			}
			const without = " WHERE b.K IS NULL ORDER BY a.K, a.Q, a.T"
			got := harness.Lines(t, db, "SELECT a.K, a.Q, a.T FROM t a LEFT JOIN t b ON b.K = a.K AND "+on+without)
			require.Equal(t, harness.Lines(t, db, "SELECT a.K, a.Q, a.T FROM t a LEFT JOIN t b ON (b.K = a.K AND "+on+") + 0 = 1"+without), got, "%s%s", on, setting)
		}
	}
}

// manyVersions are cells of three rows, some of whose values are NULL.
func manyVersions() (cells []string) {
	r := rand.New(rand.NewPCG(1, 1))
	for i, versions := range []int{150, 3, 40} {
		for at := range versions {
			for _, q := range []string{"hum", "temp"} {
				if value := fmt.Sprint("'", r.IntN(30), "'"); r.IntN(5) > 0 {
					cells = append(cells, fmt.Sprintf("('r%d', '%s', %d, %s)", i, q, at, strings.Replace(value, "'7'", "NULL", 1)))
				}
			}
		}
	}
	return cells
}

// TestJoinOfLargeRows joins two cells of a row with more in its versions than is kept of a
// row: none is looked up again.
func TestJoinOfLargeRows(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?versions=all")
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(20), T bigint, V varbinary(4000), PRIMARY KEY (K, Q, T))",
		"INSERT INTO t SELECT 'a', q, n, REPEAT(q, 1000) FROM (WITH RECURSIVE n AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM n WHERE n < 900) SELECT n FROM n) n, (SELECT 'x' AS q UNION SELECT 'yy') q")
	const join = "SELECT COUNT(*), SUM(LENGTH(b.V)) FROM t a JOIN t b ON b.K = a.K AND b.T = a.T AND b.Q = 'yy' WHERE a.Q = 'x'"
	require.Equal(t, []string{"900 1800000"}, harness.Lines(t, db, join))
	require.NotContains(t, strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE "+join), "\n"), "lookups")
}

// TestJoinsOfManyVersionsInParts joins with conditions that may warn or fail, on several
// goroutines: each has its own session answers, which report warnings afterwards as before.
func TestJoinsOfManyVersionsInParts(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?versions=all&parallelism=3")
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	harness.Must(t, conn, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 5")
	for i := range 20 {
		cells := strings.ReplaceAll(strings.Join(manyVersions(), ", "), "('r", fmt.Sprintf("('%d ", i))
		harness.Must(t, conn, "INSERT INTO t VALUES "+cells)
	}
	const join = "SELECT a.Q, COUNT(*), SUM(b.T) FROM t a JOIN t b ON b.K = a.K AND b.T + 9223372036854775000 = a.T + 9223372036854775000 AND b.T < 90 GROUP BY a.Q"
	harness.Must(t, conn, "SET hbasekv_parallelism = 1")
	want := harness.Lines(t, conn, join)
	harness.Must(t, conn, "SET hbasekv_parallelism = 3")
	for range 10 {
		require.Equal(t, want, harness.Lines(t, conn, join))
		require.Equal(t, []string{"1"}, harness.Lines(t, conn, "SELECT 'one' + 1"))
		require.Len(t, harness.Lines(t, conn, "SHOW WARNINGS"), 1)
	}
}
