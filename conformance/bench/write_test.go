package bench

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// BenchmarkInsert writes cells in transactions of 1,000, in the ways that
// applications use; one operation is one cell. BenchmarkLoad has the
// yardsticks.
func BenchmarkInsert(b *testing.B) {
	const rows = 100 // per multi-row statement
	values := strings.Repeat(", (?, ?, ?, ?)", rows)[2:]
	for _, c := range []struct {
		name, query string
		args        func(i int) []any
		cells       int
	}{
		{"row", "INSERT INTO l VALUES (?, ?, ?, ?)", insertArgs(benchKey, 1), 1},
		{"replace", "REPLACE INTO l VALUES (?, ?, ?, ?)", insertArgs(benchKey, 1), 1},
		{"clock", "INSERT INTO l (K, Q, V) VALUES (?, ?, ?)", func(i int) []any { return []any{benchKey(i), "q", benchValue} }, 1},
		{"replace-clock", "REPLACE INTO l (K, Q, V) VALUES (?, ?, ?)", func(i int) []any { return []any{benchKey(i), "q", benchValue} }, 1},
		{"scattered", "INSERT INTO l VALUES (?, ?, ?, ?)", insertArgs(scatteredKey, 1), 1},
		{"rows", "INSERT INTO l VALUES " + values, insertArgs(benchKey, rows), rows},
		{"update-in-place", "INSERT INTO l VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE V = VALUES(V)", insertArgs(benchKey, 1), 1},
	} {
		for _, partitions := range []int{1, 97} {
			b.Run(fmt.Sprintf("%s/hbasekv-%d", c.name, partitions), func(b *testing.B) {
				w := newTextBatcher(b, partitions)
				stmt, err := w.db.Prepare(c.query)
				require.NoError(b, err)
				defer stmt.Close()
				for i := 0; b.Loop(); i++ {
					if i%c.cells == 0 {
						w.exec(func(tx *sql.Tx) (sql.Result, error) { return w.stmt(tx, stmt).Exec(c.args(i)...) }, c.cells)
					}
				}
				w.flush()
			})
		}
	}
	for _, c := range []struct {
		name  string
		cells int
	}{{"literals", 1}, {"literals-rows", rows}} {
		b.Run(c.name+"/hbasekv-1", func(b *testing.B) {
			w := newTextBatcher(b, 1)
			for i := 0; b.Loop(); i++ {
				if i%c.cells == 0 {
					query := insertText(i, c.cells)
					w.exec(func(tx *sql.Tx) (sql.Result, error) { return tx.Exec(query) }, c.cells)
				}
			}
			w.flush()
		})
	}
}

func insertArgs(key func(int) string, rows int) func(i int) []any {
	return func(i int) []any {
		args := make([]any, 0, 4*rows)
		for j := range rows {
			args = append(args, key(i+j), "q", int64(benchTime), benchValue)
		}
		return args
	}
}

// scatteredKey is another order of keys, which repeat only late.
func scatteredKey(i int) string { return benchKey(i * 7_919_317 % 100_000_007) }

// insertText is the statement of a client that interpolates its arguments.
func insertText(i, rows int) string {
	text := append(make([]byte, 0, 200*rows), "INSERT INTO l VALUES "...)
	for j := range rows {
		if j > 0 {
			text = append(text, ", "...)
		}
		text = append(append(append(text, "('"...), benchKey(i+j)...), "','q',"...)
		text = append(append(append(strconv.AppendInt(text, benchTime, 10), ",'"...), benchText...), "')"...)
	}
	return string(text)
}

var benchText = strings.Repeat("v", 100)

// textBatcher runs statements in transactions of that many cells.
type textBatcher struct {
	size int
	b    *testing.B
	db   *sql.DB
	tx   *sql.Tx
	inTx *sql.Stmt
	n    int
}

func newTextBatcher(b *testing.B, partitions int) *textBatcher {
	db, err := sql.Open("hbasekv", "file:"+b.TempDir()+"?sync=false")
	require.NoError(b, err)
	b.Cleanup(func() { db.Close() })
	createBench(b, db, "l", partitions)
	b.ReportAllocs()
	return &textBatcher{b: b, db: db, size: 1000}
}

// stmt is the prepared statement in the transaction.
func (w *textBatcher) stmt(tx *sql.Tx, of *sql.Stmt) *sql.Stmt {
	if w.inTx == nil {
		w.inTx = tx.Stmt(of)
	}
	return w.inTx
}

func (w *textBatcher) exec(run func(tx *sql.Tx) (sql.Result, error), cells int) {
	var err error
	if w.tx == nil {
		w.tx, err = w.db.Begin()
		require.NoError(w.b, err)
	}
	if _, err = run(w.tx); err != nil {
		w.b.Fatal(err)
	}
	if w.n += cells; w.n%w.size == 0 {
		w.flush()
	}
}

func (w *textBatcher) flush() {
	if w.tx != nil {
		require.NoError(w.b, w.tx.Commit())
		w.tx, w.inTx = nil, nil
	}
}

// BenchmarkAutocommit commits cell by cell, with and without a sync, from that
// many writers.
func BenchmarkAutocommit(b *testing.B) {
	for _, sync := range []bool{false, true} {
		for _, writers := range []int{1, 8, 64} {
			name := fmt.Sprintf("sync=%v/%d", sync, writers)
			b.Run(name+"/pebble", func(b *testing.B) {
				db, err := pebble.Open(b.TempDir(), rawOptions())
				require.NoError(b, err)
				defer db.Close()
				how := pebble.NoSync
				if sync {
					how = pebble.Sync
				}
				byWriters(b, writers, func(i int) error {
					return db.Set(rawKey(nil, 'l', benchKey(i), "q", benchTime), benchValue, how)
				})
			})
			b.Run(name+"/hbasekv", func(b *testing.B) {
				db, err := sql.Open("hbasekv", fmt.Sprintf("file:%s?sync=%v", b.TempDir(), sync))
				require.NoError(b, err)
				defer db.Close()
				db.SetMaxIdleConns(writers)
				createBench(b, db, "l", 1)
				stmt, err := db.Prepare("INSERT INTO l VALUES (?, ?, ?, ?)")
				require.NoError(b, err)
				defer stmt.Close()
				byWriters(b, writers, func(i int) error {
					_, err := stmt.Exec(benchKey(i), "q", int64(benchTime), benchValue)
					return err
				})
			})
		}
	}
}

func byWriters(b *testing.B, writers int, write func(i int) error) {
	b.ReportAllocs()
	b.ResetTimer()
	var next atomic.Int64
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				if err := write(int(i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkUpdate changes one cell of 1,000, alone and in transactions of that
// many statements.
func BenchmarkUpdate(b *testing.B) {
	for _, statements := range []int{1, 1000, 100_000} {
		for _, c := range []struct{ name, query string }{
			{"increment", "UPDATE u SET V = V + 1 WHERE K = ? AND Q = 'q'"},
			{"increment-in-place", "UPDATE /*+ VERSIONS(ALL) */ u SET V = V + 1 WHERE K = ? AND Q = 'q' AND T = 1"},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, statements), func(b *testing.B) {
				db, err := sql.Open("hbasekv", "file:"+b.TempDir()+"?sync=false")
				require.NoError(b, err)
				defer db.Close()
				createBench(b, db, "u", 1)
				for i := range 1000 {
					_, err := db.Exec("INSERT INTO u VALUES (?, 'q', 1, '0')", benchKey(i))
					require.NoError(b, err)
				}
				w := &textBatcher{b: b, db: db, size: statements}
				stmt, err := db.Prepare(c.query)
				require.NoError(b, err)
				defer stmt.Close()
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					key := benchKey(i * 7 % 1000)
					if statements == 1 {
						_, err := stmt.Exec(key)
						require.NoError(b, err)
						continue
					}
					w.exec(func(tx *sql.Tx) (sql.Result, error) { return w.stmt(tx, stmt).Exec(key) }, 1)
				}
				w.flush()
			})
		}
	}
}

// BenchmarkCounter increments the same cell from that many writers. Raw Pebble
// needs a mutex around reading and writing, because it has no row locks.
func BenchmarkCounter(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("%d/pebble", writers), func(b *testing.B) { benchRawCounter(b, writers) })
		for _, c := range []struct{ name, query string }{
			{"increment", "UPDATE u SET V = V + 1 WHERE K = 'k' AND Q = 'q'"},
			{"increment-in-place", "UPDATE /*+ VERSIONS(ALL) */ u SET V = V + 1 WHERE K = 'k' AND Q = 'q' AND T = 1"},
			{"on-duplicate-key-update", "INSERT INTO u VALUES ('k', 'q', 1, 1) ON DUPLICATE KEY UPDATE V = V + 1"},
			{"replace", "REPLACE INTO u VALUES ('k', 'q', 1, 1)"},
		} {
			b.Run(fmt.Sprintf("%d/hbasekv-%s", writers, c.name), func(b *testing.B) { benchCounter(b, writers, c.query) })
		}
	}
}

func benchRawCounter(b *testing.B, writers int) {
	db, err := pebble.Open(b.TempDir(), rawOptions())
	require.NoError(b, err)
	defer db.Close()
	key := rawKey(nil, 'u', "k", "q", benchTime)
	require.NoError(b, db.Set(key, []byte("0"), pebble.NoSync))
	var mu sync.Mutex
	byWriters(b, writers, func(int) error {
		mu.Lock()
		defer mu.Unlock()
		it, err := db.NewIter(nil)
		if err != nil {
			return err
		}
		defer it.Close()
		if !it.SeekGE(key) {
			return it.Error()
		}
		n, err := strconv.Atoi(string(it.Value()))
		if err != nil {
			return err
		}
		return db.Set(key, strconv.AppendInt(nil, int64(n+1), 10), pebble.NoSync)
	})
}

func benchCounter(b *testing.B, writers int, query string) {
	db, err := sql.Open("hbasekv", "file:"+b.TempDir()+"?sync=false")
	require.NoError(b, err)
	defer db.Close()
	db.SetMaxIdleConns(writers)
	createBench(b, db, "u", 1)
	_, err = db.Exec("INSERT INTO u VALUES ('k', 'q', 1, '0')")
	require.NoError(b, err)
	stmt, err := db.Prepare(query)
	require.NoError(b, err)
	defer stmt.Close()
	byWriters(b, writers, func(int) error {
		_, err := stmt.Exec()
		return err
	})
}
