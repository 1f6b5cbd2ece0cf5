package typed

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestMappedJoins changes mapped tables in joins, with other tables and with another mapping of the same
// cells.
func TestMappedJoins(t *testing.T) {
	db, lines := openUsers(t, "INSERT INTO people VALUES ('ann', 'Ann', 41, NULL), ('bob', 'Bob', 7, 'x'), ('cy', 'Cy', 8, NULL)",
		"CREATE TABLE ages (id varchar(64), age int, PRIMARY KEY (id)) HBASE_TABLE = 'users' HBASE_COLUMNS = ':key, profile:age#b'",
		"CREATE TABLE plain (id varchar(64) PRIMARY KEY, n int)", "INSERT INTO plain VALUES ('ann', 5), ('cy', 6)")
	require.EqualValues(t, 4, harness.Affected(t, db, "UPDATE people p JOIN plain USING (id) SET p.age = p.age + n, n = 0"))
	require.Equal(t, []string{"ann 46", "bob 7", "cy 14"}, lines("SELECT id, age FROM people"))
	require.EqualValues(t, 6, harness.Affected(t, db, "UPDATE people a JOIN people b ON a.id = b.id SET a.age = 1, b.note = 'n'"))
	require.EqualValues(t, 6, harness.Affected(t, db, "UPDATE people p JOIN ages a ON a.id = p.id SET p.name = 'N', a.age = 2"))
	require.EqualValues(t, 3, harness.Affected(t, db, "INSERT INTO plain SELECT CONCAT(id, '2'), age FROM ages"))
	require.EqualValues(t, 7, harness.Affected(t, db, "INSERT INTO ages SELECT id, n FROM plain ON DUPLICATE KEY UPDATE age = age + 100"))
	require.Equal(t, []string{"ann 102 N", "ann2 2 NULL", "bob 2 N", "bob2 2 NULL", "cy 102 N", "cy2 2 NULL"},
		lines("SELECT id, age, name FROM people"))
	require.EqualValues(t, 3, harness.Affected(t, db, "DELETE p, f FROM people p JOIN users$profile f ON f.K = p.id AND f.Q = 'name' WHERE p.id < 'b'"))
	require.EqualValues(t, 4, harness.Affected(t, db, "DELETE p FROM people p LEFT JOIN plain USING (id) WHERE plain.n IS NULL OR plain.n = 2"))
	require.Equal(t, []string{"cy"}, lines("SELECT id FROM people"))
}

// TestMappedDefaults tests defaults, NOT NULL, CHECK and automatically updated times.
func TestMappedDefaults(t *testing.T) {
	db := open(t, "CREATE TABLE g$f"+cells, "CREATE TABLE m (id int PRIMARY KEY, a int NOT NULL, b varchar(9) DEFAULT 'd', "+
		"c timestamp(3) NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), CHECK (a < 100)) "+
		"HBASE_TABLE = 'g' HBASE_COLUMNS = ':key#o, f:a, f:b, f:c#b'")
	for number, statement := range map[uint16]string{1364: "INSERT INTO m (id) VALUES (1)", 3819: "INSERT INTO m (id, a) VALUES (1, 100)",
		1048: "INSERT INTO m (id, a) VALUES (1, NULL)", 1366: "INSERT INTO m (id, a) VALUES (1, 'x')", 1406: "INSERT INTO m (id, a, b) VALUES (1, 1, REPEAT('x', 10))"} {
		_, err := db.Exec(statement)
		harness.RequireErrorNumber(t, number, err)
	}
	require.Empty(t, harness.Lines(t, db, "SELECT * FROM g$f"))
	harness.Must(t, db, "SET timestamp = 1700000000.5", "INSERT INTO m (id, a) VALUES (1, 5)")
	require.Equal(t, []string{"a 35", "b 64", "c 0000018BCFE569F4"}, harness.Lines(t, db, "SELECT Q, HEX(V) FROM g$f"))
	harness.Must(t, db, "UPDATE m SET a = 6", "SET timestamp = DEFAULT")
	require.Equal(t, "1", harness.Single(t, db, "SELECT COUNT(*) FROM m WHERE c > '2023-11-14' AND b = 'd' AND a = '6'"))
	_, err := db.Exec("ALTER TABLE g$f MODIFY V varbinary(2)")
	require.Error(t, err) // c has 8 bytes
	harness.Must(t, db, "CREATE TABLE h$f (K varbinary(4), Q varbinary(9), T bigint, V varbinary(2), PRIMARY KEY (K, Q, T))",
		"CREATE TABLE short (id varchar(9) PRIMARY KEY, s varchar(9)) HBASE_TABLE = 'h' HBASE_COLUMNS = ':key, f:s'")
	for _, statement := range []string{"INSERT INTO short VALUES ('a', 'abc')", "INSERT INTO short VALUES ('abcde', 'a')"} {
		_, err := db.Exec(statement)
		harness.RequireErrorNumber(t, 1406, err)
	}
	require.Empty(t, harness.Lines(t, db, "SELECT * FROM h$f"))
}

// TestMappedExpiry rewrites the cells of a row that expire, so that the row expires as a whole.
func TestMappedExpiry(t *testing.T) {
	db, lines := openUsers(t, "INSERT INTO people VALUES ('ann', 'Ann', 41, 'x')", "ALTER TABLE users$profile TTL = 1000")
	before := harness.Single(t, db, "SELECT MIN(T) FROM users$profile")
	harness.Must(t, db, "SELECT SLEEP(0.005)", "UPDATE people SET age = 42")
	require.Equal(t, []string{"2"}, lines("SELECT /*+ VERSIONS(1) */ COUNT(*) FROM users$profile WHERE T > "+before))
	require.Equal(t, []string{"0"}, lines("SELECT COUNT(*) FROM users$extra WHERE T > "+before))
}

// TestMappedHistory reads rows as they were.
func TestMappedHistory(t *testing.T) {
	_, lines := openUsers(t, "INSERT INTO users$profile VALUES ('ann', 'name', 10, 'A'), ('ann', 'name', 20, 'B'), ('ann', 'age', 15, X'00000001')",
		"INSERT INTO users$extra VALUES ('ann', 'note', 5, 'n')")
	for at, want := range map[int]string{4: "", 5: "ann NULL NULL n", 12: "ann A NULL n", 17: "ann A 1 n", 20: "ann B 1 n"} {
		got := lines(fmt.Sprintf("SELECT * FROM people FOR SYSTEM_TIME AS OF %d", at))
		if want == "" {
			require.Empty(t, got)
		} else {
			require.Equal(t, []string{want}, got, at)
		}
	}
}

// TestMappedReads: only the qualifiers and families of the table are read.
func TestMappedReads(t *testing.T) {
	db, lines := openUsers(t, "CREATE TABLE users$big"+cells, "INSERT INTO users$big VALUES ('ann', 'name', 1, 'b')",
		"INSERT INTO people VALUES ('ann', 'Ann', 41, NULL)")
	values := make([]byte, 0, 1<<16)
	for i := range 500 {
		values = fmt.Appendf(values, ", ('ann', 'z%03d', 1, 'v')", i)
	}
	harness.Must(t, db, "INSERT INTO users$profile VALUES "+string(values[2:]))
	require.Equal(t, []string{"Ann 41"}, lines("SELECT name, age FROM people WHERE id = 'ann'"))
	require.LessOrEqual(t, harness.CellsOf(t, db, "SELECT name, age FROM people WHERE id = 'ann'"), int64(20))
	require.LessOrEqual(t, harness.CellsOf(t, db, "SELECT * FROM people"), int64(20))
}

// TestMappedAtOnce inserts and counts in the same rows from many sessions, with and without transactions.
func TestMappedAtOnce(t *testing.T) {
	db := open(t, "CREATE TABLE g$f"+cells, "CREATE TABLE a (id int PRIMARY KEY, n int, s varchar(9)) HBASE_TABLE = 'g' "+
		"HBASE_COLUMNS = ':key, f:n#b, f:s'", "CREATE TABLE b (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n#b'")
	harness.AtOnce(t, func(worker int) error {
		for i := range 20 {
			table := []string{"a", "b"}[(worker+i)%2]
			if _, err := db.Exec(fmt.Sprintf("INSERT INTO %s (id, n) VALUES (%d, 1) ON DUPLICATE KEY UPDATE n = n + 1", table, i%3)); err != nil {
				return err
			}
		}
		return nil
	})
	require.Equal(t, fmt.Sprint(20*harness.Workers), harness.Single(t, db, "SELECT SUM(n) FROM a"))
}

// TestMappedLocks locks the rows that a SELECT in a transaction finds.
func TestMappedLocks(t *testing.T) {
	db, _ := openUsers(t, "INSERT INTO people VALUES ('ann', 'Ann', 41, 'x'), ('bob', 'Bob', 7, 'x')",
		"CREATE TABLE ages (id varchar(64), age int, PRIMARY KEY (id)) HBASE_TABLE = 'users' HBASE_COLUMNS = ':key, profile:age#b'")
	for _, table := range []string{"people", "ages"} {
		tx := harness.Begin(t, db)
		require.Equal(t, []string{"41"}, harness.Lines(t, tx, "SELECT age FROM "+table+" WHERE id = 'ann' FOR UPDATE"))
		conn := harness.Conn(t, db)
		harness.Must(t, conn, "SET innodb_lock_wait_timeout = 0")
		_, err := conn.ExecContext(t.Context(), "UPDATE people SET name = 'A' WHERE id = 'ann'")
		harness.RequireErrorNumber(t, 1205, err)
		harness.Must(t, conn, "UPDATE people SET name = 'B' WHERE id = 'bob'")
		require.NoError(t, tx.Rollback())
	}
}

// TestMappedRestart tests mappings after the store is reopened.
func TestMappedRestart(t *testing.T) {
	dsn := "file:" + t.TempDir()
	db := harness.OpenDB(t, dsn)
	harness.Must(t, db, "CREATE TABLE g$f"+cells, `CREATE TABLE m (id varchar(9), n int, PRIMARY KEY (id)) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:\\xFF#b'`,
		"INSERT INTO m VALUES ('a', 1)")
	require.NoError(t, db.Close())
	db = harness.OpenDB(t, dsn)
	harness.Must(t, db, "UPDATE m SET n = n + 1")
	require.Equal(t, []string{"a FF 00000002"}, harness.Lines(t, db, "SELECT /*+ VERSIONS(1) */ K, HEX(Q), HEX(V) FROM g$f"))
}

// TestMappedGenerated tests STORED columns, which are computed by statements that write the table, and are
// cells for all others.
func TestMappedGenerated(t *testing.T) {
	db := open(t, "CREATE TABLE g$f"+cells, "CREATE TABLE m (id int PRIMARY KEY, a int, b int AS (a + 1) STORED) "+
		"HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:a, f:b'", "INSERT INTO m (id, a) VALUES (1, 5), (2, 7)",
		"UPDATE m SET a = 9 WHERE id = 1", "REPLACE INTO m (id, a) VALUES (3, 1)", "INSERT INTO m (id, a) VALUES (2, 0) ON DUPLICATE KEY UPDATE a = 20")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{"1 9 10", "2 20 21", "3 1 2"}, lines("SELECT * FROM m"))
	require.Equal(t, []string{"10", "21", "2"}, lines("SELECT /*+ VERSIONS(1) */ V FROM g$f WHERE Q = 'b'"))
	harness.Must(t, db, "UPDATE g$f SET V = '30' WHERE K = '1' AND Q = 'a'")
	require.Equal(t, []string{"1 30 10"}, lines("SELECT * FROM m WHERE id = 1"), "as it was computed last")
	harness.Must(t, db, "UPDATE m SET a = 31 WHERE id = 1", "DELETE FROM m WHERE b = 21")
	require.Equal(t, []string{"1 31 32", "3 1 2"}, lines("SELECT * FROM m"))
	require.Contains(t, lines("SHOW CREATE TABLE m")[0], "STORED")
	harness.RequireErrorNumbers(t, db, map[string]uint16{"INSERT INTO m VALUES (4, 1, 2)": 3105, "UPDATE m SET b = 1": 3105,
		"UPDATE m SET a = NULL WHERE id = 1": 1048,
		"CREATE TABLE v (id int PRIMARY KEY, a int, b int AS (a + 1)) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:a, f:b'": 1235})
}

// TestMappedKeyTooLong changes no row if a key is too long for one of the families.
func TestMappedKeyTooLong(t *testing.T) {
	const family = " (K varbinary(%d), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T))"
	db := open(t, "CREATE TABLE g$a"+fmt.Sprintf(family, 20), "CREATE TABLE g$b"+fmt.Sprintf(family, 4),
		"CREATE TABLE m (id varchar(20) PRIMARY KEY, x int, y int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, a:x, b:y'", "INSERT INTO m VALUES ('k', 1, 2)")
	for _, statement := range []string{"UPDATE m SET x = 5 WHERE id = 'longer'", "DELETE FROM m WHERE id = 'longer'",
		"UPDATE m SET x = 5 WHERE id IN ('longer', 'a')", "DELETE FROM m WHERE id IN ('longer', 'a')"} {
		result, err := db.Exec(statement)
		require.NoError(t, err, statement)
		changed, err := result.RowsAffected()
		require.NoError(t, err)
		require.Zero(t, changed, statement)
	}
	harness.RequireErrorNumbers(t, db, map[string]uint16{"INSERT INTO m VALUES ('longer', 1, 2)": 1406})
}
