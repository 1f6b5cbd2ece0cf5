package execution

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// TestImpureBesideFunctions: a function with side effects is evaluated row by row, on
// one goroutine, whatever functions are beside it.
func TestImpureBesideFunctions(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?versions=all")
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	harness.Must(t, conn, oracle.CreateTable("o", "key"))
	fillParallel(t, db)
	const counts = "SELECT SUM((@n := @n + 1) * LENGTH(V)), SUM((@n := @n * 2 % 977) + LENGTH(Q)) FROM o"
	var want []string
	for _, cells := range []int{harness.OneByOne, 7} {
		harness.Must(t, conn, fmt.Sprintf("SET hbasekv_parallelism = 1, hbasekv_batch_cells = %d, @n = 1", cells))
		got := harness.Lines(t, conn, counts)
		if want == nil {
			want = got
		}
		require.Equal(t, want, got, "%d cells", cells)
	}
	harness.Must(t, conn, "SET hbasekv_parallelism = 3")
	const asks = "SELECT K, MAX(CASE WHEN Q = (SELECT MIN(Q) FROM o WHERE RAND() < 2) THEN LENGTH(V) END) AS m FROM o GROUP BY K ORDER BY m, K"
	require.NotContains(t, strings.Join(harness.Lines(t, conn, "EXPLAIN ANALYZE "+asks), "\n"), "workers")
}
