package stores

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// retentionNow is the time at which the tests of retention run, in ms; with a TTL
// of 10 seconds the oldest version that is kept has T = 90000.
const retentionNow = 100_000

// keptCase is a statement on a table t with options that holds the versions in
// given, the number of rows affected, the number of notes and the table's
// content afterwards.
type keptCase struct {
	options, given, run string
	n                   int64
	fails               uint16
	notes               int
	want                string // all versions; "same" means given
}

var keptCases = []keptCase{
	// Versions that have expired when they are written.
	{"TTL = 10", "", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 89999, 'x')", 1, 0, 1, ""},
	{"TTL = 10", "", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 90000, 'x')", 1, 0, 0, "a/q/90000/x"},
	{"TTL = 10", "", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 1, 'x'), ('b', 'q', 99999, 'y'), ('c', 'q', -5, 'z')", 3, 0, 2, "b/q/99999/y"},
	{"TTL = 10", "", "REPLACE INTO t (K, Q, T, V) VALUES ('a', 'q', 1, 'x')", 1, 0, 1, ""},
	{"TTL = 10", "", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = 'dup'", 1, 0, 1, ""},
	{"TTL = 10", "a/q/1/old", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 1, 'x')", 1, 0, 1, ""},
	{"TTL = 10", "a/q/1/old", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = 'dup'", 1, 0, 1, ""},
	{"TTL = 10", "a/q/1/old", "INSERT IGNORE INTO t (K, Q, T, V) VALUES ('a', 'q', 1, 'x')", 1, 0, 1, ""},
	{"TTL = 10", "a/q/95000/x", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 95000, 'x')", 0, 1062, 0, "same"},
	{"TTL = 10", "", "INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'x')", 1, 0, 0, "a/q/100000/x"},
	{"TTL = 10", "a/q/95000/x", "UPDATE t SET T = 5", 1, 0, 1, "same"},
	{"TTL = 10", "a/q/95000/x", "UPDATE /*+ VERSIONS(ALL) */ t SET T = 5", 1, 0, 1, ""},
	{"TTL = 10", "a/q/95000/x", "INSERT INTO t (K, Q, T, V) SELECT 'b', Q, T - 10000, V FROM t", 1, 0, 1, "same"},
	// Expired versions are not visible.
	{"TTL = 10", "a/q/1/old", "UPDATE t SET V = 'x'", 0, 0, 0, ""},
	{"TTL = 10", "a/q/1/old", "DELETE FROM t", 0, 0, 0, ""},
	{"TTL = 10", "a/q/1/old b/q/95000/x", "UPDATE t SET K = 'a' WHERE K = 'b'", 1, 0, 0, "a/q/95000/x"},
	{"TTL = 10", "a/q/95000/x a/q/1/old", "UPDATE t SET K = 'b'", 1, 0, 0, "b/q/95000/x"},
	{"TTL = 10", "a/q/95000/x a/q/1/old", "INSERT INTO t (K, Q, T, V) SELECT 'b', Q, T, V FROM t FOR SYSTEM_TIME ALL", 1, 0, 0, "a/q/95000/x b/q/95000/x"},
	{"TTL = 10", "a/q/95000/x a/q/1/old", "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T > 5", 1, 0, 0, ""},
	// MIN_VERSIONS.
	{"TTL = 10 MIN_VERSIONS = 1", "", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 1, 'x')", 1, 0, 0, "a/q/1/x"},
	{"TTL = 10 MIN_VERSIONS = 1", "a/q/2/x", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 1, 'y')", 1, 0, 1, "same"},
	{"TTL = 10 MIN_VERSIONS = 1", "a/q/2/x", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 3, 'y')", 1, 0, 0, "a/q/3/y"},
	{"TTL = 10 MIN_VERSIONS = 2", "a/q/2/x", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 3, 'y'), ('a', 'q', 1, 'z')", 2, 0, 1, "a/q/3/y a/q/2/x"},
	{"TTL = 10 MIN_VERSIONS = 1", "a/q/2/x a/q/1/y", "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T = 2", 1, 0, 0, ""},
	{"TTL = 10 MIN_VERSIONS = 1", "a/q/2/x", "UPDATE t SET V = 'y'", 1, 0, 0, "a/q/100000/y"},
	// MAX_VERSIONS.
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 1, 'z')", 1, 0, 1, "same"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 4, 'z')", 1, 0, 0, "a/q/4/z a/q/3/x"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 4, 'z'), ('a', 'q', 2, 'again')", 2, 0, 1, "a/q/4/z a/q/3/x"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 2, 'again')", 0, 1062, 0, "same"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y", "REPLACE INTO t (K, Q, T, V) VALUES ('a', 'q', 2, 'z'), ('a', 'q', 1, 'z')", 2, 0, 1, "a/q/3/x a/q/2/z"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y a/q/1/z", "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T = 3", 1, 0, 0, "a/q/2/y"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y a/q/1/z", "DELETE FROM t", 1, 0, 0, ""},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y a/q/1/z", "UPDATE t SET K = 'b'", 1, 0, 0, "b/q/3/x b/q/2/y"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y", "UPDATE t SET V = 'z'", 1, 0, 0, "a/q/100000/z a/q/3/x"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y", "UPDATE t SET T = 1", 1, 0, 1, "same"},
	{"MAX_VERSIONS = 1", "a/q/3/x", "UPDATE /*+ VERSIONS(ALL) */ t SET T = T - 2", 1, 0, 0, "a/q/1/x"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y", "UPDATE /*+ VERSIONS(ALL) */ t SET T = T - 5", 2, 0, 0, "a/q/-2/x a/q/-3/y"},
	{"MAX_VERSIONS = 1", "a/q/200000/x", "UPDATE /*+ VERSIONS(ALL) */ t SET T = DEFAULT", 1, 0, 0, "a/q/100000/x"},
	{"MAX_VERSIONS = 1", "a/q/3/x", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 3, 'y') ON DUPLICATE KEY UPDATE T = 1, V = VALUES(V)", 2, 0, 0, "a/q/1/y"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y", "UPDATE /*+ VERSIONS(ALL) */ t SET T = 3 WHERE T = 2", 0, 1062, 0, "same"},
	{"MAX_VERSIONS = 2", "a/q/3/x a/q/2/y", "INSERT IGNORE INTO t (K, Q, T, V) VALUES ('a', 'q', 2, 'z') ON DUPLICATE KEY UPDATE T = 3", 0, 0, 0, "same"},
	{"MAX_VERSIONS = 1", "a/q/200000/x", "INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'y')", 1, 0, 0, "a/q/200001/y"},
	{"MAX_VERSIONS = 1", "a/q/200000/x", "REPLACE INTO t (K, Q, V) VALUES ('a', 'q', 'y')", 1, 0, 0, "a/q/200001/y"},
	{"MAX_VERSIONS = 1", "a/q/200000/x", "UPDATE t SET V = 'y'", 1, 0, 0, "a/q/200001/y"},
	{"MAX_VERSIONS = 2", "a/q/200005/x", "INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'y')", 1, 0, 0, "a/q/200005/x a/q/100000/y"},
	{"MAX_VERSIONS = 2", "a/q/200005/x a/q/200003/x", "INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'y')", 1, 0, 0, "a/q/200005/x a/q/200004/y"},
	{"MAX_VERSIONS = 2", "a/q/200005/x a/q/200004/x", "INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'y')", 1, 0, 0, "a/q/200006/y a/q/200005/x"},
	{"MAX_VERSIONS = 1", "a/q/3/x", "INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'x'), ('a', 'q', 'y'), ('a', 'q', 'z')", 3, 0, 0, "a/q/100002/z"},
	// All options together.
	{"TTL = 10 MAX_VERSIONS = 2 MIN_VERSIONS = 1", "a/q/3/x a/q/2/y", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 95000, 'z')", 1, 0, 0, "a/q/95000/z"},
	{"TTL = 10 MAX_VERSIONS = 2 MIN_VERSIONS = 1", "a/q/95001/x a/q/95000/y", "INSERT INTO t (K, Q, T, V) VALUES ('a', 'q', 94999, 'z')", 1, 0, 1, "same"},
}

func TestWritesUnderRetention(t *testing.T) {
	for layout, partitioning := range oracle.EveryLayout() {
		t.Run(layout, func(t *testing.T) {
			for _, inTx := range []bool{false, true} {
				for _, c := range keptCases {
					db, _ := harness.OpenAt(t, ":memory:", retentionNow)
					harness.Must(t, db, oracle.ModelTable("t", layout, partitioning), "ALTER TABLE t "+c.options)
					c.check(t, db, inTx)
				}
			}
		})
	}
}

func (c *keptCase) check(t *testing.T, db *sql.DB, inTx bool) {
	t.Helper()
	label := fmt.Sprintf("%s: %s: %s (in a transaction: %t)", c.options, c.given, c.run, inTx)
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	if inTx {
		harness.Must(t, conn, "BEGIN")
	}
	harness.PutVersions(t, conn, c.given)
	result, err := conn.ExecContext(context.Background(), c.run)
	if assert.Equal(t, c.fails, harness.NumberOf(err), "%s: %v", label, err) && err == nil {
		n, _ := result.RowsAffected()
		assert.Equal(t, c.n, n, label)
		notes := harness.Lines(t, conn, "SHOW WARNINGS")
		notes = slices.DeleteFunc(notes, func(line string) bool { return strings.HasPrefix(line, "Warning 1062 ") })
		assert.Len(t, notes, c.notes, label)
		for _, note := range notes {
			assert.Regexp(t, `^Note 1105 The version with T = -?\d+ at row \d is not kept: in table 't' it (has expired by the TTL|is not among the newest)`, note)
		}
	}
	want := c.want
	if want == "same" {
		want = c.given
	}
	assert.Equal(t, want, harness.Versions(t, conn, 1<<62), label)
	if inTx {
		harness.Must(t, conn, "COMMIT")
		assert.Equal(t, want, harness.Versions(t, conn, 1<<62), label+", committed")
	}
}

// TestManyNotesOfRetention: no more than max_error_count notes are kept.
func TestManyNotesOfRetention(t *testing.T) {
	db, _ := harness.OpenAt(t, ":memory:", retentionNow)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	harness.Must(t, conn, "CREATE TABLE t "+harness.PlainTable+" TTL = 10", "INSERT INTO t SELECT K, Q, T, V FROM (VALUES ROW('a', '', 1, '')"+
		strings.Repeat(", ROW('a', '', 1, '')", 99)+") v (K, Q, T, V) LIMIT 0")
	var rows []string
	for i := range 100 {
		rows = append(rows, fmt.Sprintf("('a', '', %d, '')", i))
	}
	harness.Must(t, conn, "INSERT INTO t VALUES "+strings.Join(rows, ", "))
	require.Len(t, harness.Lines(t, conn, "SHOW WARNINGS"), 64)
	harness.Must(t, conn, "SET sql_notes = 0", "INSERT INTO t VALUES "+strings.Join(rows, ", "))
	require.Empty(t, harness.Lines(t, conn, "SHOW WARNINGS"))
}

// keptQueries read a table x, each using all of its content in some way.
var keptQueries = []string{
	"SELECT K, Q, T, V FROM {t} ORDER BY K, Q, T DESC",
	"SELECT K, Q, T, V FROM {t} FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC",
	"SELECT K, Q, T, V FROM {t} FOR SYSTEM_TIME ALL ORDER BY K DESC, Q DESC, T",
	"SELECT /*+ VERSIONS(2) */ K, Q, T, V FROM {t} ORDER BY K, Q, T DESC",
	"SELECT /*+ TIMERANGE(0, 95001) */ K, Q, T, V FROM {t} ORDER BY K, Q, T DESC",
	"SELECT /*+ TIMERANGE(3, 95001) VERSIONS(2) */ K, Q, T, V FROM {t} ORDER BY K, Q, T DESC",
	"SELECT K, Q, T, V FROM {t} FOR SYSTEM_TIME AS OF 94999 ORDER BY K, Q, T DESC",
	"SELECT K, Q, T, V FROM {t} FOR SYSTEM_TIME BETWEEN 2 AND 95000 ORDER BY K, Q, T DESC",
	"SELECT K, Q, T, V FROM {t} FOR SYSTEM_TIME ALL WHERE T <= 95000 ORDER BY K, Q, T DESC",
	"SELECT K, Q, T, V FROM {t} FOR SYSTEM_TIME ALL WHERE T = 3 OR T = 95000 ORDER BY K, Q, T DESC",
	"SELECT K, Q, T, V FROM {t} WHERE T < 95000 ORDER BY K, Q, T DESC",
	"SELECT K, Q, T, V FROM {t} WHERE T >= 95000 ORDER BY K, Q, T DESC",
	"SELECT COUNT(*) FROM {t}", "SELECT COUNT(*) FROM {t} FOR SYSTEM_TIME ALL", "SELECT COUNT(*) FROM {t} WHERE K = 'k3'",
	"SELECT COUNT(*) FROM {t} FOR SYSTEM_TIME ALL WHERE K = 'k3' AND Q = 'q1'",
	"SELECT COUNT(DISTINCT K), COUNT(V), SUM(T), MIN(T), MAX(T) FROM {t} FOR SYSTEM_TIME ALL",
	"SELECT MIN(K), MAX(K) FROM {t}", "SELECT MIN(K) FROM {t} FOR SYSTEM_TIME ALL", "SELECT MAX(K) FROM {t}", "SELECT MIN(T), MAX(T) FROM {t} WHERE K = 'k4'",
	"SELECT DISTINCT K FROM {t} ORDER BY K", "SELECT DISTINCT LEFT(K, 1), Q FROM {t} ORDER BY 2",
	"SELECT K, COUNT(*), MAX(T) FROM {t} FOR SYSTEM_TIME ALL GROUP BY K ORDER BY K", "SELECT Q, COUNT(*) FROM {t} GROUP BY Q ORDER BY Q",
	"SELECT K FROM {t} x WHERE EXISTS (SELECT 1 FROM {t} y WHERE y.K = x.K AND y.Q = 'q2') ORDER BY K, Q",
	"SELECT K, (SELECT COUNT(*) FROM {t} FOR SYSTEM_TIME ALL WHERE K = o.K) FROM (SELECT DISTINCT K FROM {t}) o ORDER BY K",
	"SELECT a.K, b.Q, b.T FROM {t} a JOIN {t} b ON a.K = b.K AND a.Q < b.Q ORDER BY 1, 2, 3",
	"SELECT K, Q, T FROM {t} WHERE (K, Q) IN (('k1', 'q1'), ('k5', 'q0'), ('none', 'q')) ORDER BY K, Q",
	"SELECT K, Q, T FROM {t} WHERE (K, Q) > ('k3', 'q1') ORDER BY K, Q LIMIT 5", "SELECT K, T FROM {t} ORDER BY T DESC, K, Q LIMIT 4",
	"SELECT K, Q, T FROM {t} WHERE K LIKE 'k%' AND Q = 'q1' ORDER BY K FOR UPDATE", "SELECT K, Q, T, V FROM {t} WHERE V LIKE '%7%' ORDER BY K, Q",
	"SELECT GROUP_CONCAT(T ORDER BY K, Q, T) FROM {t} FOR SYSTEM_TIME ALL", "SELECT K FROM {t} UNION SELECT Q FROM {t} ORDER BY 1",
	"WITH w AS (SELECT K, MAX(T) m FROM {t} GROUP BY K) SELECT x.K, x.Q, m FROM w JOIN {t} x ON x.K = w.K AND x.T = m ORDER BY 1, 2",
}

// TestReadsUnderRetention: for every statement, a table shows what a table that
// keeps everything would show if it had only been given the kept versions.
func TestReadsUnderRetention(t *testing.T) {
	for layout, partitioning := range oracle.EveryLayout() {
		for _, keep := range []keeping{{ttl: 10}, {max: 2}, {ttl: 10, min: 1}, {ttl: 10, max: 3, min: 2}, {max: 1}} {
			t.Run(fmt.Sprintf("%s/%d-%d-%d", layout, keep.ttl, keep.max, keep.min), func(t *testing.T) {
				db, clock := harness.OpenAt(t, fmt.Sprintf(":memory:?parallelism=%d", *harness.Parallelism), retentionNow)
				harness.Must(t, db, oracle.ModelTable("t", layout, partitioning),
					oracle.ModelTable("plain", layout, partitioning),
					fmt.Sprintf("ALTER TABLE t TTL = %d MAX_VERSIONS = %d MIN_VERSIONS = %d", keep.ttl, keep.max, keep.min))
				kept := model{map[column]map[int64]*string{}, &keep}
				kept.now = retentionNow
				fillKept(t, db, kept)
				for range 3 {
					kept.at(clock.Now().UnixMilli())
					checkKept(t, db, kept)
					harness.Must(t, db, "FLUSH TABLES")
					checkKept(t, db, kept)
					clock.Advance(2500 * time.Millisecond)
				}
				harness.Must(t, db, "OPTIMIZE TABLE t")
				kept.at(clock.Now().UnixMilli())
				checkKept(t, db, kept)
			})
		}
	}
}

// fillKept writes cells of one to six versions, some of them close to the limit of the
// TTL.
func fillKept(t *testing.T, db *sql.DB, kept model) {
	times := []int64{3, 89_999, 90_000, 94_999, 95_000, 96_001, 99_999, 100_000, 200_000, -7}
	for k := range 6 {
		for q := range 3 {
			for n := range 1 + (5*k+3*q)%7 {
				v := fmt.Sprintf("v%d%d%d", k, q, n)
				x := row{fmt.Sprintf("k%d", k), fmt.Sprintf("q%d", q), times[(k+2*q+3*n)%len(times)], &v}
				harness.Affected(t, db, "REPLACE INTO t (K, Q, T, V) VALUES (?, ?, ?, ?)", x.k, x.q, x.t, x.v)
				kept.put(x)
			}
		}
	}
}

func checkKept(t *testing.T, db *sql.DB, kept model) {
	t.Helper()
	harness.Must(t, db, "TRUNCATE TABLE plain")
	for _, x := range kept.rows(view{min: -1 << 63, max: 1<<63 - 1}) {
		harness.Affected(t, db, "INSERT INTO plain (K, Q, T, V) VALUES (?, ?, ?, ?)", x.k, x.q, x.t, x.v)
	}
	for _, query := range keptQueries {
		of := func(table string) []string {
			return harness.Lines(t, db, strings.ReplaceAll(query, "{t}", table))
		}
		require.Equal(t, of("plain"), of("t"), query)
	}
	sums := harness.Lines(t, db, "CHECKSUM TABLE plain, t")
	require.Equal(t, strings.Fields(sums[0])[1], strings.Fields(sums[1])[1], "CHECKSUM TABLE")
	checkCountedKept(t, db)
}

// checkCountedKept compares statistics that claim to be exact with what is kept.
func checkCountedKept(t *testing.T, db *sql.DB) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	harness.Must(t, conn, "SET hbasekv_exact_statistics = 1")
	all := harness.Single(t, conn, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL")
	require.Equal(t, all,
		harness.Single(t, conn, "SELECT TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_NAME = 't'"))
	require.Equal(t, all, harness.Single(t, conn, "SELECT SUM(TABLE_ROWS) FROM information_schema.PARTITIONS WHERE TABLE_NAME = 't'"))
	require.Equal(t, all, harness.Single(t, conn, "SELECT CELLS FROM information_schema.HBASEKV_FAMILIES WHERE TABLE_NAME = 't'"))
}

// TestTransactionsHaveOneClock: a transaction judges retention by the time of its
// snapshot, and others do not.
func TestTransactionsHaveOneClock(t *testing.T) {
	db, clock := harness.OpenAt(t, ":memory:", retentionNow)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" TTL = 10", "INSERT INTO t VALUES ('a', 'q', 95000, 'x')")
	tx := harness.Begin(t, db)
	count := func(q harness.Querier) string { return harness.Single(t, q, "SELECT COUNT(*) FROM t") }
	require.Equal(t, "1", count(tx))
	clock.Advance(6 * time.Second)
	require.Equal(t, "0", count(db))
	require.Equal(t, "1", count(tx))
	harness.Must(t, tx, "INSERT INTO t VALUES ('b', 'q', 90000, 'y')")
	require.Equal(t, "2", count(tx))
	require.EqualValues(t, 2, harness.Affected(t, tx, "UPDATE t SET V = CONCAT(V, '+')"))
	require.Equal(t, []string{"a 106000 x+", "a 95000 x", "b 106000 y+", "b 90000 y"}, harness.Lines(t, tx, "SELECT K, T, V FROM t FOR SYSTEM_TIME ALL"))
	require.NoError(t, tx.Commit())
	require.Equal(t, []string{"a 106000 x+", "b 106000 y+"},
		harness.Lines(t, db, "SELECT K, T, V FROM t FOR SYSTEM_TIME ALL"))
	clock.Advance(10 * time.Second)
	require.Equal(t, "2", count(db))
	clock.Advance(time.Millisecond)
	require.Equal(t, "0", count(db))
}

// TestAlterRetentionTakesEffect: a prepared statement sees what an ALTER has
// changed, in both directions, and an open transaction does not.
func TestAlterRetentionTakesEffect(t *testing.T) {
	db, _ := harness.OpenAt(t, ":memory:", retentionNow)
	harness.Must(t, db, "CREATE TABLEGROUP g", "CREATE TABLE g$a "+harness.PlainTable,
		"CREATE TABLE g$b "+harness.PlainTable)
	for i := range 5 {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO g$a VALUES ('k', 'q', %d, 'a')", 95_000+i), fmt.Sprintf("INSERT INTO g$b VALUES ('k', 'q', %d, 'b')", i))
	}
	all, err := db.Prepare("SELECT F, T FROM g FOR SYSTEM_TIME ALL WHERE K = ?")
	require.NoError(t, err)
	defer all.Close()
	shown := func() (n int) {
		rows, err := all.Query("k")
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			n++
		}
		require.NoError(t, rows.Err())
		return n
	}
	tx := harness.Begin(t, db)
	before := harness.Single(t, tx, "SELECT COUNT(*) FROM g FOR SYSTEM_TIME ALL")
	for _, step := range []struct {
		statement string
		want      int
	}{
		{"ALTER TABLE g$a MAX_VERSIONS = 3", 8}, {"ALTER TABLEGROUP g MAX_VERSIONS = 2", 4}, {"ALTER TABLEGROUP g TTL = 10", 2},
		{"ALTER TABLE g$b MIN_VERSIONS = 1", 3}, {"ALTER TABLEGROUP g KV_ATTRIBUTES = '{}'", 10}, {"ALTER TABLEGROUP g TTL 5", 5},
		{"ALTER TABLE g$a TTL = FOREVER", 5}, {"ALTER TABLE g$b TTL = 0", 10},
	} {
		harness.Must(t, db, step.statement)
		require.Equal(t, step.want, shown(), step.statement)
		require.Equal(t, before, harness.Single(t, tx, "SELECT COUNT(*) FROM g FOR SYSTEM_TIME ALL"), step.statement)
	}
}

// TestClockPutBack: a version whose T the server chooses is kept even if the
// machine's clock is put back by more than the TTL.
func TestClockPutBack(t *testing.T) {
	db, clock := harness.OpenAt(t, ":memory:", retentionNow)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" TTL = 10", "INSERT INTO t VALUES ('old', 'q', 1, 'x')", "OPTIMIZE TABLE t")
	clock.Set(time.UnixMilli(retentionNow - 60_000))
	result, err := db.Exec("INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'x')")
	require.NoError(t, err)
	id, err := result.LastInsertId()
	require.NoError(t, err)
	require.Equal(t, []string{"a " + strconv.FormatInt(id, 10)}, harness.Lines(t, db, "SELECT K, T FROM t"))
}

// TestPartitionsUnderRetention: versions that are not kept do not prevent a
// change of layout, and do not end up in a wrong partition.
func TestPartitionsUnderRetention(t *testing.T) {
	const halves = " PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('m'), PARTITION p1 VALUES LESS THAN (MAXVALUE))"
	db, clock := harness.OpenAt(t, ":memory:", retentionNow)
	harness.Must(t, db, "CREATE TABLE p "+harness.PlainTable+halves, "CREATE TABLEGROUP g TTL = 10", "CREATE TABLE g$a "+harness.PlainTable, "CREATE TABLE g$b "+harness.PlainTable)
	for _, table := range []string{"g$a", "g$b"} {
		harness.Must(t, db, "INSERT INTO "+table+" VALUES ('z', 'q', 95000, 'x'), ('a', 'q', 105000, 'y')")
	}
	harness.Must(t, db, "CREATE TABLE u LIKE g$a", "INSERT INTO u SELECT * FROM g$a")
	old := harness.Begin(t, db)
	require.Equal(t, "2", harness.Single(t, old, "SELECT COUNT(*) FROM u"))
	clock.Advance(8 * time.Second)
	harness.Must(t, db, "ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE u")
	require.Equal(t, "2", harness.Single(t, old, "SELECT COUNT(*) FROM u"))
	require.Equal(t, []string{"a 105000"}, harness.Lines(t, db, "SELECT K, T FROM p FOR SYSTEM_TIME ALL"))
	require.Equal(t, []string{"default.p check status OK"}, harness.Lines(t, db, "CHECK TABLE p"))

	harness.Must(t, db, "ALTER TABLE g$b PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('m'))", "ALTER TABLEGROUP g TTL = FOREVER")
	require.Equal(t, []string{"a a 105000", "a b 105000"},
		harness.Lines(t, db, "SELECT K, F, T FROM g FOR SYSTEM_TIME ALL"))
}

// TestPartitionsByTimeUnderRetention: excess versions do not reappear when a
// partition with the newer versions is dropped.
func TestPartitionsByTimeUnderRetention(t *testing.T) {
	const byTime = "(K varbinary(64), Q varbinary(20), T bigint, V varbinary(100), G bigint GENERATED ALWAYS AS (ABS(T)), " +
		"PRIMARY KEY (K, Q, T)) MAX_VERSIONS = 1 PARTITION BY RANGE COLUMNS(G) (PARTITION p0 VALUES LESS THAN (100), " +
		"PARTITION p1 VALUES LESS THAN (200), PARTITION p2 VALUES LESS THAN (MAXVALUE))"
	for _, verb := range []string{"DROP", "TRUNCATE"} {
		db, _ := harness.OpenAt(t, ":memory:", retentionNow)
		for _, table := range []string{"g$a", "g$b"} {
			harness.Must(t, db, "CREATE TABLE "+table+" "+byTime,
				"INSERT INTO "+table+" (K, Q, T, V) VALUES ('a', 'q', 10, 'old'), ('a', 'q', 110, 'new'), ('b', 'q', 11, 'only')")
		}
		harness.Must(t, db, "ALTER TABLE g$a "+verb+" PARTITION p1")
		require.Equal(t, []string{"b 11"}, harness.Lines(t, db, "SELECT K, T FROM g$a FOR SYSTEM_TIME ALL"), verb)
		want := []string{"b 11"}
		if verb == "TRUNCATE" {
			want = []string{"a 110", "b 11"}
		}
		require.Equal(t, want, harness.Lines(t, db, "SELECT K, T FROM g$b FOR SYSTEM_TIME ALL"), verb)
	}
}

// TestNarrowUnderRetention: an ALTER that may have to be undone does not change
// meanwhile what is kept.
func TestNarrowUnderRetention(t *testing.T) {
	db, _ := harness.OpenAt(t, ":memory:", retentionNow)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('a', 'q', 1, 'long')")
	_, err := db.Exec("ALTER TABLE t MODIFY V varbinary(3), TTL = 5")
	harness.RequireErrorNumber(t, 1406, err)
	_, err = db.Exec("ALTER TABLE t MODIFY V varbinary(3)")
	harness.RequireErrorNumber(t, 1406, err)
	require.Equal(t, "1", harness.Single(t, db, "SELECT COUNT(*) FROM t"))
	harness.Must(t, db, "ALTER TABLE t TTL = 5", "ALTER TABLE t MODIFY V varbinary(3)")
}

// TestNarrowBesideHiddenVersions: versions that a table does not keep, and that do not
// fit its columns, do not reappear when it keeps more.
func TestNarrowBesideHiddenVersions(t *testing.T) {
	for _, hidden := range []string{"('a', 'q', 1, 'long')", "('a', 'q', 1, NULL)"} {
		for _, keep := range []string{"MAX_VERSIONS = 1", "TTL = 5"} {
			db, _ := harness.OpenAt(t, ":memory:", retentionNow)
			harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES "+hidden+", ('a', 'q', 200000, 'x')", "ALTER TABLE t "+keep,
				"ALTER TABLE t MODIFY V varbinary(3) NOT NULL", "ALTER TABLE t MAX_VERSIONS = 0 TTL = 0")
			require.Equal(t, []string{"200000 x"}, harness.Lines(t, db, "SELECT T, V FROM t FOR SYSTEM_TIME ALL"), keep)
			harness.Must(t, db, "INSERT INTO t VALUES "+hidden[:len("('a', 'q', ")]+"1, 'ok')", "ALTER TABLE t MODIFY V varbinary(2) NOT NULL, MAX_VERSIONS = 1")
			require.Equal(t, []string{"200000 x"}, harness.Lines(t, db, "SELECT T, V FROM t FOR SYSTEM_TIME ALL"), keep)
		}
	}
}

// TestNarrowBesideAlter: an ALTER that is undone leaves what another ALTER or a RENAME
// changed meanwhile.
func TestNarrowBesideAlter(t *testing.T) {
	for _, beside := range []string{"ALTER TABLE t COMMENT 'told'", "ALTER TABLE t MODIFY V varbinary(300)", "RENAME TABLE t TO s"} {
		db, _ := harness.OpenAt(t, ":memory:", retentionNow)
		harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
		for i := range 40 {
			harness.Must(t, db, "INSERT INTO t VALUES "+strings.TrimSuffix(strings.Repeat(fmt.Sprintf("('k%d', 'q', NULL, 'x'), ", i), 1000), ", "))
		}
		harness.Must(t, db, "INSERT INTO t VALUES ('z', 'q', 1, 'long')")
		narrowed := make(chan error, 1)
		go func() {
			_, err := db.Exec("ALTER TABLE t MODIFY V varbinary(3), COMMENT 'lost'")
			narrowed <- err
		}()
		for len(narrowed) == 0 { // it may begin and end between two checks
			if strings.Contains(harness.Lines(t, db, "SHOW CREATE TABLE t")[0], "`V` varbinary(3)") {
				break
			}
		}
		harness.Must(t, db, beside)
		harness.RequireErrorNumber(t, 1406, <-narrowed)
		name, want := "t", "`V` varbinary(1048576)"
		switch {
		case strings.Contains(beside, "COMMENT"):
			want = "COMMENT='told'"
		case strings.Contains(beside, "MODIFY"):
			want = "`V` varbinary(300)"
		default:
			name = "s"
		}
		require.Contains(t, harness.Lines(t, db, "SHOW CREATE TABLE "+name)[0], want, beside)
		require.NotContains(t, harness.Lines(t, db, "SHOW CREATE TABLE "+name)[0], "lost", beside)
	}
}

// TestFamiliesShowCollections: the list of families shows what was collected.
func TestFamiliesShowCollections(t *testing.T) {
	db, clock := harness.OpenAt(t, ":memory:", retentionNow)
	const of = " FROM information_schema.HBASEKV_FAMILIES WHERE TABLE_NAME = 't'"
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" TTL = 10 MAX_VERSIONS = 2")
	for i := range 20 {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('k%d', 'q', 95000, 'old'), ('k%d', 'q', 105000, 'x'), ('k%d', 'q', 105001, 'y')", i, i, i))
	}
	require.Equal(t, []string{"90000 NULL"}, harness.Lines(t, db, "SELECT OLDEST_T, LAST_COLLECTED"+of))
	harness.Must(t, db, "FLUSH TABLES", "OPTIMIZE TABLE t")
	require.Equal(t, []string{"40 1 1970-01-01 00:01:40"}, harness.Lines(t, db, "SELECT CELLS, COLLECTED_VERSIONS + COLLECTED_RANGES > 0, LAST_COLLECTED"+of))
	clock.Advance(time.Minute)
	harness.Must(t, db, "OPTIMIZE TABLE t")
	require.Equal(t, []string{"0 150000"}, harness.Lines(t, db, "SELECT CELLS, OLDEST_T"+of))
}
