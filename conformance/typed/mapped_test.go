package typed

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

const cells = " (K varbinary(100), Q varbinary(100), T bigint, V varbinary(1000), PRIMARY KEY (K, Q, T))"

// openUsers creates the table group users with the families profile and extra, and the table people mapped
// onto both.
func openUsers(t *testing.T, statements ...string) (*sql.DB, func(string) []string) {
	db := open(t, "CREATE TABLE users$profile"+cells, "CREATE TABLE users$extra"+cells,
		"CREATE TABLE people (id varchar(64), name varchar(100), age int, note text, PRIMARY KEY (id)) HBASE_TABLE = 'users' "+
			"HBASE_COLUMNS = ':key, profile:name, profile:age#b, extra:note'")
	harness.Must(t, db, statements...)
	return db, func(query string) []string { return harness.Lines(t, db, query) }
}

// TestMappedRows writes rows as cells, and reads cells as rows.
func TestMappedRows(t *testing.T) {
	db, lines := openUsers(t, "INSERT INTO people VALUES ('ann', 'Ann', 41, NULL), ('bob', NULL, NULL, 'x')",
		"INSERT INTO users$profile VALUES ('cy', 'age', 5, X'00000007'), ('cy', 'other', 5, 'o'), ('di', 'other', 5, 'o')")
	require.Equal(t, []string{"ann Ann 41 NULL", "bob NULL NULL x", "cy NULL 7 NULL"}, lines("SELECT * FROM people ORDER BY id"))
	require.Equal(t, []string{"ann age 00000029", "ann name 416E6E", "cy age 00000007", "cy other 6F", "di other 6F"},
		lines("SELECT K, Q, HEX(V) FROM users$profile"))
	require.Equal(t, []string{"bob note x"}, lines("SELECT K, Q, V FROM users$extra"))
	require.Equal(t, []string{"3"}, lines("SELECT COUNT(*) FROM people"))
	require.Equal(t, []string{"cy 7"}, lines("SELECT id, age FROM people WHERE age < 40"))
	require.Equal(t, []string{"bob", "cy"}, lines("SELECT id FROM people WHERE id > 'ann' ORDER BY id"))

	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE people SET age = age + 1, note = 'n' WHERE id = 'ann'"))
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE people SET note = NULL WHERE id = 'ann'"))
	require.Equal(t, []string{"ann Ann 42 NULL"}, lines("SELECT * FROM people WHERE id = 'ann'"))
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE people SET id = 'eve' WHERE id = 'cy'"))
	require.Equal(t, []string{"cy other 6F", "eve age 00000007"},
		lines("SELECT K, Q, HEX(V) FROM users$profile WHERE K IN ('cy', 'eve') ORDER BY K"))
	require.EqualValues(t, 2, harness.Affected(t, db, "REPLACE INTO people (id, name) VALUES ('ann', 'A')"))
	require.Equal(t, []string{"ann A NULL NULL"}, lines("SELECT * FROM people WHERE id = 'ann'"))
	require.EqualValues(t, 2, harness.Affected(t, db,
		"INSERT INTO people (id, age) VALUES ('eve', 1) ON DUPLICATE KEY UPDATE age = age + VALUES(age)"))
	require.EqualValues(t, 1, harness.Affected(t, db, "INSERT IGNORE INTO people (id, age) VALUES ('eve', 1), ('di', 3)"))
	require.Equal(t, []string{"di 3", "eve 8"}, lines("SELECT id, age FROM people WHERE age IS NOT NULL ORDER BY id"))
	_, err := db.Exec("INSERT INTO people (id, age) VALUES ('eve', 1)")
	harness.RequireErrorNumber(t, 1062, err)

	require.EqualValues(t, 3, harness.Affected(t, db, "DELETE FROM people WHERE id <> 'ann'"))
	require.Equal(t, []string{"ann"}, lines("SELECT id FROM people"))
	require.Equal(t, []string{"ann name", "ann name", "cy other", "di other"}, lines("SELECT K, Q FROM users$profile"))
}

// TestMappedNoCell: rows that would have no cell are refused.
func TestMappedNoCell(t *testing.T) {
	db, lines := openUsers(t, "INSERT INTO people (id, name) VALUES ('ann', 'Ann')")
	for _, statement := range []string{"INSERT INTO people (id) VALUES ('bob')", "REPLACE INTO people (id) VALUES ('ann')",
		"UPDATE people SET name = NULL", "INSERT INTO people (id) VALUES ('ann') ON DUPLICATE KEY UPDATE name = NULL"} {
		_, err := db.Exec(statement)
		harness.RequireErrorNumber(t, 1048, err)
	}
	require.Equal(t, []string{"ann Ann"}, lines("SELECT id, name FROM people"))
}

// TestMappedUndecodable reads cells and keys that the columns cannot represent.
func TestMappedUndecodable(t *testing.T) {
	db := open(t, "CREATE TABLE g$f"+cells, "CREATE TABLE m (id int, n int, s varchar(9), PRIMARY KEY (id)) HBASE_TABLE = 'g' "+
		"HBASE_COLUMNS = ':key, f:n#b, f:s'", "INSERT INTO g$f VALUES ('7', 'n', 1, 'abc'), ('007', 's', 1, 'no'), ('x', 's', 1, 'no')")
	conn := harness.Conn(t, db)
	require.Equal(t, []string{"7 NULL NULL"}, harness.Lines(t, conn, "SELECT * FROM m"))
	require.Equal(t, []string{"default.m check warning 1 values of column 'n' are not values of type int(11) and are read as NULL, the first in row X'37'",
		"default.m check warning 2 rows of HBase are not rows of the table, since their keys are not values of its primary key, the first X'303037'",
		"default.m check status OK"}, harness.Lines(t, db, "CHECK TABLE m"))
	require.Equal(t, []string{"Warning 1366 Incorrect int value: 'abc' for column 'n'"}, harness.Lines(t, conn, "SHOW WARNINGS"))
}
