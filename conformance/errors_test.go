package conformance

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// badInput is a statement and the MySQL error that it must give, with a word
// that the sentence must hold.
type badInput struct {
	sql    string
	args   []any
	number uint16
	says   string
}

const fourColumns = "(K varbinary(1024), Q varbinary(256), T bigint, V varbinary(10) NOT NULL, PRIMARY KEY (K, Q, T))"

// badPrefixed has a generated column.
const badPrefixed = "(K varbinary(1024), Q varbinary(256), T bigint, V varbinary(10), P varbinary(1) GENERATED ALWAYS AS (substring(K, 1, 1)), PRIMARY KEY (K, Q, T))"

var badInputs = []badInput{
	{sql: "CREATE DATABASE default", number: 1064},
	{sql: "CREATE DATABASE `default`", number: 1007, says: "default"},
	{sql: "DROP DATABASE nowhere", number: 1008, says: "nowhere"},
	{sql: "USE nowhere", number: 1049, says: "nowhere"},
	{sql: "CREATE TABLE g$f " + fourColumns, number: 1050, says: "g$f"},
	{sql: "CREATE TABLE g " + fourColumns, number: 1050, says: "g"},
	{sql: "DROP TABLE nothing", number: 1051, says: "nothing"},
	{sql: "SELECT nothing FROM g$f", number: 1054, says: "nothing"},
	{sql: "SELECT K FROM g$f WHERE missing = 1", number: 1054, says: "missing"},
	{sql: "INSERT INTO g$f (K, Q, T, X) VALUES ('a', 'b', 1, 'c')", number: 1054, says: "X"},
	{sql: "UPDATE g$f SET X = 1", number: 1054, says: "X"},
	{sql: "INSERT INTO g$f VALUES ('k', 'q', 1, 'again')", number: 1062, says: "PRIMARY"},
	{sql: "INSERT INTO g$f VALUES ('new', 'q', 1, 'x'), ('k', 'q', 1, 'again')", number: 1062},
	{sql: "SELEC 1", number: 1064, says: "SELEC"},
	{sql: "SELECT FROM WHERE", number: 1064},
	{sql: "SELECT 'open", number: 1064},
	{sql: "SELECT 1; SELECT 2", number: 1064},
	{sql: "", number: 1065},
	{sql: " ; ", number: 1065},
	{sql: "INSERT INTO g$f (K, Q, T, V) VALUES ('a', 'b', 1)", number: 1136},
	{sql: "INSERT INTO g$f VALUES ('a', 'b', 1)", number: 1136},
	{sql: "SELECT * FROM nothing", number: 1146, says: "nothing"},
	{sql: "SELECT * FROM nowhere.nothing", number: 1049, says: "nowhere"},
	{sql: "INSERT INTO nothing VALUES (1, 2, 3, 4)", number: 1146},
	{sql: "TRUNCATE TABLE nothing", number: 1146},
	{sql: "SET no_such_variable = 1", number: 1193, says: "no_such_variable"},
	{sql: "SELECT @@no_such_variable", number: 1193},
	{sql: "SET hbasekv_versions = 'sometimes'", number: 1231, says: "hbasekv_versions"},
	{sql: "SET hbasekv_versions = 0", number: 1231},
	{sql: "CREATE INDEX i ON g$f (V)", number: 1235},
	{sql: "CREATE TRIGGER x BEFORE INSERT ON g$f FOR EACH ROW SET @a = 1", number: 1235},
	{sql: "DELETE FROM g$f FOR SYSTEM_TIME AS OF 1", number: 1235},
	{sql: "UPDATE /*+ TIMERANGE(1, 5) */ g$f SET V = 'x'", number: 1235},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n FROM a ORDER BY 1) SELECT * FROM a", number: 1235, says: "ORDER BY"},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL (SELECT n FROM a LIMIT 1)) SELECT * FROM a", number: 1235, says: "LIMIT"},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT DISTINCT n FROM a) SELECT * FROM a", number: 1235, says: "DISTINCT"},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n, n FROM a) SELECT * FROM a", number: 1222},
	{sql: "WITH RECURSIVE a AS (SELECT n FROM a) SELECT * FROM a", number: 3573, says: "'a'"},
	{sql: "WITH RECURSIVE a AS (SELECT n FROM a) SELECT 1", number: 3573, says: "'a'"},
	{sql: "WITH RECURSIVE a AS (SELECT n FROM a UNION ALL SELECT 1) SELECT * FROM a", number: 3574, says: "'a'"},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n FROM a UNION ALL SELECT 2) SELECT * FROM a", number: 3574},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT MAX(n) FROM a) SELECT * FROM a", number: 3575},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n FROM a GROUP BY n) SELECT * FROM a", number: 3575},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT RANK() OVER () FROM a) SELECT * FROM a", number: 3575},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n FROM r LEFT JOIN a ON 1) SELECT * FROM a", number: 3576},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT x.n FROM a x, a y) SELECT * FROM a", number: 3577},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT 1 FROM r WHERE T IN (SELECT n FROM a)) SELECT * FROM a", number: 3577},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n FROM (SELECT n FROM a) x) SELECT * FROM a", number: 3577},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n EXCEPT SELECT n FROM a) SELECT * FROM a", number: 4114, says: "EXCEPT"},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n FROM a INTERSECT SELECT 1) SELECT * FROM a", number: 4114},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a) SELECT * FROM a", number: 3636, says: "1001 iterations"},
	{sql: "WITH RECURSIVE a AS (SELECT 'x' AS s UNION ALL SELECT CONCAT(s, 'y') FROM a) SELECT * FROM a", number: 1406, says: "'s'"},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n * 1000 FROM a) SELECT * FROM a", number: 1264, says: "'n'"},
	{sql: "WITH RECURSIVE a AS (SELECT 1.5 AS n UNION ALL SELECT n * 10 FROM a) SELECT * FROM a", number: 1264, says: "'n'"},
	{sql: "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n FROM b), b AS (SELECT n FROM a) SELECT * FROM a", number: 1146},
	{sql: "UPDATE g$f, r SET V = r.V", number: 1052, says: "'V'"},
	{sql: "UPDATE g$f AS a, g$f AS b SET a.K = 'x', b.V = 'y'", number: 1706, says: "'a' and 'b'"},
	{sql: "DELETE x FROM g$f, r", number: 1109, says: "'x'"},
	{sql: "SELECT LAG(K) IGNORE NULLS OVER (ORDER BY K) FROM g$f", number: 1235, says: "IGNORE NULLS"},
	{sql: "INSERT INTO g$f VALUES ('a', 'b', 99999999999999999999, 'c')", number: 1264, says: "T"},
	{sql: "UPDATE g$f SET V = 'later' WHERE K = 'end'", number: 1264},
	{sql: "INSERT INTO g VALUES ('a', 'f', 'b', 1, 'c')", number: 1288},
	{sql: "DELETE FROM g", number: 1288},
	{sql: "UPDATE g SET V = 'x'", number: 1288},
	{sql: "INSERT INTO g$f (Q, T, V) VALUES ('b', 1, 'c')", number: 1364, says: "K"},
	{sql: "INSERT INTO g$f (K, Q, T) VALUES ('a', 'b', 1)", number: 1364, says: "V"},
	{sql: "INSERT INTO g$f VALUES (NULL, 'b', 1, 'c')", number: 1048, says: "K"},
	{sql: "INSERT INTO g$f VALUES ('a', 'b', 1, NULL)", number: 1048, says: "V"},
	{sql: "UPDATE g$f SET V = NULL", number: 1048, says: "V"},
	{sql: "INSERT INTO g$f VALUES ('a', 'b', 'noon', 'c')", number: 1366, says: "noon"},
	{sql: "INSERT INTO g$f VALUES ('a', 'b', 1, 'elevenbytes')", number: 1406, says: "V"},
	{sql: "INSERT INTO g$f VALUES (?, 'b', 1, 'c')", args: []any{strings.Repeat("k", 1025)}, number: 1406, says: "K"},
	{sql: "UPDATE g$f SET V = 'elevenbytes'", number: 1406},
	{sql: "INSERT INTO r VALUES ('zzz', 'b', 1, 'c')", number: 1526},
	{sql: "INSERT INTO pre (K, Q, T, V, P) VALUES ('a', 'b', 1, 'c', 'a')", number: 3105, says: "P"},
	{sql: "SELECT K FROM g$f GROUP BY Q", number: 1055},
	{sql: "SELECT ROW_NUMBER() FROM g$f", number: 1064, says: "OVER"},
	{sql: "SELECT ABS(T) OVER () FROM g$f", number: 1064},
	{sql: "SELECT SUM(DISTINCT T) OVER () FROM g$f", number: 1235, says: "DISTINCT"},
	{sql: "SELECT GROUP_CONCAT(K) OVER () FROM g$f", number: 1235, says: "group_concat"},
	{sql: "SELECT SUM(T) OVER (ORDER BY T GROUPS 1 PRECEDING) FROM g$f", number: 1235, says: "GROUPS"},
	{sql: "SELECT SUM(T) OVER (ROWS 1 PRECEDING EXCLUDE CURRENT ROW) FROM g$f", number: 1235, says: "EXCLUDE"},
	{sql: "SELECT NTH_VALUE(T, 1) FROM LAST OVER () FROM g$f", number: 1235, says: "FROM LAST"},
	{sql: "SELECT NTILE(0) OVER () FROM g$f", number: 1210, says: "ntile"},
	{sql: "SELECT NTILE(T) OVER () FROM g$f", number: 1210, says: "ntile"},
	{sql: "SELECT NTILE(?) OVER () FROM g$f", args: []any{"x"}, number: 1210, says: "ntile"},
	{sql: "SELECT LAG(T, -1) OVER () FROM g$f", number: 1210, says: "lag"},
	{sql: "SELECT NTH_VALUE(T, 0) OVER () FROM g$f", number: 1210, says: "nth_value"},
	{sql: "SELECT RANK() OVER w FROM g$f", number: 3579, says: "'w'"},
	{sql: "SELECT RANK() OVER w FROM g$f WINDOW w AS (x ORDER BY K), x AS (w)", number: 3580},
	{sql: "SELECT 1 FROM g$f WINDOW w AS (w)", number: 3580},
	{sql: "SELECT RANK() OVER (w PARTITION BY Q) FROM g$f WINDOW w AS (PARTITION BY K)", number: 3581},
	{sql: "SELECT SUM(T) OVER (w) FROM g$f WINDOW w AS (ROWS 1 PRECEDING)", number: 3582, says: "'w'"},
	{sql: "SELECT RANK() OVER (w ORDER BY T) FROM g$f WINDOW w AS (ORDER BY K)", number: 3583, says: "<unnamed window>"},
	{sql: "SELECT SUM(T) OVER (ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM g$f", number: 3584},
	{sql: "SELECT SUM(T) OVER (ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM g$f", number: 3585},
	{sql: "SELECT SUM(T) OVER (ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM g$f", number: 3586},
	{sql: "SELECT SUM(T) OVER (ROWS 1.5 PRECEDING) FROM g$f", number: 3586},
	{sql: "SELECT SUM(T) OVER (ROWS ? PRECEDING) FROM g$f", args: []any{-1}, number: 3586},
	{sql: "SELECT SUM(T) OVER (ORDER BY K RANGE 1 PRECEDING) FROM g$f", number: 3587},
	{sql: "SELECT SUM(T) OVER (ORDER BY T, K RANGE 1 PRECEDING) FROM g$f", number: 3587},
	{sql: "SELECT SUM(T) OVER (ORDER BY FROM_UNIXTIME(T) RANGE 1 PRECEDING) FROM g$f", number: 3588},
	{sql: "SELECT SUM(T) OVER (ORDER BY T RANGE INTERVAL 1 DAY PRECEDING) FROM g$f", number: 3589},
	{sql: "SELECT SUM(T) OVER (ORDER BY FROM_UNIXTIME(T) RANGE INTERVAL T DAY PRECEDING) FROM g$f", number: 3590},
	{sql: "SELECT 1 FROM g$f WINDOW w AS (), W AS ()", number: 3591, says: "'W'"},
	{sql: "SELECT RANK() OVER (ORDER BY 1) FROM g$f", number: 3592},
	{sql: "SELECT K FROM g$f WHERE RANK() OVER () > 1", number: 3593, says: "'rank'"},
	{sql: "SELECT K FROM g$f GROUP BY SUM(T) OVER ()", number: 3593, says: "'sum'"},
	{sql: "SELECT COUNT(*) FROM g$f HAVING RANK() OVER () > 1", number: 3593},
	{sql: "SELECT SUM(RANK() OVER ()) FROM g$f", number: 3593},
	{sql: "SELECT SUM(RANK() OVER ()) OVER () FROM g$f", number: 3593},
	{sql: "SELECT K FROM g$f UNION SELECT K FROM g$f ORDER BY RANK() OVER ()", number: 3593},
	{sql: "UPDATE g$f SET V = RANK() OVER ()", number: 3593},
	{sql: "DELETE FROM g$f ORDER BY RANK() OVER () LIMIT 1", number: 3593},
	{sql: "SELECT RANK() OVER () AS r FROM g$f HAVING r > 1", number: 3594, says: "'r'"},
	{sql: "SELECT RANK() OVER () AS r FROM g$f GROUP BY r", number: 3594, says: "'r'"},
	{sql: "SELECT RANK() OVER (ORDER BY RANK() OVER ()) FROM g$f", number: 3595, says: "<unnamed window>"},
	{sql: "SELECT SUM(T) OVER (ORDER BY T ROWS INTERVAL 1 DAY PRECEDING) FROM g$f", number: 3596},
	{sql: "SELECT T + 1 AS x, RANK() OVER (ORDER BY x) FROM g$f", number: 1054, says: "window order by"},
	{sql: "SELECT COUNT(*) FROM g$f WHERE COUNT(*) > 1", number: 1111},
	{sql: "SELECT NO_SUCH_FUNCTION(K) FROM g$f", number: 1305},
	{sql: "SELECT LENGTH() FROM g$f", number: 1582},
	{sql: "SELECT 9223372036854775807 + 1", number: 1690},
	{sql: "CREATE TABLE t1 (K varbinary(10), Q varbinary(10), T bigint, PRIMARY KEY (K, Q, T))", number: 1235},
	{sql: "CREATE TABLE t1 (id bigint AUTO_INCREMENT PRIMARY KEY, name varchar(255))", number: 1235},
	{sql: "CREATE TABLE t1 " + fourColumns + " PARTITION BY KEY(K) PARTITIONS 0", number: 1504},
	{sql: "CREATE TABLE t1 " + fourColumns + " PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN ('b'), PARTITION c VALUES LESS THAN ('a'))", number: 1493},
	{sql: "CREATE TABLE t1 " + fourColumns + " PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN ('b'), PARTITION a VALUES LESS THAN ('c'))", number: 1517},
	{sql: "DROP TABLEGROUP nothing", number: 5151},
}

func openBad(t *testing.T) *sql.DB {
	db, err := sql.Open("hbasekv", ":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	for _, s := range []string{
		"CREATE TABLE g$f " + fourColumns,
		"INSERT INTO g$f VALUES ('k', 'q', 1, 'v'), ('end', 'q', 9223372036854775807, 'v')",
		"CREATE TABLE r " + fourColumns + " PARTITION BY RANGE COLUMNS(K) (PARTITION p VALUES LESS THAN ('m'))",
		"CREATE TABLE pre " + badPrefixed,
	} {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
	return db
}

// TestBadInput holds that bad input gives MySQL's number and a sentence, and
// changes nothing, outside a transaction and inside one.
func TestBadInput(t *testing.T) {
	db := openBad(t)
	before := snapshot(t, db)
	for _, bad := range badInputs {
		_, err := db.Exec(bad.sql, bad.args...)
		checkBad(t, bad, err)
		tx, err := db.Begin()
		require.NoError(t, err)
		_, err = tx.Exec(bad.sql, bad.args...)
		checkBad(t, bad, err)
		require.NoError(t, tx.Commit(), bad.sql)
	}
	require.Equal(t, before, snapshot(t, db))
}

func checkBad(t *testing.T, bad badInput, err error) {
	t.Helper()
	e, ok := err.(*mysql.MySQLError)
	if !ok {
		t.Errorf("%s: %v (%T), want error %d", bad.sql, err, err, bad.number)
		return
	}
	if e.Number != bad.number || !strings.Contains(e.Message, bad.says) || e.SQLState == [5]byte{} || len(e.Message) < 10 {
		t.Errorf("%s: %v, want error %d naming %q", bad.sql, e, bad.number, bad.says)
	}
}

func snapshot(t *testing.T, db *sql.DB) []string {
	var out []string
	for _, q := range []string{"SELECT TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1",
		"SELECT K, CONCAT(Q, '/', T, '/', V) FROM g$f FOR SYSTEM_TIME ALL", "SELECT K, V FROM r", "SELECT K, V FROM pre"} {
		rows, err := db.Query(q)
		require.NoError(t, err, q)
		for rows.Next() {
			var a, b string
			require.NoError(t, rows.Scan(&a, &b))
			out = append(out, a+" "+b)
		}
		require.NoError(t, rows.Err())
	}
	return out
}

// TestBadDSN holds that an error names the part of the DSN that is wrong.
func TestBadDSN(t *testing.T) {
	for dsn, says := range map[string]string{
		":memory:?versions=":               "versions",
		"file:x?versions=-1":               "versions",
		"file:x?nonsense=1":                "nonsense",
		"file:x?sync=perhaps":              "sync",
		"file:x?cache=large":               "cache",
		"file:x?lockTimeout=5":             "lockTimeout",
		"file:x?readOnly=2":                "readOnly",
		"/proc/self/status/impossible/dir": "/proc/self/status",
		"errors_test.go":                   "errors_test.go",
		"":                                 "",
	} {
		db, err := sql.Open("hbasekv", dsn)
		if err == nil {
			err = db.Ping()
			db.Close()
		}
		require.Error(t, err, dsn)
		require.Contains(t, err.Error(), says, dsn)
	}
}

// TestCancelStopsAScan holds that a cancelled query ends at once with the
// context's own error, and that the next one is not hit by it.
func TestCancelStopsAScan(t *testing.T) {
	db := openBad(t)
	_, err := db.Exec("CREATE TABLE big (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(10), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	for i := range 20 {
		values := make([]string, 0, 1000)
		for j := range 1000 {
			values = append(values, "("+lit(string([]byte{byte(i), byte(j >> 8), byte(j)}))+", 'q', 1, 'v')")
		}
		_, err := db.Exec("REPLACE INTO big (K, Q, T, V) VALUES " + strings.Join(values, ", "))
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	// A condition that is slow on each row, so that the scan is under way.
	_, err = db.ExecContext(ctx, "SELECT COUNT(*) FROM big WHERE SHA2(REPEAT(K, 2000), 512) = V")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var n int
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM big").Scan(&n))
	require.Equal(t, 20_000, n)
}

// TestPlaceholderCount holds that as many arguments are needed as a statement has
// placeholders, prepared or not, and that nothing is done otherwise.
func TestPlaceholderCount(t *testing.T) {
	db := openBad(t)
	before := snapshot(t, db)
	for _, s := range []string{
		"INSERT INTO g$f VALUES (?, ?, ?, ?)", "UPDATE g$f SET V = ? WHERE K = ? LIMIT ?", "DELETE FROM g$f WHERE K IN (?, ?)",
		"SELECT K FROM g$f WHERE K = ? LIMIT ?", "WITH x AS (SELECT ? AS n) SELECT n FROM x WHERE n = ?",
		"SELECT /*+ TIMERANGE(?, ?) */ K FROM g$f", "CREATE TABLE t1 " + fourColumns + " COMMENT '?'",
	} {
		placeholders := strings.Count(strings.ReplaceAll(s, "'?'", ""), "?")
		for given := range placeholders + 2 {
			if given == placeholders {
				continue
			}
			args := slices.Repeat([]any{"1"}, given)
			_, err := db.Exec(s, args...)
			require.Error(t, err, "%s with %d arguments", s, given)
			_, err = db.Query(s, args...)
			require.Error(t, err, "%s with %d arguments", s, given)
			prepared, err := db.Prepare(s)
			require.NoError(t, err, s)
			_, err = prepared.Exec(args...)
			require.Error(t, err, "%s with %d arguments", s, given)
			require.NoError(t, prepared.Close())
		}
	}
	require.Equal(t, before, snapshot(t, db))
}
