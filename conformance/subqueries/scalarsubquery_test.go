package subqueries

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestScalarSubqueriesReadOnce: a subquery that is read once for all outer rows returns
// the same as with a lookup for each row, including errors and warnings, and no outer row
// reads a table.
func TestScalarSubqueriesReadOnce(t *testing.T) {
	db, _ := harness.SpillDB(t, "64MiB")
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "CREATE TABLE t"+harness.MemberColumns+" PARTITION BY KEY(K) PARTITIONS 7", "CREATE TABLE u"+harness.MemberColumns, "CREATE TABLE none"+harness.MemberColumns)
	var cells []string
	for i := range 1200 {
		cells = append(cells, fmt.Sprintf("('k%05d', 'a', 1, '%d'), ('k%05[1]d', 'b', %d, '%d')", i, i%700, i, i*7%1000))
	}
	harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(cells, ", "),
		"INSERT INTO u SELECT * FROM t WHERE K < 'k00800'",
		"INSERT INTO u VALUES ('k00100', 'c', 1, 'many'), ('k01199', 'b', 5, NULL), ('k01198', 'b', 5, ''), ('kx', 'b', 7, 'x')")
	const counts = "(SELECT b.V, COUNT(*) AS n, MIN(b.K) AS k FROM u b GROUP BY b.V)"
	for s, problem := range map[string]string{
		"SELECT a.K, (SELECT d.n FROM " + counts + " d WHERE d.V = a.V) AS n FROM t a WHERE a.K < 'k00100' ORDER BY n, a.K":                                       "",
		"SELECT COUNT(*) FROM t a WHERE a.K < 'k00100' AND (SELECT MAX(d.k) FROM " + counts + " d WHERE d.n = a.T AND d.k < a.K) < 'k00100'":                      "",
		"SELECT a.V, (SELECT COUNT(*) FROM " + counts + " d WHERE d.n > a.T) AS n FROM t a WHERE a.K < 'k00020' ORDER BY a.K, a.Q":                                "",
		"SELECT a.K, (SELECT d.k FROM " + counts + " d WHERE d.n > a.T ORDER BY d.n, d.k LIMIT 1) FROM t a WHERE a.K < 'k00020' ORDER BY a.K, a.Q":                "",
		"SELECT COUNT(*) FROM t a WHERE a.K < 'k00020' AND EXISTS (SELECT 1 FROM (SELECT DISTINCT Q, LENGTH(V) AS n FROM u) d WHERE d.n > a.T)":                   "",
		"SELECT COUNT(*) FROM t a WHERE a.K < 'k00020' AND a.T > ALL (SELECT d.T FROM (SELECT T FROM u ORDER BY T LIMIT 10) d WHERE d.T < a.V)":                   "",
		"SELECT SUM((SELECT COUNT(*) FROM (SELECT V FROM u UNION SELECT V FROM none) d WHERE d.V > a.V)) FROM t a WHERE a.K < 'k00020'":                           "",
		"SELECT SUM((SELECT SUM(d.s) FROM (SELECT Q, SUM(V) AS s FROM u GROUP BY Q) d WHERE d.Q >= a.Q)) FROM t a WHERE a.K < 'k00005'":                           "1292",
		"SELECT SUM((SELECT d.n FROM (SELECT Q, COUNT(*) AS n FROM u GROUP BY Q) d WHERE d.n > a.T)) FROM t a WHERE a.K < 'k00005'":                               "1242",
		"SELECT a.K, (SELECT MAX(b.V) FROM u b WHERE b.K = a.K AND b.Q = 'b') FROM t a WHERE a.Q = 'a' ORDER BY a.K":                                              "",
		"SELECT a.K, (SELECT COUNT(*) + 1 FROM u b WHERE b.K = a.K AND b.V > '5') AS n FROM t a WHERE a.Q = 'a' ORDER BY n, a.K":                                  "",
		"SELECT a.Q, SUM((SELECT COUNT(*) FROM u b WHERE b.V = a.V)), MIN((SELECT MIN(b.K) FROM u b WHERE b.V = a.V)) FROM t a WHERE a.K < 'k00600' GROUP BY a.Q": "",
		"SELECT a.K, (SELECT b.V FROM u b WHERE b.K = a.K AND b.Q = 'b') AS v FROM t a WHERE a.Q = 'a' HAVING v IS NULL OR v > '9' ORDER BY a.K":                  "",
		"SELECT COUNT(*) FROM t a WHERE (SELECT b.V FROM u b WHERE b.K = a.K AND b.Q = 'b') = a.V":                                                                "",
		"SELECT COUNT(*) FROM t a WHERE a.Q = 'a' AND (SELECT CONCAT(b.Q, b.T) FROM u b WHERE b.K = a.K AND b.Q <> 'a') > 'b2'":                                   "",
		"SELECT COUNT(*) FROM t a WHERE ('b', '7') = (SELECT b.Q, b.V FROM u b WHERE b.K = a.K AND b.Q = 'b')":                                                    "",
		"SELECT COUNT(*) FROM t a WHERE (SELECT MAX(b.V) FROM none b WHERE b.K = a.K) IS NULL AND (SELECT COUNT(*) FROM none b WHERE b.V = a.V) = 0":              "",
		"SELECT a.V, COUNT(*), SUM(EXISTS (SELECT 1 FROM u b WHERE b.V = a.V AND b.Q = 'b')) FROM t a WHERE a.K < 'k00600' GROUP BY a.V ORDER BY a.V":             "",
		"SELECT COUNT(*) FROM t a WHERE a.Q = 'a' AND (SELECT b.V FROM u b WHERE b.K = a.K) > '5'":                                                                "1242",
		"SELECT a.K, (SELECT b.V FROM u b WHERE b.K = a.K AND b.Q > 'a') FROM t a WHERE a.K > 'k00090'":                                                           "1242",
		"SELECT a.K, (SELECT b.V FROM u b WHERE b.K = a.K AND b.Q > 'a') FROM t a WHERE a.K < 'k00100'":                                                           "",
		"SELECT COUNT(*), SUM((SELECT SUM(b.V) FROM u b WHERE b.K = a.K)) FROM t a WHERE a.K < 'k00100' OR a.K > 'k01195'":                                        "1292",
		"SELECT COUNT(*), SUM((SELECT SUM(b.V) FROM u b WHERE b.K = a.K)) FROM t a WHERE a.K < 'k00100'":                                                          "",
	} {
		var want []string
		for _, joinRows := range []int{harness.OneByOne, 0, 1, 600} {
			for _, memory := range []int{1 << 26, 1 << 14} {
				harness.Must(t, db, fmt.Sprintf("SET hbasekv_join_rows = %d, tmp_table_size = %d", joinRows, memory))
				got, err := harness.TryLines(db, s)
				if err != nil {
					got = []string{err.Error()}
				} else {
					got = append(got, harness.Lines(t, db, "SHOW WARNINGS")...)
				}
				if want == nil {
					want = got
					require.Contains(t, strings.Join(want, "\n"), problem)
				}
				require.Equal(t, want, got, "%s\njoin_rows=%d memory=%d", s, joinRows, memory)
			}
		}
	}
}

// TestLargeScalarSubqueries: looking up each row would take as many scans as there are rows.
func TestLargeScalarSubqueries(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t"+harness.MemberColumns)
	var cells []string
	for i := range 40000 {
		cells = append(cells, fmt.Sprintf("('k%05d', 'a', 1, '%d')", i, i*7%20000))
	}
	harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(cells, ", "))
	require.Equal(t, []string{"80000 40000"}, harness.Lines(t, db, "SELECT SUM((SELECT COUNT(*) FROM t b WHERE b.V = a.V)), SUM(EXISTS (SELECT 1 FROM t b WHERE b.V = a.V AND b.K < 'k20000')) FROM t a"))
	require.Equal(t, []string{"80000"}, harness.Lines(t, db, "SELECT SUM(n) FROM (SELECT a.K, (SELECT COUNT(*) FROM t b WHERE b.V = a.V) AS n FROM t a GROUP BY a.K, a.V) x"))
}

// TestLargeGroupsInSubqueries: computing the groups for each outer row would take minutes.
func TestLargeGroupsInSubqueries(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t"+harness.MemberColumns)
	var cells []string
	for i := range 40000 {
		cells = append(cells, fmt.Sprintf("('k%05d', 'a', 1, '%d')", i, i*7%200))
	}
	harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(cells, ", "))
	const counts = "(SELECT V, COUNT(*) AS n, MAX(K) AS k FROM t GROUP BY V)"
	for s, want := range map[string]string{
		"SELECT SUM((SELECT d.n FROM " + counts + " d WHERE d.V = a.V)) FROM t a":                                               "8000000",
		"SELECT a.K, (SELECT d.n FROM " + counts + " d WHERE d.V = a.V) AS n FROM t a ORDER BY n, a.K LIMIT 1":                  "k00000 200",
		"SELECT COUNT(*) FROM t a WHERE (SELECT d.k FROM " + counts + " d WHERE d.V = a.V AND d.k > a.K) IS NULL":               "200",
		"SELECT SUM((SELECT COUNT(*) FROM " + counts + " d WHERE d.k > a.K)) FROM t a WHERE a.K >= 'k39000'":                    "179900",
		"SELECT COUNT(*) FROM " + counts + " a WHERE (SELECT COUNT(*) FROM " + counts + " d WHERE d.k > a.k) < 10":              "10",
		"SELECT COUNT(*) FROM t a WHERE a.K < 'k20000' AND EXISTS (SELECT 1 FROM (SELECT DISTINCT V FROM t) d WHERE d.V < a.V)": "19900",
	} {
		require.Equal(t, []string{want}, harness.Lines(t, db, s), s)
	}
}

// openPartners returns a store with a table of n versions, in which each value occurs several
// times.
func openPartners(t *testing.T, n int) *sql.DB {
	db := harness.OpenDB(t, "file::memory:?versions=all")
	harness.Must(t, db, "CREATE TABLE t"+harness.MemberColumns)
	var cells []string
	for i := range n {
		cells = append(cells, fmt.Sprintf("('k%02d', 'a', %d, '%d')", i%4, i, i*7%5000))
	}
	harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(cells, ", "))
	return db
}

// TestLargePartners: checking all rows for each outer row, or forming all pairs of equal rows,
// would take minutes.
func TestLargePartners(t *testing.T) {
	db := openPartners(t, 30_000)
	for s, want := range map[string]string{
		"SELECT COUNT(*), MIN(a.T) FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.V = a.V AND b.T > a.T)":                                                    "5000 25000",
		"SELECT COUNT(*), MIN(a.T) FROM t a WHERE a.T >= ALL (SELECT b.T FROM t b WHERE b.V = a.V)":                                                                "5000 25000",
		"SELECT SUM((SELECT COUNT(*) FROM t b WHERE b.V = a.V AND b.T <= a.T)) FROM t a":                                                                           "105000",
		"SELECT MIN((SELECT b.T FROM t b WHERE b.V = a.V ORDER BY b.T DESC LIMIT 1)) FROM t a":                                                                     "25000",
		"SELECT COUNT(*) FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE UPPER(b.V) = UPPER(a.V) AND b.T = a.T + 5000)":                                             "25000",
		"SELECT COUNT(*), MIN(a.T) FROM t a WHERE a.T = (SELECT MAX(b.T) FROM t b WHERE LEFT(b.K, 2) = LEFT(a.K, 2))":                                              "1 29999",
		"SELECT COUNT(*), MIN(a.T) FROM t a LEFT JOIN t b ON b.V = a.V AND b.T > a.T WHERE b.K IS NULL":                                                            "5000 25000",
		"SELECT COUNT(*), MIN(a.T) FROM t a LEFT JOIN t b ON b.K = a.K AND b.T > a.T WHERE b.K IS NULL":                                                            "4 29996",
		"SELECT COUNT(*), MIN(a.T) FROM t a LEFT JOIN t b ON b.Q = a.Q AND b.T > a.T WHERE b.T IS NULL":                                                            "1 29999",
		"SELECT COUNT(*) FROM t a JOIN t b ON CONCAT(a.V, a.K) = CONCAT(b.V, b.K)":                                                                                 "180000",
		"SELECT COUNT(*) FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.K = a.K AND b.V = CONCAT(a.V, '') AND b.T > a.T)":                                    "5000",
		"SELECT COUNT(*) FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.K = a.K AND b.V = a.Q) AND EXISTS (SELECT 1 FROM t b WHERE b.K = a.K AND b.V = a.V)": "30000",
		"SELECT COUNT(*) FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.K = a.K AND b.T > a.T)":                                                                  "29996",
		"SELECT COUNT(*) FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.V = a.V AND EXISTS (SELECT 1 FROM t c WHERE c.V = b.V AND c.T > a.T))":               "5000",
	} {
		require.Equal(t, []string{want}, harness.Lines(t, db, s), s)
	}
}

// TestLargePartnersInFiles: reading the table for each outer row, for lack of memory for its
// rows, would take minutes.
func TestLargePartnersInFiles(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?versions=all&queryMemory=64KiB")
	harness.Must(t, db, "CREATE TABLE t"+harness.MemberColumns)
	var cells []string
	for i := range 30000 {
		cells = append(cells, fmt.Sprintf("('k%02d', 'a', %d, '%d')", i%4, i, i*7%10000))
	}
	harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(cells, ", "))
	for s, want := range map[string]string{
		"SELECT COUNT(*), MIN(a.T) FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.V = a.V AND b.T > a.T)":                             "10000 20000",
		"SELECT COUNT(*), MIN(a.T) FROM t a WHERE a.T >= ALL (SELECT b.T FROM t b WHERE b.V = a.V)":                                         "10000 20000",
		"SELECT SUM((SELECT COUNT(*) FROM t b WHERE b.V = a.V AND b.T <= a.T)) FROM t a":                                                    "60000",
		"SELECT SUM((SELECT COUNT(*) FROM t b WHERE b.V = a.V)), SUM(EXISTS (SELECT 1 FROM t b WHERE b.V = a.V AND b.T <> a.T)) FROM t a":   "90000 30000",
		"SELECT MIN((SELECT b.T FROM t b WHERE b.V = a.V ORDER BY b.T DESC LIMIT 1)) FROM t a":                                              "20000",
		"SELECT COUNT(*) FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE UPPER(b.V) = UPPER(a.V) AND b.T = a.T + 10000)":                     "20000",
		"SELECT COUNT(*) FROM t a WHERE a.T = (SELECT MAX(b.T) FROM t b WHERE b.V = a.V AND b.T <= a.T)":                                    "30000",
		"SELECT COUNT(*) FROM (SELECT a.T, (SELECT MIN(b.T) FROM t b WHERE b.V = a.V AND b.T > a.T) AS n FROM t a) d WHERE n = d.T + 10000": "20000",
	} {
		require.Equal(t, []string{want}, harness.Lines(t, db, s), s)
	}
}
