package mysqlserver_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

// How long to wait for what happens soon, and how often to check for it.
const (
	minute = time.Minute
	tick   = 10 * time.Millisecond
)

// anonymous connects as a user without an account.
func (s *served) anonymous(t testing.TB, user string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", user+"@unix("+s.socket+")/")
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// TestViewsOfTheAnonymous: a view reads with the rights of its definer, even if that is the
// account whose user and host are empty.
func TestViewsOfTheAnonymous(t *testing.T) {
	s, root := guarded(t)
	for _, host := range []string{"", "%"} {
		account := "''@'" + host + "'"
		execAll(t, root, "CREATE USER "+account, "GRANT ALL ON open.* TO "+account, "GRANT SELECT ON vault.gems TO "+account)
		db := s.anonymous(t, "anybody")
		execAll(t, db, "CREATE OR REPLACE VIEW open.seen AS SELECT K FROM vault.gems")
		execAll(t, root, "GRANT SELECT ON open.seen TO eve")
		eve := s.as(t, "eve", "")
		_, err := run(eve, "SELECT * FROM open.seen")
		require.NoError(t, err, account)
		execAll(t, root, "REVOKE SELECT ON vault.gems FROM "+account)
		for range 2 {
			_, err = run(eve, "SELECT * FROM open.seen")
			require.Equal(t, 1356, number(err), "%s: %v", account, err)
		}
		execAll(t, root, "DROP USER "+account)
		_, err = run(eve, "SELECT * FROM open.seen")
		require.Equal(t, 1449, number(err), "%s: %v", account, err)
		execAll(t, root, "DROP VIEW open.seen", "CREATE DEFINER = "+account+" VIEW open.seen AS SELECT 1 AS one")
		_, err = run(eve, "SELECT * FROM open.seen")
		require.Equal(t, 1449, number(err), "%s: %v", account, err)
		execAll(t, root, "DROP VIEW open.seen")
	}
}

// TestHostsHaveNoAt: what precedes the last @ of a definer is its user.
func TestHostsHaveNoAt(t *testing.T) {
	_, root := guarded(t)
	for _, statement := range []string{"CREATE USER a@'b@c'", "GRANT SELECT ON *.* TO a@'b@c' IDENTIFIED BY 'x'",
		"CREATE DEFINER = a@'b@c' VIEW open.x AS SELECT 1", "RENAME USER eve TO eve@'@'"} {
		_, err := run(root, statement)
		require.Equal(t, 1105, number(err), "%s: %v", statement, err)
	}
}

// TestNamesThatClientsGive: a client that logs in with an account for any user may choose
// its name, which lets it see and kill nothing.
func TestNamesThatClientsGive(t *testing.T) {
	s, root := guarded(t)
	execAll(t, root, "CREATE USER boss@'%' IDENTIFIED BY 'pw'")
	boss := s.as(t, "boss", "")
	id := one[int](t, boss, "SELECT CONNECTION_ID()")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	t.Cleanup(func() { cancel(); <-ended })
	long := s.as(t, "boss", "")
	go func() {
		defer close(ended)
		long.ExecContext(ctx, "SELECT SLEEP(600), 'hidden'")
	}()
	require.Eventually(t, func() bool { return s.running(t, "SLEEP(600)") == 1 }, minute, tick)
	execAll(t, root, "CREATE USER ''@localhost") // which takes precedence over boss@% here
	for _, name := range []string{"boss", ""} {
		fake, other := s.anonymous(t, name), s.anonymous(t, name)
		require.Equal(t, "@localhost", one[string](t, fake, "SELECT CURRENT_USER()"))
		lines, err := run(fake, "SHOW FULL PROCESSLIST")
		require.NoError(t, err)
		require.NotContains(t, fmt.Sprint(lines), "hidden")
		require.Len(t, lines, 1, "its own")
		for _, victim := range []int{id, one[int](t, other, "SELECT CONNECTION_ID()")} {
			_, err = run(fake, fmt.Sprint("KILL ", victim))
			require.Equal(t, 1095, number(err), "%v", err)
		}
		for _, statement := range []string{"SET PASSWORD = 'x'", "SET PASSWORD FOR CURRENT_USER() = 'x'", "SET PASSWORD FOR ''@localhost = 'x'",
			"ALTER USER CURRENT_USER() IDENTIFIED BY 'x'", "ALTER USER ''@localhost IDENTIFIED BY 'x'", "ALTER USER USER() IDENTIFIED BY 'x'"} {
			_, err = run(fake, statement)
			require.Equal(t, 1131, number(err), "%s: %v", statement, err)
		}
		execAll(t, root, "GRANT GRANT OPTION ON open.* TO ''@localhost")
		_, err = run(fake, "GRANT USAGE ON open.* TO ''@localhost IDENTIFIED BY 'x'")
		require.Equal(t, 1410, number(err), "%v", err)
		execAll(t, root, "REVOKE GRANT OPTION ON open.* FROM ''@localhost")
		require.NoError(t, s.anonymous(t, "anybody").Ping())
	}
}

// TestAccountsOfOneName: an account that is dropped and created again is another one: a
// session of the first gets neither its rights nor its password.
func TestAccountsOfOneName(t *testing.T) {
	s, root := guarded(t)
	execAll(t, root, "GRANT SELECT ON vault.gems TO eve")
	eve := s.as(t, "eve", "")
	id := one[int](t, eve, "SELECT CONNECTION_ID()")
	again := func(made string) {
		t.Helper()
		execAll(t, root, "DROP USER eve", made, "GRANT ALL ON *.* TO eve WITH GRANT OPTION")
		newcomer := s.as(t, "eve", "")
		execAll(t, newcomer, "SELECT 1 FROM vault.gems", "SELECT SLEEP(0), 'hidden'")
		for statement, want := range map[string]int{"SELECT * FROM vault.gems": 1142, "SHOW GRANTS": 1044, "SHOW CREATE USER CURRENT_USER()": 1044,
			"SET PASSWORD = 'stolen'": 1044, "SET PASSWORD FOR CURRENT_USER() = 'stolen'": 1044, "ALTER USER CURRENT_USER() IDENTIFIED BY 'x'": 1227,
			"GRANT SELECT ON vault.gems TO CURRENT_USER()": 1142, "CREATE VIEW open.x AS SELECT * FROM vault.gems": 1142,
			fmt.Sprint("KILL ", one[int](t, newcomer, "SELECT CONNECTION_ID()")): 1095} {
			_, err := run(eve, statement)
			require.Equal(t, want, number(err), "%s: %v", statement, err)
		}
		lines, err := run(eve, "SHOW PROCESSLIST")
		require.NoError(t, err)
		require.Len(t, lines, 1, "its own")
		require.NoError(t, s.as(t, "eve", "").Ping())
	}
	again("CREATE USER eve IDENTIFIED BY 'pw'")
	again("GRANT USAGE ON *.* TO eve IDENTIFIED BY 'pw'")
	require.Equal(t, id, one[int](t, eve, "SELECT CONNECTION_ID()"))

	execAll(t, root, "DROP USER eve", "CREATE USER eve IDENTIFIED BY 'pw'", "GRANT SELECT ON vault.gems TO eve")
	renamed := s.as(t, "eve", "")
	execAll(t, renamed, "SELECT * FROM vault.gems")
	execAll(t, root, "RENAME USER eve TO adam", "CREATE USER eve IDENTIFIED BY 'pw'")
	_, err := run(renamed, "SELECT * FROM vault.gems")
	require.NoError(t, err, "an account that is renamed is the same")
	lines, err := run(renamed, "SHOW GRANTS")
	require.NoError(t, err)
	require.Contains(t, strings.Join(lines, ""), "TO 'adam'@'%'")
	execAll(t, renamed, "SET PASSWORD = 'other'")
	require.NoError(t, s.as(t, "eve", "").Ping())
}

// TestIdentitiesArePersistent: they are kept with the accounts, and that of the initial root
// is like any other.
func TestIdentitiesArePersistent(t *testing.T) {
	s := serve(t, t.TempDir(), mysqlserver.Options{})
	root := s.client(t, "")
	execAll(t, root, "CREATE USER eve IDENTIFIED BY 'pw'", "GRANT ALL ON *.* TO eve WITH GRANT OPTION")
	conn, err := root.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	for _, rename := range []string{"RENAME USER root@localhost TO boss@localhost", "RENAME USER boss@localhost TO root@localhost", "CREATE DATABASE y"} {
		_, err = conn.ExecContext(t.Context(), rename)
		require.NoError(t, err, rename)
	}
	eve := s.as(t, "eve", "")
	execAll(t, eve, "DROP USER root@localhost", "CREATE USER root@localhost", "GRANT ALL ON *.* TO root@localhost")
	_, err = conn.ExecContext(t.Context(), "CREATE DATABASE x")
	require.Equal(t, 1044, number(err), "%v", err)
	lines, err := run(eve, "SELECT * FROM mysql.user")
	require.NoError(t, err)
	require.NotEmpty(t, lines)
}
