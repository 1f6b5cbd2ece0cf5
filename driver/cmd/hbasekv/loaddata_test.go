package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSQLFiles: the sql command runs LOAD DATA and INTO OUTFILE with the files
// that the DSN allows, and prints what mysql prints for a load.
func TestSQLFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in.csv"), []byte("a,1\nb,2\nb,2\n"), 0o644))
	cmd := command(dir, "sql", "file:store?fileDir=.", "--format", "table",
		"-e", "CREATE TABLE t (K varbinary(64), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))",
		"-e", "LOAD DATA LOCAL INFILE 'in.csv' INTO TABLE t FIELDS TERMINATED BY ',' (K, T) SET Q = 'q', V = 'v'",
		"-e", "SELECT * FROM t INTO OUTFILE 'out.tsv'",
		"-e", "LOAD DATA INFILE 'in.csv' REPLACE INTO TABLE t FIELDS TERMINATED BY ',' (K, T) SET Q = 'q', V = 'v'")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "OK, 2 rows affected\nRecords: 3  Deleted: 0  Skipped: 1  Warnings: 1\nWarning 1062: ")
	require.Contains(t, string(out), "OK, 3 rows affected\nRecords: 3  Deleted: 0  Skipped: 0  Warnings: 0\n")
	written, err := os.ReadFile(filepath.Join(dir, "out.tsv"))
	require.NoError(t, err)
	require.Equal(t, "a\tq\t1\tv\nb\tq\t2\tv\n", string(written))
}

// TestSQLLocalFiles: LOAD DATA LOCAL reads the user's files by default, unless the user
// forbids it.
func TestSQLLocalFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in.csv"), []byte("a,1\n"), 0o644))
	const load = "LOAD DATA LOCAL INFILE 'in.csv' INTO TABLE t FIELDS TERMINATED BY ',' (K, T) SET Q = 'q', V = 'v'"
	run := func(args ...string) (string, error) {
		out, err := command(dir, append([]string{"sql", "./store", "-e", load}, args...)...).CombinedOutput()
		return string(out), err
	}
	out, err := command(dir, "sql", "./store", "-e",
		"CREATE TABLE t (K varbinary(64), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))").CombinedOutput()
	require.NoError(t, err, "%s", out)
	shown, err := run("--local-infile=false")
	require.Error(t, err)
	require.Contains(t, shown, "not registered")
	shown, err = run("-e", "SELECT * FROM t")
	require.NoError(t, err, shown)
	require.Contains(t, shown, "a\tq\t1\tv")
}
