package conformance

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkParallel aggregates 97 KEY partitions on one and on two goroutines.
func BenchmarkParallel(b *testing.B) {
	db := openBench(b, 97)
	cells := benchRows() * benchColumns
	for _, c := range []struct{ name, query string }{
		{"count", "SELECT COUNT(*) FROM c"},
		{"sum", "SELECT COUNT(*), SUM(T), MAX(V) FROM c"},
		{"prefix", "SELECT LEFT(K, 14), COUNT(*), MAX(T) FROM c GROUP BY LEFT(K, 14)"},
		{"qualifier", "SELECT Q, COUNT(*), MIN(K) FROM c GROUP BY Q"},
	} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", c.name, workers), func(b *testing.B) {
				conn, err := db.Conn(b.Context())
				require.NoError(b, err)
				defer conn.Close()
				_, err = conn.ExecContext(b.Context(), fmt.Sprintf("SET hbasekv_parallelism = %d", workers))
				require.NoError(b, err)
				b.ReportAllocs()
				for b.Loop() {
					rows, err := conn.QueryContext(b.Context(), c.query)
					require.NoError(b, err)
					for rows.Next() {
					}
					require.NoError(b, rows.Err())
					require.NoError(b, rows.Close())
				}
				perCell(b, cells)
			})
		}
	}
}
