package execution

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// shared are statements that several goroutines may compute, and some that they
// may not.
var shared = []string{
	"SELECT COUNT(*) FROM o",
	"SELECT COUNT(*), COUNT(V), SUM(T), AVG(T), MIN(V), MAX(V), MIN(T), BIT_XOR(T), BIT_AND(T), SUM(LENGTH(V)) FROM o WHERE T % 3 <> 1",
	"SELECT COUNT(*), SUM(T), MAX(K) FROM o WHERE V = 'nothing is'",
	"SELECT COUNT(DISTINCT K) FROM o",
	"SELECT LEFT(K, 2), COUNT(*), SUM(T), MIN(Q), MAX(V) FROM o GROUP BY LEFT(K, 2)",
	"SELECT LEFT(K, 3), LEFT(K, 1), COUNT(*) FROM o GROUP BY LEFT(K, 3) ORDER BY LEFT(K, 3) DESC",
	"SELECT SUBSTRING(K, 1, 4) p, COUNT(*) FROM o GROUP BY p HAVING COUNT(*) > 3 ORDER BY p LIMIT 5",
	"SELECT Q, COUNT(*), MIN(K), SUM(T) FROM o GROUP BY Q",
	"SELECT V, Q, COUNT(*), MAX(T) FROM o GROUP BY V, Q",
	"SELECT T % 10, COUNT(*) FROM o GROUP BY T % 10 ORDER BY 2, 1",
	"SELECT K, COUNT(*) FROM o GROUP BY K",
	"SELECT Q, SUM(V), GROUP_CONCAT(T), STD(T), COUNT(DISTINCT V) FROM o GROUP BY Q",
	"SELECT LEFT(K, 1), ANY_VALUE(K) FROM o GROUP BY 1",
	"SELECT CAST(V AS CHAR), COUNT(*), MIN(CAST(V AS CHAR)) FROM o GROUP BY CAST(V AS CHAR)",
	"SELECT x.n, COUNT(*) FROM (SELECT LEFT(K, 2), COUNT(*) n FROM o GROUP BY LEFT(K, 2)) x GROUP BY x.n",
	"SELECT (SELECT COUNT(*) FROM o i WHERE i.T < u.T AND i.K > u.K) FROM o u WHERE u.T < 30",
	"SELECT K_PREFIX, COUNT(*) FROM o GROUP BY K_PREFIX",
	"SELECT LEFT(K, 2), SUM(T + 9223372036854775000) FROM o GROUP BY 1",
	"SELECT COUNT(K), COUNT(Q), COUNT(T), COUNT(1), COUNT(NULL) FROM o",
	"SELECT LEFT(K, 0), COUNT(*), MIN(LEFT(K, 2)), MAX(K), COUNT(DISTINCT LEFT(K, 1)) FROM o GROUP BY LEFT(K, 0)",
	"SELECT SUBSTRING(K, 1, 2), COUNT(*) FROM o WHERE K >= 'b' AND K < 'd' GROUP BY 1",
	"SELECT COUNT(*) FROM o WHERE K >= 'b1' AND K < 'd2' OR K > 'e1'",
	"SELECT LEFT(K, 2), COUNT(*) FROM o FOR SYSTEM_TIME AS OF 900 GROUP BY 1",
	"SELECT /*+ VERSIONS(1) */ LEFT(K, 2), COUNT(*) FROM o GROUP BY 1",
	"SELECT /*+ VERSIONS(2) */ COUNT(*) FROM o",
	"SELECT COUNT(CAST(K AS SIGNED)), COUNT(*) FROM o WHERE K < 'a05'",
	"SELECT BIT_OR(LEFT(K, 2)), BIT_AND(LEFT(K, 1)), COUNT(*) FROM o WHERE K < 'a05'",
	"SELECT K, Q, T, V FROM o ORDER BY V DESC LIMIT 10",
	"SELECT K, T % 7 FROM o ORDER BY T % 7, LENGTH(V) LIMIT 5, 20",
	"SELECT K, Q FROM o WHERE V <> 'v3' ORDER BY Q DESC LIMIT 40",
	"SELECT SQL_CALC_FOUND_ROWS K FROM o ORDER BY V LIMIT 3",
	"SELECT CAST(K AS SIGNED), T FROM o WHERE K < 'a05' ORDER BY T % 5 LIMIT 4",
	"SELECT x.V, COUNT(*) FROM (SELECT V FROM o ORDER BY T % 11, V LIMIT 100) x GROUP BY x.V",
	"SELECT T / 0 FROM o ORDER BY V LIMIT 2",
	"SELECT T + 9223372036854775807 FROM o ORDER BY V LIMIT 2",
	"SELECT c, COUNT(*), SUM(n), MIN(K) FROM " + pivoted + " GROUP BY c",
	"SELECT c, ANY_VALUE(K), n FROM " + pivoted + " WHERE n > 2 GROUP BY c, n",
	"SELECT COUNT(*), AVG(n), MAX(c), GROUP_CONCAT(K) FROM " + pivoted + " WHERE c <> 'v3'",
	"SELECT LEFT(K, 2), COUNT(*), MAX(c) FROM " + pivoted + " GROUP BY LEFT(K, 2)",
	"SELECT K, c, n FROM " + pivoted + " ORDER BY n DESC LIMIT 12",
	"SELECT c, K FROM " + pivoted + " WHERE n % 2 = 1 ORDER BY c LIMIT 3, 20",
	"SELECT n, COUNT(*) FROM (SELECT K, COUNT(*) AS n FROM o GROUP BY K HAVING n > 3) p GROUP BY n",
	"SELECT x, COUNT(*) FROM (SELECT K, CAST(MAX(V) AS SIGNED) AS x FROM o WHERE K < 'b' GROUP BY K) p GROUP BY x",
	"SELECT T / 0, COUNT(*) FROM (SELECT K, T, Q FROM o WHERE V <> 'v2' ORDER BY K LIMIT 100) p GROUP BY 1",
	"SELECT n, COUNT(*) FROM (SELECT K, Q, COUNT(*) AS n FROM o GROUP BY K, Q) p GROUP BY n ORDER BY n LIMIT 1",
	"SELECT n + 9223372036854775807, COUNT(*) FROM " + pivoted + " GROUP BY 1",
	"SELECT COUNT(DISTINCT V), COUNT(DISTINCT Q, T % 3), MIN(DISTINCT V), MAX(DISTINCT T) FROM o",
	"SELECT LEFT(K, 2), COUNT(DISTINCT V), SUM(DISTINCT T % 3), COUNT(*) FROM o GROUP BY LEFT(K, 2)",
	"SELECT V, COUNT(DISTINCT LEFT(K, 1)), COUNT(DISTINCT NULLIF(Q, 'q1')) FROM o GROUP BY V",
	"SELECT COUNT(DISTINCT c), COUNT(DISTINCT n, c) FROM " + pivoted,
	"SELECT V, ANY_VALUE(K), ANY_VALUE(T), COUNT(DISTINCT Q, LEFT(K, 1)), MAX(T) FROM o GROUP BY V",
	"SELECT T % 97, ANY_VALUE(Q), COUNT(*), SUM(V + 0.5) FROM o GROUP BY T % 97",
	"SELECT COUNT(DISTINCT V, T % 5), ANY_VALUE(K), MIN(T) FROM o WHERE T > 200",
	"SELECT DISTINCT V FROM o",
	"SELECT DISTINCT Q, T % 4, LENGTH(V) FROM o WHERE K > 'b'",
	"SELECT DISTINCT c, n FROM " + pivoted,
	"SELECT DISTINCT V FROM o ORDER BY V DESC",
	"SELECT DISTINCT CAST(K AS SIGNED), Q FROM o WHERE K < 'a04'",
	"SELECT COUNT(*) FROM (SELECT DISTINCT T % 100, Q FROM o) x",
	"SELECT DISTINCT T + 9223372036854775800 FROM o",
	"SELECT K, Q, V FROM o ORDER BY V, LENGTH(Q) DESC",
	"SELECT K, T FROM o ORDER BY T % 19 DESC, V",
	"SELECT K, T FROM o ORDER BY T % 5",
	"SELECT V FROM o ORDER BY NULLIF(V, 'v3') DESC",
	"SELECT T FROM o ORDER BY CASE WHEN T % 3 = 0 THEN T % 7 WHEN T % 3 = 1 THEN V END",
	"SELECT T FROM o ORDER BY CASE WHEN T % 5 = 0 THEN NULL ELSE -T % 8 END DESC, T % 3",
	"SELECT T FROM o ORDER BY CONCAT('longer than seven ', T % 23), T % 2 DESC",
	"SELECT CAST(K AS SIGNED), T FROM o WHERE K < 'a05' ORDER BY T % 5",
	"SELECT K, c, n FROM " + pivoted + " ORDER BY n, c DESC",
	"SELECT K, T, NTILE(7) OVER (ORDER BY T % 29), ROW_NUMBER() OVER (ORDER BY V) FROM o",
	"SELECT Q, RANK() OVER (PARTITION BY Q ORDER BY V DESC), DENSE_RANK() OVER (PARTITION BY Q ORDER BY V DESC) FROM o",
	"SELECT K, SUM(T) OVER (PARTITION BY V ORDER BY Q ROWS 2 PRECEDING), LAG(T, 2) OVER (PARTITION BY V ORDER BY Q) FROM o WHERE T % 3 <> 0",
	"SELECT MAX(d) FROM (SELECT T % 50 AS d, NTILE(100) OVER (ORDER BY T % 50) AS n FROM o WHERE Q = 'q1') x WHERE n = 95",
	"SELECT COUNT(*), SUM(n), MAX(d) FROM (SELECT d, ROW_NUMBER() OVER (PARTITION BY Q ORDER BY V) AS n FROM (SELECT Q, V, " +
		"CASE WHEN T % 7 = 3 THEN NULL WHEN T < 600 THEN T ELSE CAST(V AS CHAR) END AS d FROM o) y) x WHERE n % 3 = 1",
	"SELECT Q, MAX(n), COUNT(DISTINCT d) FROM (SELECT Q, T % 9 AS d, DENSE_RANK() OVER (PARTITION BY Q ORDER BY T % 9) AS n FROM o) x GROUP BY Q",
	"SELECT SUM(c), SUM(l), MIN(K) FROM (SELECT K, CUME_DIST() OVER (PARTITION BY V ORDER BY Q) AS c, LEAD(T) OVER (PARTITION BY V ORDER BY Q) AS l FROM o) x",
	"SELECT c, NTILE(4) OVER (ORDER BY n), CAST(c AS SIGNED) FROM " + pivoted + " WHERE n < 5",
	"SELECT ROW_NUMBER() OVER (ORDER BY CAST(K AS SIGNED)), T FROM o WHERE K < 'a05'",
	"SELECT K, COUNT(CASE WHEN Q = 'q2' THEN 1 END) AS n, MIN(V) FROM o GROUP BY K HAVING n > 3",
	"SELECT K, c, n FROM " + pivoted,
	"SELECT K, CAST(c AS SIGNED), n FROM " + pivoted + " WHERE n <> 2 AND K < 'b3'",
	"SELECT K, MAX(CAST(V AS SIGNED)) AS n FROM o WHERE K < 'a2' GROUP BY K HAVING n < 1",
	"SELECT K, n + 9223372036854775805 FROM " + pivoted,
	"SELECT p.K, r.K, r.x, p.n FROM " + pivoted + " LEFT JOIN " + pivotedToo + " ON r.K = p.K WHERE p.n % 2 = 0",
	"SELECT p.c, COUNT(*), MAX(r.x), SUM(r.s), GROUP_CONCAT(r.K) FROM " + pivoted + " JOIN " + pivotedToo + " ON r.K = p.K GROUP BY p.c",
	"SELECT p.c, COUNT(*), COUNT(r.x), SUM(r.s) FROM " + pivoted + " LEFT JOIN " + pivotedToo + " ON r.K = p.K AND r.x > p.c GROUP BY p.c",
	"SELECT COUNT(*), MAX(r.s), MIN(p.n) FROM " + pivotedToo + " LEFT JOIN " + pivoted + " ON p.K = r.K WHERE r.s % 3 = 0",
	"SELECT LEFT(p.K, 2), COUNT(r.s), COUNT(*) FROM " + pivoted + " LEFT JOIN " + pivotedToo + " ON r.K = p.K AND r.s > 40 WHERE p.n > 1 GROUP BY 1",
	"SELECT p.K, r.s, p.n FROM " + pivoted + " JOIN " + pivotedToo + " ON r.K = p.K ORDER BY r.s DESC, p.n LIMIT 9",
	"SELECT p.K, r.K, x.n FROM " + pivoted + " JOIN " + pivotedToo + " ON r.K = p.K AND p.n < 9 LEFT JOIN (SELECT K, COUNT(*) AS n FROM o WHERE T % 3 = 1 " +
		"GROUP BY K) x ON x.K = p.K ORDER BY x.n, p.K DESC",
	"SELECT x.n, COUNT(*), SUM(r.s) FROM " + pivoted + " JOIN " + pivotedToo + " ON r.K = p.K LEFT JOIN (SELECT K, COUNT(*) AS n FROM o WHERE T % 3 = 1 " +
		"GROUP BY K) x ON x.K = r.K GROUP BY x.n",
	"SELECT r.y, COUNT(*) FROM " + pivoted + " JOIN (SELECT K, CAST(MAX(V) AS SIGNED) AS y FROM o WHERE K < 'b' GROUP BY K) r ON r.K = p.K GROUP BY r.y",
	"SELECT CAST(p.c AS SIGNED), COUNT(*) FROM " + pivoted + " JOIN " + pivotedToo + " ON r.K = p.K WHERE p.K > 'e3' GROUP BY 1",
	"SELECT COUNT(*), SUM(r.s + 9223372036854775807) FROM " + pivoted + " JOIN " + pivotedToo + " ON r.K = p.K",
	"SELECT p.n, COUNT(*) FROM " + pivoted + " JOIN (SELECT K, T, Q FROM o) r ON r.K = p.K AND r.T > 100 GROUP BY p.n",
	"SELECT a.Q, COUNT(*), SUM(r.s) FROM o a JOIN " + pivotedToo + " ON r.K = a.K GROUP BY a.Q",
	"SELECT a.K, COUNT(*), SUM(r.s) FROM o a JOIN " + pivotedToo + " ON r.K = a.K AND a.T > r.s GROUP BY a.K ORDER BY a.K",
	"SELECT a.K, COUNT(*), SUM(r.s) FROM o a LEFT JOIN " + pivotedToo + " ON r.K = a.K GROUP BY a.K ORDER BY a.K DESC",
	"SELECT COUNT(*) FROM " + pivoted + " JOIN " + pivotedToo + " ON r.K = p.K AND r.K IN (SELECT K FROM o WHERE T < 60)",
	"SELECT p.c, COUNT(*) FROM " + pivoted + " JOIN (SELECT K, COUNT(*) AS n FROM o FOR SYSTEM_TIME AS OF 900 GROUP BY K HAVING n > 2) r ON r.K = p.K GROUP BY p.c",
	"SELECT a.Q, COUNT(*), SUM(b.T), MIN(b.K) FROM o a JOIN o b ON b.K = a.K AND b.Q = a.Q GROUP BY a.Q",
	"SELECT COUNT(*), COUNT(b.V), MAX(b.V) FROM o a LEFT JOIN o b ON b.K = a.K AND b.Q = a.Q AND b.T = a.T AND b.T % 3 = 1",
	"SELECT COUNT(*), COUNT(c.V), MAX(b.V) FROM o a JOIN o b ON b.K = a.K AND b.Q = 'q1' LEFT JOIN o c ON c.K = b.K AND c.Q = a.Q AND c.T < 500 WHERE a.T < 300",
	"SELECT COUNT(*) FROM o a JOIN o b ON b.K = a.K WHERE CAST(a.V AS SIGNED) = 0 AND a.K < 'a05'",
	"SELECT a.K, a.Q, a.T, b.T FROM o a JOIN o b ON b.K = a.K AND b.Q = a.Q AND a.T > b.T WHERE a.T < 400 ORDER BY b.V, a.T, b.T",
	"SELECT a.K, a.Q, a.T, b.T FROM o a JOIN o b ON b.K = a.K AND b.Q = a.Q AND a.T > b.T WHERE b.V = 'v3'",
	"SELECT a.V, COUNT(*), MAX(b.T), MIN(a.K) FROM o a JOIN o b ON b.V = a.V AND b.T < 60 AND a.T > b.T GROUP BY a.V",
	"SELECT a.K, a.T, d.n, d.k FROM o a LEFT JOIN (SELECT V, Q, COUNT(*) AS n, CAST(MIN(K) AS SIGNED) AS k FROM o WHERE T % 7 = 1 GROUP BY V, Q) d " +
		"ON d.V = a.V AND d.Q = a.Q AND d.n + a.V > 1 WHERE a.K < 'c'",
	"SELECT DISTINCT a.Q, b.Q FROM o a JOIN o b ON b.V = a.V AND b.K = LEFT(a.K, 3) AND b.T <> a.T",
	"SELECT DISTINCT a.Q, d.T FROM o a LEFT JOIN d ON d.V = a.V AND d.V + 1 > 0",
	"SELECT d.T, a.Q FROM o a LEFT JOIN d ON d.V = a.V AND d.V <> 7 GROUP BY d.T, a.Q ORDER BY d.T, a.Q",
	"SELECT DISTINCT d.T, a.Q FROM o a LEFT JOIN d ON d.V = a.V AND d.V <> 7 ORDER BY d.T, a.Q",
	"SELECT DISTINCT a.Q, d.n FROM o a JOIN (SELECT V, COUNT(*) AS n FROM o GROUP BY V) d ON d.V = a.V WHERE CAST(a.V AS SIGNED) = 0 AND a.K < 'a05'",
	"SELECT COUNT(*), SUM(d.n) FROM o a JOIN (SELECT V, COUNT(*) AS n FROM o WHERE T < 200 GROUP BY V) d ON d.n > a.T",
	"SELECT d.V, COUNT(*), MAX(a.K) FROM o a JOIN d ON d.K = a.V GROUP BY d.V",
	"SELECT Q, COUNT(*), MIN(T) FROM o WHERE V IN (SELECT K FROM d) GROUP BY Q",
	"SELECT Q, COUNT(*), MIN(T) FROM o WHERE V NOT IN (SELECT K FROM d) GROUP BY Q",
	"SELECT COUNT(*) FROM o WHERE V NOT IN (SELECT V FROM d)",
	"SELECT COUNT(*), MAX(K) FROM o WHERE (V IN (SELECT V FROM d)) IS NULL AND K NOT IN (SELECT K FROM o WHERE T % 19 = 0)",
	"SELECT COUNT(*) FROM o WHERE NULLIF(V, 'v3') NOT IN (SELECT K FROM d WHERE Q = 'none')",
	"SELECT K, V FROM o WHERE V IN (SELECT CONCAT('v', Q + 1) FROM d) ORDER BY V, T",
	"SELECT c, COUNT(*) FROM " + pivoted + " WHERE c IN (SELECT V FROM o WHERE T % 5 = 1) AND n NOT IN (SELECT T FROM o WHERE T < 30) GROUP BY c",
	"SELECT COUNT(*), MIN(a.T) FROM o a WHERE EXISTS (SELECT 1 FROM o b WHERE b.K = a.K AND b.T % 31 = 0)",
	"SELECT a.Q, COUNT(*) FROM o a WHERE NOT EXISTS (SELECT 1 FROM d WHERE d.K = a.V AND d.V IS NOT NULL) GROUP BY a.Q",
	"SELECT COUNT(*) FROM o a WHERE NOT EXISTS (SELECT 1 FROM o b WHERE b.V = a.V AND b.T + 9223372036854775000 > 7)",
	"SELECT a.K, a.Q, a.T, d.V, d.Q FROM o a LEFT JOIN d ON d.K = a.V AND d.Q > 'q' ORDER BY d.V, a.K, a.Q, a.T",
	"SELECT x.V, COUNT(*) FROM o a JOIN d ON d.K = a.V JOIN o x ON x.K = a.K AND x.Q = a.Q AND x.T = a.T GROUP BY x.V",
	"SELECT p.c, COUNT(*), MAX(d.V), SUM(r.s) FROM " + pivoted + " JOIN d ON d.K = p.c JOIN " + pivotedToo + " ON r.K = p.K GROUP BY p.c",
	"SELECT p.K, r.K FROM " + pivoted + " JOIN " + pivotedToo + " ON r.x = p.c AND r.s > p.n",
	"SELECT p.c, COUNT(*), MAX(r.s), GROUP_CONCAT(r.K) FROM " + pivoted + " LEFT JOIN " + pivotedToo + " ON r.x = p.c AND r.K > p.K GROUP BY p.c",
	"SELECT COUNT(*), SUM(a.T + b.T + 9223372036854775000) FROM o a JOIN o b ON b.V = a.V",
	"SELECT COUNT(*) FROM o a JOIN o b ON b.V = a.V AND a.T + b.T + 9223372036854775000 > 7",
	"SELECT Q, COUNT(*), MAX(T), ANY_VALUE(K), GROUP_CONCAT(T) FROM " + united + " GROUP BY Q",
	"SELECT COUNT(*), SUM(T), MIN(V), COUNT(DISTINCT V) FROM " + united + " WHERE T % 3 <> 1",
	"SELECT c, COUNT(*), SUM(n) FROM (SELECT K, MAX(CASE WHEN Q = 'q1' THEN V END) AS c, COUNT(*) AS n FROM " + united + " GROUP BY K) p GROUP BY c",
	"SELECT K, T, V FROM " + united + " ORDER BY V, T % 9",
	"SELECT K, T, V FROM " + united + " ORDER BY T % 9 DESC, V LIMIT 3, 30",
	"SELECT DISTINCT V, T % 4 FROM " + united,
	"SELECT Q, ROW_NUMBER() OVER (PARTITION BY Q ORDER BY V, T DESC) FROM " + united,
	"SELECT v, COUNT(*), MAX(t) FROM (SELECT T AS v, K AS t FROM o WHERE K > 'b' UNION ALL SELECT V, T FROM o UNION ALL SELECT Q + 1.5, NULL FROM d) u GROUP BY v",
	"SELECT n, COUNT(*) FROM (SELECT c, n FROM " + pivoted + " UNION ALL SELECT x, s FROM " + pivotedToo + " UNION ALL SELECT V, T FROM d WHERE T = 4) u GROUP BY n",
	"SELECT x, COUNT(*) FROM (SELECT CAST(V AS SIGNED) AS x FROM o WHERE K < 'a02' UNION ALL SELECT CAST(K AS SIGNED) FROM o WHERE K > 'e34') u GROUP BY x",
	"SELECT COUNT(*), SUM(x + 9223372036854775000) FROM (SELECT T AS x FROM o UNION ALL SELECT T * 2 FROM o) u",
	"SELECT x % 4, COUNT(*) FROM (SELECT T AS x FROM o WHERE T IN (SELECT T + 1 FROM o) UNION ALL SELECT LENGTH(V) FROM o WHERE K = 'none') u GROUP BY 1",
	"SELECT V, (SELECT COUNT(*) FROM (SELECT T FROM o i WHERE i.V = a.V UNION ALL SELECT T FROM d) u WHERE u.T > a.T) FROM o a WHERE a.T < 60",
	"SELECT LEFT(K, 2), COUNT(*) FROM (SELECT K FROM o WHERE 1 = 0 UNION ALL SELECT K FROM o WHERE K >= 'c') u GROUP BY 1",
	"SELECT V FROM o UNION SELECT Q FROM o WHERE K < 'b' UNION SELECT V FROM d",
	"SELECT V, Q FROM o EXCEPT ALL SELECT V, Q FROM o WHERE T % 3 = 0",
	"SELECT V, COUNT(*) FROM (SELECT V, T FROM o INTERSECT SELECT V, T FROM o WHERE K > 'b' UNION ALL SELECT V, T FROM d) u GROUP BY V",
	"SELECT V, MAX(T) FROM o GROUP BY V EXCEPT SELECT V, MAX(T) FROM o WHERE K < 'c' GROUP BY V",
	"SELECT T % 7, Q FROM o UNION SELECT T % 7 + 0.5, V FROM o UNION SELECT LENGTH(K), NULL FROM d ORDER BY 2, 1",
	"SELECT V FROM o UNION SELECT V FROM d UNION ALL SELECT V FROM o WHERE T < 40",
	"SELECT V, Q FROM o UNION SELECT K, Q FROM d ORDER BY LENGTH(V), V DESC, Q LIMIT 5, 9",
	"SELECT V, T % 3 FROM o UNION SELECT K, T FROM d LIMIT 3, 30",
	"SELECT LEFT(V, 1), COUNT(*) FROM (SELECT V, Q FROM o UNION SELECT V, NULL FROM d) u GROUP BY 1",
	"SELECT CAST(V AS SIGNED) FROM o WHERE K < 'a02' UNION SELECT CAST(K AS SIGNED) FROM o WHERE K > 'e34'",
	"SELECT x FROM (SELECT T + 9223372036854775000 AS x FROM o WHERE T < 900 UNION SELECT T FROM o) u WHERE x % 2 = 0",
	"SELECT V FROM o a WHERE a.T < 40 AND a.Q IN (SELECT Q FROM o i WHERE i.V = a.V AND i.T > 900 UNION SELECT Q FROM d WHERE d.T < a.T)",
}

// united are the rows of two parts of a table, and of a small table.
const united = "(SELECT K, Q, T, V FROM o WHERE K < 'c' UNION ALL SELECT V, Q, T, K FROM d UNION ALL SELECT CONCAT(K, 'x'), Q, T DIV 2, V FROM o WHERE T % 5 <> 2) u"

// pivotedToo has a row for most values of K.
const pivotedToo = "(SELECT K, MAX(CASE WHEN Q = 'q3' THEN V END) AS x, SUM(T % 17) AS s FROM o WHERE T % 5 <> 2 AND Q <> 'q0' GROUP BY K) r"

// pivoted has a row for each K.
const pivoted = "(SELECT K, MAX(CASE WHEN Q = 'q1' THEN V END) AS c, COUNT(CASE WHEN Q = 'q2' THEN 1 END) AS n FROM o GROUP BY K) p"

// TestParallel compares statements on one and on several goroutines, on each
// layout, also in a transaction with writes.
func TestParallel(t *testing.T) {
	for layout := range oracle.EveryLayout() {
		t.Run(layout, func(t *testing.T) {
			db, err := sql.Open("hbasekv", "file::memory:?versions=all")
			require.NoError(t, err)
			defer db.Close()
			db.SetMaxOpenConns(1)
			_, err = db.Exec(oracle.CreateTable("o", layout))
			require.NoError(t, err)
			fillParallel(t, db)
			harness.Must(t, db, "CREATE TABLE d (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3")
			harness.Must(t, db, "INSERT INTO d VALUES ('v1', 'q', 1, 'one'), ('v2', 'q', 1, 'two'), ('v2', 'r', 1, NULL), ('v9', 'r', 4, 'one'), ('w', 'q', 1, 'none')")
			tx, err := db.Begin()
			require.NoError(t, err)
			defer tx.Rollback()
			for _, stmt := range []string{"DELETE FROM o WHERE T < 20", "UPDATE o SET V = 'own' WHERE T % 40 = 7", "INSERT INTO o VALUES ('zz', 'q', 5, 'new')"} {
				_, err := tx.Exec(strings.Replace(stmt, "INTO o", "INTO o (K, Q, T, V)", 1))
				require.NoError(t, err)
			}
			for i, query := range shared {
				if strings.Contains(query, "K_PREFIX") && layout != "prefix" {
					continue
				}
				requireSameInParallel(t, tx, query, workersOf(layout, i))
			}
		})
	}
}

// workersOf are the numbers of goroutines for a statement: on one kind of layout any number, and
// on each other one a number in turn, so that each statement runs with each number on some of
// them.
func workersOf(layout string, statement int) []int {
	all := []int{2, 3, 8}
	if layout == "key" || *harness.Long {
		return all
	}
	layouts := slices.Sorted(maps.Keys(oracle.EveryLayout()))
	at := (slices.Index(layouts, layout) + statement) % len(all)
	return all[at : at+1]
}

// requireSameInParallel compares one goroutine with several, for joins that begin in one way
// and change it too.
func requireSameInParallel(t *testing.T, tx *sql.Tx, query string, workers []int) {
	t.Helper()
	ways := []int{0}
	if strings.Contains(query, "JOIN") || strings.Count(query, "SELECT") > 1 {
		ways = append(ways, 1)
	}
	for _, joinRows := range ways {
		harness.SetJoinRows(t, tx, joinRows)
		want := printTx(t, tx, 1, query)
		for _, n := range workers {
			require.Equal(t, want, printTx(t, tx, n, query), "%d workers, joins after %d rows: %s", n, joinRows, query)
		}
	}
}

// TestParallelPlans: EXPLAIN shows that statements of each kind are computed by several goroutines.
func TestParallelPlans(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?versions=all&parallelism=3")
	harness.Must(t, db, oracle.CreateTable("o", "key"), oracle.CreateTable("d", ""),
		"INSERT INTO d (K, Q, T, V) VALUES ('v1', 'q', 1, 'one')")
	fillParallel(t, db)
	for _, query := range []string{
		"SELECT p.c, COUNT(*), MAX(r.x) FROM " + pivoted + " JOIN " + pivotedToo + " ON r.K = p.K GROUP BY p.c",
		"SELECT p.K, r.s FROM " + pivoted + " LEFT JOIN " + pivotedToo + " ON r.K = p.K ORDER BY r.s LIMIT 9",
		"SELECT COUNT(DISTINCT V) FROM o", "SELECT LENGTH(V), COUNT(DISTINCT Q) FROM o GROUP BY 1",
		"SELECT a.Q, COUNT(b.V) FROM o a JOIN o b ON b.K = a.K AND b.Q = a.Q GROUP BY a.Q",
		"SELECT COUNT(*), MAX(b.V) FROM o a LEFT JOIN o b ON b.K = a.K AND b.Q = 'q1'",
		"SELECT a.K, b.V FROM o a JOIN o b ON b.K = a.K AND b.Q = a.Q ORDER BY b.V",
		"SELECT a.V, COUNT(*), MAX(b.T) FROM o a JOIN o b ON b.V = a.V GROUP BY a.V", "SELECT a.V, b.Q FROM o a JOIN o b ON b.V = a.V AND b.T > a.T",
		"SELECT a.V, COUNT(*), MAX(d.n) FROM o a JOIN (SELECT V, COUNT(*) AS n FROM o GROUP BY V) d ON d.V = a.V GROUP BY a.V",
		"SELECT p.c, COUNT(*), MAX(r.x) FROM " + pivoted + " LEFT JOIN " + pivotedToo + " ON r.x = p.c AND r.K > p.K GROUP BY p.c",
		"SELECT a.K, b.K FROM o a JOIN o b ON b.V = a.V LIMIT 3", // several goroutines read the right side
		"SELECT COUNT(*) FROM o WHERE V IN (SELECT V FROM o WHERE T < 5)", "SELECT COUNT(*) FROM o WHERE K NOT IN (SELECT K FROM o WHERE T < 5)",
		"SELECT Q, COUNT(*) FROM o a WHERE EXISTS (SELECT 1 FROM o b WHERE b.K = a.K AND b.T > 1300) GROUP BY Q",
		"SELECT K, V FROM o a WHERE NOT EXISTS (SELECT 1 FROM o b WHERE b.V = a.V AND b.Q = 'q1') ORDER BY V",
		"SELECT DISTINCT V FROM o", "SELECT K, V FROM o ORDER BY V, T",
		"SELECT K, NTILE(9) OVER (ORDER BY V) FROM o", "SELECT K, COUNT(*) AS n FROM o GROUP BY K HAVING n > 10", "SELECT c, RANK() OVER (ORDER BY n) FROM " + pivoted,
		"SELECT Q, COUNT(*) FROM " + united + " GROUP BY Q", "SELECT SUM(T) FROM " + united, "SELECT K FROM " + united + " ORDER BY V", "SELECT DISTINCT V FROM " + united,
		"SELECT V FROM o UNION SELECT V FROM d", "SELECT COUNT(*) FROM (SELECT V, T FROM o UNION SELECT V, T FROM d) u",
	} {
		require.Contains(t, strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE "+query), "\n"), "workers: 3", query)
	}
}

func fillParallel(t testing.TB, db *sql.DB) {
	var rows []string
	for i := range 1500 {
		rows = append(rows, fmt.Sprintf("('%c%02d', 'q%d', %d, 'v%d')", 'a'+i%5, i%37, i%4, i, i%13))
	}
	_, err := db.Exec("INSERT INTO o (K, Q, T, V) VALUES " + strings.Join(rows, ", "))
	require.NoError(t, err)
}

// printTx prints the rows in order, or the error, and the warnings.
func printTx(t testing.TB, tx *sql.Tx, workers int, query string) string {
	_, err := tx.Exec(fmt.Sprintf("SET hbasekv_parallelism = %d", workers))
	require.NoError(t, err)
	var out []string
	for _, each := range []string{query, "SHOW WARNINGS"} {
		rows, err := tx.Query(each)
		if err == nil {
			var lines [][]string
			if lines, err = harness.PrintRows(rows); err == nil {
				for _, line := range lines {
					out = append(out, strings.Join(line, " "))
				}
			}
		}
		if err != nil {
			out = append(out, err.Error())
		}
	}
	return strings.Join(out, "\n")
}

// TestDividedWhileRead: one goroutine begins with the rows of groups, which come in any order, and
// others help when there are many: also with what was read, warned of and failed before.
func TestDividedWhileRead(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("it takes two processors")
	}
	for _, partitions := range []string{"", " PARTITION BY KEY(K) PARTITIONS 3"} {
		db := harness.OpenDB(t, "file::memory:?versions=all")
		db.SetMaxOpenConns(1)
		harness.Must(t, db, "CREATE TABLE o (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))"+partitions)
		harness.Must(t, db, "INSERT INTO o SELECT LPAD(a.n * 220 + b.n, 6, '0'), 'a', 1, IF(b.n % 50 = 7, 'x', b.n % 9) "+
			"FROM "+numbers+" a CROSS JOIN "+numbers+" b")
		tx, err := db.Begin()
		require.NoError(t, err)
		for _, query := range []string{
			"SELECT V, COUNT(*), MAX(T), ANY_VALUE(K) FROM o GROUP BY V",
			"SELECT RIGHT(K, 2), BIT_OR(V) FROM o GROUP BY 1",
			"SELECT a, COUNT(*), BIT_XOR(K) FROM (SELECT K, MAX(CASE WHEN Q = 'a' THEN V END) AS a FROM o GROUP BY K) p GROUP BY a",
			"SELECT V, SUM(IF(K = '048000', 9223372036854775807, 0) + T), BIT_OR(V) FROM o GROUP BY V",
			"SELECT V, SUM(IF(K = '000003', 9223372036854775807, 0) + T), BIT_OR(V) FROM o GROUP BY V",
			"SELECT V, T, COUNT(*) FROM o GROUP BY V, T WITH ROLLUP",
			"SELECT V FROM o GROUP BY V LIMIT 3",
		} {
			require.Equal(t, printTx(t, tx, 1, query), printTx(t, tx, 0, query), query)
		}
		require.Contains(t, strings.Join(harness.Lines(t, tx, "EXPLAIN ANALYZE SELECT V, COUNT(*) FROM o GROUP BY V"), "\n"), "workers: ")
		require.NoError(t, tx.Rollback())
	}
}

// numbers are the numbers below 220.
const numbers = "(WITH RECURSIVE r AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 219) SELECT n FROM r)"

// TestParallelEnds cancels and closes statements that several goroutines
// compute, makes them fail, and gives them too little memory.
func TestParallelEnds(t *testing.T) {
	for _, partitions := range []string{"", " PARTITION BY KEY(K) PARTITIONS 5"} {
		t.Run(partitions, func(t *testing.T) {
			dsn := "file::memory:?versions=all&parallelism=3&queryMemory=16KiB&tmpDir=" + url.QueryEscape(t.TempDir())
			db, err := sql.Open("hbasekv", dsn)
			require.NoError(t, err)
			defer db.Close()
			fillSpillTable(t, db, partitions)
			cancelShared(t, db)
			failShared(t, db)
			failWithWarnings(t, db)
			shareTooMuch(t, db)
			var plan string
			require.NoError(t, db.QueryRow("EXPLAIN ANALYZE SELECT COUNT(*) FROM s").Scan(&plan))
			require.Contains(t, plan, "workers: 3")
			pivot := "(SELECT K, MAX(CASE WHEN Q = 'q1' THEN V END) AS c FROM s GROUP BY K) p"
			for _, query := range []string{"SELECT COUNT(*), MAX(LENGTH(c)) FROM " + pivot, "SELECT c FROM " + pivot + " WHERE c IS NULL ORDER BY c LIMIT 3"} {
				require.NoError(t, db.QueryRow("EXPLAIN ANALYZE "+query).Scan(&plan))
				require.Contains(t, plan, "workers: 3", query)
				require.Contains(t, plan, fmt.Sprintf("rows %d, cells", spillCells), query)
			}
			require.NoError(t, db.QueryRow("EXPLAIN ANALYZE SELECT COUNT(*) FROM s").Scan(&plan))
			require.Contains(t, plan, fmt.Sprintf("rows %d, cells", spillCells))
		})
	}
}

// cancelShared cancels statements at random times.
func cancelShared(t *testing.T, db *sql.DB) {
	for i := range 40 {
		query := []string{"SELECT COUNT(*) FROM s WHERE V LIKE '%e%1%2%'", "SELECT K FROM s ORDER BY LENGTH(V) LIMIT 9",
			"SELECT c, COUNT(*) FROM (SELECT K, MAX(V) AS c FROM s GROUP BY K) p GROUP BY c", "SELECT COUNT(*) FROM s a JOIN s b ON b.V = a.V",
			"SELECT a.Q, COUNT(*) FROM s a JOIN s b ON b.K = a.K AND b.Q = a.Q AND b.T >= a.T GROUP BY a.Q"}[i%5]
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Duration(i) * 50 * time.Microsecond)
			cancel()
		}()
		rows, err := db.QueryContext(ctx, query)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			require.NoError(t, rows.Close())
		}
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
		cancel()
	}
}

// failWithWarnings makes a statement fail after rows that warn: on several goroutines
// it warns of the same rows.
func failWithWarnings(t *testing.T, db *sql.DB) {
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	for _, query := range []string{
		"SELECT LEFT(K, 3) AS k, BIT_OR(V), MAX(T * 4611686018427387) FROM s GROUP BY k",
		"SELECT K FROM s ORDER BY V + 0, T * 4611686018427387",
	} {
		var told [][]string
		for _, workers := range []int{1, 3} {
			harness.Must(t, conn, fmt.Sprintf("SET hbasekv_parallelism = %d", workers))
			_, err := conn.ExecContext(t.Context(), query)
			require.Equal(t, uint16(1690), harness.ErrorNumber(err), query)
			told = append(told, harness.Lines(t, conn, "SHOW WARNINGS"))
		}
		require.NotEmpty(t, told[0], query)
		require.Equal(t, told[0], told[1], query)
	}
}

// failShared makes one goroutine fail, and closes results before their end.
func failShared(t *testing.T, db *sql.DB) {
	for _, query := range []string{
		"SELECT SUM(T - 9223372036854775807 - 9223372036854775807) FROM s",
		"SELECT K FROM s ORDER BY T - 9223372036854775807 - 9223372036854775807 LIMIT 3",
	} {
		_, err := db.Exec(query)
		require.Equal(t, uint16(1690), harness.ErrorNumber(err), query)
	}
	for _, query := range []string{"SELECT T % 20, COUNT(*) FROM s GROUP BY T % 20", "SELECT K FROM s ORDER BY V LIMIT 20"} {
		rows, err := db.Query(query)
		require.NoError(t, err)
		require.True(t, rows.Next())
		require.NoError(t, rows.Close())
	}
}

// shareTooMuch runs statements whose parts do not fit in memory.
func shareTooMuch(t *testing.T, db *sql.DB) {
	before := harness.Status(t, db, "Created_tmp_files")
	var rows int
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM (SELECT V, COUNT(*) FROM s GROUP BY V) x").Scan(&rows))
	require.Greater(t, rows, 900)
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM (SELECT K, Q, T FROM s ORDER BY V, T LIMIT 1500) x").Scan(&rows))
	require.Equal(t, 1500, rows)
	require.Greater(t, harness.Status(t, db, "Created_tmp_files"), before, "one goroutine does it in files")
	for _, query := range []string{"SELECT COUNT(*), MAX(b.K), SUM(a.T) FROM s a JOIN s b ON b.V = a.V", "SELECT COUNT(*), COUNT(b.K) FROM s a LEFT JOIN s b ON b.V = a.K",
		"SELECT COUNT(*), MIN(b.V) FROM s a LEFT JOIN s b ON b.K = a.K AND b.Q = a.Q"} {
		var answers []string
		for _, workers := range []int{1, 3} {
			conn, err := db.Conn(t.Context())
			require.NoError(t, err)
			harness.Must(t, conn, fmt.Sprintf("SET hbasekv_parallelism = %d", workers))
			answers = append(answers, strings.Join(harness.Lines(t, conn, query), "\n"))
			require.NoError(t, conn.Close())
		}
		require.Equal(t, answers[0], answers[1], query)
	}
}
