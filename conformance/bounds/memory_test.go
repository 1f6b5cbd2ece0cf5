package bounds

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestScanStreams: the memory of a scan does not grow with its result: the live
// heap in the middle and at the end of a scan is what it was near its start,
// with partitions read in sequence and merged.
func TestScanStreams(t *testing.T) {
	const cells, step = 60_000, 1_000
	db, err := sql.Open("hbasekv", "file:"+t.TempDir()+"?sync=false&cache=1MiB")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE big (K varbinary(64), Q varbinary(64), T bigint, V varbinary(1024), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 7")
	require.NoError(t, err)
	value := strings.Repeat("v", 500)
	for i := 0; i < cells; i += step {
		var rows []string
		for j := range step {
			rows = append(rows, fmt.Sprintf("('%08d', 'q', 1, '%s')", i+j, value))
		}
		_, err := db.Exec("REPLACE INTO big (K, Q, T, V) VALUES " + strings.Join(rows, ", "))
		require.NoError(t, err)
	}
	_, err = db.Exec("FLUSH TABLES")
	require.NoError(t, err)
	for _, query := range []string{"SELECT K, Q, T, V FROM big", "SELECT K, Q, T, V FROM big ORDER BY K, Q", "SELECT K, COUNT(*), MAX(V), 1 FROM big GROUP BY K"} {
		heap := scanHeap(t, db, query, cells)
		require.Less(t, heap[1]-heap[0], int64(6<<20), "%s: live heap %v", query, heap)
		require.Less(t, heap[2]-heap[0], int64(6<<20), "%s: live heap %v", query, heap)
	}
}

// scanHeap is the live heap after a tenth, a half, and nearly all of the rows.
func scanHeap(t *testing.T, db *sql.DB, query string, cells int) [3]int64 {
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	var a, b, c, d sql.RawBytes
	var heap [3]int64
	n := 0
	for rows.Next() {
		require.NoError(t, rows.Scan(&a, &b, &c, &d))
		n++
		switch n {
		case cells / 10:
			heap[0] = harness.LiveHeap()
		case cells / 2:
			heap[1] = harness.LiveHeap()
		case cells * 9 / 10:
			heap[2] = harness.LiveHeap()
		}
	}
	require.NoError(t, rows.Err())
	require.Equal(t, cells, n)
	return heap
}
