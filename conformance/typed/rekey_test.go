package typed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestAnotherPrimaryKey changes the primary key of a table that has rows, indexes and history.
func TestAnotherPrimaryKey(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int NOT NULL, name varchar(10), n int, size enum('b', 'a'), PRIMARY KEY (id), UNIQUE (n), INDEX (name))",
		"INSERT INTO t VALUES (3, 'c', 30, 'a'), (1, 'a', 10, 'b'), (2, 'b', 20, NULL)", "UPDATE t SET n = 11 WHERE id = 1",
		"UPDATE t SET name = 'z' WHERE id = 3", "UPDATE t SET size = 'a' WHERE id = 2")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	rows := func() []string { return lines("SELECT id, name, n, size FROM t ORDER BY id") }
	history := func() []string { return lines("SELECT size FROM t FOR SYSTEM_TIME ALL WHERE id = 2 ORDER BY _T") }
	before := rows()
	require.Equal(t, []string{"NULL", "a"}, history())
	for _, action := range []string{
		"DROP PRIMARY KEY, ADD PRIMARY KEY (name)", "DROP PRIMARY KEY", "ADD CONSTRAINT k PRIMARY KEY (n, name)", "MODIFY n bigint NOT NULL",
		"DROP CONSTRAINT `PRIMARY`", "MODIFY id bigint NOT NULL PRIMARY KEY", "DROP PRIMARY KEY, ADD PRIMARY KEY (n, id)",
		"DROP PRIMARY KEY, CHANGE id i int FIRST, ADD PRIMARY KEY (i), RENAME TO u",
	} {
		harness.Must(t, db, "ALTER TABLE t "+action)
		if strings.HasSuffix(action, "u") {
			harness.Must(t, db, "ALTER TABLE u RENAME COLUMN i TO id, RENAME t")
		}
		require.Equal(t, before, rows(), action)
		require.Equal(t, []string{"NULL", "a"}, history(), action)
	}
	require.Equal(t, []string{"1"}, lines("SELECT id FROM t WHERE n = 11"))
	require.Equal(t, []string{"3"}, lines("SELECT id FROM t FORCE INDEX (name) WHERE name = 'z'"))
	made := lines("SHOW CREATE TABLE t")[0]
	require.Contains(t, made, "PRIMARY KEY (`id`)")
	harness.Must(t, db, "INSERT INTO t VALUES (4, 'd', 40, 'a')", "RENAME TABLE t TO u", made[len("t "):])
	require.Equal(t, made, lines("SHOW CREATE TABLE t")[0])
	require.Equal(t, []string{"t", "u"}, lines("SHOW TABLES"))
	harness.RequireErrorNumbers(t, db, map[string]uint16{"INSERT INTO u VALUES (4, 'e', 50, 'a')": 1062})
	harness.RequireErrorNumbers(t, db, map[string]uint16{"INSERT INTO u VALUES (5, 'e', 40, 'a')": 1062})
}

// TestNumberedKey adds, widens and removes keys that number rows.
func TestNumberedKey(t *testing.T) {
	db := open(t, "CREATE TABLE t (a varchar(5), b int)", "INSERT INTO t VALUES ('x', 1), ('y', 2), ('x', 1)")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	harness.Must(t, db, "ALTER TABLE t ADD COLUMN id int NOT NULL AUTO_INCREMENT PRIMARY KEY FIRST", "INSERT INTO t (a) VALUES ('z')")
	require.Equal(t, []string{"1 x 1", "2 y 2", "3 x 1", "4 z NULL"}, lines("SELECT * FROM t"))
	harness.Must(t, db, "ALTER TABLE t MODIFY id bigint AUTO_INCREMENT", "INSERT INTO t (a) VALUES ('q')")
	require.Equal(t, []string{"bigint(20) 5"}, lines("SELECT COLUMN_TYPE, (SELECT MAX(id) FROM t) FROM information_schema.COLUMNS "+
		"WHERE TABLE_NAME = 't' AND COLUMN_NAME = 'id'"))
	harness.RequireErrorNumbers(t, db, map[string]uint16{"ALTER TABLE t DROP PRIMARY KEY": 1075})
	harness.Must(t, db, "ALTER TABLE t MODIFY id varchar(20)")
	require.Equal(t, []string{"1", "2", "3", "4", "5"}, lines("SELECT id FROM t ORDER BY id"))
	harness.Must(t, db, "ALTER TABLE t DROP id", "INSERT INTO t VALUES ('x', 1)")
	require.Equal(t, []string{"x 1", "y 2", "x 1", "z NULL", "q NULL", "x 1"}, lines("SELECT * FROM t"))
	harness.Must(t, db, "ALTER TABLE t DROP a, ADD c varchar(5) NOT NULL DEFAULT 'k', ADD n serial, ADD PRIMARY KEY (n, c)")
	require.Equal(t, []string{"1 k 1", "2 k 2", "1 k 3", "NULL k 4", "NULL k 5", "1 k 6"}, lines("SELECT b, c, n FROM t"))
}

// TestRefusedKey changes nothing if a key does not suit the rows or the table.
func TestRefusedKey(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(300), c json, v int AS (a + 1))",
		"INSERT INTO t (id, a, b) VALUES (1, 10, 'x'), (2, NULL, 'y'), (3, 10, 'y')",
		"CREATE TABLE p (id int, a int, PRIMARY KEY (id, a)) PARTITION BY KEY (id) PARTITIONS 3", "CREATE TABLE h (a int)")
	before := harness.Lines(t, db, "SHOW CREATE TABLE t")
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"ALTER TABLE t ADD PRIMARY KEY (a)":                                       1068,
		"ALTER TABLE t ADD x int PRIMARY KEY":                                     1068,
		"ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (a)":                     1138,
		"ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (b)":                     1062,
		"ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (nothing)":               1072,
		"ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (id, b, id)":             1060,
		"ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (v)":                     3106,
		"ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (c)":                     3152,
		"ALTER TABLE t DROP PRIMARY KEY, DROP PRIMARY KEY":                        1091,
		"ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (id, b), ADD UNIQUE (b)": 1062,
		"ALTER TABLE t MODIFY id tinyint, ADD CHECK (id < 3)":                     3819,
		"ALTER TABLE h DROP PRIMARY KEY":                                          1091,
		"ALTER TABLE p DROP PRIMARY KEY, ADD PRIMARY KEY (a, id)":                 1235,
	})
	require.Equal(t, before, harness.Lines(t, db, "SHOW CREATE TABLE t"))
	require.Equal(t, []string{"h", "p", "t"}, harness.Lines(t, db, "SHOW TABLES"))
	require.Equal(t, []string{"1 10 x", "2 NULL y", "3 10 y"}, harness.Lines(t, db, "SELECT id, a, b FROM t"))
}

// TestKeyOfManyRows copies more rows than fit in one transaction, with concurrent writers.
func TestKeyOfManyRows(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b varchar(20), INDEX (b))",
		"INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "+
			"SELECT i, -i, CONCAT('b', i) FROM n")
	for _, more := range []int{1000, 2000} {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO t SELECT id + %d, a - %d, CONCAT('b', id + %d) FROM t", more, more, more))
	}
	done := make(chan error)
	go func() {
		var err error
		for i := 4001; i < 4040 && err == nil; i++ {
			_, err = db.Exec(fmt.Sprintf("INSERT INTO t (id, a, b) VALUES (%d, %d, 'new')", i, -i))
		}
		done <- err
	}()
	harness.Must(t, db, "ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (a)")
	require.NoError(t, <-done)
	require.Equal(t, "4039 39 -4039", harness.Single(t, db,
		"SELECT CONCAT(COUNT(*), ' ', (SELECT COUNT(*) FROM t WHERE b = 'new'), ' ', MIN(a)) FROM t"))
	require.Equal(t, []string{"77"}, harness.Lines(t, db, "SELECT id FROM t WHERE b = 'b77'"))
}

// TestKeyOfOtherCells keeps cells that belong to no column or have another type, and a session's temporary
// tables.
func TestKeyOfOtherCells(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a varchar(9) COLLATE utf8mb4_general_ci NOT NULL, b int, c int) MAX_VERSIONS = 3",
		"INSERT INTO t VALUES (1, 'Ann', 7, 8)", "INSERT INTO t$d SELECT K, 'other', 5, 'kept' FROM t$d LIMIT 1",
		"INSERT INTO t$d VALUES ('no', 'a', 5, 'row of the table')", "ALTER TABLE t DROP c, MODIFY b varchar(5)",
		"ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (a), MODIFY b varchar(9)")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{"1 Ann 7"}, lines("SELECT * FROM t WHERE a = 'ANN'"))
	require.Equal(t, []string{" \x01", "a Ann", "b~2 7", "id \x00\x00\x00\x01", "other kept"}, lines("SELECT Q, V FROM t$d"))
	harness.RequireErrorNumbers(t, db, map[string]uint16{"INSERT INTO t VALUES (2, 'aNN', '')": 1062})
	require.Contains(t, lines("SHOW CREATE TABLE t")[0], `"MaxVersions": 3`)
	harness.Must(t, db, "ALTER TABLE t DROP id, DROP PRIMARY KEY", "ALTER TABLE t ADD id int DEFAULT 4, ADD PRIMARY KEY (id)",
		"ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (b)")
	require.Equal(t, []string{"Ann 7 4"}, lines("SELECT * FROM t"))

	db.SetMaxOpenConns(1)
	harness.Must(t, db, "CREATE TEMPORARY TABLE own (a int PRIMARY KEY, b int NOT NULL)", "INSERT INTO own VALUES (1, 2), (2, 1)",
		"ALTER TABLE own DROP PRIMARY KEY, ADD PRIMARY KEY (b)")
	require.Equal(t, []string{"2 1", "1 2"}, lines("SELECT * FROM own"))
	require.Equal(t, []string{"t"}, lines("SHOW TABLES"))
}

// TestRedundantKey writes keys of texts as earlier versions did, until the rows are rewritten.
func TestRedundantKey(t *testing.T) {
	for _, by := range []string{"utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci"} {
		t.Run(by, func(t *testing.T) { rewriteRedundant(t, by) })
	}
}

func rewriteRedundant(t *testing.T, by string) {
	columns := " (name varchar(20) COLLATE " + by + ", n int, PRIMARY KEY (name, n)) "
	db := open(t, "CREATE TABLE t"+columns+"ROW_FORMAT = REDUNDANT", "INSERT INTO t VALUES ('Ann B', 1), ('ann  b', 1), ('ÄNN', 2), ('a\t', 3)",
		"CREATE TABLE p LIKE t", "ALTER TABLE p PARTITION BY KEY () PARTITIONS 1", "CREATE TABLE q"+columns)
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	bytes := func(table string) string { return lines("SELECT SUM(LENGTH(K)) FROM " + table + "$d WHERE Q = ''")[0] }
	rows := lines("SELECT * FROM t ORDER BY name, n")
	require.Equal(t, []string{"a\t 3", "ÄNN 2", "ann  b 1", "Ann B 1"}, rows)
	require.Contains(t, lines("SHOW CREATE TABLE p")[0], "ROW_FORMAT=REDUNDANT")
	long := bytes("t")

	harness.Must(t, db, "INSERT INTO q SELECT * FROM t", "CREATE INDEX n ON t (n, name)", "RENAME TABLE t TO u", "RENAME TABLE u TO t")
	require.Equal(t, long, bytes("t"))
	require.NotEqual(t, long, bytes("q"))
	harness.RequireErrorNumbers(t, db, map[string]uint16{"ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE q": 1736})
	harness.RequireErrorNumbers(t, db, map[string]uint16{"INSERT INTO t VALUES ('ANN b ', 1)": 1062})
	harness.Must(t, db, "ALTER TABLE t DROP INDEX n", "ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE t")
	require.Equal(t, rows, lines("SELECT * FROM p ORDER BY name, n"))
	harness.Must(t, db, "ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE t", "ALTER TABLE t ADD INDEX n (n, name)", "ALTER TABLE t ROW_FORMAT = REDUNDANT")
	require.Equal(t, long, bytes("t"))

	harness.Must(t, db, "ALTER TABLE t ROW_FORMAT = DYNAMIC")
	require.NotContains(t, lines("SHOW CREATE TABLE t")[0], "ROW_FORMAT")
	require.Equal(t, bytes("q"), bytes("t"))
	require.Equal(t, rows, lines("SELECT * FROM t ORDER BY name, n"))
	require.Equal(t, []string{"Ann B", "ann  b"}, lines("SELECT name FROM t FORCE INDEX (n) WHERE n = 1 AND name LIKE 'ann%' ORDER BY name DESC"))
	harness.RequireErrorNumbers(t, db, map[string]uint16{"INSERT INTO t VALUES ('ANN b ', 1)": 1062})
	require.Regexp(t, " status OK$", lines("CHECK TABLE t EXTENDED")[0])
}
