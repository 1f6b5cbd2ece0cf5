package bench

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkParallel aggregates 97 KEY partitions on one and on two goroutines.
func BenchmarkParallel(b *testing.B) {
	cells := benchRows() * benchColumns
	benchParallel(b, openBench(b, 97), cells, []named{
		{"count", "SELECT COUNT(*) FROM c"},
		{"sum", "SELECT COUNT(*), SUM(T), MAX(V) FROM c"},
		{"prefix", "SELECT LEFT(K, 14), COUNT(*), MAX(T) FROM c GROUP BY LEFT(K, 14)"},
		{"qualifier", "SELECT Q, COUNT(*), MIN(K) FROM c GROUP BY Q"},
	})
}

// BenchmarkParallelJoin joins two families with the same number of cells on one
// and on two goroutines: merged, and with rows that are kept.
func BenchmarkParallelJoin(b *testing.B) {
	cells := 2 * benchRows() * benchColumns
	for _, partitions := range []int{1, 97} {
		b.Run(fmt.Sprintf("partitions-%d", partitions), func(b *testing.B) {
			benchParallel(b, openJoinBench(b, partitions), cells, []named{
				{"merge-cells", "SELECT COUNT(a.V), COUNT(b.V) FROM j$a a JOIN j$b b ON a.K = b.K AND a.Q = b.Q"},
				{"merge-qualifiers", "SELECT a.Q, COUNT(*), MAX(b.V) FROM j$a a JOIN j$b b ON a.K = b.K AND a.Q = b.Q GROUP BY a.Q"},
				{"merge-rows", "SELECT COUNT(*), MAX(a.V) FROM j$a a LEFT JOIN j$b b ON a.K = b.K AND b.Q = 'a'"},
				{"hash", "SELECT a.Q, COUNT(*), MAX(b.T) FROM j$a a JOIN (SELECT LEFT(K, 14) AS p, MAX(T) AS T FROM j$b GROUP BY LEFT(K, 14)) b ON b.p = LEFT(a.K, 14) GROUP BY a.Q"},
			})
		})
	}
}

type named struct{ name, query string }

func benchParallel(b *testing.B, db *sql.DB, cells int, queries []named) {
	for _, c := range queries {
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
