package pebblekv

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/txn"
	"github.com/hbasekv/hbasekv/partition"
)

// Each benchmark of the store has the same work on bare Pebble beside it, with the same keys
// and options: "raw".

const (
	benchRows       = 200_000
	benchQualifiers = 5
)

func scaled(n int) int {
	if testing.Short() {
		return n / 50
	}
	return n
}

func benchStore(b *testing.B, partitions int) (*Store, *kv.Table) {
	s, err := Open(Options{InMemory: true, CacheBytes: 512 << 20})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	scheme := &partition.Scheme{}
	if partitions > 1 {
		scheme, err = partition.NewKey(partitions)
		require.NoError(b, err)
	}
	return s, createTable(b, s, "g", "f", scheme)
}

// load writes rows x qualifiers x versions, flushed and compacted.
func load(b *testing.B, s *Store, t *kv.Table, rows, qualifiers, versions int) {
	value := bytes.Repeat([]byte("v"), 100)
	tx := kvtest.Begin(s, kv.TxnOptions{})
	n := 0
	for i := range rows {
		for q := range qualifiers {
			for v := range versions {
				c := kv.Cell{Row: formatRow(i), Qualifier: formatQualifier(q), Timestamp: int64(v), Value: value}
				require.NoError(b, tx.Put(b.Context(), t, c))
				if n++; n%10_000 == 0 {
					require.NoError(b, tx.Commit(b.Context()))
					tx = kvtest.Begin(s, kv.TxnOptions{})
				}
			}
		}
	}
	require.NoError(b, tx.Commit(b.Context()))
	require.NoError(b, s.Flush(b.Context()))
	require.NoError(b, s.Compact(b.Context(), t, nil))
}

func scanCount(b *testing.B, s *Store, t *kv.Table, scan *kv.Scan) int {
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	c, err := tx.Scan(b.Context(), []*kv.Table{tx.Catalog().Table(t.Database, t.Name)}, scan)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for c.Next() && (scan.Limit == 0 || n < scan.Limit) {
		n++
		if scan.NeedValue {
			if v, err := c.Value(); err != nil || len(v) != 100 {
				b.Fatal(len(v), err)
			}
		}
	}
	if err := c.Err(); err != nil {
		b.Fatal(err)
	}
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	tx.Rollback()
	return n
}

func rowGet(row []byte, depth kv.Depth, q []byte) *kv.Scan {
	p := kv.Position{Row: row, Qualifier: q, Depth: depth}
	end := p
	end.After = true
	return &kv.Scan{Ranges: []kv.Range{{Start: p, End: end}}, NeedValue: true, MaxVersions: 1}
}

func BenchmarkPut(b *testing.B) {
	value := bytes.Repeat([]byte("v"), 100)
	cell := func(i int) kv.Cell {
		return kv.Cell{
			Row: fmt.Appendf(nil, "user%08d", i/5*7919%100_000_000), Qualifier: formatQualifier(i % 5),
			Timestamp: 1, Value: value,
		}
	}
	for name, put := range map[string]func(kv.Txn, *kv.Table, kv.Cell) error{
		"put": func(tx kv.Txn, t *kv.Table, c kv.Cell) error { return tx.Put(b.Context(), t, c) },
		"putIfAbsent": func(tx kv.Txn, t *kv.Table, c kv.Cell) error {
			_, err := tx.PutIfAbsent(b.Context(), t, c)
			return err
		},
	} {
		for _, partitions := range []int{1, 97} {
			timed(b, fmt.Sprintf("%s/%d", name, partitions), func(b *testing.B) {
				s, t := benchStore(b, partitions)
				b.ReportAllocs()
				tx := kvtest.Begin(s, kv.TxnOptions{})
				for i := range b.N {
					if err := put(tx, t, cell(i)); err != nil {
						b.Fatal(err)
					}
					if i%1000 == 999 {
						require.NoError(b, tx.Commit(b.Context()))
						tx = kvtest.Begin(s, kv.TxnOptions{})
					}
				}
				require.NoError(b, tx.Commit(b.Context()))
			})
		}
	}
	timed(b, "raw", func(b *testing.B) {
		s, _ := benchStore(b, 1)
		b.ReportAllocs()
		batch := s.db.NewBatch()
		for i := range b.N {
			c := cell(i)
			key := cellkey.AppendCell(nil, 1, c.Row, c.Qualifier, 1)
			require.NoError(b, batch.Set(key, c.Value, nil))
			if i%1000 == 999 {
				require.NoError(b, batch.Commit(pebble.NoSync))
				batch = s.db.NewBatch()
			}
		}
		require.NoError(b, batch.Commit(pebble.NoSync))
	})
}

func BenchmarkGet(b *testing.B) {
	for _, partitions := range []int{1, 97} {
		s, t := benchStore(b, partitions)
		rows := scaled(benchRows)
		load(b, s, t, rows, benchQualifiers, 1)
		run := func(name string, want int, scan func(i int) *kv.Scan) {
			timed(b, fmt.Sprintf("%s/%d", name, partitions), func(b *testing.B) {
				b.ReportAllocs()
				for i := range b.N {
					if n := scanCount(b, s, t, scan(i*7919%rows)); n != want {
						b.Fatal(n)
					}
				}
			})
		}
		run("row", 5, func(i int) *kv.Scan { return rowGet(formatRow(i), kv.DepthRow, nil) })
		run("rowmissing", 0, func(i int) *kv.Scan { return rowGet(append(formatRow(i), 'x'), kv.DepthRow, nil) })
		run("cell", 1, func(i int) *kv.Scan { return rowGet(formatRow(i), kv.DepthColumn, formatQualifier(i%5)) })
		if partitions > 1 {
			continue
		}
		raw := func(name string, missing string, fresh bool) {
			timed(b, name, func(b *testing.B) { rawRowGet(b, s.db, rows, missing, fresh) })
		}
		raw("row/raw", "", false)
		raw("row/rawnewiter", "", true)
		raw("rowmissing/raw", "x", false)
	}
}

func rawRowGet(b *testing.B, db *pebble.DB, rows int, suffix string, fresh bool) {
	o := &pebble.IterOptions{UseL6Filters: true}
	it, err := db.NewIter(o)
	require.NoError(b, err)
	b.ReportAllocs()
	var key []byte
	for i := range b.N {
		if fresh {
			require.NoError(b, it.Close())
			if it, err = db.NewIter(o); err != nil {
				b.Fatal(err)
			}
		}
		key = cellkey.AppendRow(key[:0], 1, append(formatRow(i*7919%rows), suffix...))
		n := 0
		for ok := it.SeekPrefixGE(key); ok; ok = it.Next() {
			n += len(it.Value()) / 100
		}
		if n != 5 && suffix == "" {
			b.Fatal(n)
		}
	}
	require.NoError(b, it.Close())
}

// BenchmarkRewritten reads a row with a cell that has been written many times since the last flush.
func BenchmarkRewritten(b *testing.B) {
	for _, times := range []int{1, 1_000, 30_000} {
		b.Run(strconv.Itoa(times), func(b *testing.B) {
			s, t := benchStore(b, 1)
			row := []byte("hot")
			for q := range 5 {
				putCommitted(b, s, t, kv.Cell{Row: row, Qualifier: formatQualifier(q), Timestamp: 1, Value: make([]byte, 100)})
			}
			for range times {
				putCommitted(b, s, t, kv.Cell{Row: row, Qualifier: formatQualifier(2), Timestamp: 1, Value: make([]byte, 100)})
			}
			b.ReportAllocs()
			for b.Loop() {
				require.Equal(b, 5, scanCount(b, s, t, rowGet(row, kv.DepthRow, nil)))
			}
		})
	}
}

func putCommitted(b *testing.B, s *Store, t *kv.Table, c kv.Cell) {
	tx := kvtest.Begin(s, kv.TxnOptions{})
	require.NoError(b, tx.Put(b.Context(), t, c))
	require.NoError(b, tx.Commit(b.Context()))
}

func BenchmarkScan(b *testing.B) {
	for _, partitions := range []int{1, 7, 97} {
		s, t := benchStore(b, partitions)
		rows := scaled(benchRows)
		load(b, s, t, rows, benchQualifiers, 1)
		run := func(name string, want int, scan kv.Scan) {
			timed(b, fmt.Sprintf("%s/%d", name, partitions), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					require.Equal(b, want, scanCount(b, s, t, &scan))
				}
				perCell(b, want)
			})
		}
		cells := rows * benchQualifiers
		run("all", cells, kv.Scan{NeedValue: true})
		run("allordered", cells, kv.Scan{NeedValue: true, Ordered: true})
		run("keysonly", cells, kv.Scan{})
		run("latest", cells, kv.Scan{NeedValue: true, MaxVersions: 1})
		run("latestreverse", cells, kv.Scan{NeedValue: true, MaxVersions: 1, Reverse: true})
		run("firstperrow", rows, kv.Scan{FirstPerRow: true})
		run("qualifier", rows, kv.Scan{NeedValue: true, Qualifiers: []kv.QualifierRange{{Start: []byte("column3"),
			End: []byte("column3\x00")}}})
		start := kv.Position{Row: formatRow(rows / 2), Depth: kv.DepthRow}
		run("prefix100", 101, kv.Scan{NeedValue: true, Ordered: true, Limit: 101, Ranges: []kv.Range{{Start: start}}})
		if partitions == 1 {
			timed(b, "all/raw", func(b *testing.B) { rawScan(b, s.db, cells, nil) })
			timed(b, "prefix100/raw", func(b *testing.B) {
				rawScan(b, s.db, 100, cellkey.AppendRow(nil, 1, formatRow(rows/2)))
			})
		}
	}
}

func rawScan(b *testing.B, db *pebble.DB, want int, start []byte) {
	b.ReportAllocs()
	for range b.N {
		it, err := db.NewIter(spaceBounds(1))
		require.NoError(b, err)
		n := 0
		for ok := it.SeekGE(append([]byte{0, 0, 0, 1}, start[min(len(start), cellkey.SpaceLen):]...)); ok &&
			n < want; ok = it.Next() {
			n += len(it.Value()) / 100
		}
		require.Equal(b, want, n)
		require.NoError(b, it.Close())
	}
	perCell(b, want)
}

func BenchmarkLatest(b *testing.B) {
	for _, versions := range []int{1, 10, 1000, 10_000} {
		columns := max(scaled(200_000)/versions, 4)
		s, t := benchStore(b, 1)
		load(b, s, t, columns, 1, versions)
		for name, scan := range map[string]kv.Scan{
			"latest":  {NeedValue: true, MaxVersions: 1},
			"reverse": {NeedValue: true, MaxVersions: 1, Reverse: true},
			"asof":    {NeedValue: true, MaxVersions: 1, Time: kv.TimeRange{Max: int64(versions / 2), Bounded: true}},
		} {
			timed(b, fmt.Sprintf("%s/%d", name, versions), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					require.Equal(b, columns, scanCount(b, s, t, &scan))
				}
				perCell(b, columns)
			})
		}
		timed(b, fmt.Sprintf("raw/%d", versions), func(b *testing.B) {
			b.ReportAllocs()
			f := keyFormat{}
			for range b.N {
				it, err := s.db.NewIter(spaceBounds(1))
				require.NoError(b, err)
				n := 0
				for ok := it.First(); ok; ok = f.nextColumn(it) {
					n += len(it.Value()) / 100
				}
				require.Equal(b, columns, n)
				require.NoError(b, it.Close())
			}
			perCell(b, columns)
		})
	}
}

// BenchmarkDeleteColumns deletes columns in row order: all of them, every third, and every
// thousandth.
func BenchmarkDeleteColumns(b *testing.B) {
	for _, partitions := range []int{1, 97} {
		const cells = 100_000
		s, t := benchStore(b, partitions)
		load(b, s, t, cells/5, 5, 1)
		for _, step := range []int{1, 3, 1000} {
			timed(b, fmt.Sprintf("each %d/%d", step, partitions), func(b *testing.B) {
				b.ReportAllocs()
				tx := kvtest.Begin(s, kv.TxnOptions{})
				for i := range b.N {
					n := i * step % cells
					if n < step {
						tx.Rollback()
						tx = kvtest.Begin(s, kv.TxnOptions{})
					}
					if err := tx.DeleteColumn(b.Context(), t, formatRow(n/5), formatQualifier(n%5)); err != nil {
						b.Fatal(err)
					}
				}
				tx.Rollback()
			})
		}
	}
}

func BenchmarkBegin(b *testing.B) {
	s, _ := benchStore(b, 1)
	b.ReportAllocs()
	for range b.N {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		tx.Catalog()
		tx.Rollback()
	}
}

// BenchmarkCommit makes writers commit one cell each, synced: they share syncs.
func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			s, err := Open(Options{Dir: b.TempDir(), Sync: true})
			require.NoError(b, err)
			defer func() { require.NoError(b, s.Close()) }()
			t := createTable(b, s, "g", "f", &partition.Scheme{})
			b.ResetTimer()
			var next atomic.Int64
			var wg sync.WaitGroup
			for range writers {
				wg.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						tx := kvtest.Begin(s, kv.TxnOptions{})
						if _, err := tx.PutIfAbsent(b.Context(), t, kv.Cell{Row: formatRow(int(i))}); err != nil {
							b.Error(err)
						}
						if err := tx.Commit(b.Context()); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// BenchmarkPutNextBurst writes versions of one cell, each in a transaction of
// its own, faster than the clock ticks: each must find the end of the run.
func BenchmarkPutNextBurst(b *testing.B) {
	s := openMem(b)
	t := createTable(b, s, "g", "f", &partition.Scheme{})
	c := kv.Cell{Row: []byte("row"), Qualifier: []byte("q"), Timestamp: 1, Value: []byte("v")}
	b.ReportAllocs()
	for b.Loop() {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		if _, err := tx.PutNext(b.Context(), t, c); err != nil {
			b.Fatal(err)
		}
		if err := tx.Commit(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkConflictCheck measures a write that is locked and checked against the commits
// since its snapshot: of rows alone, with an older transaction for which each commit is
// remembered, and in a serializable transaction that reads each row first.
func BenchmarkConflictCheck(b *testing.B) {
	const rows = 1000
	for _, name := range []string{"alone", "remembered", "reads", "reads-serializable"} {
		b.Run(name, func(b *testing.B) {
			s := openMem(b)
			t := createTable(b, s, "g", "f", &partition.Scheme{})
			if name == "remembered" {
				old := kvtest.Begin(s, kv.TxnOptions{})
				defer old.Rollback()
				old.Catalog()
			}
			keys := make([][]byte, rows)
			for i := range keys {
				keys[i] = row(i)
			}
			b.ReportAllocs()
			for b.Loop() {
				tx := kvtest.Begin(s, kv.TxnOptions{Serializable: name == "reads-serializable"})
				for _, k := range keys {
					if name == "reads" || name == "reads-serializable" {
						getRow(b, tx, t, k)
					}
					if err := tx.Put(b.Context(), t, kv.Cell{Row: k, Qualifier: k, Value: k}); err != nil {
						b.Fatal(err)
					}
				}
				if err := tx.Commit(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}

func getRow(b *testing.B, tx kv.Txn, t *kv.Table, k []byte) {
	c, err := tx.Scan(b.Context(), []*kv.Table{t}, rowGet(k, kv.DepthRow, nil))
	if err != nil {
		b.Fatal(err)
	}
	for c.Next() {
	}
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCounts measures counting the reads and writes of a partition: of a stream of a
// scan when it ends, and of each write; by one goroutine, and by all processors on one
// partition. get and put, which include it once, are the yardsticks.
func BenchmarkCounts(b *testing.B) {
	s, t := benchStore(b, 97)
	load(b, s, t, 1000, 1, 1)
	tx := kvtest.Begin(s, kv.TxnOptions{}).(*txn.Txn)
	defer tx.Rollback()
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			tx.CountWrite(b.Context(), t, 5, nil)
		}
	})
	b.Run("read-parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				s.engine.Loads.Of(t)[5].Reads.Add(1)
			}
		})
	})
	row := []byte("user00000001")
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			scanCount(b, s, t, &kv.Scan{Ranges: []kv.Range{{
				Start: kv.Position{Row: row, Depth: kv.DepthRow}, End: kv.Position{Row: row, Depth: kv.DepthRow, After: true}}}})
		}
	})
	b.Run("put", func(b *testing.B) {
		for b.Loop() {
			putCommitted(b, s, t, kv.Cell{Row: row, Qualifier: []byte("q"), Timestamp: 1, Value: []byte("v")})
		}
	})
}
