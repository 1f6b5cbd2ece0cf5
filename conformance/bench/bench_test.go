package bench

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// Each benchmark runs hbasekv and its yardsticks: floor is database/sql over
// a driver that answers from memory, pebble is Pebble with the same cells.
// Compare hbasekv with the sum of both.

// benchRead runs one reading workload on each.
func benchRead(b *testing.B, cells int, raw func(*pebble.DB, int) int, query string, args func(int) []any) {
	b.Run("floor", func(b *testing.B) {
		db := openFloor()
		defer db.Close()
		stmt, err := db.Prepare("")
		require.NoError(b, err)
		b.ReportAllocs()
		for b.Loop() {
			drain(b, stmt, cells, int64(cells))
		}
		perCell(b, cells)
	})
	b.Run("pebble", func(b *testing.B) {
		db, err := rawPebble()
		require.NoError(b, err)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if n := raw(db, i); n != cells {
				b.Fatalf("%d cells, want %d", n, cells)
			}
		}
		perCell(b, cells)
	})
	for _, partitions := range []int{1, 7, 97} {
		b.Run(fmt.Sprintf("hbasekv-%d", partitions), func(b *testing.B) {
			db := openBench(b, partitions)
			stmt, err := db.Prepare(query)
			require.NoError(b, err)
			defer stmt.Close()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				drain(b, stmt, cells, args(i)...)
			}
			perCell(b, cells)
		})
	}
}

func perCell(b *testing.B, cells int) {
	if cells > 0 {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
	}
}

func drain(b *testing.B, stmt *sql.Stmt, want int, args ...any) {
	rows, err := stmt.Query(args...)
	if err != nil {
		b.Fatal(err)
	}
	var k, q, v sql.RawBytes
	var t int64
	n := 0
	for rows.Next() {
		if err := rows.Scan(&k, &q, &t, &v); err != nil {
			b.Fatal(err)
		}
		n++
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	rows.Close()
	if n != want {
		b.Fatalf("%d rows, want %d", n, want)
	}
}

// someRow spreads the requested rows; the same i gives the same row.
func someRow(i int) int {
	return int(rand.New(rand.NewPCG(uint64(i), 3)).Uint64() % uint64(benchRows()-1000))
}

func rawScan(db *pebble.DB, lower, upper []byte, limit int) (n int) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		panic(err)
	}
	defer it.Close()
	for ok := it.First(); ok && n < limit; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			panic(err)
		}
		sinkBytes += len(it.Key()) + len(v)
		n++
	}
	return n
}

var sinkBytes int

func rawPrefix(table byte, s string) []byte { return append([]byte{table}, s...) }

func BenchmarkRowGet(b *testing.B) {
	benchRead(b, benchColumns, func(db *pebble.DB, i int) int {
		k := benchKey(someRow(i))
		return rawScan(db, rawPrefix('c', k+"\x00"), rawPrefix('c', k+"\x01"), 1<<30)
	}, "SELECT K, Q, T, V FROM c WHERE K = ?", func(i int) []any { return []any{benchKey(someRow(i))} })
}

func BenchmarkCellGet(b *testing.B) {
	benchRead(b, 1, func(db *pebble.DB, i int) int {
		k := benchKey(someRow(i))
		return rawScan(db, rawPrefix('c', k+"\x00c\x00"), rawPrefix('c', k+"\x00c\x01"), 1)
	}, "SELECT K, Q, T, V FROM c WHERE K = ? AND Q = 'c'", func(i int) []any { return []any{benchKey(someRow(i))} })
}

func BenchmarkMissingRowGet(b *testing.B) {
	benchRead(b, 0, func(db *pebble.DB, i int) int {
		k := benchKey(someRow(i)) + "x"
		return rawScan(db, rawPrefix('c', k+"\x00"), rawPrefix('c', k+"\x01"), 1<<30)
	}, "SELECT K, Q, T, V FROM c WHERE K = ?", func(i int) []any { return []any{benchKey(someRow(i)) + "x"} })
}

func BenchmarkPrefixScan100(b *testing.B) {
	benchRead(b, 100, func(db *pebble.DB, i int) int {
		return rawScan(db, rawPrefix('c', benchKey(someRow(i)/20*20)), []byte{'d'}, 100)
	}, "SELECT K, Q, T, V FROM c WHERE K >= ? AND K < ? ORDER BY K", func(i int) []any {
		first := someRow(i) / 20 * 20
		return []any{benchKey(first), benchKey(first + 20)}
	})
}

func BenchmarkFullScan(b *testing.B) {
	benchRead(b, benchRows()*benchColumns, func(db *pebble.DB, _ int) int {
		return rawScan(db, []byte{'c'}, []byte{'d'}, 1<<30)
	}, "SELECT /*+ VERSIONS(ALL) */ K, Q, T, V FROM c", func(int) []any { return nil })
}

func BenchmarkFullScanLatest(b *testing.B) {
	benchRead(b, benchRows()*benchColumns, func(db *pebble.DB, _ int) int {
		return rawScan(db, []byte{'c'}, []byte{'d'}, 1<<30)
	}, "SELECT K, Q, T, V FROM c", func(int) []any { return nil })
}

// BenchmarkLatestScan reads the newest version of each cell; the yardstick
// seeks past the others.
func BenchmarkLatestScan(b *testing.B) {
	for i, versions := range []int{1, 10, 1000} {
		b.Run(fmt.Sprintf("versions-%d", versions), func(b *testing.B) {
			benchRead(b, versionCells(versions), func(db *pebble.DB, _ int) int {
				return rawLatest(db, byte(i))
			}, fmt.Sprintf("SELECT K, Q, T, V FROM v%d", versions), func(int) []any { return nil })
		})
	}
}

func rawLatest(db *pebble.DB, table byte) (n int) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{table}, UpperBound: []byte{table + 1}})
	if err != nil {
		panic(err)
	}
	defer it.Close()
	var next []byte
	for ok := it.First(); ok; {
		v, err := it.ValueAndErr()
		if err != nil {
			panic(err)
		}
		sinkBytes += len(v)
		n++
		next = append(next[:0], it.Key()[:len(it.Key())-9]...)
		next = append(next, 1)
		if ok = it.Next(); ok && bytes.Compare(it.Key(), next) < 0 {
			ok = it.SeekGE(next)
		}
	}
	return n
}

// BenchmarkAggregate counts and groups; its yardstick is a scan of raw keys.
func BenchmarkAggregate(b *testing.B) {
	b.Run("pebble-keys", func(b *testing.B) {
		db, err := rawPebble()
		require.NoError(b, err)
		for b.Loop() {
			it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{'c'}, UpperBound: []byte{'d'}})
			require.NoError(b, err)
			for ok := it.First(); ok; ok = it.Next() {
				sinkBytes += len(it.Key())
			}
			require.NoError(b, it.Close())
		}
		perCell(b, benchRows()*benchColumns)
	})
	for name, query := range map[string]string{
		"count":    "SELECT COUNT(*) FROM c",
		"group":    "SELECT LEFT(K, 12), COUNT(*) FROM c GROUP BY LEFT(K, 12)",
		"maximum":  "SELECT MIN(K), MAX(K) FROM c",
		"distinct": "SELECT COUNT(*) FROM (SELECT DISTINCT K FROM c) d",
	} {
		for _, partitions := range []int{1, 7, 97} {
			b.Run(fmt.Sprintf("%s/hbasekv-%d", name, partitions), func(b *testing.B) {
				db := openBench(b, partitions)
				b.ReportAllocs()
				for b.Loop() {
					rows, err := db.Query(query)
					if err != nil {
						b.Fatal(err)
					}
					for rows.Next() {
					}
					if err := rows.Err(); err != nil {
						b.Fatal(err)
					}
				}
				perCell(b, benchRows()*benchColumns)
			})
		}
	}
}

// BenchmarkLoad writes cells in transactions of 1,000 prepared inserts; one
// operation is one cell.
func BenchmarkLoad(b *testing.B) {
	b.Run("floor", func(b *testing.B) {
		db := openFloor()
		defer db.Close()
		batch := &batcher{b: b, db: db}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			batch.put(benchKey(i), "q", benchTime, benchValue)
		}
		batch.flush()
	})
	b.Run("pebble", func(b *testing.B) {
		db, err := pebble.Open(b.TempDir(), rawOptions())
		require.NoError(b, err)
		defer db.Close()
		var key []byte
		batch := db.NewBatch()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			key = rawKey(key, 'l', benchKey(i), "q", benchTime)
			if err := batch.Set(key, benchValue, nil); err != nil {
				b.Fatal(err)
			}
			if batch.Count() == 1000 {
				require.NoError(b, batch.Commit(pebble.NoSync))
				batch = db.NewBatch()
			}
		}
		require.NoError(b, batch.Commit(pebble.NoSync))
	})
	for _, partitions := range []int{1, 7, 97} {
		b.Run(fmt.Sprintf("hbasekv-%d", partitions), func(b *testing.B) {
			db, err := sql.Open("hbasekv", "file:"+b.TempDir()+"?sync=false")
			require.NoError(b, err)
			defer db.Close()
			createBench(b, db, "l", partitions)
			batch := newBatcher(b, db, "l")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				batch.put(benchKey(i), "q", benchTime, benchValue)
			}
			batch.flush()
		})
	}
}
