package bench

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// The data of the benchmarks: rows of five cells of 100 bytes, and columns with
// many versions.
const benchColumns = 5

func benchRows() int { return harness.InShort(4_000, 200_000) }

func benchKey(i int) string { return fmt.Sprintf("row%013d", i) }

func benchQualifier(j int) string { return string(rune('a' + j)) }

var benchValue = make([]byte, 100)

const benchTime = 1_700_000_000_000

// benchStore is a loaded hbasekv store for a number of partitions, made once
// per run.
type benchStore struct {
	once sync.Once
	db   *sql.DB
}

var (
	benchStores  = map[int]*benchStore{1: {}, 7: {}, 97: {}}
	benchDirs    []string
	benchClosers []func() error
)

// closeBenches closes the stores of the benchmarks and removes their files.
func closeBenches() {
	for _, c := range benchClosers {
		c()
	}
	for _, dir := range benchDirs {
		os.RemoveAll(dir)
	}
}

func benchDir(b *testing.B) string {
	dir, err := os.MkdirTemp("", "hbasekv-bench")
	require.NoError(b, err)
	benchDirs = append(benchDirs, dir)
	return dir
}

func openBench(b *testing.B, partitions int) *sql.DB {
	s := benchStores[partitions]
	s.once.Do(func() {
		db, err := sql.Open("hbasekv", "file:"+benchDir(b)+"?sync=false&cache=512MiB")
		require.NoError(b, err)
		benchClosers = append(benchClosers, db.Close)
		s.db = db
		loadBench(b, db, "c", partitions)
		loadVersions(b, db, partitions)
		_, err = db.Exec("FLUSH TABLES")
		require.NoError(b, err)
		_, err = db.Exec("OPTIMIZE TABLE c")
		require.NoError(b, err)
	})
	return s.db
}

func createBench(b *testing.B, db *sql.DB, table string, partitions int) {
	create := "CREATE TABLE " + table + " (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1048576), PRIMARY KEY (K, Q, T))"
	if partitions > 1 {
		create += fmt.Sprintf(" PARTITION BY KEY(K) PARTITIONS %d", partitions)
	}
	_, err := db.Exec(create)
	require.NoError(b, err)
}

func loadBench(b *testing.B, db *sql.DB, table string, partitions int) {
	createBench(b, db, table, partitions)
	batch := newBatcher(b, db, table)
	for i := range benchRows() {
		for j := range benchColumns {
			batch.put(benchKey(i), benchQualifier(j), benchTime, benchValue)
		}
	}
	batch.flush()
}

// loadVersions creates tables v1, v10 and v1000 with the same number of cells,
// and that many versions of each.
func loadVersions(b *testing.B, db *sql.DB, partitions int) {
	for _, versions := range []int{1, 10, 1000} {
		table := fmt.Sprintf("v%d", versions)
		createBench(b, db, table, partitions)
		batch := newBatcher(b, db, table)
		for i := range versionCells(versions) {
			for t := range versions {
				batch.put(benchKey(i), "q", benchTime+int64(t), benchValue)
			}
		}
		batch.flush()
	}
}

// versionCells is the number of cells of the tables with versions.
func versionCells(versions int) int {
	if testing.Short() {
		return 20
	}
	return min(20_000, 200_000/versions)
}

// batcher writes cells in transactions of 1,000 prepared statements.
type batcher struct {
	b     *testing.B
	db    *sql.DB
	query string
	tx    *sql.Tx
	stmt  *sql.Stmt
	n     int
}

func newBatcher(b *testing.B, db *sql.DB, table string) *batcher {
	return &batcher{b: b, db: db, query: "INSERT INTO " + table + " (K, Q, T, V) VALUES (?, ?, ?, ?)"}
}

func (w *batcher) put(k, q string, t int64, v []byte) {
	if w.tx == nil {
		w.begin()
	}
	_, err := w.stmt.Exec(k, q, t, v)
	if err != nil {
		w.b.Fatal(err)
	}
	if w.n++; w.n%1000 == 0 {
		w.flush()
	}
}

func (w *batcher) begin() {
	var err error
	w.tx, err = w.db.BeginTx(context.Background(), nil)
	require.NoError(w.b, err)
	w.stmt, err = w.tx.Prepare(w.query)
	require.NoError(w.b, err)
}

func (w *batcher) flush() {
	if w.tx != nil {
		require.NoError(w.b, w.stmt.Close())
		require.NoError(w.b, w.tx.Commit())
		w.tx = nil
	}
}

// rawPebble is Pebble with the same cells under plain keys: the limit for a
// store on top of it.
var rawPebble = sync.OnceValues(func() (*pebble.DB, error) {
	dir, err := os.MkdirTemp("", "hbasekv-raw")
	if err != nil {
		return nil, err
	}
	benchDirs = append(benchDirs, dir)
	db, err := pebble.Open(dir, rawOptions())
	if err != nil {
		return nil, err
	}
	benchClosers = append(benchClosers, db.Close)
	if err := rawLoad(db, 'c', benchRows(), benchColumns, 1); err != nil {
		return nil, err
	}
	for i, versions := range []int{1, 10, 1000} {
		if err := rawLoad(db, byte(i), versionCells(versions), 1, versions); err != nil {
			return nil, err
		}
	}
	if err := db.Flush(); err != nil {
		return nil, err
	}
	return db, db.Compact(context.Background(), []byte{0}, []byte{0xff}, false)
})

func rawOptions() *pebble.Options {
	opts := &pebble.Options{Logger: quiet{}, MemTableSize: 64 << 20, FormatMajorVersion: pebble.FormatNewest}
	opts.Cache = pebble.NewCache(512 << 20)
	// Blocks and files as in hbasekv.
	opts.TargetFileSizes = [...]int64{2 << 20, 16 << 20, 32 << 20, 64 << 20, 64 << 20, 64 << 20, 64 << 20}
	for i := range opts.Levels {
		opts.Levels[i].BlockSize = 8 << 10
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		opts.Levels[i].FilterType = sstable.TableFilter
	}
	return opts
}

// quiet discards Pebble's log.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(f string, a ...any) {
	panic(fmt.Sprintf(f, a...))
}

func rawKey(buf []byte, table byte, row, qualifier string, t int64) []byte {
	buf = append(buf[:0], table)
	buf = append(buf, row...)
	buf = append(buf, 0)
	buf = append(buf, qualifier...)
	buf = append(buf, 0)
	return binary.BigEndian.AppendUint64(buf, ^(uint64(t) ^ 1<<63))
}

func rawLoad(db *pebble.DB, table byte, rows, columns, versions int) error {
	var key []byte
	batch := db.NewBatch()
	for i := range rows {
		for j := range columns {
			for t := range versions {
				q := benchQualifier(j)
				if table != 'c' {
					q = "q"
				}
				key = rawKey(key, table, benchKey(i), q, benchTime+int64(t))
				if err := batch.Set(key, benchValue, nil); err != nil {
					return err
				}
			}
		}
		if batch.Count() >= 1000 {
			if err := batch.Commit(pebble.NoSync); err != nil {
				return err
			}
			batch = db.NewBatch()
		}
	}
	return batch.Commit(pebble.NoSync)
}
