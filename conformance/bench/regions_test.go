package bench

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// BenchmarkLayout measures changes of the layout that move no cell, on tables
// of 1,000 and of 1,000,000 cells (20,000 in short runs): they take equally
// long.
func BenchmarkLayout(b *testing.B) {
	for _, cells := range []int{1000, harness.InShort(20_000, 1_000_000)} {
		b.Run(fmt.Sprintf("cells=%d", cells), func(b *testing.B) {
			db := harness.OpenDB(b, "file:"+b.TempDir()+"?sync=false")
			loadLayout(b, db, cells)
			repeat := func(name string, statements ...string) {
				b.Run(name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						harness.Must(b, db, statements...)
					}
				})
			}
			repeat("split and merge", "SPLIT TABLE t PARTITION (p0) BY ('k0000300')",
				"ALTER TABLE t REORGANIZE PARTITION p0_1, p0 INTO (PARTITION p0 VALUES LESS THAN ('l'))")
			repeat("exchange twice", "ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE u WITHOUT VALIDATION",
				"ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE u WITHOUT VALIDATION")
			b.Run("truncate", func(b *testing.B) {
				require.Equal(b, fmt.Sprint(cells), harness.Single(b, db, "SELECT COUNT(*) FROM t"))
				for b.Loop() { // only the first one finds the cells: run it with -benchtime 1x
					harness.Must(b, db, "ALTER TABLE t TRUNCATE PARTITION p0")
				}
				require.Equal(b, "0", harness.Single(b, db, "SELECT COUNT(*) FROM t"))
			})
		})
	}
}

// loadLayout creates a table t with that many cells in its partition p0, and an
// empty table u.
func loadLayout(b *testing.B, db *sql.DB, cells int) {
	b.Helper()
	columns := "(K varbinary(20), Q varbinary(10), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))"
	harness.Must(b, db, "CREATE TABLE t "+columns+" PARTITION BY RANGE COLUMNS(K) SPLITS ('l')",
		"CREATE TABLE u "+columns)
	for from := 0; from < cells; from += 1000 {
		values := make([]string, min(1000, cells-from))
		for i := range values {
			values[i] = fmt.Sprintf("('k%07d', 'q', 1, 'some value of a cell')", from+i)
		}
		harness.Must(b, db, "REPLACE INTO t VALUES "+strings.Join(values, ", "))
	}
}
