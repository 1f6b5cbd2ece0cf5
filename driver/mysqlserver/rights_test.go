package mysqlserver_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

// guarded is a server with a database that most users may not see.
func guarded(t testing.TB) (s *served, root *sql.DB) {
	t.Helper()
	s = serve(t, ":memory:", mysqlserver.Options{})
	root = s.client(t, "multiStatements=true")
	execAll(t, root, "CREATE DATABASE vault", "CREATE DATABASE open",
		strings.Replace(table, "TABLE t", "TABLE vault.users$profile", 1), strings.Replace(table, "TABLE t", "TABLE vault.gems", 1),
		strings.Replace(table, "TABLE t", "TABLE open.mine", 1),
		"INSERT INTO vault.gems VALUES ('ruby', 'weight', 1, 'hidden')",
		"INSERT INTO vault.users$profile VALUES ('ann', 'name', 1, 'hidden')",
		"CREATE VIEW vault.showcase AS SELECT K FROM vault.gems",
		"CREATE SQL SECURITY INVOKER VIEW vault.window AS SELECT K FROM vault.gems",
		"CREATE USER eve IDENTIFIED BY 'pw'")
	return s, root
}

// as connects as a user whose password is pw.
func (s *served) as(t testing.TB, user, database string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("%s:pw@unix(%s)/%s", user, s.socket, database))
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func number(err error) int {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return int(e.Number)
	}
	return 0
}

// run runs a statement and reads all its rows.
func run(db *sql.DB, statement string) (lines []string, err error) {
	rows, err := db.QueryContext(context.Background(), statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		cells, to := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
		for i := range cells {
			to[i] = &cells[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		line := ""
		for _, c := range cells {
			line += string(c) + "|"
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}

// guardedStatements are statements with what they need: the privileges, on what, and the
// error without them. The table is vault.gems unless stated otherwise.
var guardedStatements = []struct {
	statement, privileges, on string
	denied                    int
}{
	{"SELECT * FROM vault.gems", "SELECT", "vault.gems", 1142},
	{"SELECT 1 FROM vault.gems", "SELECT", "vault.*", 1142},
	{"SELECT (SELECT MAX(V) FROM vault.gems)", "SELECT", "*.*", 1142},
	{"SELECT 1 FROM open.mine WHERE EXISTS (SELECT 1 FROM vault.gems)", "SELECT", "vault.gems", 1142},
	{"WITH c AS (SELECT * FROM vault.gems) SELECT * FROM c", "SELECT", "vault.gems", 1142},
	{"SELECT 1 UNION SELECT K FROM vault.gems", "SELECT", "vault.gems", 1142},
	{"EXPLAIN SELECT * FROM vault.gems", "SELECT", "vault.gems", 1142},
	{"EXPLAIN ANALYZE SELECT * FROM vault.gems", "SELECT", "vault.gems", 1142},
	{"SELECT * FROM vault.users", "SELECT", "vault.users", 1142},
	{"SELECT * FROM vault.users$profile", "SELECT", "vault.users", 1142},
	{"SELECT * FROM vault.users$profile", "SELECT", "vault.users$profile", 1142},
	{"SELECT * FROM vault.showcase", "SELECT", "vault.showcase", 1142},
	{"INSERT INTO vault.gems VALUES ('a', 'b', 1, 'c')", "INSERT", "vault.gems", 1142},
	{"INSERT INTO open.mine SELECT * FROM vault.gems", "SELECT", "vault.gems", 1142},
	{"INSERT INTO vault.gems VALUES ('a', 'b', 1, 'c') ON DUPLICATE KEY UPDATE V = 'd'", "INSERT, UPDATE", "vault.gems", 1142},
	{"REPLACE INTO vault.gems VALUES ('a', 'b', 1, 'c')", "INSERT, DELETE", "vault.gems", 1142},
	{"UPDATE vault.gems SET V = 'x'", "UPDATE", "vault.gems", 1142},
	{"UPDATE vault.gems SET V = 'x' WHERE K = 'ruby'", "SELECT, UPDATE", "vault.gems", 1142},
	{"UPDATE vault.gems g JOIN (SELECT 'ruby' AS k) d ON g.K = d.k SET g.V = 'x'", "SELECT, UPDATE", "vault.gems", 1142},
	{"DELETE FROM vault.gems", "DELETE", "vault.gems", 1142},
	{"DELETE FROM vault.gems WHERE V = 'hidden'", "SELECT, DELETE", "vault.gems", 1142},
	{"TRUNCATE TABLE vault.gems", "DROP", "vault.gems", 1142},
	{"CREATE DATABASE fresh", "CREATE", "fresh.*", 1044},
	{"DROP DATABASE fresh", "DROP", "fresh.*", 1044},
	{"ALTER DATABASE vault CHARACTER SET utf8mb4", "ALTER", "vault.*", 1044},
	{"USE vault", "SELECT", "vault.gems", 1044},
	{"SHOW TABLES FROM vault", "SELECT", "vault.gems", 1044},
	{"SHOW TABLE STATUS FROM vault", "INSERT", "vault.gems", 1044},
	{"SHOW CREATE DATABASE vault", "SELECT", "vault.gems", 1044},
	{"SHOW CREATE TABLE vault.gems", "INSERT", "vault.gems", 1142},
	{"SHOW CREATE TABLEGROUP vault.users", "SELECT", "vault.users", 1142},
	{"SHOW COLUMNS FROM vault.gems", "UPDATE", "vault.gems", 1142},
	{"DESCRIBE vault.gems", "SELECT", "vault.gems", 1142},
	{"SHOW INDEX FROM vault.gems", "SELECT", "vault.gems", 1142},
	{"SHOW PARTITIONS FROM vault.gems", "SELECT", "vault.gems", 1142},
	{"SHOW CREATE VIEW vault.showcase", "SELECT, SHOW VIEW", "vault.showcase", 1142},
	{strings.Replace(table, "TABLE t", "TABLE vault.made", 1), "CREATE", "vault.made", 1142},
	{"CREATE TABLE vault.like1 LIKE vault.gems", "CREATE, SELECT", "vault.*", 1142},
	{"CREATE TABLE vault.filled AS SELECT * FROM vault.gems", "CREATE, INSERT, SELECT", "vault.*", 1142},
	{"CREATE VIEW open.copy AS SELECT * FROM vault.gems", "SELECT", "vault.gems", 1142},
	{"CREATE VIEW vault.own AS SELECT 1 AS one", "CREATE VIEW", "vault.own", 1142},
	{"CREATE OR REPLACE VIEW vault.own AS SELECT 1 AS one", "CREATE VIEW, DROP", "vault.own", 1142},
	{"CREATE DEFINER = root@localhost VIEW open.roots AS SELECT 1 AS one", "SUPER", "*.*", 1227},
	{"DROP VIEW vault.own", "DROP", "vault.own", 1142},
	{"ALTER TABLE vault.made COMMENT = 'x'", "ALTER", "vault.made", 1142},
	{"RENAME TABLE vault.made TO vault.moved", "ALTER, DROP, CREATE, INSERT", "vault.*", 1142},
	{"DROP TABLE vault.moved", "DROP", "vault.moved", 1142},
	{"CREATE TABLEGROUP vault.grp", "CREATE", "vault.grp", 1142},
	{"ALTER TABLEGROUP vault.grp MAX_VERSIONS = 3", "ALTER, DROP", "vault.grp", 1142},
	{"DROP TABLEGROUP vault.grp", "DROP", "vault.grp", 1142},
	{"CHECK TABLE vault.gems", "SELECT", "vault.gems", 1142},
	{"CHECKSUM TABLE vault.gems", "SELECT", "vault.gems", 1142},
	{"ANALYZE TABLE vault.gems", "SELECT, INSERT", "vault.gems", 1142},
	{"OPTIMIZE TABLE vault.gems", "SELECT, INSERT", "vault.gems", 1142},
	{"REPAIR TABLE vault.gems", "SELECT, INSERT", "vault.gems", 1142},
	{"LOCK TABLES vault.gems READ", "SELECT, LOCK TABLES", "vault.*", 1044},
	{"CHECK STORE", "SUPER", "*.*", 1227},
	{"FLUSH TABLES", "RELOAD", "*.*", 1227},
	{"SET GLOBAL long_query_time = 3", "SUPER", "*.*", 1227},
	{"SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SUPER", "*.*", 1227},
	{"SHOW MASTER STATUS", "REPLICATION CLIENT", "*.*", 1227},
	{"SELECT * FROM information_schema.INNODB_TRX", "PROCESS", "*.*", 1227},
	{"SELECT * FROM mysql.user", "SELECT", "mysql.*", 1142},
	{"SELECT * FROM performance_schema.threads", "SELECT", "performance_schema.*", 1142},
	{"SELECT 1 INTO OUTFILE 'x'", "FILE", "*.*", 1045},
	{"LOAD DATA INFILE 'x' INTO TABLE open.mine", "FILE", "*.*", 1045},
	{"CREATE USER other", "CREATE USER", "*.*", 1227},
	{"ALTER USER other IDENTIFIED BY 'x'", "CREATE USER", "*.*", 1227},
	{"RENAME USER other TO another", "CREATE USER", "*.*", 1227},
	{"DROP USER another", "CREATE USER", "*.*", 1227},
	{"SET PASSWORD FOR root@localhost = ''", "UPDATE", "mysql.*", 1044},
	{"SHOW GRANTS FOR root@localhost", "SELECT", "mysql.*", 1044},
	{"SHOW CREATE USER root@localhost", "SELECT", "mysql.*", 1044},
	{"GRANT SELECT ON *.* TO eve", "SELECT, GRANT OPTION", "*.*", 1045},
	{"GRANT SELECT ON vault.* TO eve", "SELECT, GRANT OPTION", "vault.*", 1044},
	{"GRANT SELECT ON vault.gems TO eve", "SELECT, GRANT OPTION", "vault.gems", 1142},
	{"REVOKE ALL PRIVILEGES, GRANT OPTION FROM root@localhost", "", "", 1227},
}

// accessErrors are the errors for missing rights.
var accessErrors = []int{1044, 1045, 1095, 1141, 1142, 1143, 1227, 1345, 1356, 1410}

// TestStatementsTakeRights: without the rights a statement gets MySQL's error, as text and
// prepared; with exactly these it gets none for rights, at once and in the open session.
func TestStatementsTakeRights(t *testing.T) {
	s, root := guarded(t)
	execAll(t, root, "GRANT ALL ON open.* TO eve")
	eve := s.as(t, "eve", "open")
	for _, each := range guardedStatements {
		_, err := run(eve, each.statement)
		require.Equal(t, each.denied, number(err), "%s: %v", each.statement, err)
		if prepared, err := eve.Prepare(each.statement); err == nil {
			_, err = prepared.Exec()
			require.Equal(t, each.denied, number(err), "prepared %s: %v", each.statement, err)
			prepared.Close()
		}
		if each.privileges == "" {
			continue
		}
		execAll(t, root, "GRANT "+each.privileges+" ON "+grantable(root, each.on)+" TO eve")
		_, err = run(eve, each.statement)
		require.NotContains(t, accessErrors, number(err), "%s: %v", each.statement, err)
		execAll(t, root, "REVOKE ALL PRIVILEGES, GRANT OPTION FROM eve", "GRANT ALL ON open.* TO eve", "USE default")
		_, err = run(eve, "USE open")
		require.NoError(t, err)
	}
}

// grantable creates the object of a GRANT that needs an existing one.
func grantable(root *sql.DB, on string) string {
	_, name, _ := strings.Cut(on, ".")
	switch name {
	case "own":
		root.Exec("CREATE VIEW vault.own AS SELECT 1 AS one")
	case "made", "moved":
		root.Exec(strings.Replace(table, "TABLE t", "TABLE vault."+name, 1))
	case "grp":
		root.Exec("CREATE TABLEGROUP vault.grp")
	}
	return on
}

// TestColumnsTakeSelect: a user who may change a table but not read it learns
// nothing through conditions and values.
func TestColumnsTakeSelect(t *testing.T) {
	s, root := guarded(t)
	execAll(t, root, "GRANT INSERT, UPDATE, DELETE ON vault.gems TO eve", "GRANT ALL ON open.* TO eve")
	eve := s.as(t, "eve", "open")
	for _, statement := range []string{
		"UPDATE vault.gems SET V = 'x' WHERE V = 'hidden'",
		"UPDATE vault.gems SET V = CONCAT(V, 'x')",
		"UPDATE vault.gems SET V = (SELECT V)",
		"UPDATE vault.gems SET V = 'x' ORDER BY V LIMIT 1",
		"UPDATE vault.gems SET V = 'x' ORDER BY K LIMIT 1",
		"UPDATE vault.gems SET V = 'x' WHERE EXISTS (SELECT 1 FROM open.mine WHERE mine.K = gems.V)",
		"UPDATE vault.gems g JOIN (SELECT K FROM open.mine) m ON g.K = m.K SET g.V = 'x'",
		"UPDATE vault.gems g, (SELECT V FROM open.mine) m SET g.V = m.V WHERE g.V > 'a'",
		"DELETE FROM vault.gems WHERE V LIKE 'h%'",
		"DELETE FROM vault.gems ORDER BY V LIMIT 1",
		"DELETE FROM vault.gems ORDER BY T LIMIT 1",
		"INSERT INTO vault.gems VALUES ('ruby', 'weight', 1, 'x') ON DUPLICATE KEY UPDATE V = CONCAT(V, 'x')",
	} {
		_, err := run(eve, statement)
		require.Equal(t, 1143, number(err), "%s: %v", statement, err)
	}
	for _, statement := range []string{"UPDATE vault.gems SET V = 'x'", "DELETE FROM vault.gems LIMIT 1", "UPDATE vault.gems SET V = DEFAULT(V)",
		"INSERT INTO vault.gems VALUES ('ruby', 'weight', 1, 'x') ON DUPLICATE KEY UPDATE V = VALUES(V)",
		"UPDATE vault.gems SET V = (SELECT MAX(V) FROM open.mine)"} {
		_, err := run(eve, statement)
		require.NotContains(t, accessErrors, number(err), "%s: %v", statement, err)
	}
}

// TestNothingLeaks: to a user without rights, existing and missing objects look the
// same, and no catalog table names any of them.
func TestNothingLeaks(t *testing.T) {
	s, root := guarded(t)
	execAll(t, root, "CREATE USER hidden_user IDENTIFIED BY 'hidden'", "GRANT SELECT ON vault.* TO hidden_user")
	eve := s.as(t, "eve", "information_schema")
	for _, each := range guardedStatements {
		for _, name := range []string{"gems", "users", "showcase", "vault"} {
			if !strings.Contains(each.statement, "vault") {
				continue
			}
			_, err := run(eve, each.statement)
			_, other := run(eve, strings.ReplaceAll(each.statement, name, "absent"))
			require.Error(t, err, each.statement)
			require.Equal(t, strings.ReplaceAll(err.Error(), name, "absent"), other.Error())
		}
	}
	tables, err := run(eve, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'information_schema'")
	require.NoError(t, err)
	require.Greater(t, len(tables), 30)
	for _, name := range append(tables, "GLOBAL_STATUS|") {
		lines, err := run(eve, "SELECT * FROM information_schema."+strings.TrimSuffix(name, "|"))
		if err != nil {
			require.Equal(t, 1227, number(err), name)
			continue
		}
		shown := strings.Join(lines, "\n")
		for _, secret := range []string{"vault", "gems", "users$profile", "hidden", "showcase"} {
			if name != "PROCESSLIST|" { // it shows the user's own statement
				require.NotContains(t, shown, secret, name)
			}
		}
	}
	for _, statement := range []string{"SHOW DATABASES", "SHOW TABLEGROUPS", "SHOW PROCESSLIST", "SHOW GRANTS",
		"SHOW CREATE USER CURRENT_USER()", "SHOW STATUS", "SHOW VARIABLES", "SHOW WARNINGS", "SHOW OPEN TABLES FROM information_schema"} {
		lines, err := run(eve, statement)
		require.NoError(t, err, statement)
		for _, secret := range []string{"vault", "gems", "hidden", "root@"} {
			require.NotContains(t, strings.Join(lines, "\n"), secret, statement)
		}
	}
	_, err = run(eve, "SELECT LOAD_FILE('/etc/hostname')")
	require.NoError(t, err)
	require.Equal(t, 1044, number(s.as(t, "eve", "vault").Ping()))
	require.Equal(t, 1044, number(s.as(t, "eve", "absent").Ping()))
}

// TestErrorsNameWhatOneSees: 1146 suggests only a name that SHOW TABLES would show.
func TestErrorsNameWhatOneSees(t *testing.T) {
	s, root := guarded(t)
	execAll(t, root, strings.Replace(table, "TABLE t", "TABLE open.gems", 1),
		"GRANT SELECT ON open.mine TO eve", "GRANT CREATE, SELECT ON open.min TO eve", "GRANT CREATE, SELECT ON open.gem TO eve")
	eve := s.as(t, "eve", "open")
	_, err := run(eve, "SELECT * FROM min")
	require.ErrorContains(t, err, "Table 'open.min' doesn't exist; the nearest is 'mine'")
	_, err = run(eve, "SELECT * FROM gem")
	require.ErrorContains(t, err, "Table 'open.gem' doesn't exist")
	require.NotContains(t, err.Error(), "gems")
	_, err = run(root, "SELECT * FROM open.gem")
	require.ErrorContains(t, err, "the nearest is 'gems'")
}

// TestRightsOfViews: a view reads with its definer's rights, or with its invoker's.
func TestRightsOfViews(t *testing.T) {
	s, root := guarded(t)
	execAll(t, root, "GRANT SELECT ON vault.showcase TO eve", "GRANT SELECT ON vault.window TO eve", "GRANT ALL ON open.* TO eve",
		"CREATE USER dan IDENTIFIED BY 'pw'", "GRANT ALL ON open.* TO dan", "GRANT SELECT ON vault.gems TO dan")
	eve, dan := s.as(t, "eve", "open"), s.as(t, "dan", "open")
	lines, err := run(eve, "SELECT * FROM vault.showcase")
	require.NoError(t, err)
	require.Equal(t, []string{"ruby|"}, lines)
	_, err = run(eve, "SELECT * FROM vault.window")
	require.Equal(t, 1356, number(err))
	require.NotContains(t, err.Error(), "gems")
	_, err = run(eve, "EXPLAIN SELECT * FROM vault.showcase")
	require.Equal(t, 1345, number(err), "a plan shows what is below a view")
	lines, err = run(eve, "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_NAME = 'showcase'")
	require.NoError(t, err)
	require.Equal(t, []string{"|"}, lines, "the definition takes SHOW VIEW")

	execAll(t, dan, "CREATE VIEW open.passed AS SELECT K FROM vault.gems", "CREATE SQL SECURITY INVOKER VIEW open.looked AS SELECT K FROM vault.gems",
		"CREATE VIEW open.over AS SELECT K FROM open.looked")
	for range 2 { // planned, and from the cache
		_, err = run(eve, "SELECT * FROM open.passed")
		require.NoError(t, err)
		_, err = run(eve, "SELECT * FROM open.over")
		require.NoError(t, err, "the invoker of what a view reads is its definer")
		_, err = run(eve, "SELECT * FROM open.looked")
		require.Equal(t, 1356, number(err))
		_, err = run(root, "SELECT * FROM open.looked")
		require.NoError(t, err)
	}
	execAll(t, root, "REVOKE SELECT ON vault.gems FROM dan")
	_, err = run(eve, "SELECT * FROM open.passed")
	require.Equal(t, 1356, number(err))
	execAll(t, root, "DROP USER dan")
	_, err = run(eve, "SELECT * FROM open.passed")
	require.Equal(t, 1449, number(err))
	_, err = run(dan, "SELECT 1")
	require.NoError(t, err)
	_, err = run(dan, "SELECT * FROM open.mine")
	require.Equal(t, 1142, number(err), "who was dropped has no rights any more")
}

// TestPlansAreNotShared: one user's rights are not another's, whoever ran a statement
// first.
func TestPlansAreNotShared(t *testing.T) {
	s, root := guarded(t)
	eve := s.as(t, "eve", "")
	const statement = "SELECT V FROM vault.gems WHERE K = 'ruby'"
	for range 4 {
		_, err := run(s.db, statement)
		require.NoError(t, err)
		_, err = run(root, statement)
		require.NoError(t, err)
		_, err = run(eve, statement)
		require.Equal(t, 1142, number(err))
		_, err = eve.Prepare(statement)
		require.Equal(t, 1142, number(err))
	}
	execAll(t, root, "GRANT SELECT ON vault.gems TO eve")
	prepared, err := eve.Prepare(statement)
	require.NoError(t, err)
	defer prepared.Close()
	var v string
	require.NoError(t, prepared.QueryRow().Scan(&v))
	execAll(t, root, "REVOKE SELECT ON vault.gems FROM eve")
	require.Equal(t, 1142, number(prepared.QueryRow().Scan(&v)))
}

// TestKillAndProcesses: without PROCESS and SUPER a user sees and kills only his own sessions.
func TestKillAndProcesses(t *testing.T) {
	s, root := guarded(t)
	eve := s.as(t, "eve", "")
	var own, roots int
	require.NoError(t, eve.QueryRow("SELECT CONNECTION_ID()").Scan(&own))
	conn, err := root.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&roots))
	lines, err := run(eve, "SELECT USER FROM information_schema.PROCESSLIST")
	require.NoError(t, err)
	require.Equal(t, []string{"eve|"}, lines)
	_, err = run(eve, fmt.Sprint("KILL ", roots))
	require.Equal(t, 1095, number(err))
	_, err = run(eve, "KILL 999999")
	require.Equal(t, 1094, number(err))
	execAll(t, root, "GRANT PROCESS, SUPER ON *.* TO eve")
	lines, err = run(eve, "SELECT USER FROM information_schema.PROCESSLIST WHERE USER = 'root' LIMIT 1")
	require.NoError(t, err)
	require.Equal(t, []string{"root|"}, lines)
	_, err = run(eve, fmt.Sprint("KILL ", roots))
	require.NoError(t, err)
}

// TestAccountsLogIn: changes of passwords, locks and names apply at once.
func TestAccountsLogIn(t *testing.T) {
	s, root := guarded(t)
	login := func(user, password string) int {
		return number(ping(t, fmt.Sprintf("%s:%s@unix(%s)/", user, password, s.socket)))
	}
	require.Zero(t, login("eve", "pw"))
	execAll(t, s.as(t, "eve", ""), "SET PASSWORD = 'other'")
	require.Equal(t, 1045, login("eve", "pw"))
	require.Zero(t, login("eve", "other"))
	execAll(t, root, "ALTER USER eve ACCOUNT LOCK")
	require.Equal(t, 3118, login("eve", "other"))
	require.Equal(t, 1045, login("eve", "wrong"), "who does not know the password learns nothing")
	execAll(t, root, "ALTER USER eve ACCOUNT UNLOCK", "RENAME USER eve TO adam")
	require.Equal(t, 1045, login("eve", "other"))
	require.Zero(t, login("adam", "other"))
	execAll(t, root, "CREATE USER adam@localhost IDENTIFIED WITH caching_sha2_password BY 'near'")
	require.Equal(t, 1045, login("adam", "other"), "the host that says more comes first")
	require.Zero(t, login("adam", "near"))
	var statement, user string
	require.NoError(t, root.QueryRow("SHOW CREATE USER adam@localhost").Scan(&statement))
	execAll(t, root, "DROP USER adam@localhost", statement)
	var same string
	require.NoError(t, root.QueryRow("SHOW CREATE USER adam@localhost").Scan(&same))
	require.Equal(t, statement, same)
	require.Zero(t, login("adam", "near"))
	execAll(t, root, "ALTER USER adam@localhost REQUIRE SSL")
	require.Equal(t, 1045, login("adam", "near"))
	execAll(t, root, "DROP USER adam@localhost", "CREATE USER ''@'%'")
	require.Zero(t, login("anybody", ""))
	db, err := sql.Open("mysql", "anybody@unix("+s.socket+")/")
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.QueryRow("SELECT CONCAT(USER(), ' ', CURRENT_USER())").Scan(&user))
	require.Equal(t, "anybody@localhost @%", user)
	_, err = run(db, "SET PASSWORD = 'x'")
	require.Equal(t, 1131, number(err))
}

// TestPasswordsAreNotShown: neither to others while a statement runs, nor in its errors.
func TestPasswordsAreNotShown(t *testing.T) {
	s, root := guarded(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		root.ExecContext(ctx, "SELECT SLEEP(600), 'identified by s3cret'")
	}()
	require.Eventually(t, func() bool {
		lines, err := run(s.db, "SHOW FULL PROCESSLIST")
		require.NoError(t, err)
		shown := strings.Join(lines, "\n")
		require.NotContains(t, shown, "s3cret")
		return strings.Contains(shown, "<secret>")
	}, time.Minute, time.Millisecond)
	cancel()
	<-done
	for _, statement := range []string{"CREATE USER x IDENTIFIED BY 's3cret' AND", "SET PASSWORD = s3cret",
		"ALTER USER nobody IDENTIFIED BY 's3cret'", "CREATE USER eve IDENTIFIED BY 's3cret'",
		"CREATE USER x IDENTIFIED WITH sha1 BY 's3cret'", "CREATE USER x IDENTIFIED WITH mysql_native_password AS 's3cret'",
		"GRANT SELECT ON absent.absent TO x IDENTIFIED BY 's3cret'"} {
		_, err := run(root, statement)
		require.Error(t, err, statement)
		require.NotContains(t, err.Error(), "s3cret")
	}
	lines, err := run(root, "SELECT * FROM mysql.user")
	require.NoError(t, err)
	require.NotContains(t, strings.Join(lines, ""), "s3cret")
}

// TestAccountsArePersistent: what GRANT grants is in the catalog, where the
// embedded driver sees it too.
func TestAccountsArePersistent(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, mysqlserver.Options{})
	root := s.client(t, "")
	execAll(t, root, table, "CREATE USER eve IDENTIFIED BY 'pw'", "GRANT SELECT, INSERT ON `default`.t TO eve WITH GRANT OPTION",
		"GRANT ALL ON `sh\\_p`.* TO eve", "GRANT PROCESS ON *.* TO eve")
	want, err := run(root, "SHOW GRANTS FOR eve")
	require.NoError(t, err)
	require.Equal(t, []string{"GRANT PROCESS ON *.* TO 'eve'@'%'|", "GRANT ALL PRIVILEGES ON `sh\\_p`.* TO 'eve'@'%'|",
		"GRANT SELECT, INSERT ON `default`.`t` TO 'eve'@'%' WITH GRANT OPTION|"}, want)
	root.Close()
	s.stop(t)
	require.NoError(t, s.db.Close())
	again := serve(t, dir, mysqlserver.Options{})
	got, err := run(again.db, "SHOW GRANTS FOR eve")
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, again.client(t, "").Ping())
	lines, err := run(again.db, "SELECT GRANTEE, TABLE_NAME, PRIVILEGE_TYPE, IS_GRANTABLE FROM information_schema.TABLE_PRIVILEGES")
	require.NoError(t, err)
	require.Equal(t, []string{"'eve'@'%'|t|SELECT|YES|", "'eve'@'%'|t|INSERT|YES|"}, lines)
	lines, err = run(again.db, "SELECT User, Host, Process_priv, Super_priv, plugin FROM mysql.user ORDER BY User")
	require.NoError(t, err)
	require.Equal(t, []string{"eve|%|Y|N|caching_sha2_password|", "root|localhost|Y|Y|caching_sha2_password|"}, lines)
	lines, err = run(again.db, "SELECT Table_name, Table_priv FROM mysql.tables_priv")
	require.NoError(t, err)
	require.Equal(t, []string{"t|Select,Insert,Grant|"}, lines)
}

// TestFillingATable: CREATE TABLE ... SELECT needs CREATE and INSERT only on the table's own
// name, though its rows are written under another.
func TestFillingATable(t *testing.T) {
	s, root := guarded(t)
	execAll(t, root, "GRANT CREATE, INSERT ON vault.filled TO eve", "GRANT SELECT ON vault.gems TO eve")
	eve := s.as(t, "eve", "vault")
	execAll(t, eve, "CREATE TABLE vault.filled AS SELECT * FROM vault.gems")
	require.Equal(t, 1, one[int](t, root, "SELECT COUNT(*) FROM vault.filled"))
}
