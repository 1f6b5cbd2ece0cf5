package typed

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

const small = "CREATE TABLE t (id int NOT NULL, a int, b varchar(10), PRIMARY KEY (id))"

// TestAlterColumns changes columns of a table with rows.
func TestAlterColumns(t *testing.T) {
	db := open(t, small, "INSERT INTO t VALUES (1, 10, 'x'), (2, NULL, 'y')")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	harness.Must(t, db, "ALTER TABLE t ADD c int DEFAULT 5 AFTER id, ADD COLUMN (d varchar(5) NOT NULL, e int), "+
		"ADD f int NOT NULL DEFAULT '8' FIRST")
	require.Equal(t, []string{"8 1 5 10 x  NULL", "8 2 5 NULL y  NULL"}, lines("SELECT * FROM t ORDER BY id"))
	require.Equal(t, "10", harness.Single(t, db, "SELECT SUM(c) FROM t WHERE c = 5"))
	require.Empty(t, lines("SELECT id FROM t WHERE c IS NULL"))

	harness.Must(t, db, "INSERT INTO t (id, c, d) VALUES (3, NULL, '')")
	harness.Must(t, db, "ALTER TABLE t ALTER c SET DEFAULT 6, ALTER COLUMN f DROP DEFAULT")
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE t SET c = NULL WHERE id = 2"))
	require.EqualValues(t, 0, harness.Affected(t, db, "UPDATE t SET c = 5 WHERE id = 1"))
	harness.Must(t, db, "INSERT INTO t (id, d, f) VALUES (4, 'q', 1)")
	require.Equal(t, []string{"1 5", "2 NULL", "3 NULL", "4 6"}, lines("SELECT id, c FROM t ORDER BY id"))
	harness.Must(t, db, "UPDATE t SET id = 20 WHERE id = 2", "REPLACE INTO t (id, c, d, f) VALUES (1, NULL, '', 0)")
	require.Equal(t, []string{"1 NULL", "3 NULL", "4 6", "20 NULL"}, lines("SELECT id, c FROM t ORDER BY id"))

	harness.Must(t, db, "ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a, RENAME COLUMN id TO n, DROP e, "+
		"DROP COLUMN f")
	require.Equal(t, []string{"20 NULL NULL y "}, lines("SELECT n, c, b, a, d FROM t WHERE n = 20"))
	harness.Must(t, db, "ALTER TABLE t CHANGE n id int NOT NULL COMMENT 'key' FIRST, MODIFY b bigint unsigned "+
		"AFTER c", "UPDATE t SET b = 10 WHERE id = 3")
	require.Equal(t, []string{"id int(11) NO PRI NULL ", "c int(11) YES  6 ", "b bigint(20) unsigned YES  NULL ",
		"a varchar(10) YES  NULL ",
		"d varchar(5) NO  NULL "}, lines("DESCRIBE t"))
	require.Equal(t, []string{"3 10"}, lines("SELECT id, b FROM t WHERE b > 3"))
	made := lines("SHOW CREATE TABLE t")[0]
	harness.Must(t, db, "RENAME TABLE t TO u", made[len("t "):])
	require.Equal(t, made, lines("SHOW CREATE TABLE t")[0])
}

// TestRetiredQualifier adds a column with the name of one that was dropped or renamed.
func TestRetiredQualifier(t *testing.T) {
	db := open(t, small, "INSERT INTO t VALUES (1, 10, 'x')")
	for range 3 {
		harness.Must(t, db, "ALTER TABLE t DROP a", "ALTER TABLE t ADD a varchar(20)")
		require.Equal(t, "1 x NULL", harness.Lines(t, db, "SELECT id, b, a FROM t")[0])
		harness.Must(t, db, "UPDATE t SET a = 'again'")
	}
	harness.Must(t, db, "ALTER TABLE t RENAME COLUMN b TO z, ADD b int DEFAULT 3", "ALTER TABLE t DROP z, ADD z int")
	require.Equal(t, "1 again 3 NULL", harness.Lines(t, db, "SELECT id, a, b, z FROM t")[0])
	harness.Must(t, db, "DELETE FROM t")
	require.Empty(t, harness.Lines(t, db, "SELECT Q FROM t$d"), "cells of dropped columns go with the row")
}

// TestWidening changes types of columns whose cells stay as they are.
func TestWidening(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, i tinyint, s varchar(5), n decimal(6,2), d datetime, e "+
		"enum('a','b'), f float)",
		"INSERT INTO t VALUES (1, -7, 'abc', 12.5, '2024-01-02 03:04:05', 'b', 1.5)")
	before := harness.Lines(t, db, "SELECT Q, T, HEX(V) FROM t$d")
	harness.Must(t, db, "ALTER TABLE t MODIFY i int, MODIFY s text, MODIFY n decimal(12,4), MODIFY d datetime(3), "+
		"MODIFY e enum('a','b','c'), MODIFY f double",
		"ALTER TABLE t MODIFY i bigint, MODIFY n decimal(8,3), MODIFY s varchar(3)")
	require.Equal(t, before, harness.Lines(t, db, "SELECT Q, T, HEX(V) FROM t$d"))
	const row = "SELECT i, s, n, d, e, f, i + 1 FROM t WHERE i = -7"
	require.Equal(t, []string{"-7 abc 12.500 2024-01-02 03:04:05.000 b 1.5 -6"}, harness.Lines(t, db, row))
	require.EqualValues(t, 0, harness.Affected(t, db,
		"UPDATE t SET i = -7, n = 12.5, d = '2024-01-02 03:04:05', f = 1.5"))
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE t SET i = 9000000000"))
	require.Equal(t, "9000000000", harness.Single(t, db, "SELECT i FROM t"))
}

// TestNarrowing checks the rows before a column gets a type that cannot hold all of their
// values.
func TestNarrowing(t *testing.T) {
	db := open(t, "CREATE TABLE t (id varchar(10) PRIMARY KEY, i int, s varchar(10), e enum('a','b'))",
		"INSERT INTO t VALUES ('long', 300, 'abc', 'b'), ('x', NULL, 'word', 'a')")
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"ALTER TABLE t MODIFY i tinyint":                         1264,
		"ALTER TABLE t MODIFY i int NOT NULL":                    1138,
		"ALTER TABLE t MODIFY s varchar(3)":                      1406,
		"ALTER TABLE t MODIFY s int":                             1366,
		"ALTER TABLE t MODIFY e enum('a')":                       1265,
		"ALTER TABLE t MODIFY id varchar(3)":                     1406,
		"ALTER TABLE t MODIFY id int":                            1366,
		"ALTER TABLE t MODIFY id varchar(10) NULL":               1171,
		"ALTER TABLE t DROP id, DROP i, DROP s, DROP e":          1090,
		"ALTER TABLE t DROP nothing":                             1091,
		"ALTER TABLE t DROP i, DROP i":                           1091,
		"ALTER TABLE t ADD s int":                                1060,
		"ALTER TABLE t RENAME COLUMN i TO s":                     1060,
		"ALTER TABLE t RENAME COLUMN nothing TO s":               1054,
		"ALTER TABLE t MODIFY nothing int":                       1054,
		"ALTER TABLE t CHANGE nothing x int":                     1054,
		"ALTER TABLE t ALTER nothing SET DEFAULT 1":              1054,
		"ALTER TABLE t ADD x int AFTER nothing":                  1054,
		"ALTER TABLE t ALTER i SET DEFAULT 'word'":               1067,
		"ALTER TABLE t ADD x int PRIMARY KEY":                    1068,
		"ALTER TABLE t ADD PRIMARY KEY (i)":                      1068,
		"ALTER TABLE t ADD x datetime NOT NULL":                  1292,
		"ALTER TABLE t ADD x varchar(2) DEFAULT 'abc'":           1067,
		"ALTER TABLE t ADD x int, DROP nothing":                  1091,
		"ALTER TABLE nothing ADD x int":                          1146,
		"ALTER TABLE t ADD y int, MODIFY i tinyint, RENAME TO u": 1264,
		"ALTER TABLE t ADD x varchar(10), ADD X int":             1060,
	})
	require.Equal(t, []string{"long 300 abc b", "x NULL word a"}, harness.Lines(t, db, "SELECT * FROM t ORDER BY id"))
	harness.Must(t, db, "UPDATE t SET i = 3 WHERE i = 300", "DELETE FROM t WHERE id = 'x'",
		"ALTER TABLE t MODIFY i tinyint NOT NULL, MODIFY s varchar(3), MODIFY e enum('b'), MODIFY id varchar(4) "+
			"COMMENT 'k', RENAME TO u, COMMENT='c'")
	require.Equal(t, []string{"long 3 abc b"}, harness.Lines(t, db, "SELECT * FROM u"))
	require.Equal(t, "c", harness.Single(t, db,
		"SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_NAME = 'u'"))
	harness.Must(t, db, "DELETE FROM u", "ALTER TABLE u MODIFY i varchar(10), ADD x date NOT NULL",
		"INSERT INTO u VALUES ('k', 'w', 'a', 'b', '2024-01-01')")
	require.Equal(t, []string{"k w a b 2024-01-01"}, harness.Lines(t, db, "SELECT * FROM u"))
}

// TestAlteredHistory reads rows as they were before columns were changed, by the columns'
// present definitions.
func TestAlteredHistory(t *testing.T) {
	db := open(t, small, "INSERT INTO t VALUES (1, 10, 'x')")
	first := harness.Single(t, db, "SELECT MAX(T) FROM t$d")
	harness.Must(t, db, "ALTER TABLE t ADD c int DEFAULT 5, MODIFY a bigint, RENAME COLUMN b TO z",
		"UPDATE t SET a = 11, c = NULL, z = 'y'")
	require.Equal(t, []string{"1 10 x 5"}, harness.Lines(t, db,
		"SELECT id, a, z, c FROM t FOR SYSTEM_TIME AS OF "+first))
	require.Equal(t, []string{"1 11 y NULL"}, harness.Lines(t, db, "SELECT id, a, z, c FROM t"))
}

// TestAlterAgain checks the result of ALTER after the store was reopened, and with concurrent
// writers.
func TestAlterAgain(t *testing.T) {
	dsn := filepath.Join(t.TempDir(), "db")
	db := harness.OpenEmbedded(t, dsn)
	harness.Must(t, db, small, "INSERT INTO t VALUES (1, 10, 'x')",
		"ALTER TABLE t ADD c int DEFAULT 5, MODIFY a bigint, DROP b",
		"ALTER TABLE t ADD b int")
	require.NoError(t, db.Close())
	db = harness.OpenEmbedded(t, dsn)
	require.Equal(t, []string{"1 10 5 NULL"}, harness.Lines(t, db, "SELECT * FROM t"))
	harness.AtOnce(t, func(worker int) error {
		for i := range 15 {
			statement := fmt.Sprintf("INSERT INTO t (id, a, c) VALUES (%d, 1, 1)", 100+15*worker+i)
			if worker == 0 {
				statement = fmt.Sprintf("ALTER TABLE t ALTER b SET DEFAULT %d", i)
			}
			if _, err := db.Exec(statement); err != nil {
				return err
			}
		}
		return nil
	})
	_, err := db.Exec("ALTER TABLE t MODIFY c int NOT NULL")
	require.NoError(t, err)
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "INSERT INTO t (id, a, c) VALUES (2, 1, 1)")
	harness.Must(t, db, "ALTER TABLE t DROP a")
	require.Error(t, tx.Commit(), "the table is another one")
}

// TestAlterNarrowerLoosely: without strict mode a narrower type holds the nearest values, with a warning for each
// that changes, in all versions and indexes. Keys are never cut, and cells that others share stay as they are.
func TestAlterNarrowerLoosely(t *testing.T) {
	for _, c := range []struct{ from, to, values, want, warnings string }{
		{"int", "tinyint", "(10), (-200), (NULL), (40000)", "10,-128,NULL,127", "1264,1264"},
		{"varchar(20)", "varchar(3)", "('hello'), ('12'), ('')", "hel,12,", "1265"},
		{"decimal(8,2)", "decimal(5,1)", "(1234.56), (-9.99), (99999.99)", "1234.6,-10.0,9999.9", ""},
		{"enum('x','y','z')", "enum('x','y')", "('x'), ('z'), ('y')", "x,,y", "1265"},
		{"set('p','q','r')", "set('p','q')", "('p,q'), ('r,p'), ('q')", "p,q;p;q", "1265"},
		{"bit(5)", "bit(3)", "(5), (31), (17)", "\x05,\x07,\x07", ""},
		{"varchar(20)", "int", "('hello'), ('12abc'), ('7')", "0,12,7", "1366,1265"},
		{"double", "int", "(1e300), (-3.7)", "2147483647,-4", "1264"},
		{"bigint", "int unsigned", "(9223372036854775807), (-5)", "4294967295,0", "1264,1264"},
		{"varbinary(9)", "varbinary(1)", "('xyz'), ('a')", "x,a", "1265"},
		{"int", "year", "(2024), (3000)", "2024,0", "1264"},
	} {
		db, _ := past(t, "CREATE TABLE c (id int AUTO_INCREMENT PRIMARY KEY, v "+c.from+", KEY (v))", "INSERT INTO c (v) VALUES "+c.values)
		_, err := db.Exec("ALTER TABLE c MODIFY v " + c.to)
		if c.warnings != "" {
			require.Error(t, err, "%v", c)
		}
		conn := harness.Conn(t, db)
		harness.Must(t, conn, "SET sql_mode = ''", "ALTER TABLE c MODIFY v "+c.to)
		if c.warnings != "" {
			require.Equal(t, strings.Split(c.warnings, ","), harness.WarningCodes(t, conn), "%v", c)
		}
		separator := ","
		if strings.Contains(c.want, ";") {
			separator = ";"
		}
		want := strings.Split(c.want, separator)
		require.Equal(t, want, harness.Lines(t, conn, "SELECT v FROM c ORDER BY id"), "%v", c)
		require.Equal(t, want, harness.Lines(t, conn, "SELECT v FROM c FOR SYSTEM_TIME AS OF 200 ORDER BY id"), "%v", c)
		requireSoundTable(t, db, "c")
	}
	db := open(t, "CREATE TABLE c (id int PRIMARY KEY, v int, k varchar(9), UNIQUE (k))", "INSERT INTO c VALUES (300, NULL, 'abc')")
	conn := harness.Conn(t, db)
	harness.Must(t, conn, "SET sql_mode = ''")
	for statement, number := range map[string]uint16{
		"ALTER TABLE c MODIFY id tinyint":     1264,
		"ALTER TABLE c MODIFY v int NOT NULL": 1138,
		"ALTER TABLE c MODIFY k varchar(2)":   1235,
	} {
		_, err := conn.ExecContext(t.Context(), statement)
		harness.RequireErrorNumber(t, number, err)
	}
	require.Equal(t, []string{"300 NULL abc"}, harness.Lines(t, db, "SELECT * FROM c"))
}
