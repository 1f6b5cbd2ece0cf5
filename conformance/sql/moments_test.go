package sql

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// moments are expressions for FOR SYSTEM_TIME, with the time zone '+02:00' and @n, @d and @s
// set, and the milliseconds that they denote.
var moments = map[string]float64{
	"1704067200000":                          1704067200000,
	"-5":                                     -5,
	"- -5":                                   5,
	"1704067200000.5":                        1704067200000.5,
	"17040672e5":                             1704067200000,
	"1704067200000 + 10 * 2":                 1704067200020,
	"(5)":                                    5,
	"'1704067200000'":                        1704067200000,
	"' 17.25 '":                              17.25,
	"0x10":                                   16,
	"b'101'":                                 5,
	"@n":                                     1704067200000,
	"@n - 1000":                              1704067199000,
	"TIMESTAMP @n":                           1704067200000,
	"TIMESTAMP '2024-01-01 02:00:00'":        1704067200000,
	"{ts '2024-01-01 02:00:00'}":             1704067200000,
	"TIMESTAMP '2024-01-01 02:00:00.123456'": 1704067200123.456,
	"'2024-01-01 02:00:00.25'":               1704067200250,
	"'2024-01-01'":                           1704060000000,
	"DATE '2024-01-01'":                      1704060000000,
	"@d":                                     1704067200000,
	"@s":                                     1704067200000,
	"TIMESTAMP '2024-01-02 02:00:00' - INTERVAL 1 DAY": 1704067200000,
	"TIMESTAMP(DATE '2024-01-01', '02:00:00')":         1704067200000,
	"DATE_ADD('2023-12-31 02:00:00', INTERVAL 1 DAY)":  1704067200000,
	"FROM_UNIXTIME(1704067200)":                        1704067200000,
	"UNIX_TIMESTAMP('2024-01-01 02:00:00') * 1000":     1704067200000,
	"'1969-12-31 23:00:00'":                            -3 * 3600 * 1000,
	"IF(1 = 1, 7, 8)":                                  7,
	"CAST('9' AS UNSIGNED)":                            9,
	"18446744073709551615":                             18446744073709551615,
	"-1e25":                                            -1e25,
}

// setMoments sets the variables that the moments use.
func setMoments(t *testing.T, conn harness.Execer) {
	harness.Must(t, conn, "SET time_zone = '+02:00'", "SET @n = 1704067200000", "SET @d = TIMESTAMP '2024-01-01 02:00:00'", "SET @s = '2024-01-01 02:00:00'")
}

// TestSystemTimeOfExpressions compares each form of FOR SYSTEM_TIME with expressions to a WHERE
// over all versions, whose T lie around the moments.
func TestSystemTimeOfExpressions(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		conn, err := db.Conn(context.Background())
		require.NoError(t, err)
		defer conn.Close()
		setMoments(t, conn)
		for _, ms := range moments {
			for _, by := range []int64{-1, 0, 1} {
				if ms > -1e20 && ms < 1e19 {
					harness.Affected(t, conn, "REPLACE INTO t VALUES ('a', 'q', ?, 'v'), ('b', 'q', ?, 'v')", int64(ms)+by, int64(ms)-5+by)
				}
			}
		}
		var texts []string
		for text := range moments {
			texts = append(texts, text)
		}
		for i, a := range texts {
			exact := fmt.Sprintf("%f", moments[a])
			require.Equal(t, harness.Lines(t, conn, "SELECT K, MAX(T) FROM t FOR SYSTEM_TIME ALL WHERE T <= "+exact+" GROUP BY K ORDER BY K"),
				harness.Lines(t, conn, "SELECT K, T FROM t FOR SYSTEM_TIME AS OF "+a+" ORDER BY K"), a)
			b := texts[(i+1)%len(texts)]
			bounds := exact + " AND T %s " + fmt.Sprintf("%f", moments[b]) + " ORDER BY K, T"
			const all = "SELECT K, T FROM t FOR SYSTEM_TIME ALL WHERE T >= "
			require.Equal(t, harness.Lines(t, conn, all+fmt.Sprintf(bounds, "<")),
				harness.Lines(t, conn, "SELECT K, T FROM t FOR SYSTEM_TIME FROM "+a+" TO "+b+" ORDER BY K, T"), "%s to %s", a, b)
			require.Equal(t, harness.Lines(t, conn, all+fmt.Sprintf(bounds, "<=")),
				harness.Lines(t, conn, "SELECT K, T FROM t FOR SYSTEM_TIME BETWEEN "+a+" AND "+b+" ORDER BY K, T"), "%s and %s", a, b)
		}
	})
}

// TestSystemTimeWhereItStands: such a moment is accepted at each place where a table may
// stand, and has one value per statement.
func TestSystemTimeWhereItStands(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	setMoments(t, conn)
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	harness.Must(t, conn, "CREATE TABLE t "+harness.PlainTable, "CREATE TABLE u "+harness.PlainTable,
		"INSERT INTO t VALUES ('a', 'q', 1704067200000, 'old'), ('a', 'q', 1704067300000, 'new'), ('b', 'q', 1704067200000, 'b')",
		"CREATE VIEW v AS SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01 02:00:00' + INTERVAL 1 SECOND",
		"CREATE VIEW open AS SELECT * FROM t")
	const of = " FOR SYSTEM_TIME AS OF @d + INTERVAL 1 SECOND"
	for query, want := range map[string]string{
		"SELECT V FROM t" + of + " WHERE K = 'a'":                                                                           "old",
		"SELECT V FROM t" + of + " AS x WHERE x.K = 'a'":                                                                    "old",
		"SELECT CONCAT(t.V, x.V) FROM t JOIN t" + of + " AS x USING (K, Q) WHERE K = 'a'":                                   "newold",
		"SELECT CONCAT(t.V, IFNULL(x.V, 'none')) FROM t LEFT JOIN t" + of + " x ON t.K = x.K AND x.T > t.T WHERE t.K = 'b'": "bnone",
		"SELECT (SELECT V FROM t" + of + " WHERE K = o.K) FROM t o WHERE K = 'a'":                                           "old",
		"SELECT COUNT(*) FROM t WHERE V IN (SELECT V FROM t" + of + ")":                                                     "1",
		"SELECT V FROM (SELECT * FROM t" + of + ") d WHERE K = 'a'":                                                         "old",
		"WITH c AS (SELECT * FROM t" + of + ") SELECT CONCAT(c.V, e.V) FROM c JOIN c e USING (K) WHERE K = 'a'":             "oldold",
		"SELECT V FROM v WHERE K = 'a'":                                                                                     "old",
		"SELECT V FROM open" + of + " WHERE K = 'a'":                                                                        "old",
		"SELECT COUNT(*) FROM open FOR SYSTEM_TIME FROM @d TO @d + INTERVAL 1 SECOND":                                       "2",
		"SELECT COUNT(*) FROM t FOR SYSTEM_TIME AS OF NOW() + INTERVAL 1 YEAR":                                              "2",
		"SELECT V FROM t FOR SYSTEM_TIME BETWEEN @n AND @n + 5 WHERE K = 'a' UNION SELECT 'x' FROM t" + of + " WHERE FALSE": "old",
	} {
		require.Equal(t, want, harness.Single(t, conn, query), query)
	}
	for _, arg := range []any{at, at.UnixMilli(), float64(at.UnixMilli()), "2024-01-01 00:00:00", "1704067200000", []byte("1704067200000"), uint64(at.UnixMilli())} {
		harness.Must(t, conn, "SET time_zone = '+00:00'")
		for range 3 { // as a new statement, and with a cached plan
			require.Equal(t, "old", harness.Single(t, conn, "SELECT V FROM t FOR SYSTEM_TIME AS OF ? WHERE K = 'a'", arg), "%T", arg)
			require.Equal(t, "2", harness.Single(t, conn, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME BETWEEN ? AND ?", arg, 1704067200001), "%T", arg)
		}
		require.EqualValues(t, 1, harness.Affected(t, conn, "UPDATE t SET V = (SELECT x.V FROM (SELECT * FROM t FOR SYSTEM_TIME AS OF ?) x WHERE x.K = 'a') WHERE K = 'b' AND Q = 'q'", arg))
		require.Equal(t, "old", harness.Single(t, conn, "SELECT V FROM t WHERE K = 'b'"))
		harness.Must(t, conn, "UPDATE t SET V = 'b' WHERE K = 'b'")
		require.EqualValues(t, 2,
			harness.Affected(t, conn, "INSERT INTO u SELECT * FROM t FOR SYSTEM_TIME AS OF ?", arg))
		require.EqualValues(t, 1, harness.Affected(t, conn, "DELETE u FROM u JOIN t FOR SYSTEM_TIME AS OF ? AS x USING (K, Q) WHERE x.V = 'old'", arg))
		harness.Must(t, conn, "TRUNCATE TABLE u")
	}
	require.Equal(t, "old", harness.Single(t, conn, "SELECT V FROM t FOR SYSTEM_TIME AS OF ? + INTERVAL ? SECOND WHERE K = 'a'", "2024-01-01 00:00:00", 1))
	require.Equal(t, "new", harness.Single(t, conn, "SELECT V FROM t FOR SYSTEM_TIME AS OF ? + ? WHERE K = 'a'", 1704067200000, 100000))
}

// TestSystemTimeSharesPlans: statements that differ only in such a literal each get their own
// answer.
func TestSystemTimeSharesPlans(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	for version := range 50 {
		harness.Affected(t, db, "INSERT INTO t VALUES ('a', 'q', ?, ?)", version, version)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n, by := r.IntN(40), r.IntN(9)
		query := fmt.Sprintf("SELECT V FROM t FOR SYSTEM_TIME AS OF %d + %d WHERE K = 'a'", n, by)
		require.Equal(t, fmt.Sprint(n+by), harness.Single(t, db, query), query)
		second := fmt.Sprintf("SELECT MAX(V + 0) FROM t FOR SYSTEM_TIME BETWEEN '1970-01-01' AND TIMESTAMP '1970-01-01 00:00:00.0%02d' WHERE K = 'a'", n)
		conn := harness.Single(t, db, second)
		require.NotEmpty(t, conn)
	}
}

// TestSystemTimeRefused tests invalid moments.
func TestSystemTimeRefused(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('a', 'q', 1, 'v')")
	for moment, number := range map[string]uint16{
		"NULL": 1210, "@nowhere": 1210, "TIME '10:00:00'": 1210, "CAST('{}' AS JSON)": 1210,
		"'noon'": 1525, "'2024-01-01 25:00:00'": 1525, "'2024-01-01x'": 1525, "''": 1525, "'0000-00-00'": 1525,
		"TIMESTAMP '2024-02-30'": 1525, "'abc' + 1": 1292, "1 / 0": 1365, "9223372036854775807 + 1": 1690,
		"K": 1054, "t.T": 1054, "(SELECT 1)": 1235, "RAND()": 1235, "(@a := 5)": 1235, "COUNT(*)": 1111, "TRANSACTION 5": 1235,
		"AND": 1064, "": 1064,
	} {
		_, err := db.Exec("SELECT * FROM t FOR SYSTEM_TIME AS OF " + moment)
		require.Equal(t, number, harness.NumberOf(err), "%s: %v", moment, err)
		if number == 1235 && !strings.HasPrefix(moment, "TRANSACTION") {
			require.ErrorContains(t, err, "SET @t = ")
		}
	}
	for _, arg := range []any{nil, "noon", []byte{0xFF}, time.Time{}} {
		_, err := db.Exec("SELECT * FROM t FOR SYSTEM_TIME FROM 1 TO ?", arg)
		require.Contains(t, []uint16{1210, 1525}, harness.NumberOf(err), "%v: %v", arg, err)
	}
}
