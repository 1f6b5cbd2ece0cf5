package mysqlserver_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

// TestTemporaryTablesOverTheWire: a temporary table is gone after COM_RESET_CONNECTION and KILL,
// and prepared statements use the tables that exist when they run.
func TestTemporaryTablesOverTheWire(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	root := s.client(t, "")
	execAll(t, root, table, "INSERT INTO t VALUES ('stored', 'q', 1, 'v')")
	c, err := root.Conn(context.Background())
	require.NoError(t, err)
	defer c.Close()
	st, err := c.PrepareContext(context.Background(), "SELECT K FROM t WHERE Q = ?")
	require.NoError(t, err)
	shows := func(want string) {
		t.Helper()
		var k string
		require.NoError(t, st.QueryRow("q").Scan(&k))
		require.Equal(t, want, k)
	}
	shows("stored")
	for _, statement := range []string{"CREATE TEMPORARY TABLE t LIKE t", "INSERT INTO t VALUES ('own', 'q', 1, 'v')"} {
		_, err := c.ExecContext(context.Background(), statement)
		require.NoError(t, err)
	}
	shows("own")
	shows("own")
	_, err = c.ExecContext(context.Background(), "DROP TEMPORARY TABLE t")
	require.NoError(t, err)
	shows("stored")
}

// TestRightsOnTemporaryTables: a user who may create temporary tables in a database may do
// anything with those, and nothing more with the tables that they hide.
func TestRightsOnTemporaryTables(t *testing.T) {
	s, root := guarded(t)
	execAll(t, root, "CREATE USER ann IDENTIFIED BY 'pw'", "GRANT CREATE TEMPORARY TABLES ON vault.* TO ann",
		"GRANT SELECT ON open.mine TO ann", "INSERT INTO open.mine VALUES ('k', 'q', 1, 'v')",
		"CREATE USER bob IDENTIFIED BY 'pw'", "GRANT SELECT, INSERT, CREATE, DROP ON vault.* TO bob")
	const columns = " (K varbinary(20), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))"
	ann := s.as(t, "ann", "vault")
	for _, step := range []struct {
		run   string
		fails int
	}{
		{"SELECT * FROM gems", 1142},
		{"CREATE TEMPORARY TABLE gems LIKE gems", 1142},
		{"CREATE TEMPORARY TABLE gems AS SELECT * FROM gems", 1142},
		{"CREATE TEMPORARY TABLE open.x" + columns, 1044},
		{"CREATE TABLE x" + columns, 1142},
		{"CREATE TEMPORARY TABLE gems" + columns, 0},
		{"INSERT INTO gems SELECT * FROM open.mine", 0},
		{"SELECT K, V FROM gems WHERE K = 'k' FOR UPDATE", 0},
		{"UPDATE gems SET V = CONCAT(V, V)", 0},
		{"REPLACE INTO gems VALUES ('l', 'q', 1, 'v')", 0},
		{"DELETE FROM gems WHERE K = 'l'", 0},
		{"DESCRIBE gems", 0},
		{"SHOW CREATE TABLE gems", 0},
		{"SHOW INDEX FROM gems", 0},
		{"CHECK TABLE gems", 0},
		{"CHECKSUM TABLE gems", 0},
		{"CREATE TEMPORARY TABLE like_own LIKE gems", 0},
		{"CREATE TEMPORARY TABLE from_own AS SELECT * FROM gems", 0},
		{"ALTER TABLE gems COMMENT = 'mine'", 0},
		{"TRUNCATE TABLE gems", 0},
		{"CREATE TABLE gems" + columns, 1142},
		{"RENAME TABLE gems TO stones", 1142},
		{"DROP VIEW gems", 1142},
		{"CREATE OR REPLACE VIEW gems AS SELECT 1", 1142},
		{"SELECT * FROM showcase", 1142},
		{"DROP TABLE gems, users$profile", 1142},
		{"SELECT * FROM gems", 0},
		{"DROP TABLE gems", 0},
		{"SELECT * FROM gems", 1142},
		{"DROP TABLE gems", 1142},
		{"TRUNCATE TABLE gems", 1142},
		{"DROP TEMPORARY TABLE gems", 1051},
	} {
		_, err := run(ann, step.run)
		require.Equal(t, step.fails, number(err), "%s: %v", step.run, err)
	}
	_, err := run(s.as(t, "bob", "vault"), "CREATE TEMPORARY TABLE x"+columns)
	require.Equal(t, 1044, number(err), "%v", err)
	var k string
	require.NoError(t, root.QueryRow("SELECT K FROM vault.gems").Scan(&k))
	require.Equal(t, "ruby", k)
}

// TestTemporaryTablesOfTwoClients: neither sees the other's.
func TestTemporaryTablesOfTwoClients(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	clients := []*sql.DB{s.client(t, ""), s.client(t, "")}
	execAll(t, clients[0], table)
	for i, c := range clients {
		c.SetMaxOpenConns(1)
		execAll(t, c, "CREATE TEMPORARY TABLE o LIKE t")
		for range i + 1 {
			execAll(t, c, "INSERT INTO o (K, Q, V) VALUES ('k', 'q', 'v')")
		}
	}
	for i, c := range clients {
		var n int
		require.NoError(t, c.QueryRow("SELECT /*+ VERSIONS(ALL) */ COUNT(*) FROM o").Scan(&n))
		require.Equal(t, i+1, n)
	}
}
