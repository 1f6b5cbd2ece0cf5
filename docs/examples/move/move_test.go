// Package move holds a shell script; this test runs it from one store to another and back.
package move

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMove(t *testing.T) {
	bin := t.TempDir()
	// go run keeps in the build cache what it links, unlike go build.
	out, err := exec.Command("go", "run", "-ldflags=-w", "-exec", "cp", "github.com/hbasekv/hbasekv/driver/cmd/hbasekv",
		filepath.Join(bin, "hbasekv")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Run("embedded", func(t *testing.T) { thereAndBack(t, "./other") })
	t.Run("hbase", func(t *testing.T) {
		quorum := os.Getenv("HBASEKV_TEST_ZK")
		if quorum == "" {
			t.Skip("there is no HBase: HBASEKV_TEST_ZK names its ZooKeeper")
		}
		thereAndBack(t, "hbase://"+quorum+"/default")
	})
}

func thereAndBack(t *testing.T, other string) {
	script, err := filepath.Abs("move.sh")
	require.NoError(t, err)
	dir := t.TempDir()
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	sql := func(store, text string) string {
		out, err := run("hbasekv", "sql", store, "-e", text)
		require.NoError(t, err, out)
		return out
	}
	table := fmt.Sprintf("moved%d", time.Now().UnixNano()%1e12)
	sql("./home", "CREATE TABLE "+table+"$f (K varbinary(64), Q varbinary(64), T bigint, V varbinary(255) NOT NULL, PRIMARY KEY (K, Q, T))")
	sql("./home", "INSERT INTO "+table+"$f VALUES ('o1', 'city', 1, 'Oslo'), ('o1', 'city', 2, 'Rome'), ('o2', 'city', 1, '')")

	out, err := run(script, "./home", other, table)
	require.NoError(t, err, out)
	t.Cleanup(func() { sql(other, "DROP TABLE "+table+"$f") })
	require.Contains(t, out, "3 cells")
	out, err = run(script, "./home", other, table)
	require.Error(t, err, out)
	require.Contains(t, out, "already")

	sql(other, "UPDATE "+table+"$f SET V = 'Bonn' WHERE K = 'o2' AND Q = 'city'")
	out, err = run(script, other, "./back", table)
	require.NoError(t, err, out)
	all := "SELECT * FROM " + table + " FOR SYSTEM_TIME ALL"
	require.Equal(t, sql(other, all), sql("./back", all))
	require.Contains(t, sql("./back", all), "Bonn")
}
