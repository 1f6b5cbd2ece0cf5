package bench

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// largeSize is a table of rows of five large values that do not compress.
type largeSize struct {
	name       string
	value, row int // bytes, and number of rows
}

var largeSizes = []largeSize{{"10KiB", 10 << 10, 400}, {"1MiB", 1 << 20, 8}}

func (s largeSize) cells() int { return s.row * benchColumns }

// bytes are the bytes of a value.
func (s largeSize) bytes(row, column int) []byte {
	out := make([]byte, s.value)
	random := rand.NewChaCha8([32]byte{byte(row), byte(row >> 8), byte(column)})
	_, _ = random.Read(out)
	return out
}

// BenchmarkLarge reads large values. Pebble's loop does not touch them; its
// second yardstick copies each, as is necessary to return memory that outlives
// the iterator.
func BenchmarkLarge(b *testing.B) {
	for _, size := range largeSizes {
		b.Run(size.name, func(b *testing.B) {
			raw, db := size.openRaw(b), size.open(b)
			for _, w := range []struct {
				name  string
				cells int
				query string
				raw   func(i int) (lower, upper []byte)
				args  func(i int) []any
			}{
				{"scan", size.cells(), "SELECT K, Q, T, V FROM c", func(int) (lower, upper []byte) { return []byte{'c'}, []byte{'d'} }, func(int) []any { return nil }},
				{"keys", size.cells(), "SELECT K, Q, T, K FROM c", func(int) (lower, upper []byte) { return []byte{'c'}, []byte{'d'} }, func(int) []any { return nil }},
				{"row", benchColumns, "SELECT K, Q, T, V FROM c WHERE K = ?", func(i int) (lower, upper []byte) {
					k := benchKey(i * 7 % size.row)
					return rawPrefix('c', k+"\x00"), rawPrefix('c', k+"\x01")
				}, func(i int) []any { return []any{benchKey(i * 7 % size.row)} }},
				{"cell", 1, "SELECT K, Q, T, V FROM c WHERE K = ? AND Q = 'c'", func(i int) (lower, upper []byte) {
					k := benchKey(i * 7 % size.row)
					return rawPrefix('c', k+"\x00c\x00"), rawPrefix('c', k+"\x00c\x01")
				}, func(i int) []any { return []any{benchKey(i * 7 % size.row)} }},
			} {
				b.Run(w.name, func(b *testing.B) {
					benchLargeRaw(b, "pebble", raw, w.cells, w.raw, func(v []byte) { sinkBytes += len(v) })
					var buf []byte
					benchLargeRaw(b, "pebble-copied", raw, w.cells, w.raw, func(v []byte) { buf = append(buf[:0], v...) })
					stmt, err := db.Prepare(w.query)
					require.NoError(b, err)
					defer stmt.Close()
					var v sql.RawBytes
					var owned []byte
					for name, to := range map[string]any{"RawBytes": &v, "bytes": &owned} {
						b.Run("hbasekv-"+name, func(b *testing.B) {
							b.ReportAllocs()
							for i := 0; b.Loop(); i++ {
								drainTo(b, stmt, w.cells, to, w.args(i)...)
							}
							perCell(b, w.cells)
						})
					}
				})
			}
		})
	}
}

func benchLargeRaw(b *testing.B, name string, db *pebble.DB, cells int, bounds func(int) (lower, upper []byte), give func([]byte)) {
	b.Run(name, func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			lower, upper := bounds(i)
			it, err := db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
			require.NoError(b, err)
			n := 0
			for ok := it.First(); ok; ok = it.Next() {
				v, err := it.ValueAndErr()
				if err != nil {
					b.Fatal(err)
				}
				give(v)
				n++
			}
			if err := it.Close(); err != nil || n != cells {
				b.Fatal(n, err)
			}
		}
		perCell(b, cells)
	})
}

// drainTo reads all rows, and scans their values into to.
func drainTo(b *testing.B, stmt *sql.Stmt, want int, to any, args ...any) {
	rows, err := stmt.Query(args...)
	if err != nil {
		b.Fatal(err)
	}
	var k, q sql.RawBytes
	var t int64
	n := 0
	for rows.Next() {
		if err := rows.Scan(&k, &q, &t, to); err != nil {
			b.Fatal(err)
		}
		n++
	}
	if err := rows.Err(); err != nil || n != want {
		b.Fatalf("%d rows, want %d: %v", n, want, err)
	}
	rows.Close()
}

func (s largeSize) openRaw(b *testing.B) *pebble.DB {
	db, err := pebble.Open(b.TempDir(), rawOptions())
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	for i := range s.row {
		for j := range benchColumns {
			require.NoError(b, db.Set(rawKey(nil, 'c', benchKey(i), benchQualifier(j), benchTime), s.bytes(i, j), pebble.NoSync))
		}
	}
	require.NoError(b, db.Flush())
	require.NoError(b, db.Compact(context.Background(), []byte{0}, []byte{0xff}, false))
	return db
}

func (s largeSize) open(b *testing.B) *sql.DB {
	db, err := sql.Open("hbasekv", "file:"+b.TempDir()+"?sync=false&cache=512MiB")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	createBench(b, db, "c", 1)
	batch := newBatcher(b, db, "c")
	for i := range s.row {
		for j := range benchColumns {
			batch.put(benchKey(i), benchQualifier(j), benchTime, s.bytes(i, j))
		}
	}
	batch.flush()
	for _, statement := range []string{"FLUSH TABLES", "OPTIMIZE TABLE c"} {
		_, err := db.Exec(statement)
		require.NoError(b, err, fmt.Sprint(statement))
	}
	return db
}

// BenchmarkLargeInsert writes large values, each in its own transaction.
func BenchmarkLargeInsert(b *testing.B) {
	for _, size := range largeSizes {
		b.Run(size.name, func(b *testing.B) {
			value := size.bytes(0, 0)
			b.Run("pebble", func(b *testing.B) {
				db, err := pebble.Open(b.TempDir(), rawOptions())
				require.NoError(b, err)
				b.Cleanup(func() { require.NoError(b, db.Close()) })
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if err := db.Set(rawKey(nil, 'l', benchKey(i), "q", benchTime), value, pebble.NoSync); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("hbasekv", func(b *testing.B) {
				db, err := sql.Open("hbasekv", "file:"+b.TempDir()+"?sync=false")
				require.NoError(b, err)
				b.Cleanup(func() { require.NoError(b, db.Close()) })
				createBench(b, db, "l", 1)
				stmt, err := db.Prepare("INSERT INTO l VALUES (?, 'q', ?, ?)")
				require.NoError(b, err)
				b.Cleanup(func() { stmt.Close() })
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if _, err := stmt.Exec(benchKey(i), benchTime, value); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
