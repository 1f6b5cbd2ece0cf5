package stores

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// partitionRow is a partition's row in information_schema.
type partitionRow struct {
	name        string
	rows, bytes int64
	comment     string
}

func partitionRows(t *testing.T, q harness.Querier, table string) []partitionRow {
	t.Helper()
	rows, err := q.QueryContext(t.Context(), `SELECT PARTITION_NAME, TABLE_ROWS, DATA_LENGTH, PARTITION_COMMENT
		FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY PARTITION_ORDINAL_POSITION`, table)
	require.NoError(t, err)
	defer rows.Close()
	var out []partitionRow
	for rows.Next() {
		var p partitionRow
		require.NoError(t, rows.Scan(&p.name, &p.rows, &p.bytes, &p.comment))
		out = append(out, p)
	}
	require.NoError(t, rows.Err())
	return out
}

// loadUneven writes 200 cells to p0, 12,000 to p1 and two versions of each of
// 6,000 to p2 of a table partitioned by ranges; p3 stays empty.
func loadUneven(t *testing.T, db *sql.DB) {
	t.Helper()
	harness.Must(t, db, `CREATE TABLE big (K varbinary(20), Q varbinary(10), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))
		PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('b'), PARTITION p1 VALUES LESS THAN ('c'),
		PARTITION p2 VALUES LESS THAN ('d'), PARTITION p3 VALUES LESS THAN (MAXVALUE))`)
	for prefix, n := range map[string]int{"a": 200, "b": 12000, "c": 6000} {
		for from := 0; from < n; from += 1000 {
			var values []string
			for i := from; i < min(n, from+1000); i++ {
				values = append(values, fmt.Sprintf("('%s%05d', 'q', 1, REPEAT('v', 50))", prefix, i))
				if prefix == "c" {
					values = append(values, fmt.Sprintf("('%s%05d', 'q', 2, REPEAT('v', 50))", prefix, i))
				}
			}
			harness.Must(t, db, "REPLACE INTO big VALUES "+strings.Join(values, ", "))
		}
	}
}

// TestPartitionStatistics: small partitions are counted, and large ones
// estimated and marked so, unless the session requests exact figures. Rows are
// versions.
func TestPartitionStatistics(t *testing.T) {
	db := harness.OpenDB(t, t.TempDir())
	loadUneven(t, db)
	harness.Must(t, db, "ANALYZE TABLE big")
	wanted := []int64{200, 12000, 12000, 0}
	got := partitionRows(t, db, "big")
	require.Len(t, got, 4)
	for i, p := range got {
		require.Equal(t, "p"+strconv.Itoa(i), p.name)
		if estimated := i == 1 || i == 2; estimated {
			require.Contains(t, p.comment, "estimated")
			require.InEpsilon(t, wanted[i], p.rows, 0.3)
			require.Positive(t, p.bytes)
			continue
		}
		require.Empty(t, p.comment)
		require.Equal(t, wanted[i], p.rows)
	}

	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.ExecContext(t.Context(), "SET hbasekv_exact_statistics = ON")
	require.NoError(t, err)
	var sum, bytes int64
	for i, p := range partitionRows(t, conn, "big") {
		require.Empty(t, p.comment)
		require.Equal(t, wanted[i], p.rows, p.name)
		var counted int64
		require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT /*+ VERSIONS(ALL) */ COUNT(*) FROM big PARTITION ("+p.name+")").Scan(&counted))
		require.Equal(t, counted, p.rows)
		sum, bytes = sum+p.rows, bytes+p.bytes
	}
	var rows, length, average int64
	require.NoError(t, conn.QueryRowContext(t.Context(),
		"SELECT TABLE_ROWS, DATA_LENGTH, AVG_ROW_LENGTH FROM information_schema.TABLES WHERE TABLE_NAME = 'big'").Scan(&rows, &length, &average))
	require.Equal(t, []int64{sum, bytes, bytes / sum}, []int64{rows, length, average})
	require.Greater(t, average, int64(50))
}

// TestExactStatisticsAfterWrites: exact figures do not count what was deleted
// or truncated.
func TestExactStatisticsAfterWrites(t *testing.T) {
	db := harness.OpenDB(t, t.TempDir())
	db.SetMaxOpenConns(1)
	loadUneven(t, db)
	harness.Must(t, db, "SET hbasekv_exact_statistics = 1")
	harness.Must(t, db, "DELETE FROM big WHERE K >= 'b' AND K < 'b1'")
	harness.Must(t, db, "DELETE FROM big PARTITION (p2)")
	var rows []int64
	for _, p := range partitionRows(t, db, "big") {
		rows = append(rows, p.rows)
	}
	require.Equal(t, []int64{200, 2000, 0, 0}, rows)
	harness.Must(t, db, "TRUNCATE TABLE big")
	for _, p := range partitionRows(t, db, "big") {
		require.Zero(t, p.rows)
		require.Zero(t, p.bytes)
	}
}
