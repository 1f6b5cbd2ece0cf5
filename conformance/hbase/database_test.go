package hbase

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/hbase"
)

// hbaseQuorum is the quorum of the HBase for tests; without one, the test is
// skipped.
func hbaseQuorum(t testing.TB) string {
	t.Helper()
	quorum := os.Getenv("HBASEKV_TEST_ZK")
	if quorum == "" {
		t.Skip("no HBase: give its quorum in HBASEKV_TEST_ZK; kv/hbase/hbase-local starts one")
	}
	return quorum
}

// hbaseDatabase creates a database for the test in HBase, and returns its data
// source name, to which parameters can be added, and its name.
func hbaseDatabase(t testing.TB) (dsn, name string) {
	t.Helper()
	quorum := hbaseQuorum(t)
	name = fmt.Sprintf("c%d", time.Now().UnixNano()%1e12)
	db := harness.OpenDB(t, "hbase://"+quorum+"/default")
	harness.Must(t, db, "CREATE DATABASE "+name)
	t.Cleanup(func() {
		db := harness.OpenDB(t, "hbase://"+quorum+"/default?rpcTimeout=59s") // a separate store, which reads the tables again
		for _, table := range harness.Lines(t, db, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE'", name) {
			harness.Must(t, db, "DROP TABLE "+name+".`"+table+"`")
		}
		harness.Must(t, db, "DROP DATABASE "+name)
	})
	return "hbase://" + quorum + "/" + name + "?", name
}

// hbaseStore administers the HBase of the tests.
func hbaseStore(t testing.TB) *hbase.Store {
	t.Helper()
	s, err := hbase.Open(context.Background(), hbase.Options{Quorum: strings.Split(hbaseQuorum(t), ",")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}
