package typed

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

const people = `CREATE TABLE people (id bigint NOT NULL, name varchar(100) NOT NULL, age int DEFAULT 18, score decimal(8,2),
	joined datetime(3) NULL, note text, PRIMARY KEY (id))`

func open(t *testing.T, statements ...string) *sql.DB {
	db := harness.OpenEmbedded(t, harness.MemoryDSN())
	harness.Must(t, db, statements...)
	return db
}

// TestRows writes and reads rows with every kind of statement.
func TestRows(t *testing.T) {
	db := open(t, people,
		"INSERT INTO people (id, name, score) VALUES (2, 'Bo', 1.5), (1, 'Al', NULL), (-3, 'Cy', 99.999)",
		"INSERT INTO people VALUES (10, 'Di', 40, 3, '2024-02-29 12:00:00.5', 'x')")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{"-3 Cy 18 100.00 NULL NULL", "1 Al 18 NULL NULL NULL", "2 Bo 18 1.50 NULL NULL",
		"10 Di 40 3.00 2024-02-29 12:00:00.500 x"}, lines("SELECT * FROM people ORDER BY id"))
	require.Equal(t, []string{"Bo 18"}, lines("SELECT name, age FROM people WHERE id = 2"))
	require.Equal(t, []string{"4 3"}, lines("SELECT COUNT(*), COUNT(score) FROM people"))
	require.Equal(t, []string{"18 3", "40 1"}, lines("SELECT age, COUNT(*) FROM people GROUP BY age ORDER BY age"))
	require.Equal(t, []string{"Al", "Bo"}, lines("SELECT name FROM people WHERE id BETWEEN 0 AND 5 ORDER BY name"))
	require.Equal(t, []string{"Di"}, lines("SELECT name FROM people WHERE joined > '2024-01-01'"))

	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE people SET age = age + 1, note = 'n' WHERE id = 2"))
	require.EqualValues(t, 0, harness.Affected(t, db, "UPDATE people SET age = 19 WHERE id = 2"))
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE people SET note = NULL WHERE id = 10"))
	require.Equal(t, []string{"2 19 n", "10 40 NULL"}, lines("SELECT id, age, note FROM people WHERE id IN (10, 2) ORDER BY id"))
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE people SET id = 20 WHERE name = 'Bo'"))
	require.Equal(t, []string{"20 Bo"}, lines("SELECT id, name FROM people WHERE id >= 20"))

	require.EqualValues(t, 2, harness.Affected(t, db, "DELETE FROM people WHERE age = 18 AND id < 5"))
	require.Equal(t, []string{"10", "20"}, lines("SELECT id FROM people ORDER BY id"))
}

// TestDuplicates tests rows whose key exists already.
func TestDuplicates(t *testing.T) {
	db := open(t, people, "INSERT INTO people (id, name) VALUES (1, 'Al')")
	_, err := db.Exec("INSERT INTO people (id, name) VALUES (1, 'Bo')")
	harness.RequireErrorNumber(t, 1062, err)
	require.ErrorContains(t, err, "Duplicate entry '1' for key 'PRIMARY'")
	require.EqualValues(t, 1, harness.Affected(t, db, "INSERT IGNORE INTO people (id, name) VALUES (1, 'Bo'), (2, 'Cy')"))
	const again = "INSERT INTO people (id, name) VALUES (1, 'Di') ON DUPLICATE KEY UPDATE name = CONCAT(name, '+', VALUES(name)), age = 5"
	require.EqualValues(t, 2, harness.Affected(t, db, again))
	require.Equal(t, "Al+Di 5", harness.Lines(t, db, "SELECT name, age FROM people WHERE id = 1")[0])
	require.EqualValues(t, 0, harness.Affected(t, db, "INSERT INTO people (id, name) VALUES (2, 'x') ON DUPLICATE KEY UPDATE name = 'Cy'"))
	require.EqualValues(t, 2, harness.Affected(t, db, "REPLACE INTO people (id, name) VALUES (1, 'Ed')"))
	require.Equal(t, "Ed 18", harness.Lines(t, db, "SELECT name, age FROM people WHERE id = 1")[0])
}

// TestDuplicateNames tests the names in ON DUPLICATE KEY UPDATE that are columns of the SELECT's tables, too.
func TestDuplicateNames(t *testing.T) {
	db := open(t, "CREATE TABLE a (id int PRIMARY KEY, v int, w int)", "CREATE TABLE b (id int PRIMARY KEY, w int, z int)",
		"INSERT INTO a VALUES (1, 10, 100)", "INSERT INTO b VALUES (1, 5, 7), (2, 6, 8)")
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"INSERT INTO a SELECT * FROM a ON DUPLICATE KEY UPDATE w = a.w":                         1052,
		"INSERT INTO a SELECT id, w, z FROM b ON DUPLICATE KEY UPDATE w = w + 1":                1052,
		"INSERT INTO a SELECT id, w, z FROM b ON DUPLICATE KEY UPDATE v = id":                   1052,
		"INSERT INTO a SELECT id, w, z FROM b AS a ON DUPLICATE KEY UPDATE v = a.w":             1052,
		"INSERT INTO a SELECT b.id, 1, 1 FROM b JOIN a AS c ON 1 ON DUPLICATE KEY UPDATE w = v": 1052,
	})
	_, err := db.Exec("INSERT INTO a SELECT id, w, z FROM b ON DUPLICATE KEY UPDATE v = w")
	require.ErrorContains(t, err, "Column 'w' in field list is ambiguous")
	for _, clear := range []string{
		"INSERT INTO a SELECT * FROM a AS x ON DUPLICATE KEY UPDATE w = a.w + x.w",
		"INSERT INTO a SELECT id, w, z FROM b ON DUPLICATE KEY UPDATE v = v + VALUES(w) + z, w = b.w",
		"INSERT INTO a SELECT id, max(w), max(z) FROM b GROUP BY id ON DUPLICATE KEY UPDATE w = w + 1",
		"INSERT INTO a SELECT 1, 2, 3 ON DUPLICATE KEY UPDATE w = w + 1, v = v - w",
		"INSERT INTO a SELECT id, v, 0 FROM (SELECT id, w AS v FROM b) d ON DUPLICATE KEY UPDATE w = w + d.v",
	} {
		harness.Must(t, db, clear)
	}
	require.Equal(t, []string{"1 17 12", "2 6 15"}, harness.Lines(t, db, "SELECT * FROM a ORDER BY id"))
}

// TestSameCells reads and writes the cells of rows through their family.
func TestSameCells(t *testing.T) {
	db := open(t, people, "INSERT INTO people (id, name, age) VALUES (1, 'Al', NULL)")
	require.Equal(t, []string{"8000000000000001  01", "8000000000000001 name 416C"},
		harness.Lines(t, db, "SELECT HEX(K), Q, HEX(V) FROM people$d"))
	harness.Must(t, db, "INSERT INTO people$d (K, Q, V) VALUES (X'8000000000000001', 'age', X'00000007')")
	require.Equal(t, []string{"1 Al 7"}, harness.Lines(t, db, "SELECT id, name, age FROM people"))
	harness.Must(t, db, "INSERT INTO people$d (K, Q, V) VALUES (X'8000000000000001', 'age', 'odd')")
	require.Equal(t, []string{"1 Al NULL"}, harness.Lines(t, db, "SELECT id, name, age FROM people"))
	harness.Must(t, db, "DELETE FROM people")
	require.Empty(t, harness.Lines(t, db, "SELECT Q FROM people$d"))
}

// TestHistory reads rows as they were.
func TestHistory(t *testing.T) {
	db := open(t, people, "INSERT INTO people (id, name) VALUES (1, 'Al')")
	first := harness.Single(t, db, "SELECT MAX(T) FROM people$d")
	harness.Must(t, db, "UPDATE people SET name = 'Bo', age = 2 WHERE id = 1")
	require.Equal(t, []string{"1 Al 18"}, harness.Lines(t, db, "SELECT id, name, age FROM people FOR SYSTEM_TIME AS OF "+first))
	require.Equal(t, []string{"1 Bo 2"}, harness.Lines(t, db, "SELECT id, name, age FROM people"))
	require.Empty(t, harness.Lines(t, db, "SELECT id FROM people FOR SYSTEM_TIME AS OF 1"))
}

// TestShown tests what the catalog shows.
func TestShown(t *testing.T) {
	db := open(t, people)
	require.Equal(t, []string{"people"}, harness.Lines(t, db, "SHOW TABLES"))
	require.Equal(t, []string{"id bigint(20) NO PRI NULL ", "name varchar(100) NO  NULL ", "age int(11) YES  18 ",
		"score decimal(8,2) YES  NULL ", "joined datetime(3) YES  NULL ", "note text YES  NULL "},
		harness.Lines(t, db, "DESCRIBE people"))
	made := harness.Lines(t, db, "SHOW CREATE TABLE people")[0]
	harness.Must(t, db, "DROP TABLE people")
	require.Empty(t, harness.Lines(t, db, "SHOW TABLES"))
	harness.Must(t, db, made[len("people "):])
	require.Equal(t, made, harness.Lines(t, db, "SHOW CREATE TABLE people")[0])
	harness.Must(t, db, "RENAME TABLE people TO folk", "INSERT INTO folk (id, name) VALUES (1, 'Al')", "TRUNCATE TABLE folk")
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM folk"))
	harness.Must(t, db, "CREATE TABLE people LIKE folk", "DROP TABLE folk, people")
}

// TestKeySpans reads rows by conditions on the columns of their key; no others are read.
func TestKeySpans(t *testing.T) {
	db := open(t, "CREATE TABLE places (country varchar(10), zip int unsigned, name text, PRIMARY KEY (country, zip))")
	for _, country := range []string{"A", "B", "B1", "C"} {
		for zip := range 50 {
			_, err := db.Exec("INSERT INTO places VALUES (?, ?, ?)", country, zip, country)
			require.NoError(t, err)
		}
	}
	for query, rows := range map[string]int{
		"country = 'B'":                                          1 * 50,
		"country = 'B' AND zip = 7":                              1,
		"zip = 7 AND country IN ('B', 'C')":                      2,
		"country = 'B' AND zip > 40":                             9,
		"country = 'B' AND zip BETWEEN 10 AND 12":                3,
		"country >= 'B1' AND country < 'C'":                      50,
		"country = 'B' AND zip = 7 OR country = 'C' AND zip = 8": 2,
		"(country, zip) = ('B', 7)":                              1,
	} {
		require.Len(t, harness.Lines(t, db, "SELECT country, zip FROM places WHERE "+query), rows, query)
		most := int64(2*rows + 3)
		cells := harness.CellsOf(t, db, "SELECT country, zip FROM places WHERE "+query)
		if cells > most {
			t.Errorf("%s reads %d cells for %d rows", query, cells, rows)
		}
	}
	requirePlan(t, db, "SELECT name FROM places WHERE country = 'B' AND zip = 7", "Point lookup of places\n")
	requirePlan(t, db, "SELECT * FROM places ORDER BY country, zip LIMIT 3", "order: forward")
	requirePlan(t, db, "SELECT * FROM places ORDER BY country DESC LIMIT 3", "order: reverse")
	requirePlan(t, db, "SELECT * FROM places ORDER BY zip LIMIT 3", "Sort")
}

func requirePlan(t *testing.T, db *sql.DB, query, part string) {
	require.Contains(t, strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+query), "\n"), part, query)
}

// TestKeySpansWithoutNotes: a constant that is compared with a column of a key is not stored there.
func TestKeySpansWithoutNotes(t *testing.T) {
	db := open(t, "CREATE TABLE w (d date PRIMARY KEY, e date, KEY (e))", "INSERT INTO w VALUES ('2024-01-01', '2024-01-01'), ('2024-01-05', '2024-01-05')")
	conn := harness.Conn(t, db)
	for where, want := range map[string][]string{"d >= '2024-01-03 00:00:01'": {"2024-01-05"}, "e < '2024-01-05 00:00:01' AND e > '2024-01-01 12:00:00'": {"2024-01-05"},
		"d = '2024-01-01 10:00:00'": {}} {
		require.ElementsMatch(t, want, harness.Lines(t, conn, "SELECT d FROM w WHERE "+where), where)
		require.Empty(t, harness.WarningCodes(t, conn), where)
	}
}

// TestRefused tests what typed tables do not support.
func TestRefused(t *testing.T) {
	db := open(t, people, "CREATE TABLE cells$f (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T))")
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"CREATE TABLE people (id int PRIMARY KEY)":                                  1050,
		"CREATE TABLE cells (id int PRIMARY KEY)":                                   1050,
		"CREATE TABLE u (id int PRIMARY KEY, name text, UNIQUE (name))":             1170,
		"CREATE TABLE u (id int PRIMARY KEY, id text)":                              1060,
		"CREATE TABLE u (id int, PRIMARY KEY (nothing))":                            1072,
		"CREATE TABLE u (id int NULL PRIMARY KEY)":                                  1171,
		"CREATE TABLE u (id text PRIMARY KEY)":                                      1170,
		"CREATE TABLE u (id int PRIMARY KEY, n varchar(4) DEFAULT 'too long')":      1067,
		"CREATE TABLE u (id int PRIMARY KEY, n text DEFAULT 'x')":                   1101,
		"CREATE TABLE u (id int PRIMARY KEY) PARTITION BY HASH (id+1) PARTITIONS 3": 1235,

		"INSERT INTO people (id) VALUES (1)":                        1364,
		"INSERT INTO people (id, name) VALUES (NULL, 'x')":          1048,
		"INSERT INTO people (id, name) VALUES ('x', 'x')":           1366,
		"INSERT INTO people (id, name, nothing) VALUES (1, 'x', 2)": 1054,
		"INSERT INTO people (id, name) VALUES (1)":                  1136,
		"UPDATE people SET nothing = 1":                             1054,
		"SELECT nothing FROM people":                                1054,
		"DELETE FROM people FOR SYSTEM_TIME ALL":                    1235,
		"CREATE VIEW people AS SELECT 1":                            1050,
		"DROP VIEW people":                                          1347,
		"CREATE OR REPLACE VIEW people AS SELECT 1":                 1347,
	})
	require.Equal(t, []string{"cells", "cells$f", "people"}, harness.Lines(t, db, "SHOW TABLES"))
}

// TestTransactions tests rows in transactions: rolled back, invisible to others, and written by two at
// once.
func TestTransactions(t *testing.T) {
	db := open(t, people)
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "INSERT INTO people (id, name) VALUES (1, 'Al')", "SAVEPOINT s", "UPDATE people SET name = 'Bo'", "ROLLBACK TO s")
	require.Equal(t, "Al", harness.Single(t, tx, "SELECT name FROM people"))
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM people"))
	require.NoError(t, tx.Rollback())
	harness.Must(t, db, "INSERT INTO people (id, name, age) VALUES (1, 'Al', 0)")
	harness.AtOnce(t, func(int) error {
		for range 20 {
			if _, err := db.Exec("UPDATE people SET age = age + 1 WHERE id = 1"); err != nil {
				return err
			}
			if _, err := db.Exec("INSERT INTO people (id, name, age) VALUES (2, 'Bo', 1) ON DUPLICATE KEY UPDATE age = age + 1"); err != nil {
				return err
			}
		}
		return nil
	})
	require.Equal(t, []string{"1 " + harness.Single(t, db, "SELECT age FROM people WHERE id = 2")},
		harness.Lines(t, db, "SELECT id, age FROM people WHERE id = 1"))
}

// TestSeveralTables changes typed tables and column families that are joined.
func TestSeveralTables(t *testing.T) {
	db := open(t, people,
		"CREATE TABLE orders (person bigint, no int, amount decimal(8,2), PRIMARY KEY (person, no))",
		"CREATE TABLE tags$d (K varbinary(20), Q varbinary(20), T bigint, V blob, PRIMARY KEY (K, Q, T))",
		"INSERT INTO people (id, name) VALUES (1, 'Al'), (2, 'Bo'), (3, 'Cy')",
		"INSERT INTO orders VALUES (1, 1, 10), (1, 2, 20), (2, 1, 5)",
		"INSERT INTO tags$d (K, Q, V) VALUES ('Al', 'tag', 'x'), ('Bo', 'tag', 'y')")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.EqualValues(t, 5, harness.Affected(t, db,
		"UPDATE people p JOIN orders o ON o.person = p.id SET p.score = o.amount, o.amount = o.amount + 1"), "each row once")
	require.Equal(t, []string{"1 10.00", "2 5.00", "3 NULL"}, lines("SELECT id, score FROM people ORDER BY id"))
	require.Equal(t, []string{"1 1 11.00", "1 2 21.00", "2 1 6.00"}, lines("SELECT * FROM orders ORDER BY person, no"))

	require.EqualValues(t, 2, harness.Affected(t, db,
		"UPDATE people p LEFT JOIN tags$d g ON g.K = p.name SET p.note = g.V, p.age = DEFAULT WHERE p.score IS NOT NULL"))
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE tags$d g JOIN people p ON g.K = p.name SET g.V = p.id WHERE p.id = 2"))
	require.Equal(t, []string{"Al x", "Bo 2"}, lines("SELECT K, V FROM tags$d ORDER BY K"))
	require.Equal(t, []string{"1 x", "2 y", "3 NULL"}, lines("SELECT id, note FROM people ORDER BY id"))

	_, err := db.Exec("UPDATE people a JOIN people b ON a.id = b.id SET a.id = 9, b.age = 1")
	harness.RequireErrorNumber(t, 1706, err)
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE people a JOIN people b ON a.id = b.id + 1 SET a.age = 50, b.score = 7 WHERE a.id = 2")-1)
	require.Equal(t, []string{"1 18 7.00", "2 50 5.00", "3 18 NULL"}, lines("SELECT id, age, score FROM people ORDER BY id"))

	require.EqualValues(t, 3, harness.Affected(t, db, "DELETE p, o FROM people p JOIN orders o ON o.person = p.id WHERE p.id = 1"))
	require.EqualValues(t, 1, harness.Affected(t, db, "DELETE g FROM tags$d g LEFT JOIN people p ON g.K = p.name WHERE p.id IS NULL"))
	require.EqualValues(t, 1, harness.Affected(t, db, "DELETE o, p FROM people p LEFT JOIN orders o ON o.person = p.id WHERE p.id = 3"))
	require.Equal(t, []string{"2"}, lines("SELECT id FROM people"))
	require.Equal(t, []string{"2 1 6.00"}, lines("SELECT * FROM orders"))
	require.Equal(t, []string{"Bo"}, lines("SELECT K FROM tags$d"))
}

// TestAlterNumbered alters numbered tables, with a declared key and without.
func TestAlterNumbered(t *testing.T) {
	db := open(t, "CREATE TABLE a (id int AUTO_INCREMENT PRIMARY KEY, n int, CHECK (n < 10))",
		"CREATE TABLE b (n int)", "CREATE TABLE c (id int PRIMARY KEY, n int)",
		"INSERT INTO a (n) VALUES (1), (2)", "INSERT INTO b VALUES (7), (7)", "INSERT INTO c VALUES (5, 1)",
		"ALTER TABLE a ADD s varchar(10) DEFAULT 'x', AUTO_INCREMENT = 50, COMMENT = 'c'",
		"ALTER TABLE b ADD m int NOT NULL DEFAULT 3, ADD k int FIRST",
		"ALTER TABLE c MODIFY id int AUTO_INCREMENT",
		"INSERT INTO a (n) VALUES (3)", "INSERT INTO b (n) VALUES (8)", "INSERT INTO c (n) VALUES (2)")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{"1 1 x", "2 2 x", "50 3 x"}, lines("SELECT * FROM a ORDER BY id"))
	require.Equal(t, []string{"NULL 7 3", "NULL 7 3", "NULL 8 3"}, lines("SELECT * FROM b"))
	require.Equal(t, []string{"5 1", "6 2"}, lines("SELECT * FROM c ORDER BY id"))
	require.Contains(t, lines("SHOW CREATE TABLE a")[0], "AUTO_INCREMENT=51")
	require.NotContains(t, lines("SHOW CREATE TABLE b")[0], "PRIMARY")

	_, err := db.Exec("ALTER TABLE b DROP n, DROP m, DROP k")
	harness.RequireErrorNumber(t, 1090, err)
	_, err = db.Exec("ALTER TABLE a MODIFY n int AUTO_INCREMENT")
	harness.RequireErrorNumber(t, 1075, err)
	harness.Must(t, db, "ALTER TABLE b DROP k")
	require.Equal(t, []string{"7 3", "7 3", "8 3"}, lines("SELECT * FROM b"))
	_, err = db.Exec("UPDATE a JOIN b ON b.n = 8 SET a.n = 10 WHERE a.id = 1")
	harness.RequireErrorNumber(t, 3819, err)
	require.EqualValues(t, 2, harness.Affected(t, db, "UPDATE a JOIN b ON b.n = 8 SET a.n = 9, b.m = 0 WHERE a.id = 1"))
	require.EqualValues(t, 1, harness.Affected(t, db, "DELETE b FROM a JOIN b ON b.n = 8 WHERE a.n = 9"))
}

// TestUpkeep runs the maintenance statements on typed tables.
func TestUpkeep(t *testing.T) {
	db := open(t, people, "INSERT INTO people (id, name) VALUES (1, 'Al')")
	for op, text := range map[string]string{
		"check": "default.people check status OK", "analyze": "default.people analyze status OK",
		"optimize": "default.people optimize status OK",
		"repair":   "default.people repair note The storage engine for the table doesn't support repair"} {
		require.Equal(t, []string{text}, harness.Lines(t, db, strings.ToUpper(op)+" TABLE people"))
	}
	require.NotContains(t, harness.Lines(t, db, "CHECKSUM TABLE people")[0], "NULL")
	harness.Must(t, db, "FLUSH TABLES people", "LOCK TABLES people WRITE", "UNLOCK TABLES")
}

// TestExplainTable: the classic EXPLAIN shows typed tables as tables, with the access to their cells.
func TestExplainTable(t *testing.T) {
	db := open(t, people, "INSERT INTO people (id, name) VALUES (1, 'x'), (2, 'y'), (3, 'z')")
	for query, want := range map[string][]string{
		"SELECT * FROM people p":                                        {"1 SIMPLE p ALL NULL"},
		"SELECT * FROM people WHERE id = 2":                             {"1 SIMPLE people ref PRIMARY"},
		"SELECT * FROM people WHERE id > 1":                             {"1 SIMPLE people range PRIMARY"},
		"SELECT * FROM people a JOIN people b ON b.id = a.age":          {"1 SIMPLE a ALL NULL", "1 SIMPLE b ref PRIMARY"},
		"SELECT * FROM (SELECT age FROM people GROUP BY age) d":         {"1 PRIMARY <derived2> ALL NULL", "2 DERIVED people ALL NULL"},
		"SELECT (SELECT COUNT(*) FROM people WHERE id < 2) FROM people": {"1 PRIMARY people ALL NULL", "2 SUBQUERY people range PRIMARY"},
		"UPDATE people SET age = 3 WHERE id = 2":                        {"1 UPDATE people ref PRIMARY"},
		"DELETE FROM people WHERE id > 2":                               {"1 DELETE people range PRIMARY"},
	} {
		var got []string
		for _, line := range harness.Lines(t, db, "EXPLAIN "+query) {
			f := strings.Fields(line)
			got = append(got, strings.Join([]string{f[0], f[1], f[2], f[4], f[6]}, " "))
		}
		require.Equal(t, want, got, query)
	}
}

// TestTableRows: the catalog shows the number of a table's rows, not of its cells.
func TestTableRows(t *testing.T) {
	db := open(t, people)
	const rows = "SELECT TABLE_ROWS, AVG_ROW_LENGTH > 20 FROM information_schema.TABLES WHERE TABLE_NAME = 'people'"
	require.Equal(t, []string{"0 0"}, harness.Lines(t, db, rows))
	harness.Must(t, db, "INSERT INTO people (id, name) VALUES (1, 'Al'), (2, 'Bo'), (3, 'Cy')", "UPDATE people SET age = 5, note = 'n'")
	require.Equal(t, []string{"3 1"}, harness.Lines(t, db, rows))

	const parts = "SELECT TABLE_ROWS, AVG_ROW_LENGTH > 20 FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'people' " +
		"ORDER BY PARTITION_ORDINAL_POSITION"
	require.Equal(t, []string{"3 1"}, harness.Lines(t, db, parts))
	harness.Must(t, db, "ALTER TABLE people PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (3), "+
		"PARTITION b VALUES LESS THAN (10), PARTITION c VALUES LESS THAN MAXVALUE)")
	require.Equal(t, []string{"2 1", "1 1", "0 0"}, harness.Lines(t, db, parts))
	harness.Must(t, db, "ALTER TABLE people PARTITION BY KEY () PARTITIONS 3")
	require.Equal(t, "3", harness.Single(t, db, "SELECT SUM(TABLE_ROWS) FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'people'"))
}
