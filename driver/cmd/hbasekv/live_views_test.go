package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLiveViews: a file with a header becomes a table and a view in a real HBase, and rights on
// views apply there as in the embedded store: the definer's, or with SQL SECURITY INVOKER the
// caller's.
func TestLiveViews(t *testing.T) {
	zk, dir := quorum(t), t.TempDir()
	name := "v" + strconv.FormatInt(time.Now().UnixNano(), 36)
	dsn := "hbase://" + zk + "/default"
	require.NoError(t, os.WriteFile(filepath.Join(dir, name+".csv"), []byte("id,n\n2,x\n10,\n"), 0o600))
	out, err := command(dir, "load", dsn+"?multiRow=apply", name+".csv", "--key", "id").CombinedOutput()
	require.NoError(t, err, "%s", out)
	sql := func(dsn, statement string) string {
		out, err := command(dir, "sql", dsn, "-e", statement).CombinedOutput()
		if err != nil {
			return string(out)
		}
		return strings.ReplaceAll(string(out), "\n", "|")
	}
	t.Cleanup(func() {
		sql(dsn, "DROP VIEW IF EXISTS "+name+", "+name+"_inv")
		sql(dsn, "DROP TABLE IF EXISTS "+name+"_cells")
	})
	require.Equal(t, "id\tn|2\tx|10\tNULL|", sql(dsn, "SELECT * FROM "+name))
	require.Equal(t, "", sql(dsn, "CREATE SQL SECURITY INVOKER VIEW "+name+"_inv AS SELECT K FROM "+name+"_cells"))

	accounts := filepath.Join(dir, "accounts")
	require.NoError(t, os.WriteFile(accounts, []byte("CREATE USER root@localhost; GRANT ALL ON *.* TO root@localhost; "+
		"CREATE USER reader@localhost; GRANT SELECT ON default."+name+" TO reader@localhost; "+
		"GRANT SELECT ON default."+name+"_inv TO reader@localhost;"), 0o600))
	serve := command(dir, "serve", dsn, "--accounts", accounts, "--listen", "127.0.0.1:0")
	stderr, err := serve.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, serve.Start())
	t.Cleanup(func() { serve.Process.Kill(); serve.Wait() })
	lines := bufio.NewScanner(stderr)
	require.True(t, lines.Scan())
	address := servingOn.FindStringSubmatch(lines.Text())
	require.NotNil(t, address, lines.Text())
	reader, root := "mysql://reader@"+address[1]+"/default", "mysql://root@"+address[1]+"/default"
	require.Equal(t, "COUNT(*)|2|", sql(reader, "SELECT COUNT(*) FROM "+name))
	require.Contains(t, sql(reader, "SELECT * FROM "+name+"_inv"), "Error 1356")
	require.Contains(t, sql(reader, "SELECT * FROM "+name+"_cells"), "Error 1142")
	require.Contains(t, sql(reader, "DROP VIEW "+name), "Error 1142")
	require.Contains(t, sql(reader, "SHOW CREATE VIEW "+name), "Error 1142")
	require.Contains(t, sql(root, "CREATE DEFINER = reader@localhost VIEW "+name+"_other AS SELECT K FROM "+name+"_cells"),
		"Error 1356", "the definer may not read the table")
}
