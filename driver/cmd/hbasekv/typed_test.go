package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExportTyped exports typed tables as rows, and a store with them as the statements that
// recreate it, with history and with numbers that continue after the existing ones.
func TestExportTyped(t *testing.T) {
	dir := t.TempDir()
	hbasekv := func(args ...string) string {
		out, err := command(dir, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	hbasekv("sql", "store", "-e", `CREATE TABLE a (id bigint AUTO_INCREMENT PRIMARY KEY, n int, s varchar(9));
		INSERT INTO a (n, s) VALUES (1, 'x'), (2, NULL); UPDATE a SET n = 7 WHERE id = 1; DELETE FROM a WHERE id = 2;
		CREATE TABLE b (n int); INSERT INTO b VALUES (5), (5)`)
	hbasekv("export", "store", "a", "a.csv")
	rows, err := os.ReadFile(filepath.Join(dir, "a.csv"))
	require.NoError(t, err)
	require.Equal(t, "id,n,s\n1,7,x\n", string(rows))

	hbasekv("export", "store", "--all", "all.sql")
	hbasekv("sql", "again", "all.sql")
	got := hbasekv("sql", "again", "-e", `INSERT INTO a (n) VALUES (8); INSERT INTO b VALUES (6);
		SELECT * FROM a; SELECT * FROM b; SELECT COUNT(*) FROM a$d FOR SYSTEM_TIME ALL WHERE Q = 'n'`)
	require.Equal(t, "id\tn\ts\n1\t7\tx\n3\t8\tNULL\nn\n5\n5\n6\nCOUNT(*)\n3\n", got)
	out, err := command(dir, "load", "again", "a", "a.csv").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "a typed table shows rows, not cells")
}

// TestExportCollatedKey: a table whose key has a collation that is not binary is recreated with it, and with
// keys of the same form.
func TestExportCollatedKey(t *testing.T) {
	dir := t.TempDir()
	hbasekv := func(args ...string) string {
		out, err := command(dir, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	hbasekv("sql", "store", "-e", `CREATE TABLE k (a varchar(9) COLLATE utf8mb4_general_ci PRIMARY KEY, n int);
		CREATE TABLE l (a varchar(9) PRIMARY KEY, n int) COLLATE utf8mb4_general_ci;
		CREATE TABLE m (a varchar(9) PRIMARY KEY, n int) COLLATE utf8mb4_unicode_ci;
		CREATE TABLE r (a varchar(9) COLLATE utf8mb4_general_ci PRIMARY KEY, n int) ROW_FORMAT = REDUNDANT;
		INSERT INTO k VALUES ('x y', 1), ('B', 2); INSERT INTO l SELECT * FROM k; INSERT INTO m SELECT * FROM k;
		INSERT INTO r SELECT * FROM k`)
	hbasekv("export", "store", "--all", "all.sql")
	hbasekv("sql", "again", "all.sql")
	for _, table := range []string{"k", "l", "m", "r"} {
		require.Equal(t, "a\tn\nB\t2\nx y\t1\n", hbasekv("sql", "again", "-e", "SELECT * FROM "+table+" ORDER BY a"))
		require.Equal(t, "n\n1\n", hbasekv("sql", "again", "-e", "SELECT n FROM "+table+" WHERE a = 'X Y'"))
		require.NotContains(t, hbasekv("sql", "again", "-e", "CHECK TABLE "+table+" EXTENDED"), "warning")
	}
}

// TestExportMapped exports mapped tables as rows, and with a store the statements that recreate them after
// their families.
func TestExportMapped(t *testing.T) {
	dir := t.TempDir()
	hbasekv := func(args ...string) string {
		out, err := command(dir, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	hbasekv("sql", "store", "-e", `CREATE TABLE z$f (K varbinary(9), Q varbinary(9), T bigint, V blob, PRIMARY KEY (K, Q, T));
		CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'z' HBASE_COLUMNS = ':key, f:n#b'; INSERT INTO m VALUES (1, 7);
		CREATE DATABASE a; CREATE TABLE a.o (id int PRIMARY KEY, n int) HBASE_TABLE = 'default:z' HBASE_COLUMNS = ':key, f:n#b';
		INSERT INTO a.o VALUES (3, 9); CREATE VIEW v AS SELECT n FROM m`)
	hbasekv("export", "store", "m", "m.csv")
	rows, err := os.ReadFile(filepath.Join(dir, "m.csv"))
	require.NoError(t, err)
	require.Equal(t, "id,n\n1,7\n3,9\n", string(rows))
	hbasekv("export", "store", "--all", "all.sql")
	hbasekv("sql", "again", "all.sql")
	require.Equal(t, "n\n7\n9\nid\n1\n3\n", hbasekv("sql", "again", "-e", "SELECT n FROM v; SELECT id FROM a.o"))
}
