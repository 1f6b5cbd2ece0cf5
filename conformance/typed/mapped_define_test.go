package typed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestMappedDefinitions: invalid mappings are refused, with the reason.
func TestMappedDefinitions(t *testing.T) {
	db := open(t, "CREATE TABLE g$f"+cells, "CREATE TABLE plain (id int PRIMARY KEY)", "CREATE VIEW taken AS SELECT 1 AS one")
	for _, c := range []struct {
		number            uint16
		statement, reason string
	}{
		{1210, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g'", "HBASE_COLUMNS: it is missing"},
		{1210, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_COLUMNS = ':key, f:n'", "HBASE_TABLE: it is missing"},
		{1210, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key'", "1 entries for 2 columns"},
		{1210, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, n'", "'n' is neither :key nor family:qualifier"},
		{1210, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n#x'", "none of #s, #b and #o"},
		{1210, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, :key'", "column 'n' has :key"},
		{1210, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = 'f:id, f:n'", "column 'id' has f:id"},
		{1210, "CREATE TABLE m (id int PRIMARY KEY) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key'", "no column has a cell"},
		{1210, "CREATE TABLE m (id int PRIMARY KEY, n int, o int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n, f:n#b'", "the cell f:n is that of two columns"},
		{1210, `CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n\\xq'`, "two hexadecimal digits"},
		{1210, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:" + string(make([]byte, 200)) + "'", "200 bytes"},
		{1146, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, x:n'", "g$x"},
		{5151, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'elsewhere:g' HBASE_COLUMNS = ':key, f:n'", "g"},
		{1235, "CREATE TABLE m (id int, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n'", "without a primary key"},
		{1235, "CREATE TABLE m (id int AUTO_INCREMENT PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n'", "AUTO_INCREMENT"},
		{1235, "CREATE TABLE m (id int PRIMARY KEY, n datetime(6)) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n#b'", "milliseconds"},
		{1235, "CREATE TABLE m (id varchar(9) COLLATE utf8mb4_general_ci PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n#b'", "utf8mb4_bin"},
		{1235, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n' TTL = 5", "the families say"},
		{1235, "CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'plain' HBASE_COLUMNS = ':key, d:n'", "typed table itself"},
		{1050, "CREATE TABLE taken (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n'", "taken"},
		{1050, "CREATE TABLE g (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n'", "g"},
		{1050, "CREATE TABLE plain (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n'", "plain"},
		{1235, "ALTER TABLE g$f HBASE_COLUMNS = ':key'", "a separate mapped table"},
		{1235, "ALTER TABLE plain HBASE_COLUMNS = ':key'", "with CREATE TABLE"},
		{1210, "CREATE TABLE m (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T)) HBASE_TABLE = 'g'", "HBASE_COLUMNS"},
	} {
		_, err := db.Exec(c.statement)
		require.Equal(t, c.number, harness.NumberOf(err), "%s: %v", c.statement, err)
		require.ErrorContains(t, err, c.reason)
	}
	require.Equal(t, []string{"g", "g$f", "plain", "taken"}, harness.Lines(t, db, "SHOW TABLES"))
}

// TestMappedQualifiers tests qualifiers of all bytes, which SHOW CREATE TABLE writes in a form that can be
// parsed again.
func TestMappedQualifiers(t *testing.T) {
	db := open(t, "CREATE TABLE g$f"+cells, `CREATE TABLE m (a varchar(9), b int, c int, d int, e int, x int, PRIMARY KEY (a)) `+
		`HBASE_TABLE = 'g' HBASE_COLUMNS = ' :key#b ,f:\\,:\\#\\\\#b, f:\\x00\\xFFé , f:,f:\\ \\ ,f:x y#o'`,
		"INSERT INTO m VALUES ('k', 1, 2, 3, 4, 5)")
	want := []string{"", "00FFC3A9", "2020", "2C3A235C", "782079"}
	require.Equal(t, want, harness.Lines(t, db, "SELECT HEX(Q) FROM g$f"))
	made := harness.Lines(t, db, "SHOW CREATE TABLE m")[0][len("m "):]
	require.Contains(t, made, `HBASE_COLUMNS=':key#b, f:\\,:\\#\\\\#b, f:\\x00\\xFFé, f:, f:\\x20\\x20, f:x y#o'`)
	harness.Must(t, db, "RENAME TABLE m TO other", made)
	require.Equal(t, []string{"k 1 2 3 4 5"}, harness.Lines(t, db, "SELECT * FROM m JOIN other USING (a, b, c, d, e, x)"))
}

// TestMappedKeys tests keys of several columns.
func TestMappedKeys(t *testing.T) {
	db := open(t, "CREATE TABLE g$f"+cells, "CREATE TABLE m (a varchar(9), n int, v int, PRIMARY KEY (a, n)) HBASE_TABLE = 'g' "+
		"HBASE_COLUMNS = ':key, :key, f:v' HBASE_KEY_SEPARATOR = '|'",
		"CREATE TABLE b (n int, u int unsigned, v int, PRIMARY KEY (n, u)) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key#b, :key#b, f:v'",
		"CREATE TABLE o (n int, s varchar(9), v int, PRIMARY KEY (n, s)) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key#o, :key#o, f:o'")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	harness.Must(t, db, "INSERT INTO m VALUES ('x', 10, 1), ('x', 9, 2), ('y', -1, 3)")
	require.Equal(t, []string{"x|10", "x|9", "y|-1"}, lines("SELECT K FROM g$f"))
	require.Equal(t, []string{"x 9 2", "x 10 1"}, lines("SELECT * FROM m WHERE a = 'x' AND n > 0 ORDER BY n"))
	require.Equal(t, []string{"y -1 3"}, lines("SELECT * FROM m WHERE n < 5 AND a BETWEEN 'x' AND 'z' AND n < 0"))
	_, err := db.Exec("INSERT INTO m VALUES ('x|', 10, 1)")
	harness.RequireErrorNumber(t, 1366, err)
	require.Contains(t, lines("SHOW CREATE TABLE m")[0], "HBASE_KEY_SEPARATOR=X'7C'")
	harness.Must(t, db, "DELETE FROM m", "INSERT INTO b VALUES (-5, 1, 1), (5, 4000000000, 2), (0, 3, 3)")
	require.Equal(t, []string{"-5 1 1", "0 3 3"}, lines("SELECT * FROM b WHERE n < 5 ORDER BY n, u"))
	require.Equal(t, []string{"5 4000000000 2"}, lines("SELECT * FROM b WHERE n = 5 AND u > 3"))
	harness.Must(t, db, "DELETE FROM b", "INSERT INTO o VALUES (-5, 'a', 1), (5, 'b', 2), (0, 'c', 3)")
	require.Equal(t, []string{"-5", "0"}, lines("SELECT n FROM o WHERE n < 5"))
}

// TestMappedNames: mapped tables share the namespace of tables and views, and are dropped with their group.
func TestMappedNames(t *testing.T) {
	db := open(t, "CREATE DATABASE other", "CREATE TABLE other.g$f"+cells, "CREATE TABLE other.g$e"+cells,
		"CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'other:g' HBASE_COLUMNS = ':key, f:n' COMMENT = 'of g'")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	for number, statements := range map[uint16][]string{
		1050: {"CREATE TABLE m (id int PRIMARY KEY)", "CREATE TABLE m$f" + cells, "CREATE TABLEGROUP m", "CREATE VIEW m AS SELECT 1 AS one"},
		1347: {"DROP VIEW m", "CREATE OR REPLACE VIEW m AS SELECT 1 AS one"},
		1235: {"TRUNCATE m"},
	} {
		for _, statement := range statements {
			_, err := db.Exec(statement)
			require.Equal(t, number, harness.NumberOf(err), "%s: %v", statement, err)
		}
	}
	harness.Must(t, db, "INSERT INTO m VALUES (1, 2)", "CREATE TABLE like_m LIKE m", "RENAME TABLE m TO other.n",
		"CREATE VIEW v AS SELECT n FROM other.n", "CREATE TABLE IF NOT EXISTS like_m (id int PRIMARY KEY)")
	require.Equal(t, []string{"2 2"}, lines("SELECT v.n, like_m.n FROM v JOIN like_m"))
	require.Contains(t, lines("SHOW CREATE TABLE other.n")[0], "COMMENT='of g' HBASE_TABLE='g' HBASE_COLUMNS=':key, f:n'")
	require.Equal(t, []string{"BASE TABLE"}, lines("SELECT TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_NAME = 'n'"))
	require.Empty(t, lines("SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_NAME = 'n'"))

	harness.Must(t, db, "DROP TABLE other.g$f")
	_, err := db.Query("SELECT * FROM like_m")
	harness.RequireErrorNumber(t, 1146, err)
	require.ErrorContains(t, err, "other.g$f' doesn't exist: table 'default.like_m' is mapped onto it")
	require.Contains(t, lines("SHOW CREATE TABLE like_m")[0], "HBASE_TABLE='other:g'")
	harness.Must(t, db, "CREATE TABLE other.g$f"+cells, "INSERT INTO like_m VALUES (3, 4)", "DROP TABLE other.g$e")
	require.Equal(t, []string{"3 4"}, lines("SELECT * FROM other.n"))
	harness.Must(t, db, "DROP TABLE other.n")
	require.Equal(t, []string{"3 n 4"}, lines("SELECT K, Q, V FROM other.g$f"))
	harness.Must(t, db, "DROP TABLE other.g$f")
	require.Equal(t, []string{"v"}, lines("SHOW TABLES"))
}

// TestMappedAlter changes the columns of a mapped table, which leaves the cells as they are.
func TestMappedAlter(t *testing.T) {
	db, lines := openUsers(t, "INSERT INTO people VALUES ('ann', 'Ann', 41, NULL), ('bob', NULL, 7, 'x')",
		"INSERT INTO users$profile VALUES ('ann', 'mail', 1, 'a@x')")
	_, err := db.Exec("ALTER TABLE people ADD mail varchar(9)")
	harness.RequireErrorNumber(t, 1210, err)
	harness.Must(t, db, "ALTER TABLE people ADD mail varchar(9) AFTER id, RENAME COLUMN note TO remark, "+
		"HBASE_COLUMNS = ':key, profile:mail, profile:name, profile:age#b, extra:note'", "ALTER TABLE people MODIFY age bigint, DROP name")
	require.Equal(t, []string{"ann a@x 41 NULL", "bob NULL 7 x"}, lines("SELECT id, mail, age, remark FROM people"))
	harness.Must(t, db, "UPDATE people SET age = age + 1 WHERE id = 'bob'")
	require.Equal(t, []string{"0000000000000008"}, lines("SELECT HEX(V) FROM users$profile WHERE K = 'bob' ORDER BY T DESC LIMIT 1"))
	require.Equal(t, []string{"Ann"}, lines("SELECT V FROM users$profile WHERE Q = 'name'"))
	_, err = db.Exec("ALTER TABLE people MODIFY mail varchar(2)")
	harness.RequireErrorNumber(t, 1406, err)
	_, err = db.Exec("ALTER TABLE people MODIFY mail varchar(9) NOT NULL")
	harness.RequireErrorNumber(t, 1138, err)
	_, err = db.Exec("ALTER TABLE people ADD big datetime(6) DEFAULT CURRENT_TIMESTAMP(6), HBASE_COLUMNS = ':key, profile:mail, profile:age#b, extra:note, extra:t#b'")
	harness.RequireErrorNumber(t, 1235, err)
	_, err = db.Exec("ALTER TABLE people HBASE_COLUMNS = ':key, profile:mail, profile:age#b, nowhere:note'")
	harness.RequireErrorNumber(t, 1146, err)
	harness.Must(t, db, "ALTER TABLE people ADD CONSTRAINT old CHECK (age > 5), RENAME TO folk, COMMENT = 'c'",
		"ALTER TABLE folk ADD n int DEFAULT 5, HBASE_COLUMNS = ':key, profile:mail, profile:age#b, extra:note, extra:n'")
	_, err = db.Exec("UPDATE folk SET age = 1")
	harness.RequireErrorNumber(t, 3819, err)
	require.Equal(t, []string{"ann 5", "bob 5"}, lines("SELECT id, n FROM folk"))
	harness.Must(t, db, "UPDATE folk SET n = NULL WHERE id = 'bob'", "ALTER TABLE folk DROP mail")
	require.Equal(t, []string{"ann 5", "bob NULL"}, lines("SELECT id, n FROM folk"))
	require.Equal(t, []string{"ann a@x"}, lines("SELECT K, V FROM users$profile WHERE Q = 'mail'"))
}
