package sql

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestVariablesFromRowToRow numbers rows, and adds them up, in the order in which they are
// returned.
func TestVariablesFromRowToRow(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		db.SetMaxOpenConns(1)
		harness.Must(t, db, "INSERT INTO t VALUES ('a', 'q', 1, '30'), ('b', 'q', 1, '9'), ('c', 'q', 1, '50'), ('d', 'r', 1, '7'), ('e', 'r', 1, '70')")
		const start = " FROM t, (SELECT @n := 0, @q := '') start "
		for _, c := range []struct {
			query string
			want  []string
		}{
			{"SELECT @n := @n + 1 AS place, K, V" + start + "ORDER BY V + 0 DESC", []string{"1 e 70", "2 c 50", "3 a 30", "4 b 9", "5 d 7"}},
			{"SELECT @n := @n + 1, K, @n * 10" + start + "ORDER BY V + 0 LIMIT 2 OFFSET 1", []string{"1 b 10", "2 a 20"}},
			{"SELECT @n := @n + 1, K" + start + "ORDER BY K DESC LIMIT 2", []string{"1 e", "2 d"}},
			{"SELECT K, @n := @n + V AS total" + start + "ORDER BY V + 0", []string{"d 7", "b 16", "a 46", "c 96", "e 166"}},
			{"SELECT K, n FROM (SELECT K, @n := IF(@q = Q, @n + 1, 1) AS n, @q := Q" + start + "ORDER BY Q, V + 0 DESC) x WHERE n = 1", []string{"c 1", "e 1"}},
			{"SELECT K, MAX(n) FROM (SELECT K, @n := @n + 1 AS n" + start + "ORDER BY V + 0) x GROUP BY K HAVING K <> 'c' ORDER BY 1", []string{"a 3", "b 2", "d 1", "e 5"}},
			{"SELECT K, (SELECT MAX(b.K) FROM t b WHERE b.K < t.K) AS below, @n := @n + 1" + start + "ORDER BY V + 0 LIMIT 2", []string{"d c 1", "b a 2"}},
			{"SELECT K, @n := @n + (SELECT COUNT(*) FROM t b WHERE b.K < t.K)" + start + "ORDER BY V + 0", []string{"d 3", "b 4", "a 4", "c 6", "e 10"}},
			{"SELECT s, @n := @n + 1 FROM (SELECT Q, SUM(V) AS s FROM t GROUP BY Q) x, (SELECT @n := 0) start ORDER BY s", []string{"77 1", "89 2"}},
		} {
			require.Equal(t, c.want, harness.Lines(t, db, c.query), c.query)
		}
		// ORDER BY the variable itself keeps the order in which the rows come.
		require.Equal(t, []string{"5", "4", "3", "2", "1"}, harness.Lines(t, db, "SELECT @n := @n + 1 AS n"+start+"ORDER BY n DESC"))
	})
}

// TestKindsOfVariables: a variable keeps a date, a time and a JSON document as text, however it
// is set.
func TestKindsOfVariables(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('2024-01-01', 'q', 1, '')")
	for value, want := range map[string]string{
		"DATE '2024-01-01'":               "2024-01-01 2025 2024-01-01x 1",
		"TIMESTAMP '2024-01-01 10:20:30'": "2024-01-01 10:20:30 2025 2024-01-01 10:20:30x 0",
		"TIME '10:20:30.5'":               "10:20:30.5 11 10:20:30.5x 0",
		"CAST('[1, 2]' AS JSON)":          "[1, 2] 1 [1, 2]x 0",
		`JSON_EXTRACT('{"a": 5}', '$.a')`: "5 6 5x 0",
		"0x41":                            "A 1 Ax 0",
		"2.50":                            "2.50 3.50 2.50x 0",
		"TRUE":                            "1 2 1x 0",
	} {
		for _, set := range []string{"SET @d = " + value, "SELECT @d := " + value, "SELECT " + value + " INTO @d"} {
			harness.Must(t, db, "SET @d = NULL")
			harness.Lines(t, db, "SELECT 1")
			_, err := db.Exec(set)
			require.NoError(t, err, set)
			require.Equal(t, []string{want}, harness.Lines(t, db, "SELECT @d, @d + 1, CONCAT(@d, 'x'), (SELECT COUNT(*) FROM t WHERE K = @d)"), set)
		}
	}
	require.Equal(t, "2025", harness.Single(t, db, "SELECT (@e := DATE '2024-01-01') + 1"))
	harness.Must(t, db, "SET @d = DATE '2024-01-01'", "SET @j = CAST('[1]' AS JSON)", "PREPARE s FROM 'SELECT ? + 1, JSON_TYPE(?), ? = ''[1]'''")
	require.Equal(t, []string{"2025 ARRAY 1"}, harness.Lines(t, db, "EXECUTE s USING @d, @j, @j"))
	require.Equal(t, []string{"1 0 2024-01-02"}, harness.Lines(t, db, "SELECT @d < '2024-01-02', @d < '2023', @d + INTERVAL 1 DAY"))
}

// TestLimitOfExecute: EXECUTE refuses a negative LIMIT.
func TestLimitOfExecute(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "PREPARE s FROM 'SELECT 1 LIMIT ?'", "PREPARE o FROM 'SELECT ? LIMIT ? OFFSET ?'",
		"CREATE TABLE t "+harness.PlainTable, "PREPARE d FROM 'DELETE FROM t WHERE K = ? LIMIT ?'", "PREPARE u FROM '(SELECT 1) UNION (SELECT 2 LIMIT ?) LIMIT ?'")
	for value, number := range map[string]uint16{"-1": 1210, "'-1'": 1210, "-1.5": 1210, "-1e0": 1210, "1": 0, "'x'": 0, "NULL": 0, "0": 0,
		"18446744073709551615": 0, "1.4": 0} {
		harness.Must(t, db, "SET @n = -3, @a = "+value, "SET @one = 1, @zero = 0")
		for _, execute := range []string{"s USING @a", "o USING @n, @a, @zero", "o USING @n, @one, @a", "d USING @n, @a", "u USING @a, @one", "u USING @one, @a"} {
			_, err := db.Exec("EXECUTE " + execute)
			require.Equal(t, number, harness.NumberOf(err), "%s with %s: %v", execute, value, err)
		}
	}
}
