package mysqlserver_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

// tool runs a command line client with the server, and returns its output.
func (s *served) tool(t *testing.T, input, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	cmd := exec.Command(path, append([]string{"--no-defaults", "--socket=" + s.socket, "--user=root"}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, "%s: %s", name, errs.String())
	return string(out)
}

func TestMariaDBCommandLine(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	got := s.tool(t, `
		CREATE DATABASE shop; USE shop;
		CREATE TABLE `+"`x$p`"+` (K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, V varbinary(1000), PRIMARY KEY (K, Q, T));
		INSERT INTO `+"`x$p`"+` VALUES ('a', 'q', 1, 'hello'), ('b', 'q', 2, NULL);
		SELECT * FROM `+"`x$p`"+` ORDER BY K; SELECT DATABASE(), USER(); SELECT '😀 漢'; SHOW TABLES LIKE 'x%p';`, "mariadb")
	require.Equal(t, "K\tQ\tT\tV\na\tq\t1\thello\nb\tq\t2\tNULL\nDATABASE()\tUSER()\nshop\troot@localhost\n😀 漢\n😀 漢\n"+
		"Tables_in_shop (x%p)\nx$p\n", got)
	got = s.tool(t, "SELECT 1 AS a; SELECT NULL AS b", "mariadb", "--compress", "--xml")
	require.Contains(t, got, `<field name="a">1</field>`)
}

// What mariadb-dump writes, another server restores, also a second time: a table
// group's virtual table comes and goes with its tables.
func TestDumpAndRestore(t *testing.T) {
	from, to := serve(t, ":memory:", mysqlserver.Options{}), serve(t, ":memory:", mysqlserver.Options{})
	db := from.client(t, "multiStatements=true")
	execAll(t, db, "CREATE TABLE `x$p` (K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, "+
		"V varbinary(1000), PRIMARY KEY (K, Q, T)) PARTITION BY KEY (K) PARTITIONS 3", "CREATE TABLE `x$q` LIKE `x$p`",
		"INSERT INTO `x$p` VALUES (X'00ff27', 'q', 5, X'deadbeef005c'), ('a', 'q', 1, 'x'), ('a', 'r', -2, NULL)",
		"CREATE VIEW people AS SELECT K AS id, MAX(CASE WHEN Q = 'q' THEN V END) AS name FROM `x$p` GROUP BY K")
	const cells = "SELECT GROUP_CONCAT(HEX(K), HEX(Q), T, IFNULL(HEX(V), 'NULL') ORDER BY K, Q, T) FROM `x$p`"
	restored := func() {
		require.Equal(t, one[string](t, from.db, cells), one[string](t, to.db, cells))
		require.Equal(t, "x", one[string](t, to.db, "SELECT name FROM people WHERE id = 'a'"))
		require.Equal(t, "p", one[string](t, to.db, "SELECT MAX(F) FROM x WHERE K = 'a'"))
		require.Equal(t, 3, one[int](t, to.db, "SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'x$p'"))
	}
	for _, how := range []string{"--lock-tables", "--single-transaction", "--skip-add-drop-table"} {
		if how == "--skip-add-drop-table" {
			execAll(t, to.db, "DROP VIEW people", "DROP TABLE `x$p`", "DROP TABLE `x$q`")
		}
		dump := from.tool(t, "", "mariadb-dump", how, "--hex-blob", "default")
		to.tool(t, dump, "mariadb", "default")
		restored()
	}
	// The tables of the database mysql belong to the server, so their part of a dump
	// fails.
	execAll(t, to.db, "DROP DATABASE `default`")
	all := from.tool(t, "", "mariadb-dump", "--all-databases", "--routines", "--events")
	tables, rest, _ := strings.Cut(all, "-- Current Database: `mysql`")
	_, views, _ := strings.Cut(rest, "-- Current Database: `default`") // views follow all tables
	to.tool(t, tables+views, "mariadb")
	execAll(t, to.db, "USE `default`")
	restored()
}

// TestRefresh flushes with COM_REFRESH, which mysqladmin sends, and checks the right for
// it.
func TestRefresh(t *testing.T) {
	s := serve(t, "file:"+t.TempDir()+"?sync=false", mysqlserver.Options{})
	execAll(t, s.db, table, "INSERT INTO t VALUES ('a', 'q', 1, 'x')", "CREATE USER nobody@localhost")
	for _, command := range []string{"refresh", "reload", "flush-tables", "flush-status", "flush-hosts", "flush-logs"} {
		require.Empty(t, s.tool(t, "", "mariadb-admin", command), command)
	}
	for _, command := range []string{"refresh", "reload"} {
		out, err := exec.Command("mariadb-admin", "--no-defaults", "--socket="+s.socket, "--user=nobody", command).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "RELOAD")
	}
}

// TestEngineStatus finds an open transaction in the report of SHOW ENGINE INNODB STATUS.
func TestEngineStatus(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	execAll(t, s.db, table)
	tx, err := s.client(t, "").Begin()
	require.NoError(t, err)
	_, err = tx.Exec("INSERT INTO t VALUES ('a', 'q', 1, 'x')")
	require.NoError(t, err)
	report := s.tool(t, "", "mariadb", "-e", "SHOW ENGINE INNODB STATUS\\G")
	require.Regexp(t, `INNODB MONITOR OUTPUT\n=+\n-+\nTRANSACTIONS\n-+\n---TRANSACTION \d+, ACTIVE \d+ sec\n1 row lock\(s\), undo log entries 1\n`+
		`MySQL thread id \d+, query id 0 \S+ root\n-+\nROW OPERATIONS\n-+\nCom_delete 0\n`, report)
	require.NoError(t, tx.Rollback())
	require.NotContains(t, s.tool(t, "", "mariadb", "-e", "SHOW ENGINE InnoDB STATUS"), "ACTIVE")
}
