package typed

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestTemporary tests a typed table of one session with every statement that creates, changes, reads and
// drops it.
func TestTemporary(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int)", "INSERT INTO t VALUES (1, 10), (2, 20)",
		"CREATE TABLE f (K varbinary(20), Q varbinary(20), T bigint, V blob, PRIMARY KEY (K, Q, T))",
		"INSERT INTO f VALUES ('k', 'q', 1, 'v')")
	c := harness.Conn(t, db)
	lines := func(query string) []string { return harness.Lines(t, c, query) }
	harness.Must(t, c, "CREATE TEMPORARY TABLE t (id int AUTO_INCREMENT PRIMARY KEY, name varchar(20) NOT NULL DEFAULT 'x', "+
		"n int AS (length(name)), CHECK (name <> ''))", "INSERT INTO t (name) VALUES ('Al'), (DEFAULT)")
	require.Equal(t, []string{"1 Al 2", "2 x 1"}, lines("SELECT * FROM t"))
	require.Equal(t, []string{"1 10", "2 20"}, harness.Lines(t, db, "SELECT * FROM t"))
	require.Contains(t, lines("SHOW CREATE TABLE t")[0], "CREATE TEMPORARY TABLE `t`")
	require.Len(t, lines("DESCRIBE t"), 3)
	require.Equal(t, []string{"f", "t"}, lines("SHOW TABLES"))

	harness.Must(t, c, "BEGIN", "INSERT INTO t (name) VALUES ('rolled')", "UPDATE t SET name = 'Bo' WHERE id = 1", "SAVEPOINT s",
		"DELETE FROM t", "ROLLBACK TO s")
	require.Equal(t, []string{"1 Bo 2", "2 x 1", "3 rolled 6"}, lines("SELECT * FROM t"))
	harness.Must(t, c, "ROLLBACK", "INSERT INTO t (id, name) VALUES (10, 'Di') ON DUPLICATE KEY UPDATE name = 'Ed'", "REPLACE INTO t (id, name) VALUES (2, 'Cy')",
		"INSERT INTO t (name) VALUES ('Fe')")
	require.Equal(t, []string{"1 Al 2", "2 Cy 2", "10 Di 2", "11 Fe 2"}, lines("SELECT * FROM t ORDER BY id"))
	require.Equal(t, []string{"10 Di"}, lines("SELECT id, name FROM t WHERE id BETWEEN 5 AND 10"))
	_, err := c.ExecContext(context.Background(), "INSERT INTO t (id) VALUES (10)")
	harness.RequireErrorNumber(t, 1062, err)
	_, err = c.ExecContext(context.Background(), "INSERT INTO t (name) VALUES ('')")
	harness.RequireErrorNumber(t, 3819, err)

	harness.Must(t, c, "ALTER TABLE t DROP n, DROP CHECK t_chk_1, ADD more int DEFAULT 7, CHANGE name called varchar(30)", "ALTER TABLE t ADD n int AS (length(called)) AFTER called", "ALTER TABLE t AUTO_INCREMENT = 100",
		"INSERT INTO t (called) VALUES ('Gi')", "CREATE TEMPORARY TABLE u LIKE t", "INSERT INTO u (called) VALUES ('Hu')",
		"CREATE TEMPORARY TABLE v SELECT id, called FROM t WHERE id > 10")
	require.Equal(t, []string{"100 Gi 2 7"}, lines("SELECT * FROM t WHERE id = 100"))
	require.Equal(t, []string{"1 Hu 2 7"}, lines("SELECT * FROM u"))
	require.Equal(t, []string{"11 Fe", "100 Gi"}, lines("SELECT * FROM v"))
	require.Equal(t, []string{"Fe 7", "Gi 7"}, lines("SELECT v.called, more FROM v JOIN t USING (id) ORDER BY v.id"))
	harness.Must(t, c, "TRUNCATE TABLE t", "INSERT INTO t (called) VALUES ('Ha')", "ALTER TABLE u RENAME TO w",
		"UPDATE t, w SET t.called = 'joined', w.more = 9 WHERE t.id = w.id", "BEGIN", "CREATE TEMPORARY TABLE x AS SELECT * FROM w", "ROLLBACK")
	require.Equal(t, []string{"1 joined 6 7"}, lines("SELECT * FROM t"))
	require.Equal(t, []string{"1 Hu 2 9"}, lines("SELECT * FROM w"))
	require.Equal(t, []string{"1 Hu 2 9"}, lines("SELECT * FROM x"))

	harness.Must(t, c, "CREATE TEMPORARY TABLE f (id int PRIMARY KEY)", "INSERT INTO f VALUES (5)")
	require.Equal(t, []string{"5"}, lines("SELECT * FROM f"))
	harness.Must(t, c, "DROP TABLE f", "DROP TEMPORARY TABLE t, w, x, v")
	require.Equal(t, []string{"k q 1 v"}, lines("SELECT * FROM f"))
	require.Equal(t, []string{"1 10", "2 20"}, lines("SELECT * FROM t"))
}

// TestTemporaryBeside: the session's other tables work as before while it has temporary ones.
func TestTemporaryBeside(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, u int UNIQUE)")
	c := harness.Conn(t, db)
	harness.Must(t, c, "CREATE TEMPORARY TABLE s (id int AUTO_INCREMENT PRIMARY KEY, u int, KEY (u))", "INSERT INTO t (u) VALUES (1), (2)",
		"INSERT INTO s (u) SELECT u + 5 FROM t", "INSERT INTO t (u) SELECT u FROM s")
	require.Equal(t, []string{"1 1", "2 2", "3 6", "4 7"}, harness.Lines(t, c, "SELECT * FROM t ORDER BY id"))
	harness.RequireErrorNumbers(t, c, map[string]uint16{
		"CREATE INDEX u ON s (u)": 1061, "INSERT INTO s (id) VALUES (1)": 1062,
		"CREATE TEMPORARY TABLE s (id int)": 1050, "INSERT INTO t (u) VALUES (6)": 1062,
		"CREATE TEMPORARY TABLE x (id int PRIMARY KEY) PARTITION BY KEY () PARTITIONS 3": 1562, "ALTER TABLE s PARTITION BY KEY () PARTITIONS 3": 1562,
		"CREATE TEMPORARY TABLE x (id int PRIMARY KEY) TTL = 5": 1235, "CREATE VIEW v AS SELECT * FROM s": 1352,
		"CREATE TEMPORARY TABLE x (id int PRIMARY KEY, a int) HBASE_TABLE = 't' HBASE_COLUMNS = ':key, d:a'": 1235,
	})
}
