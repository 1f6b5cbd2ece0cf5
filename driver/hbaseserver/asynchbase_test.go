package hbaseserver_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// TestAsynchbase runs testdata/Async.java on this server, and on the HBase whose quorum is in
// HBASEKV_TEST_ZK, if there is one, and expects the same of both.
func TestAsynchbase(t *testing.T) {
	if !*javaFlag {
		t.Skip("-java is not given")
	}
	list := filepath.Join(t.TempDir(), "jars")
	run(t, "testdata", "mvn", "-q", "-B", "-ntp", "-f", "asynchbase.xml",
		"org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath", "-Dmdep.outputFile="+list)
	jars, err := os.ReadFile(list)
	require.NoError(t, err)
	quorums := map[string]string{"hbasekv": serve(t, ":memory:", hbaseserver.Options{}).zookeeper}
	if quorum := os.Getenv("HBASEKV_TEST_ZK"); quorum != "" {
		quorums["HBase"] = quorum
	}
	for name, quorum := range quorums {
		t.Run(name, func(t *testing.T) {
			table := makeTable(t, quorum, "f")
			out := run(t, "testdata", "java", "-Xmx128m", "-cp", strings.TrimSpace(string(jars)), "Async.java", quorum, table)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			require.Equal(t, "OK", lines[len(lines)-1], "%s", out)
		})
	}
}

// makeTable creates a table of two regions at a quorum, until the test ends.
func makeTable(t *testing.T, quorum, family string) (name string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel) // after what is below
	name = fmt.Sprintf("async%d", time.Now().UnixNano())
	admin := gohbase.NewAdminClient(quorum)
	require.NoError(t, admin.CreateTable(hrpc.NewCreateTable(ctx, []byte(name), map[string]map[string]string{family: nil},
		hrpc.SplitKeys([][]byte{[]byte("c")}))))
	t.Cleanup(func() {
		require.NoError(t, admin.DisableTable(hrpc.NewDisableTable(ctx, []byte(name))))
		require.NoError(t, admin.DeleteTable(hrpc.NewDeleteTable(ctx, []byte(name))))
	})
	return name
}
