package joins

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestLargeGroupsOfMerge merges many rows of one key with others of it: what is kept of a side for
// them goes to files if there is no memory for it, and is read as often as needed.
func TestLargeGroupsOfMerge(t *testing.T) {
	for _, workers := range []int{1, 3} {
		db := harness.OpenDB(t, fmt.Sprintf(":memory:?queryMemory=262144&parallelism=%d", workers))
		harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(1024), "+
			"PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3")
		var values []string
		for _, k := range []string{"a", "b", "c"} {
			for i := range 3000 {
				values = append(values, fmt.Sprintf("('%s', 'q%04d', 1, REPEAT('v', %d))", k, i, 300+i%3))
			}
		}
		harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(values, ", "))
		const inner = "SELECT COUNT(*), SUM(LENGTH(b.V)) FROM t a JOIN t b ON b.K = a.K WHERE a.Q < 'q0005'"
		const outer = "SELECT COUNT(*), COUNT(b.K), SUM(LENGTH(b.V)) FROM t a " +
			"LEFT JOIN t b ON b.K = a.K AND b.V <> CONCAT(a.V, 'v') WHERE a.Q < 'q0005'"
		const few = "SELECT COUNT(*) FROM (SELECT b.Q FROM t a JOIN t b ON b.K = a.K WHERE a.Q < 'q0005' LIMIT 7000) d"
		explained := strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE "+inner), "\n")
		require.Contains(t, explained, "merge by `b`.`K`")
		if workers == 1 {
			require.Contains(t, explained, "in temporary files")
		}
		require.Equal(t, []string{"45000 13545000"}, harness.Lines(t, db, inner))
		require.Equal(t, []string{"33000 33000 9927000"}, harness.Lines(t, db, outer))
		require.Equal(t, []string{"7000"}, harness.Lines(t, db, few))
	}
}
