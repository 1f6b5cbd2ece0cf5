package bounds

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
)

// TestAllocationsOfBulkLoad: each further cell of a bulk load allocates only
// its part of a file's blocks.
func TestAllocationsOfBulkLoad(t *testing.T) {
	if harness.RaceDetector {
		t.Skip("the race detector allocates too")
	}
	db := harness.OpenDB(t, "file:"+t.TempDir())
	harness.Must(t, db, fmt.Sprintf("CREATE TABLE t %s PARTITION BY KEY(K) PARTITIONS 7", harness.PlainTable))
	load := func(cells int) float64 {
		return testing.AllocsPerRun(1, func() {
			stats, err := driver.BulkLoad(t.Context(), db, []string{"t"}, sortedCells(cells))
			require.NoError(t, err)
			require.Equal(t, int64(cells), stats.Written)
			require.False(t, stats.Sorted)
		})
	}
	few, many := load(50_000), load(150_000)
	perCell := (many - few) / 100_000
	t.Logf("%.4f allocations a cell", perCell)
	require.Less(t, perCell, 0.15, "one allocation a row would be 0.2; the blocks of the files take what is there")
	var n int
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM t").Scan(&n))
	require.Equal(t, 150_000, n)
}

// sortedCells are cells in order, five per row, in memory that the next one
// reuses.
func sortedCells(n int) iter.Seq2[driver.Cell, error] {
	return func(yield func(driver.Cell, error) bool) {
		var k, q, v []byte
		value := strings.Repeat("v", 90)
		for i := range n {
			k = strconv.AppendInt(append(k[:0], "row"...), int64(10_000_000+i/5), 10)
			q = append(q[:0], 'a'+byte(i%5))
			v = strconv.AppendInt(append(v[:0], value...), int64(i), 10)
			if !yield(driver.Cell{K: k, Q: q, T: 1, V: v}, nil) {
				return
			}
		}
	}
}
