package bounds

import (
	"database/sql"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestAllocationsOfIndexReads limits the allocations of prepared statements that read a typed table by its
// key and by its indexes.
func TestAllocationsOfIndexReads(t *testing.T) {
	if harness.RaceDetector {
		t.Skip("Pebble allocates more under the race detector, to find bytes that are kept too long")
	}
	db := harness.OpenDB(t, "file:"+t.TempDir())
	harness.Must(t, db, "CREATE TABLE p (id bigint PRIMARY KEY, email varchar(60), city varchar(20), age int, "+
		"UNIQUE KEY email (email), KEY city (city))")
	var rows []string
	for i := range 1000 {
		rows = append(rows, fmt.Sprintf("(%d, 'p%d@example.com', 'C%02d', %d)", i, i, i%10, i%90))
	}
	harness.Must(t, db, "INSERT INTO p VALUES "+strings.Join(rows, ", "))
	for _, c := range []struct {
		query string
		args  []any
		rows  int
		most  float64
	}{
		{"SELECT age FROM p WHERE id = ?", []any{7}, 1, 12},
		{"SELECT age FROM p WHERE email = ?", []any{"p7@example.com"}, 1, 42},
		{"SELECT age FROM p WHERE email IN (?, ?)", []any{"p7@example.com", "p8@example.com"}, 2, 92},
		{"SELECT COUNT(*) FROM p WHERE city < ?", []any{"C05"}, 1, 82},
		{"SELECT DISTINCT city FROM p", nil, 10, 114},
		{"SELECT id FROM p WHERE city = ? ORDER BY id LIMIT 5", []any{"C05"}, 5, 51},
	} {
		stmt, err := db.Prepare(c.query)
		require.NoError(t, err)
		var value sql.RawBytes
		run := func() {
			n := 0
			result, err := stmt.Query(c.args...)
			for ; err == nil && result.Next(); n++ {
				err = result.Scan(&value)
			}
			if err != nil || result.Err() != nil || n != c.rows {
				t.Fatal(c.query, n, err)
			}
		}
		// The minimum of several runs, because the store's own goroutines allocate too.
		allocs := math.Inf(1)
		for range 3 {
			allocs = min(allocs, testing.AllocsPerRun(50, run))
		}
		require.NoError(t, stmt.Close())
		require.LessOrEqual(t, allocs, c.most, c.query)
	}
}
