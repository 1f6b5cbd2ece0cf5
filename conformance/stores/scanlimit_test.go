package stores

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
)

// TestScanLimit: with a limit of as many cells as EXPLAIN ANALYZE counts when joins run as they do under a
// limit, as written, queries succeed; with one less they fail with 1104. EXPLAIN ANALYZE does not count all
// cells of subqueries and UNIONs.
func TestScanLimit(t *testing.T) {
	for _, partitions := range []int{1, 7} {
		for _, versions := range []int{1, 50} {
			t.Run(fmt.Sprintf("%d partitions, %d versions", partitions, versions), func(t *testing.T) {
				suite.CheckScanLimit(t, suite.GuardTable(t, partitions, versions), suite.ScanLimited)
			})
		}
	}
}

// TestScanLimitOfWrites counts what writing statements read, including what they
// read of the rows that they change; a statement that is refused has changed
// nothing.
func TestScanLimitOfWrites(t *testing.T) {
	db := suite.GuardTable(t, 7, 50)
	harness.Must(t, db, "CREATE TABLE copy "+harness.PlainTable)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	before := harness.Single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL")
	for _, c := range []struct {
		limit     int64
		statement string
	}{
		{5, "UPDATE t SET V = 'new' WHERE K IN ('row0001', 'row0002')"},
		{5, "DELETE FROM t WHERE K IN ('row0001', 'row0002')"},
		{100, "UPDATE t SET K = 'moved' WHERE K = 'row0001'"}, // 25 cells read, 250 moved
		{30, "INSERT INTO copy SELECT * FROM t"},
		{30, "INSERT INTO copy VALUES ('k', 'q', 1, (SELECT MAX(V) FROM t))"},
		{30, "INSERT INTO t VALUES ('row0001', 'a', 1001, 'x') ON DUPLICATE KEY UPDATE V = (SELECT MAX(V) FROM t AS x)"},
	} {
		suite.RequireTooMany(t, suite.UnderScanLimit(t, conn, c.limit, c.statement), c.statement)
		require.Equal(t, before, harness.Single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"), c.statement)
		_, err := conn.ExecContext(t.Context(), "START TRANSACTION")
		require.NoError(t, err)
		require.NoError(t, suite.UnderScanLimit(t, conn, 100_000, c.statement), c.statement)
		_, err = conn.ExecContext(t.Context(), "ROLLBACK")
		require.NoError(t, err)
	}
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM copy"))
}
