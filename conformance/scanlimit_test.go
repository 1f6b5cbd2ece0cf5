package conformance

import (
	"database/sql"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

var cellsCounted = regexp.MustCompile(`cells (\d+),`)

// cellsOf is how many cells EXPLAIN ANALYZE counts of a query.
func cellsOf(t *testing.T, db querier, query string) (cells int64) {
	for _, m := range cellsCounted.FindAllStringSubmatch(single(t, db, "EXPLAIN ANALYZE "+query), -1) {
		n, err := strconv.ParseInt(m[1], 10, 64)
		require.NoError(t, err)
		cells += n
	}
	return cells
}

func setScanLimit(t *testing.T, conn *sql.Conn, cells int64) {
	t.Helper()
	_, err := conn.ExecContext(t.Context(), fmt.Sprintf("SET hbasekv_scan_limit = %d", cells))
	require.NoError(t, err)
}

// TestScanLimit holds queries to as many cells as EXPLAIN ANALYZE counts where there is
// a limit, as joins are done as written then: with those they run, with one less they are 1104. Of subqueries and UNIONs it does not
// count all.
func TestScanLimit(t *testing.T) {
	for _, partitions := range []int{1, 7} {
		for _, versions := range []int{1, 50} {
			t.Run(fmt.Sprintf("%d partitions, %d versions", partitions, versions), func(t *testing.T) {
				checkScanLimit(t, guardTable(t, partitions, versions), scanLimited)
			})
		}
	}
}

// scanLimited are queries of which EXPLAIN ANALYZE counts all cells.
var scanLimited = []string{
	"SELECT * FROM t WHERE K = '{row}'",
	"SELECT * FROM t WHERE K = '{row}' AND Q = 'c'",
	"SELECT * FROM t WHERE K IN ('{row}', 'row0099')",
	"SELECT * FROM t WHERE K LIKE 'row001%' ORDER BY K",
	"SELECT * FROM t",
	"SELECT * FROM t ORDER BY V",
	"SELECT * FROM t WHERE Q = 'nonesuch'",
	"SELECT * FROM t WHERE V = 'nonesuch'",
	"SELECT * FROM t LIMIT 10",
	"SELECT * FROM t LIMIT 77",
	"SELECT * FROM t ORDER BY K DESC LIMIT 10",
	"SELECT MIN(K), MAX(K) FROM t",
	"SELECT COUNT(*) FROM t",
	"SELECT DISTINCT K FROM t",
	"SELECT /*+ VERSIONS(ALL) */ * FROM t WHERE V <> 'x'",
	"SELECT COUNT(*) FROM t AS a JOIN t AS b ON a.K = b.K AND a.Q = b.Q WHERE a.K < 'row0010'",
	"SELECT COUNT(*) FROM t AS a JOIN t AS b ON a.K = b.V",
}

func checkScanLimit(t *testing.T, db *sql.DB, queries []string) {
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	rows := 0
	for _, query := range queries {
		fresh := func() string { // rows that are read again and again are kept
			rows++
			return strings.ReplaceAll(query, "{row}", fmt.Sprintf("row%04d", rows))
		}
		setScanLimit(t, conn, 1_000_000)
		cells := cellsOf(t, conn, fresh())
		name := fmt.Sprintf("%s, %d cells", query, cells)
		require.NoError(t, underScanLimit(t, conn, cells, fresh()), name)
		if cells > 1 { // 0 is no limit
			requireTooMany(t, underScanLimit(t, conn, cells-1, fresh()), name)
		}
	}
	for _, query := range []string{
		"SELECT Q, COUNT(*) FROM t GROUP BY Q UNION ALL SELECT Q, COUNT(*) FROM t GROUP BY Q",
		"SELECT * FROM t WHERE K = (SELECT MAX(V) FROM t)",
		"SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM t AS x WHERE x.K = t.V)",
	} {
		requireTooMany(t, underScanLimit(t, conn, 499, query), query)
		require.NoError(t, underScanLimit(t, conn, 100_000, query), query)
	}
}

func underScanLimit(t *testing.T, conn *sql.Conn, cells int64, statement string) error {
	setScanLimit(t, conn, cells)
	defer setScanLimit(t, conn, 0)
	_, err := conn.ExecContext(t.Context(), statement)
	return err
}

func requireTooMany(t *testing.T, err error, says string) {
	t.Helper()
	var e *mysql.MySQLError
	require.ErrorAs(t, err, &e, says)
	require.EqualValues(t, 1104, e.Number, says)
	require.Contains(t, e.Message, "\n-> ", says)
}

// TestScanLimitOfWrites counts what statements read that write, and what they read
// of the rows that they change; what is refused has changed nothing.
func TestScanLimitOfWrites(t *testing.T) {
	db := guardTable(t, 7, 50)
	must(t, db, "CREATE TABLE copy "+plainTable)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	before := single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL")
	for _, c := range []struct {
		limit     int64
		statement string
	}{
		{5, "UPDATE t SET V = 'new' WHERE K IN ('row0001', 'row0002')"},
		{5, "DELETE FROM t WHERE K IN ('row0001', 'row0002')"},
		{100, "UPDATE t SET K = 'moved' WHERE K = 'row0001'"}, // 25 cells found, 250 moved
		{30, "INSERT INTO copy SELECT * FROM t"},
		{30, "INSERT INTO copy VALUES ('k', 'q', 1, (SELECT MAX(V) FROM t))"},
		{30, "INSERT INTO t VALUES ('row0001', 'a', 1001, 'x') ON DUPLICATE KEY UPDATE V = (SELECT MAX(V) FROM t AS x)"},
	} {
		requireTooMany(t, underScanLimit(t, conn, c.limit, c.statement), c.statement)
		require.Equal(t, before, single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"), c.statement)
		_, err := conn.ExecContext(t.Context(), "START TRANSACTION")
		require.NoError(t, err)
		require.NoError(t, underScanLimit(t, conn, 100_000, c.statement), c.statement)
		_, err = conn.ExecContext(t.Context(), "ROLLBACK")
		require.NoError(t, err)
	}
	require.Equal(t, "0", single(t, db, "SELECT COUNT(*) FROM copy"))
}
