package typed

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

const users = "CREATE TABLE users (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, email varchar(100) COLLATE utf8mb4_general_ci " +
	"UNIQUE, name varchar(50) NOT NULL, bio text, age int, UNIQUE KEY who (name, age), KEY deleted (age) COMMENT 'it''s', " +
	"KEY (bio(10), name(5) DESC) USING BTREE)"

// TestIndexDefinitions: indexes are shown as they were declared.
func TestIndexDefinitions(t *testing.T) {
	db := open(t, users)
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	made := lines("SHOW CREATE TABLE users")[0]
	for _, line := range []string{"UNIQUE KEY `email` (`email`),\n  UNIQUE KEY `who` (`name`,`age`),\n  KEY `deleted` (`age`) COMMENT 'it''s',\n",
		"KEY `bio` (`bio`(10),`name`(5)) USING BTREE\n"} {
		require.Contains(t, made, line)
	}
	require.Equal(t, []string{"users 0 PRIMARY 1 id A 0 NULL NULL  BTREE  ", "users 0 email 1 email A 0 NULL NULL YES BTREE  ",
		"users 0 who 1 name A 0 NULL NULL  BTREE  ", "users 0 who 2 age A 0 NULL NULL YES BTREE  ",
		"users 1 deleted 1 age A 0 NULL NULL YES BTREE  it's",
		"users 1 bio 1 bio A 0 10 NULL YES BTREE  ", "users 1 bio 2 name A 0 5 NULL  BTREE  "}, lines("SHOW INDEX FROM users"))
	require.Equal(t, []string{"id PRI", "email UNI", "name MUL", "bio MUL", "age MUL"},
		lines("SELECT COLUMN_NAME, COLUMN_KEY FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'users' ORDER BY ORDINAL_POSITION"))
	require.Equal(t, []string{"PRIMARY id", "email email", "who name", "who age"},
		lines("SELECT CONSTRAINT_NAME, COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_NAME = 'users'"))
	require.Equal(t, []string{"PRIMARY PRIMARY KEY", "email UNIQUE", "who UNIQUE"},
		lines("SELECT CONSTRAINT_NAME, CONSTRAINT_TYPE FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_NAME = 'users'"))
	harness.Must(t, db, "RENAME TABLE users TO before_it", strings.TrimPrefix(made, "users "), "CREATE TABLE alike LIKE users")
	require.Equal(t, made, lines("SHOW CREATE TABLE users")[0])
	require.Equal(t, strings.ReplaceAll(made, "users", "alike"), lines("SHOW CREATE TABLE alike")[0])
	require.Equal(t, []string{"alike", "before_it", "users"}, lines("SHOW TABLES"), "entries are no tables")
}

// TestIndexNames: an index without a name gets one.
func TestIndexNames(t *testing.T) {
	db := open(t, "CREATE TABLE t (a int UNIQUE, b int, `primary` int, KEY (b), KEY (b, a), KEY (`primary`), KEY b_3 (a), UNIQUE (a, b))")
	require.Equal(t, []string{"a", "a_2", "b", "b_2", "primary_2", "b_3"}, indexNames(t, db))
	harness.Must(t, db, "CREATE INDEX x ON t (a)", "DROP INDEX b ON t", "ALTER TABLE t ADD INDEX (b), DROP KEY b_2, RENAME INDEX x TO y",
		"CREATE UNIQUE INDEX u USING HASH ON t (`primary`, a) COMMENT 'c' ALGORITHM = INPLACE LOCK = NONE")
	require.Equal(t, []string{"a", "a_2", "u", "primary_2", "b_3", "y", "b"}, indexNames(t, db))
	harness.Must(t, db, "ALTER TABLE t RENAME INDEX y TO b, RENAME INDEX b TO y", "ALTER TABLE t DROP CONSTRAINT u")
	require.Equal(t, []string{"a", "a_2", "primary_2", "b_3", "b", "y"}, indexNames(t, db))
	harness.Must(t, db, "ALTER TABLE t DROP a")
	require.Equal(t, []string{"a_2", "primary_2", "y"}, indexNames(t, db))
}

func indexNames(t *testing.T, db *sql.DB) []string {
	return harness.Lines(t, db, "SELECT DISTINCT INDEX_NAME FROM information_schema.STATISTICS WHERE TABLE_NAME = 't' AND INDEX_NAME <> 'PRIMARY'")
}

// TestIndexesRefused tests invalid definitions, which change nothing.
func TestIndexesRefused(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, i int, s varchar(10), e text, j json, w varchar(1000), KEY i (i))",
		"INSERT INTO t (id, i) VALUES (1, 1), (2, 1)")
	made := harness.Lines(t, db, "SHOW CREATE TABLE t")
	for statement, number := range map[string]uint16{
		"CREATE INDEX I ON t (s)":                             1061,
		"ALTER TABLE t ADD KEY x (i), ADD KEY X (s)":          1061,
		"ALTER TABLE t ADD KEY x (nothing)":                   1072,
		"ALTER TABLE t ADD KEY x (i, s, i)":                   1060,
		"ALTER TABLE t ADD KEY x (i(2))":                      1089,
		"ALTER TABLE t ADD KEY x (s(11))":                     1089,
		"ALTER TABLE t ADD KEY x (s(0))":                      1391,
		"ALTER TABLE t ADD KEY x (e)":                         1170,
		"ALTER TABLE t ADD KEY x (j)":                         3152,
		"ALTER TABLE t ADD KEY x (w)":                         1071,
		"ALTER TABLE t ADD KEY `PRIMARY` (i)":                 1280,
		"CREATE INDEX `primary` ON t (i)":                     1280,
		"ALTER TABLE t ADD KEY x ((i + 1))":                   1235,
		"CREATE FULLTEXT INDEX x ON t (s)":                    1235,
		"ALTER TABLE t ADD FULLTEXT (s)":                      1235,
		"ALTER TABLE t ADD FOREIGN KEY (i) REFERENCES t (id)": 1235,
		"DROP INDEX x ON t":                                   1091,
		"ALTER TABLE t DROP INDEX i, DROP INDEX i":            1091,
		"ALTER TABLE t RENAME INDEX x TO y":                   1176,
		"ALTER TABLE t RENAME INDEX i TO `PRIMARY`":           1280,
		"DROP INDEX x ON nothing":                             1146,
		"ALTER TABLE t ADD UNIQUE x (i)":                      1062,
		"ALTER TABLE t ADD y int, ADD UNIQUE (i)":             1062,
	} {
		_, err := db.Exec(statement)
		require.Equal(t, number, harness.ErrorNumber(err), "%s: %v", statement, err)
		require.Equal(t, made, harness.Lines(t, db, "SHOW CREATE TABLE t"), statement)
	}
}

// TestUnique: no statement can create two rows with the same entry.
func TestUnique(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(10) COLLATE utf8mb4_general_ci, UNIQUE KEY u (b, a), UNIQUE KEY one (a))",
		"INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'x'), (3, NULL, 'x'), (4, NULL, 'x')")
	fails := func(statement, message string) {
		t.Helper()
		before := harness.Lines(t, db, "SELECT * FROM t ORDER BY id")
		_, err := db.Exec(statement)
		require.EqualValues(t, 1062, harness.ErrorNumber(err), "%s: %v", statement, err)
		require.Contains(t, err.Error(), message, statement)
		require.Equal(t, before, harness.Lines(t, db, "SELECT * FROM t ORDER BY id"), statement)
	}
	rows := func(want ...string) {
		t.Helper()
		require.Equal(t, want, harness.Lines(t, db, "SELECT * FROM t ORDER BY id"))
	}
	fails("INSERT INTO t VALUES (9, 9, 'x'), (5, 1, 'y')", "Duplicate entry '1' for key 'one'")
	fails("INSERT INTO t VALUES (5, 1, 'X ')", "Duplicate entry 'X -1' for key 'u'")
	fails("INSERT INTO t VALUES (5, 7, 'z'), (6, 7, 'y')", "'7' for key 'one'")
	fails("INSERT INTO t VALUES (1, 2, 'x')", "'1' for key 'PRIMARY'")
	fails("UPDATE t SET a = 2 WHERE id = 1", "'x-2' for key 'u'")
	fails("UPDATE t SET a = a + 1 WHERE a IS NOT NULL ORDER BY id", "'x-2' for key 'u'")
	fails("INSERT INTO t SELECT id + 10, a, 'q' FROM t", "for key 'one'")
	fails("INSERT INTO t VALUES (2, 2, 'x') ON DUPLICATE KEY UPDATE a = 1", "'x-1' for key 'u'")
	require.EqualValues(t, 2, harness.Affected(t, db, "UPDATE t SET a = a + 1 WHERE a IS NOT NULL ORDER BY id DESC"))
	rows("1 2 x", "2 3 x", "3 NULL x", "4 NULL x")
	require.EqualValues(t, 1, harness.Affected(t, db, "INSERT IGNORE INTO t VALUES (5, 2, 'y'), (6, 6, 'X'), (7, 3, 'X'), (8, 6, 'u')"))
	rows("1 2 x", "2 3 x", "3 NULL x", "4 NULL x", "6 6 X")
	require.EqualValues(t, 2, harness.Affected(t, db, "INSERT INTO t VALUES (9, 2, 'y') ON DUPLICATE KEY UPDATE b = VALUES(b), a = 20"))
	rows("1 20 y", "2 3 x", "3 NULL x", "4 NULL x", "6 6 X")
	require.EqualValues(t, 4, harness.Affected(t, db, "REPLACE INTO t VALUES (2, 6, 'y'), (11, NULL, 'r')"),
		"one row in the way by its key, one by its entry")
	rows("1 20 y", "2 6 y", "3 NULL x", "4 NULL x", "11 NULL r")
	require.EqualValues(t, 2, harness.Affected(t, db, "REPLACE INTO t VALUES (12, 6, 'y')"))
	require.EqualValues(t, 0, harness.Affected(t, db, "UPDATE IGNORE t SET a = 20 WHERE id = 12"))
	harness.Must(t, db, "UPDATE t SET id = 13 WHERE id = 12", "DELETE FROM t WHERE id = 13", "INSERT INTO t VALUES (14, 6, 'y')")
	fails("UPDATE t SET id = 15, a = 20 WHERE id = 14", "for key")
	rows("1 20 y", "3 NULL x", "4 NULL x", "11 NULL r", "14 6 y")
	harness.Must(t, db, "TRUNCATE TABLE t", "INSERT INTO t VALUES (14, 6, 'y')")
}

// TestUniqueOrder has a row with values of several others: ON DUPLICATE KEY UPDATE and 1062 mean the one in the UNIQUE
// index that comes first, by the order that CREATE TABLE gives them, and behind these by when they were added. MySQL
// does the same, whose SHOW INDEX has another order then.
func TestUniqueOrder(t *testing.T) {
	for want, statements := range map[string][]string{
		"ub": {"CREATE TABLE t (id int PRIMARY KEY, a int, b int NOT NULL, c int, UNIQUE ua (a), UNIQUE ub (b))"},
		"ua": {"CREATE TABLE t (id int PRIMARY KEY, a int, b int NOT NULL, c int, UNIQUE ua (a))", "ALTER TABLE t ADD UNIQUE ub (b)"},
	} {
		db := open(t, statements...)
		require.Equal(t, []string{"ub", "ua"}, indexNames(t, db), statements)
		harness.Must(t, db, "INSERT INTO t VALUES (1, 1, 1, 0), (2, 2, 2, 0)",
			"INSERT INTO t VALUES (3, 1, 2, 0) ON DUPLICATE KEY UPDATE c = 5")
		require.Equal(t, want, harness.Single(t, db, "SELECT IF(id = 1, 'ua', 'ub') FROM t WHERE c = 5"), statements)
		_, err := db.Exec("INSERT INTO t VALUES (3, 1, 2, 0)")
		require.ErrorContains(t, err, "for key '"+want+"'", statements)
	}
}

// TestUniqueBelow: sessions that write cells of the family get the error, too.
func TestUniqueBelow(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, s varchar(10), UNIQUE (s))", "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
	_, err := db.Exec("UPDATE t$d SET V = 'a' WHERE V = 'b'")
	require.EqualValues(t, 1062, harness.ErrorNumber(err), "%v", err)
	harness.Must(t, db, "UPDATE t$d SET V = 'c' WHERE V = 'b'", "INSERT INTO t VALUES (3, 'b')")
	_, err = db.Exec("INSERT INTO t VALUES (4, 'c')")
	require.EqualValues(t, 1062, harness.ErrorNumber(err), "%v", err)
}

// TestUniqueTogether lets many sessions insert the same entry: one of them
// succeeds.
func TestUniqueTogether(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, email varchar(50) UNIQUE)")
	for round := range 10 {
		errs := make(chan error, 16)
		for range 16 {
			go func() {
				_, err := db.Exec("INSERT INTO t (email) VALUES (?)", fmt.Sprint("user", round))
				errs <- err
			}()
		}
		inserted := 0
		for range 16 {
			if err := <-errs; err == nil {
				inserted++
			} else {
				require.EqualValues(t, 1062, harness.ErrorNumber(err), "%v", err)
			}
		}
		require.Equal(t, 1, inserted)
	}
}

// TestIndexBuild adds indexes to a table with rows.
func TestIndexBuild(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(20))", "INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'x'), (3, NULL, 'y')")
	harness.Must(t, db, "CREATE INDEX b ON t (b)", "ALTER TABLE t ADD UNIQUE (a), ADD c bigint DEFAULT 7, ADD KEY (c, b)")
	require.Equal(t, []string{"1", "2"}, harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (b) WHERE b = 'x' ORDER BY id"))
	require.Equal(t, []string{"3"}, harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (c) WHERE c = 7 AND b = 'y'"))
	harness.Must(t, db, "ALTER TABLE t MODIFY a bigint", "ALTER TABLE t RENAME COLUMN b TO d, DROP COLUMN c")
	_, err := db.Exec("INSERT INTO t VALUES (4, 2, 'z')")
	require.EqualValues(t, 1062, harness.ErrorNumber(err), "%v", err)
	require.Equal(t, []string{"2"}, harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (a) WHERE a = 2"))
	require.Equal(t, []string{"3"}, harness.Lines(t, db, "SELECT id FROM t FORCE INDEX (b, c) WHERE d LIKE 'y%'"))
	requirePlan(t, db, "SELECT * FROM t WHERE a = 2", "index: a")
	requirePlan(t, db, "SELECT * FROM t IGNORE INDEX (a) WHERE a = 2", "Full scan")
	requirePlan(t, db, "SELECT * FROM t FOR SYSTEM_TIME AS OF NOW() WHERE a = 2", "Full scan")
	_, err = db.Exec("SELECT * FROM t USE INDEX (nothing)")
	require.EqualValues(t, 1176, harness.ErrorNumber(err), "%v", err)
}
