package harness

import (
	"database/sql"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Explained runs an EXPLAIN and reads all its rows.
func Explained(b *testing.B, db *sql.DB, statement string) {
	rows, err := db.Query(statement)
	require.NoError(b, err)
	for rows.Next() {
	}
	require.NoError(b, rows.Close())
}

// Reads matches what EXPLAIN ANALYZE counts for a scan.
var Reads = regexp.MustCompile(`rows \d+, cells \d+, seeks \d+, partitions \d+`)

// CellsRead is how many cells statements have read from t so far.
func CellsRead(t *testing.T, db *sql.DB) int64 {
	n, err := strconv.ParseInt(Single(t, db, "SELECT SUM(READ_COUNT) FROM information_schema.PARTITIONS WHERE TABLE_NAME = 't'"), 10, 64)
	require.NoError(t, err)
	return n
}

// LiveHeap is the size of the heap after a collection, in bytes.
func LiveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

var cellsCounted = regexp.MustCompile(`cells (\d+),`)

// CellsOf is how many cells EXPLAIN ANALYZE counts for a query.
func CellsOf(t *testing.T, db Querier, query string) (cells int64) {
	for _, m := range cellsCounted.FindAllStringSubmatch(Single(t, db, "EXPLAIN ANALYZE "+query), -1) {
		n, err := strconv.ParseInt(m[1], 10, 64)
		require.NoError(t, err)
		cells += n
	}
	return cells
}

// Status returns a status variable.
func Status(t testing.TB, db *sql.DB, name string) int64 {
	var n int64
	require.NoError(t, db.QueryRow("SHOW STATUS LIKE '"+name+"'").Scan(new(string), &n))
	return n
}
