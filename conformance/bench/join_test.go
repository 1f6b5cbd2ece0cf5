package bench

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// joinStores are stores with two families with the same number of cells, for
// each number of partitions: j$a and j$b, with five cells a row.
var joinStores = map[int]*benchStore{1: {}, 97: {}}

func openJoinBench(b *testing.B, partitions int) *sql.DB {
	s := joinStores[partitions]
	s.once.Do(func() {
		db, err := sql.Open("hbasekv", "file:"+benchDir(b)+"?sync=false&cache=512MiB")
		require.NoError(b, err)
		benchClosers = append(benchClosers, db.Close)
		s.db = db
		for _, table := range []string{"j$a", "j$b"} {
			loadBench(b, db, table, partitions)
			_, err = db.Exec("OPTIMIZE TABLE " + table)
			require.NoError(b, err)
		}
		loadSparse(b, db, partitions)
	})
	return s.db
}

// sparseRows is the number of rows of j$s, which are spread over those of the
// others.
const sparseRows = 100

func loadSparse(b *testing.B, db *sql.DB, partitions int) {
	createBench(b, db, "j$s", partitions)
	batch := newBatcher(b, db, "j$s")
	for i := range sparseRows {
		batch.put(benchKey(i*(benchRows()/sparseRows)), "a", benchTime, benchValue)
	}
	batch.flush()
}

// BenchmarkJoin joins two families of a million cells. Its yardstick reads one
// and then the other.
func BenchmarkJoin(b *testing.B) {
	cells := benchRows() * benchColumns
	for _, partitions := range []int{1, 97} {
		run := func(name string, rows int, queries ...string) {
			b.Run(fmt.Sprintf("%s/hbasekv-%d", name, partitions), func(b *testing.B) {
				db := openJoinBench(b, partitions)
				b.ReportAllocs()
				b.ResetTimer()
				for b.Loop() {
					n := 0
					for _, query := range queries {
						n += readAll(b, db, query)
					}
					if n != rows {
						b.Fatalf("%d rows, want %d", n, rows)
					}
				}
				perCell(b, 2*cells)
			})
		}
		run("scan-both", 2*cells, "SELECT K, Q, V FROM j$a", "SELECT K, Q, V FROM j$b")
		run("cells", cells, "SELECT a.K, a.Q, a.V, b.V FROM j$a a JOIN j$b b ON a.K = b.K AND a.Q = b.Q")
		run("cells-left", cells, "SELECT a.K, a.Q, a.V, b.V FROM j$a a LEFT JOIN j$b b USING (K, Q)")
		run("cells-ordered", cells, "SELECT a.K, a.Q, a.V, b.V FROM j$a a JOIN j$b b ON a.K = b.K AND a.Q = b.Q ORDER BY a.K, a.Q")
		run("scan-both-ordered", 2*cells, "SELECT K, Q, V FROM j$a ORDER BY K", "SELECT K, Q, V FROM j$b ORDER BY K")
		run("scan-both-count", 2, "SELECT COUNT(V) FROM j$a", "SELECT COUNT(V) FROM j$b")
		run("cells-count", 1, "SELECT COUNT(a.V), COUNT(b.V) FROM j$a a JOIN j$b b ON a.K = b.K AND a.Q = b.Q")
		run("rows-count", 1, "SELECT COUNT(a.V), COUNT(b.V) FROM j$a a JOIN j$b b ON a.K = b.K AND a.Q = 'a'")
		run("groups", cells, "SELECT a.K, a.Q, a.V, b.V FROM j$a a JOIN j$b b ON a.K = b.K AND b.Q = 'a'")
		run("sparse-left", sparseRows, "SELECT a.K, b.Q, a.V, b.V FROM j$s a JOIN j$b b ON a.K = b.K AND b.Q = 'a'")
		run("sparse-right", sparseRows, "SELECT a.K, a.Q, a.V, b.V FROM j$b a JOIN j$s b ON a.K = b.K AND a.Q = 'a'")
		run("lookups-limit", 100, "SELECT a.K, a.Q, a.V, b.V FROM j$a a JOIN j$b b ON a.K = b.K AND a.Q = b.Q ORDER BY a.K, a.Q LIMIT 100")
	}
}

func readAll(b *testing.B, db *sql.DB, query string) int {
	rows, err := db.Query(query)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	require.NoError(b, err)
	cells, into := make([]sql.RawBytes, len(names)), make([]any, len(names))
	for i := range cells {
		into[i] = &cells[i]
	}
	n := 0
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			b.Fatal(err)
		}
		n++
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return n
}
