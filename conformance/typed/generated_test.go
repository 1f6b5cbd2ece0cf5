package typed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestGenerated tests virtual and stored columns in each statement that writes or reads
// rows.
func TestGenerated(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, first varchar(20) NOT NULL, last varchar(20), "+
		"name varchar(41) GENERATED ALWAYS AS (concat(first, ' ', last)) VIRTUAL COMMENT 'both', n int, "+
		"twice bigint AS (n * 2) STORED, more bigint AS (twice + length(name)))",
		"INSERT INTO t (id, first, last, n) VALUES (1, 'Ann', 'Lee', 5), (2, 'Bob', NULL, NULL)",
		"INSERT INTO t VALUES (3, 'Eve', 'Ray', DEFAULT, 7, DEFAULT, DEFAULT)")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{"1 Ann Lee Ann Lee 5 10 17", "2 Bob NULL NULL NULL NULL NULL", "3 Eve Ray Eve Ray 7 14 21"},
		lines("SELECT * FROM t ORDER BY id"))
	require.Equal(t, []string{"3"}, lines("SELECT id FROM t WHERE name = 'Eve Ray' AND more > 20"))
	require.Equal(t, []string{"Ann Lee 1", "Eve Ray 1"},
		lines("SELECT name, COUNT(*) FROM t WHERE name IS NOT NULL GROUP BY name ORDER BY name"))
	require.Equal(t, []string{"twice 2"}, lines("SELECT Q, COUNT(*) FROM t$d WHERE Q IN ('twice', 'name', 'more') GROUP BY Q"))

	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE t SET n = 1, name = DEFAULT WHERE name = 'Ann Lee'"))
	require.EqualValues(t, 2, harness.Affected(t, db, "INSERT INTO t (id, first, n) VALUES (1, 'x', 0) ON DUPLICATE KEY "+
		"UPDATE last = concat(name, '!', VALUES(more) IS NULL), n = more"))
	require.Equal(t, []string{"1 Ann Ann Lee!1 Ann Ann Lee!1 9 18 31"}, lines("SELECT * FROM t WHERE id = 1"))
	require.EqualValues(t, 2, harness.Affected(t, db, "REPLACE INTO t (id, first, n) VALUES (1, 'Z', 4)"))
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE t JOIN (SELECT 3 AS k) o ON o.k = t.id SET n = more, twice = DEFAULT"))
	require.Equal(t, []string{"1 NULL 8 NULL", "3 Eve Ray 42 49"}, lines("SELECT id, name, twice, more FROM t WHERE n > 0 ORDER BY id"))
	harness.Must(t, db, "UPDATE t SET id = id + 10", "DELETE FROM t WHERE more > 45")
	harness.Must(t, db, "CREATE TABLE q (id int PRIMARY KEY, a int AS (q.id + 1), b int DEFAULT (q.id), CHECK (q.b > 0))",
		"RENAME TABLE q TO z", "INSERT INTO z (id) VALUES (1)")
	require.Equal(t, []string{"1 2 1"}, lines("SELECT * FROM z"))
	require.Equal(t, []string{"11 8", "12 NULL"}, lines("SELECT id, twice FROM t"))
	harness.Must(t, db, "UPDATE t SET n = NULL WHERE id = 11")
	require.Equal(t, []string{"11 NULL"}, lines("SELECT id, twice FROM t WHERE id = 11"), "what is computed anew as NULL loses its cell")
	harness.Must(t, db, "UPDATE t SET n = 4 WHERE id = 11")

	require.Equal(t, []string{"name concat(first, ' ', last) VIRTUAL GENERATED", "twice n * 2 STORED GENERATED",
		"more twice + length(name) VIRTUAL GENERATED"},
		lines("SELECT COLUMN_NAME, GENERATION_EXPRESSION, EXTRA FROM information_schema.COLUMNS "+
			"WHERE TABLE_NAME = 't' AND EXTRA <> '' ORDER BY ORDINAL_POSITION"))
	made := lines("SHOW CREATE TABLE t")[0]
	harness.Must(t, db, "DROP TABLE t", made[len("t "):])
	require.Equal(t, made, lines("SHOW CREATE TABLE t")[0])
}

// TestGeneratedRefused tests expressions that generated columns and defaults may not have.
func TestGeneratedRefused(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int, v int AS (a + 1), s tinyint AS (a * 2) STORED NOT NULL)",
		"INSERT INTO t (id, a) VALUES (1, 1)")
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"INSERT INTO t VALUES (2, 1, 2, DEFAULT)":                                   3105,
		"INSERT INTO t (id, s) VALUES (2, NULL)":                                    3105,
		"INSERT INTO t (id, v) SELECT 3, 4":                                         3105,
		"REPLACE INTO t SELECT 3, 4, 5, 6":                                          3105,
		"UPDATE t SET v = 1":                                                        3105,
		"INSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE s = 3":               3105,
		"UPDATE t JOIN (SELECT 1 AS k) o ON k = id SET v = 3":                       3105,
		"INSERT INTO t (id, a) VALUES (2, 64)":                                      1264,
		"UPDATE t SET a = 100":                                                      1264,
		"INSERT INTO t (id) VALUES (2)":                                             1048,
		"CREATE TABLE u (id int PRIMARY KEY, a int AS (b), b int AS (id))":          3107,
		"CREATE TABLE u (id int PRIMARY KEY, a int AS (a))":                         3107,
		"CREATE TABLE u (id int PRIMARY KEY, a int AS (nothing))":                   1054,
		"CREATE TABLE u (id int PRIMARY KEY, a int AS (RAND()))":                    3763,
		"CREATE TABLE u (id int PRIMARY KEY, a datetime AS (NOW()))":                3763,
		"CREATE TABLE u (id int PRIMARY KEY, a int AS (@x))":                        3765,
		"CREATE TABLE u (id int PRIMARY KEY, a int AS ((SELECT 1)))":                3102,
		"CREATE TABLE u (id int PRIMARY KEY, a int AS (SUM(id)))":                   1111,
		"CREATE TABLE u (id int AUTO_INCREMENT PRIMARY KEY, a int AS (id))":         3109,
		"CREATE TABLE u (id int AS (1) PRIMARY KEY)":                                3106,
		"CREATE TABLE u (id int PRIMARY KEY, a int AS (id) DEFAULT 3)":              1221,
		"CREATE TABLE u (id int PRIMARY KEY, a int DEFAULT (b), b int DEFAULT (1))": 3767,
		"CREATE TABLE u (id int AUTO_INCREMENT PRIMARY KEY, a int DEFAULT (id))":    3768,
		"CREATE TABLE u (id int PRIMARY KEY, a int DEFAULT ((SELECT 1)))":           3769,
		"CREATE TABLE u (id int PRIMARY KEY, a int DEFAULT (@x))":                   3772,
		"ALTER TABLE t DROP a":                                                      3108,
		"ALTER TABLE t RENAME COLUMN a TO b":                                        3108,
		"ALTER TABLE t MODIFY v int AS (a + 1) STORED":                              3106,
		"ALTER TABLE t MODIFY v int":                                                3106,
		"ALTER TABLE t ADD x int DEFAULT (RAND())":                                  1235,
		"ALTER TABLE t ADD x int AS (v) FIRST, ADD y int DEFAULT (x + 1) FIRST":     3767,
		"ALTER TABLE t ADD x int AS (a * 50), ADD CHECK (x < 50)":                   3819,
	})
	require.Equal(t, []string{"1 1 2 2"}, harness.Lines(t, db, "SELECT * FROM t"))
}

// TestAlterGenerated adds, changes and drops generated columns of a table with rows.
func TestAlterGenerated(t *testing.T) {
	db := open(t, small, "INSERT INTO t VALUES (1, 10, 'x'), (2, NULL, 'y')",
		"ALTER TABLE t ADD v varchar(20) AS (concat(b, a)) AFTER id, ADD w int AS (length(v)) NOT NULL",
		"CREATE TABLE u LIKE t")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{"1 x10 10 x 3", "2 NULL NULL y NULL"}, lines("SELECT * FROM t ORDER BY id"))
	harness.Must(t, db, "ALTER TABLE t MODIFY v varchar(2) AS (concat(b, '-', a)), RENAME COLUMN w TO z",
		"ALTER TABLE u ADD s int AS (a + 1) STORED AFTER b, MODIFY COLUMN w int AS (s)", "INSERT INTO u (id, a) VALUES (1, 2)",
		"ALTER TABLE u MODIFY s int")
	require.Equal(t, []string{"1 x- 2"}, lines("SELECT id, v, z FROM t WHERE a = 10"))
	require.Equal(t, []string{"1 3 3"}, lines("SELECT id, s, w FROM u"))
	_, err := db.Exec("INSERT INTO t (id, a, b) VALUES (3, 1, 'abc')")
	harness.RequireErrorNumber(t, 1406, err)
	harness.Must(t, db, "ALTER TABLE t DROP z, DROP v, DROP a", "UPDATE u SET s = 9")
	require.Equal(t, []string{"9 9"}, lines("SELECT s, w FROM u"))
}

// TestDefaultExpressions tests defaults that are computed for each row.
func TestDefaultExpressions(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT (b + 1), b int DEFAULT 3, "+
		"c varchar(36) DEFAULT (uuid()), d date DEFAULT (CURRENT_DATE + INTERVAL 1 DAY), e json DEFAULT (json_array(1, 'x')), "+
		"f text DEFAULT ('none'), g int AS (a * 10))",
		"INSERT INTO t (id) VALUES (1), (2)", "INSERT INTO t (id, b, e) VALUES (3, NULL, DEFAULT), (4, 7, NULL)")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{`1 4 3 [1, "x"] none 40`, `2 4 3 [1, "x"] none 40`, `3 NULL NULL [1, "x"] none NULL`,
		`4 8 7 NULL none 80`}, lines("SELECT id, a, b, e, f, g FROM t ORDER BY id"))
	require.Equal(t, []string{"4 36 4"}, lines("SELECT COUNT(DISTINCT c), MIN(length(c)), SUM(d = CURRENT_DATE + INTERVAL 1 DAY) FROM t"))
	harness.Must(t, db, "UPDATE t SET b = 20, a = DEFAULT WHERE id = 4",
		"INSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE a = DEFAULT, b = 30",
		"UPDATE t JOIN (SELECT 2 AS k) o ON k = id SET b = 6, a = DEFAULT")
	require.Equal(t, []string{"1 4 30", "2 7 6", "4 21 20"}, lines("SELECT id, a, b FROM t WHERE a > 0 ORDER BY id"))
	require.Equal(t, []string{"a b + 1 DEFAULT_GENERATED", "f 'none' DEFAULT_GENERATED"},
		lines("SELECT COLUMN_NAME, COLUMN_DEFAULT, EXTRA FROM information_schema.COLUMNS WHERE TABLE_NAME = 't' AND "+
			"COLUMN_NAME IN ('a', 'f') ORDER BY 1"))
	harness.RequireErrorNumbers(t, db, map[string]uint16{"ALTER TABLE t DROP b": 3766, "ALTER TABLE t RENAME COLUMN b TO z": 3766})
	harness.Must(t, db, "ALTER TABLE t ADD h int NOT NULL DEFAULT (2 * 3), ALTER a SET DEFAULT (id), ALTER b DROP DEFAULT")
	harness.Must(t, db, "INSERT INTO t (id, b) VALUES (9, 1)")
	require.Equal(t, []string{"4 21 6", "9 9 6"}, lines("SELECT id, a, h FROM t WHERE id > 3 ORDER BY id"))
	made := lines("SHOW CREATE TABLE t")[0]
	harness.Must(t, db, "DROP TABLE t", made[len("t "):])
	require.Equal(t, made, lines("SHOW CREATE TABLE t")[0])
}
