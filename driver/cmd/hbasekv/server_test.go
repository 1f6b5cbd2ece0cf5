package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestHeldStore: the error for a store that a server holds names the process, and the data
// source name in it works: statements, loads with keys, of cells and of columns, and exports
// go through the server.
func TestHeldStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	served, _ := serveStore(t, store)
	run := func(stdin string, args ...string) (string, error) {
		cmd := command(dir, args...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	var out string
	var err error
	require.Eventually(t, func() bool { // it says so shortly before it serves
		out, err = run("a,1\n", "load", store, "-", "--key", "a", "--table", "t")
		return err == nil || strings.Contains(out, "which serves it")
	}, time.Minute, 50*time.Millisecond)
	require.Error(t, err)
	dsn := "mysql://root@" + served.sql + "/default"
	for _, want := range []string{fmt.Sprintf("process %d (hbasekv), since 20", served.cmd.Process.Pid),
		"which serves it on tcp " + served.sql, "hbasekv sql " + dsn} {
		require.Contains(t, out, want)
	}
	for _, other := range [][]string{{"sql", store, "-e", "SELECT 1"}, {"export", store, "t", "t.csv"}, {"copy", store, "other", "t"}} {
		out, err = run("", other...)
		require.Error(t, err, other)
		require.Contains(t, out, dsn, other)
	}

	const orders = "id,name,n\n1,\"Ann\n\tB\\\",2.5\n2,\x00\xff,3\n3,,\n"
	out, err = run(orders, "load", dsn, "-", "--key", "id", "--table", "orders", "--view", "o")
	require.NoError(t, err, out)
	require.Contains(t, out, "done: 3 lines, 3 rows, 5 cells into orders, 0 bad lines")
	out, err = run("", "sql", dsn, "-e", "SELECT id, HEX(name), n FROM o; SELECT 'x' + 1")
	require.NoError(t, err, out)
	require.Contains(t, out, "id\tHEX(name)\tn\n1\t416E6E0A09425C\t2.5\n2\t00FF\t3.0\n3\tNULL\tNULL\n'x' + 1\n1\nWarning 1292: ")

	// A bad line after much data leaves nothing loaded.
	var long bytes.Buffer
	long.WriteString("id,v\n")
	for i := range 100_000 {
		fmt.Fprintf(&long, "%d,%0100d\n", i, rand.Int())
	}
	for _, bad := range []string{"1\n", "7,x\n", "8,\"x\n"} {
		out, err = run(long.String()+bad, "load", dsn, "-", "--key", "id", "--table", "long")
		require.Error(t, err)
		require.Contains(t, out, "nothing was loaded")
		out, err = run("", "sql", dsn, "-e", "SHOW TABLES LIKE 'long%'")
		require.NoError(t, err)
		require.NotContains(t, out, "long\n")
	}
	out, err = run(long.String(), "load", dsn, "-", "--key", "id", "--table", "long")
	require.NoError(t, err, out)
	out, err = run("", "sql", dsn, "-e", "SELECT COUNT(*), MIN(id), MAX(id) FROM long_rows")
	require.NoError(t, err, out)
	require.Contains(t, out, "\n100000\t0\t99999\n")

	// Files of cells and of columns, in batches and at once.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.csv"), []byte("k1,1,2\nk2,3,4\n"), 0o600))
	out, err = run("", "load", dsn, "g", "c.csv", "--columns", "HBASE_ROW_KEY,a:x,b:y", "--create", "--timestamp", "1")
	require.Error(t, err)
	require.Contains(t, out, "--mode batches")
	out, err = run("", "load", dsn, "g", "c.csv", "--columns", "HBASE_ROW_KEY,a:x,b:y", "--create", "--timestamp", "1", "--mode", "batches")
	require.NoError(t, err, out)
	out, err = run("", "load", dsn, "g$a", "c.csv", "--columns", "HBASE_ROW_KEY,-,z", "--timestamp", "2")
	require.NoError(t, err, out)
	out, err = run("", "export", dsn, "g", "-", "--format", "csv")
	require.NoError(t, err, out)
	require.Equal(t, "row,family,qualifier,timestamp,value\nk1,a,x,1,1\nk1,a,z,2,2\nk1,b,y,1,2\nk2,a,x,1,3\nk2,a,z,2,4\nk2,b,y,1,4\n", out)

	out, err = run("", "sql", "mysql://nobody@"+served.sql+"/default", "-e", "SELECT 1")
	require.Error(t, err)
	require.Contains(t, out, "Access denied")
	out, err = run("", "sql", "mysql://root:s3cret@127.0.0.1:x/default", "-e", "SELECT 1")
	require.Error(t, err)
	require.NotContains(t, out, "s3cret")
}
