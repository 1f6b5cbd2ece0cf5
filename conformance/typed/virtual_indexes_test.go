package typed

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestVirtualIndex looks up rows by values computed from their cells, whatever statement wrote
// these.
func TestVirtualIndex(t *testing.T) {
	db := open(t, "CREATE TABLE people (id int PRIMARY KEY, bio json, n int, "+
		"city varchar(20) COLLATE utf8mb4_general_ci AS (json_unquote(json_extract(bio, '$.city'))) VIRTUAL, twice int AS (n * 2), "+
		"late int AS (twice + 1) VIRTUAL, UNIQUE KEY late (late), KEY (city(4), twice))",
		`INSERT INTO people (id, bio, n) VALUES (1, '{"city": "Oslo"}', 1), (2, '{"city": "oslo"}', 2), (3, '{"city": "Osl"}', NULL), (4, NULL, NULL)`)
	ids := func(where string, want ...string) {
		t.Helper()
		for _, hint := range []string{"", "IGNORE INDEX (city, late)", "FORCE INDEX (city, late)"} {
			got := harness.Lines(t, db, "SELECT id FROM people "+hint+" WHERE "+where+" ORDER BY id")
			require.Equal(t, want, append([]string(nil), got...), where+hint)
		}
	}
	requirePlan(t, db, "SELECT id FROM people WHERE city = 'OSLO'", "index: city")
	requirePlan(t, db, "SELECT id FROM people WHERE late BETWEEN 3 AND 4", "index: late")
	ids("city = 'OSLO'", "1", "2")
	ids("city LIKE 'os%' AND n = 2", "2")
	ids("city IS NULL", "4")
	ids("late = 5", "2")
	ids("late < 4", "1")
	for statement, text := range map[string]string{
		"INSERT INTO people (id, n) VALUES (5, 2)": "Duplicate entry '5' for key 'late'",
		"UPDATE people SET n = 1 WHERE id = 2":     "Duplicate entry '3' for key 'late'",
		"UPDATE people$d SET V = (SELECT V FROM (SELECT V FROM people$d WHERE K = (SELECT MIN(K) FROM people$d) AND Q = 'n') x) WHERE Q = 'n'": "late",
	} {
		_, err := db.Exec(statement)
		require.EqualValues(t, 1062, harness.ErrorNumber(err), "%s: %v", statement, err)
		require.Contains(t, err.Error(), text)
	}
	harness.Must(t, db, "INSERT INTO people (id, n) VALUES (6, 2) ON DUPLICATE KEY UPDATE n = 7", `UPDATE people SET bio = '{"city": "Rome"}' WHERE id = 1`,
		"REPLACE INTO people (id, n) VALUES (7, 7)", "UPDATE people$d SET V = CONCAT('{\"city\": \"Bergen', SUBSTR(V, -2)) WHERE Q = 'bio' AND V LIKE '%Osl\"}'")
	ids("late = 15", "7")
	ids("city = 'oslo'")
	ids("city = 'rome'", "1")
	ids("city = 'bergen'", "3")
	requireSoundTable(t, db, "people")
}

// TestVirtualIndexAltered: the entries of an index follow changes of its columns' expressions.
func TestVirtualIndexAltered(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a varchar(10), b varchar(10) AS (upper(a)))", "INSERT INTO t (id, a) VALUES (1, 'x'), (2, 'yy')")
	ids := func(where string, want ...string) {
		t.Helper()
		require.Equal(t, want, harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (b) WHERE "+where+" ORDER BY id"), where)
		requireSoundTable(t, db, "t")
	}
	harness.Must(t, db, "CREATE INDEX b ON t (b)")
	ids("b = 'X'", "1")
	harness.Must(t, db, "ALTER TABLE t MODIFY b varchar(10) AS (concat(a, '!'))")
	ids("b = 'yy!'", "2")
	harness.Must(t, db, "ALTER TABLE t MODIFY a varchar(20), ADD c int AS (length(b)), ADD KEY (c)")
	ids("b = 'x!'", "1")
	require.Equal(t, []string{"2"}, harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (c) WHERE c = 3"))
	harness.Must(t, db, "ALTER TABLE t DROP c, ADD e varchar(10) AS (a)")
	_, err := db.Exec("ALTER TABLE t ADD UNIQUE ((a))")
	require.EqualValues(t, 1235, harness.ErrorNumber(err), "%v", err)
	harness.Must(t, db, "INSERT INTO t (id, a) VALUES (3, 'x')")
	_, err = db.Exec("ALTER TABLE t ADD UNIQUE (e)")
	require.EqualValues(t, 1062, harness.ErrorNumber(err), "%v", err)
	made := harness.Lines(t, db, "SHOW CREATE TABLE t")[0]
	require.NotContains(t, made, "UNIQUE")
	harness.Must(t, db, "DROP TABLE t", strings.TrimPrefix(made, "t "))
}

// TestVirtualIndexRefused: virtual columns whose values depend on the session cannot be indexed.
func TestVirtualIndexRefused(t *testing.T) {
	const columns = "CREATE TABLE t (id int PRIMARY KEY, at timestamp NULL, d datetime, day date AS (at), next int AS (to_days(day)), hour int AS (hour(d))"
	refused := func(db *sql.DB, statement string) {
		t.Helper()
		_, err := db.Exec(statement)
		require.EqualValues(t, 1235, harness.ErrorNumber(err), "%s: %v", statement, err)
		require.Contains(t, err.Error(), "reads the TIMESTAMP or TIME 'at'")
	}
	db := open(t)
	refused(db, columns+", KEY (day))")
	refused(db, columns+", KEY (next))")
	harness.Must(t, db, columns+", KEY (hour), KEY (d))")
	refused(db, "CREATE INDEX x ON t (day)")
	refused(db, "ALTER TABLE t ADD x date AS (date(at)), ADD INDEX (x)")
	harness.Must(t, db, "INSERT INTO t (id, d) VALUES (1, '2024-01-01 10:00:00')")
	require.Equal(t, []string{"1"}, harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (hour) WHERE hour = 10"))
}
