package suite

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func setScanLimit(t *testing.T, conn *sql.Conn, cells int64) {
	t.Helper()
	_, err := conn.ExecContext(t.Context(), fmt.Sprintf("SET hbasekv_scan_limit = %d", cells))
	require.NoError(t, err)
}

// ScanLimited are queries of which EXPLAIN ANALYZE counts all cells.
var ScanLimited = []string{
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

// CheckScanLimit runs queries over the table t with a limit that they exceed, and with one that they do not.
func CheckScanLimit(t *testing.T, db *sql.DB, queries []string) {
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	rows := 0
	for _, query := range queries {
		fresh := func() string { // rows that are read repeatedly are cached
			rows++
			return strings.ReplaceAll(query, "{row}", fmt.Sprintf("row%04d", rows))
		}
		setScanLimit(t, conn, 1_000_000)
		cells := harness.CellsOf(t, conn, fresh())
		name := fmt.Sprintf("%s, %d cells", query, cells)
		require.NoError(t, UnderScanLimit(t, conn, cells, fresh()), name)
		if cells > 1 { // 0 is no limit
			RequireTooMany(t, UnderScanLimit(t, conn, cells-1, fresh()), name)
		}
	}
	for _, query := range []string{
		"SELECT Q, COUNT(*) FROM t GROUP BY Q UNION ALL SELECT Q, COUNT(*) FROM t GROUP BY Q",
		"SELECT * FROM t WHERE K = (SELECT MAX(V) FROM t)",
		"SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM t AS x WHERE x.K = t.V)",
	} {
		RequireTooMany(t, UnderScanLimit(t, conn, 499, query), query)
		require.NoError(t, UnderScanLimit(t, conn, 100_000, query), query)
	}
}

// UnderScanLimit returns the error of a statement that runs with such a limit.
func UnderScanLimit(t *testing.T, conn *sql.Conn, cells int64, statement string) error {
	setScanLimit(t, conn, cells)
	defer setScanLimit(t, conn, 0)
	_, err := conn.ExecContext(t.Context(), statement)
	return err
}

// RequireTooMany requires 1104, with a message that says what read too much.
func RequireTooMany(t *testing.T, err error, says string) {
	t.Helper()
	var e *mysql.MySQLError
	require.ErrorAs(t, err, &e, says)
	require.EqualValues(t, 1104, e.Number, says)
	require.Contains(t, e.Message, "\n-> ", says)
}
