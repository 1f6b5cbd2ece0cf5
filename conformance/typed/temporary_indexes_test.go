package typed

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestTemporaryIndexes: a temporary table has indexes like any other table, made with it or later, which are
// used, refuse duplicates and follow rollbacks.
func TestTemporaryIndexes(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, u int UNIQUE, v int, KEY v (v))", "INSERT INTO t VALUES (1, 10, 5), (2, 20, 5), (3, 30, 6)")
	c := harness.Conn(t, db)
	lines := func(query string) []string { return harness.Lines(t, c, query) }
	fails := func(statement, with string) {
		t.Helper()
		_, err := c.ExecContext(context.Background(), statement)
		harness.RequireErrorNumber(t, 1062, err)
		require.ErrorContains(t, err, with)
	}
	harness.Must(t, c, "CREATE TEMPORARY TABLE s (id int AUTO_INCREMENT PRIMARY KEY, u int UNIQUE, name varchar(20), v int, KEY name (name(3)))",
		"INSERT INTO s (u, name, v) VALUES (1, 'Al', 7), (2, 'Bo', 7), (NULL, 'Cy', 8), (NULL, 'Bob', 8)")
	fails("INSERT INTO s (u) VALUES (2)", "for key 'u'")
	fails("UPDATE s SET u = 1 WHERE u = 2", "Duplicate entry '1' for key 'u'")
	require.Equal(t, []string{"2 2 Bo 7"}, lines("SELECT * FROM s WHERE u = 2"))
	require.Contains(t, strings.Join(lines("EXPLAIN SELECT * FROM s WHERE name = 'Bob'"), "\n"), " name ")
	require.Equal(t, []string{"4 NULL Bob 8"}, lines("SELECT * FROM s WHERE name = 'Bob'"))
	require.Equal(t, []string{"1 1", "2 2"}, lines("SELECT u, id FROM s WHERE u IS NOT NULL ORDER BY u LIMIT 5"))

	harness.Must(t, c, "BEGIN", "INSERT INTO s (u, name) VALUES (3, 'Di')", "INSERT INTO t VALUES (4, 40, 6)", "SAVEPOINT a", "DELETE FROM s WHERE u = 1",
		"UPDATE s SET u = 1 WHERE u = 2", "UPDATE t SET u = 10 + id WHERE id > 1", "ROLLBACK TO a")
	require.Equal(t, []string{"1", "2", "3"}, lines("SELECT u FROM s WHERE u > 0 ORDER BY u"))
	require.Equal(t, []string{"10 1", "20 2", "30 3", "40 4"}, lines("SELECT u, id FROM t WHERE u > 0 ORDER BY u"))
	harness.Must(t, c, "ROLLBACK")
	require.Equal(t, []string{"1 1", "2 2"}, lines("SELECT u, id FROM s WHERE u > 0 ORDER BY u"))
	require.Empty(t, lines("SELECT id FROM t WHERE u = 40"))

	harness.Must(t, c, "INSERT INTO s (u, v) VALUES (2, 1) ON DUPLICATE KEY UPDATE v = v + 100", "REPLACE INTO s (id, u, name) VALUES (9, 1, 'Ed')",
		"INSERT IGNORE INTO s (u) VALUES (1), (4)")
	require.Equal(t, []string{"1 NULL", "2 107", "4 NULL"}, lines("SELECT u, v FROM s WHERE u > 0 ORDER BY u"))
	fails("ALTER TABLE s ADD UNIQUE KEY twice (v), ADD w int", "for key 'twice'")
	require.NotContains(t, lines("SHOW CREATE TABLE s")[0], "twice")
	require.NotContains(t, lines("SHOW CREATE TABLE s")[0], "`w`")
	harness.Must(t, c, "UPDATE s SET v = id", "CREATE UNIQUE INDEX once ON s (v, u)", "ALTER TABLE s DROP KEY u, RENAME KEY name TO called, ADD KEY v (v)")
	fails("INSERT INTO s (u, v) SELECT u, v FROM s WHERE u = 4", "for key 'once'")
	require.Equal(t, []string{"4"}, lines("SELECT u FROM s FORCE INDEX (v) WHERE v = (SELECT MAX(v) FROM s)"))
	require.Len(t, lines("SHOW INDEX FROM s"), 5)
}

// TestTemporaryIndexesOfCopies: CREATE TEMPORARY TABLE LIKE and SELECT, TRUNCATE and RENAME keep indexes and
// their entries.
func TestTemporaryIndexesOfCopies(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, u int UNIQUE, v int, KEY v (v))", "INSERT INTO t VALUES (1, 10, 5), (2, 20, 5), (3, 30, 6)")
	c := harness.Conn(t, db)
	lines := func(query string) []string { return harness.Lines(t, c, query) }
	harness.Must(t, c, "CREATE TEMPORARY TABLE l LIKE t", "INSERT INTO l SELECT * FROM t", "BEGIN",
		"CREATE TEMPORARY TABLE x (KEY (v), UNIQUE (u)) SELECT * FROM t", "ROLLBACK")
	for _, table := range []string{"l", "x"} {
		require.Equal(t, []string{"1", "2"}, lines("SELECT id FROM "+table+" FORCE INDEX (v) WHERE v = 5 ORDER BY id"), table)
		_, err := c.ExecContext(context.Background(), "INSERT INTO "+table+" VALUES (7, 20, 1)")
		harness.RequireErrorNumber(t, 1062, err)
	}
	harness.Must(t, c, "ALTER TABLE l RENAME TO m", "TRUNCATE TABLE m", "INSERT INTO m VALUES (7, 20, 1)")
	require.Equal(t, []string{"7"}, lines("SELECT id FROM m WHERE u = 20"))
	harness.Must(t, c, "ALTER TABLE m DROP COLUMN v", "DROP TABLE m", "INSERT INTO t VALUES (9, 90, 9)")
	require.Equal(t, []string{"9"}, lines("SELECT id FROM t WHERE u = 90"))
	harness.Must(t, c, "CREATE TEMPORARY TABLE f (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T), KEY (Q, V(8)))",
		"INSERT INTO f VALUES ('a', 'q', 1, 'v'), ('a', 'q', 2, 'w'), ('b', 'q', 1, 'v')")
	const cells = "SELECT /*+ VERSIONS(1) */ K FROM f WHERE Q = 'q' AND V = 'v'"
	require.Equal(t, []string{"b"}, lines(cells))
	require.Contains(t, strings.Join(lines("EXPLAIN "+cells), "\n"), " Q ")
}

// TestDeletesOfTemporaryIndexes: DELETE by a condition, which deletes many cells of a stored family at a time, deletes
// the entries of a temporary table's cells and rows, and a rollback brings them back.
func TestDeletesOfTemporaryIndexes(t *testing.T) {
	c := harness.Conn(t, openLatest(t, "CREATE TABLE kept (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T), KEY i (Q, V(8)))"))
	harness.Must(t, c, "CREATE TEMPORARY TABLE f LIKE kept", "CREATE TEMPORARY TABLE s (K int PRIMARY KEY, Q int UNIQUE, V varchar(9), KEY i (V))")
	for i := range 40 {
		versions := fmt.Sprintf("VALUES ('%d', 'q', 1, 'v%d'), ('%d', 'q', 2, 'w%d')", i, i%3, i, i%4)
		harness.Must(t, c, "INSERT INTO kept "+versions, "INSERT INTO f "+versions, fmt.Sprintf("INSERT INTO s VALUES (%d, %d, 'w%d')", i, 100+i, i%4))
	}
	remain := func(n int) {
		t.Helper()
		for _, of := range []string{"kept %s (i) WHERE Q = 'q' AND", "f %s (i) WHERE Q = 'q' AND", "s %s (i) WHERE"} {
			query := "SELECT K, V FROM " + of + " V >= 'v' ORDER BY K"
			got := harness.Lines(t, c, fmt.Sprintf(query, "FORCE INDEX"))
			require.Equal(t, harness.Lines(t, c, fmt.Sprintf(query, "IGNORE INDEX")), got, query)
			require.Len(t, got, n, query)
		}
	}
	remove := func(where string) {
		for _, table := range []string{"kept", "f", "s"} {
			harness.Must(t, c, "DELETE FROM "+table+" WHERE "+where)
		}
	}
	remain(40)
	harness.Must(t, c, "BEGIN")
	remove("V = 'w1'")
	remain(30)
	harness.Must(t, c, "ROLLBACK")
	remain(40)
	remove("K LIKE '3%'")
	remain(29)
	remove("V IN ('w1', 'w3')")
	remain(15)
	require.Equal(t, []string{"default.kept check status OK", "default.f check status OK", "default.s check status OK"}, harness.Lines(t, c, "CHECK TABLE kept, f, s"))
}
