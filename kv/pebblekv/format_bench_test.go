package pebblekv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// BenchmarkKeyFormat compares choices for keys, for before the format is final:
// where keys are split (which bloom filters and NextPrefix use), rows or
// columns inside blocks, and time intervals of blocks. doc.go has the figures.
// All variants hold the same keys.
func BenchmarkKeyFormat(b *testing.B) {
	for _, f := range keyFormats {
		b.Run(f.name, func(b *testing.B) { f.run(b) })
	}
}

type keyFormat struct {
	name     string
	split    func([]byte) int
	columnar bool
	times    bool
	byRow    bool // the split is at K
	byColumn bool // the split is at (K, Q)
}

var keyFormats = []keyFormat{
	{name: "split=none/rows", split: func(k []byte) int { return len(k) }},
	{name: "split=K/rows", split: cellkey.SplitAtRow, byRow: true},
	{name: "split=K/columns", split: cellkey.SplitAtRow, byRow: true, columnar: true},
	{name: "split=K/columns/times", split: cellkey.SplitAtRow, byRow: true, columnar: true, times: true},
	{name: "split=KQ/rows", split: splitAtColumn, byColumn: true},
	{name: "split=KQ/columns", split: splitAtColumn, byColumn: true, columnar: true},
	{name: "split=KQ/columns/times", split: splitAtColumn, byColumn: true, columnar: true, times: true},
}

func splitAtColumn(key []byte) int {
	if end := cellkey.ColumnLen(key); end > 0 {
		return end
	}
	return len(key)
}

const (
	formatRows       = 100_000
	formatQualifiers = 5
)

func formatRow(i int) []byte       { return fmt.Appendf(nil, "user%08d", i*7) }
func formatQualifier(i int) []byte { return fmt.Appendf(nil, "column%d", i) }

func (f keyFormat) open(b *testing.B) *pebble.DB {
	o := &pebble.Options{
		FS: vfs.NewMem(), FormatMajorVersion: pebble.FormatNewest, MemTableSize: 64 << 20,
		Comparer: cellkey.NewComparer("bench", f.split), CacheSize: 512 << 20, Logger: silent{},
		DisableAutomaticCompactions: true, DisableWAL: true, L0StopWritesThreshold: 1000,
	}
	o.Experimental.EnableColumnarBlocks = func() bool { return f.columnar }
	if !f.byColumn {
		o.Experimental.SpanPolicyFunc = valuesWithKeys
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		o.Levels[i].BlockSize = 8 << 10
	}
	if f.times {
		o.BlockPropertyCollectors = []func() pebble.BlockPropertyCollector{cellkey.NewTimeCollector}
	}
	db, err := pebble.Open("", o)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	return db
}

type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(s string, a ...any) {
	panic(fmt.Sprintf(s, a...))
}

// fillKeys writes rows x qualifiers x versions. The time of a version grows
// with its row if there is one version, else with the version.
func fillKeys(b *testing.B, db *pebble.DB, space keyspace.ID, rows, qualifiers, versions, files int) {
	value := bytes.Repeat([]byte("v"), 100)
	r := rand.New(rand.NewPCG(1, 2))
	for file := range files {
		batch := db.NewBatch()
		for i := range rows {
			if i*31%files != file {
				continue
			}
			for q := range qualifiers {
				for v := range versions {
					t := int64(v)
					if versions == 1 {
						t = int64(i)
					}
					binary.BigEndian.PutUint64(value, r.Uint64())
					key := cellkey.AppendCell(nil, space, formatRow(i), formatQualifier(q), t)
					require.NoError(b, batch.Set(key, value, nil))
				}
			}
			if batch.Len() > 1<<20 {
				require.NoError(b, batch.Commit(pebble.NoSync))
				batch = db.NewBatch()
			}
		}
		require.NoError(b, batch.Commit(pebble.NoSync))
		require.NoError(b, db.Flush())
	}
}

func (f keyFormat) run(b *testing.B) {
	db := f.open(b)
	fillKeys(b, db, 1, formatRows, formatQualifiers, 1, 1)
	fillKeys(b, db, 2, 20_000, 1, 10, 1)
	fillKeys(b, db, 3, 200, 1, 1000, 1)
	require.NoError(b, db.Compact(b.Context(), []byte{0}, []byte{255}, false))
	fillKeys(b, db, 4, formatRows, formatQualifiers, 1, 6)
	b.Logf("%d MiB on disk", db.Metrics().DiskSpaceUsage()>>20)

	for space, where := range map[keyspace.ID]string{1: "bottom", 4: "6files"} {
		timed(b, "row/"+where, func(b *testing.B) { f.rowGet(b, db, space, true) })
		timed(b, "rowmissing/"+where, func(b *testing.B) { f.rowGet(b, db, space, false) })
		timed(b, "cell/"+where, func(b *testing.B) { f.cellGet(b, db, space, true) })
		timed(b, "cellmissing/"+where, func(b *testing.B) { f.cellGet(b, db, space, false) })
	}
	timed(b, "scan", func(b *testing.B) { f.scan(b, db, 1, formatRows*formatQualifiers) })
	timed(b, "prefix100", func(b *testing.B) { f.prefixScan(b, db) })
	timed(b, "latest1", func(b *testing.B) { f.latest(b, db, 1, formatRows*formatQualifiers) })
	timed(b, "latest10", func(b *testing.B) { f.latest(b, db, 2, 20_000) })
	timed(b, "latest1000", func(b *testing.B) { f.latest(b, db, 3, 200) })
	timed(b, "time1%/clustered", func(b *testing.B) { f.timeRange(b, db, 1, 50_000, 50_999, 5_000) })
	timed(b, "time1%/versions", func(b *testing.B) { f.timeRange(b, db, 3, 500, 509, 2_000) })
}

// timed also reports processor time, which varies less on a busy machine.
func timed(b *testing.B, name string, f func(*testing.B)) {
	b.Run(name, func(b *testing.B) {
		before := processorTime()
		f(b)
		b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
	})
}

func processorTime() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func newIter(b *testing.B, db *pebble.DB, o *pebble.IterOptions) *pebble.Iterator {
	it, err := db.NewIter(o)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, it.Close()) })
	b.ResetTimer()
	return it
}

func (f keyFormat) rowGet(b *testing.B, db *pebble.DB, space keyspace.ID, present bool) {
	it := newIter(b, db, &pebble.IterOptions{UseL6Filters: true})
	var key, end []byte
	seen := 0
	for n := range b.N {
		row := formatRow(n * 7919 % formatRows)
		if !present {
			row = append(row, 'x')
		}
		key = cellkey.AppendRow(key[:0], space, row)
		seek := it.SeekPrefixGE
		if !f.byRow {
			seek = it.SeekGE
			end = cellkey.MakeBehind(append(end[:0], key...))
			it.SetBounds(key, end)
		}
		for ok := seek(key); ok && bytes.HasPrefix(it.Key(), key); ok = it.Next() {
			seen += len(it.Value())
		}
	}
	require.Equal(b, present, seen > 0)
}

func (f keyFormat) cellGet(b *testing.B, db *pebble.DB, space keyspace.ID, present bool) {
	it := newIter(b, db, &pebble.IterOptions{UseL6Filters: true})
	var key []byte
	seen := 0
	for n := range b.N {
		q := formatQualifier(n % formatQualifiers)
		if !present {
			q = append(q, 'x')
		}
		i := n * 7919 % formatRows
		key = cellkey.AppendCell(key[:0], space, formatRow(i), q, int64(i))
		if it.SeekPrefixGE(key) && bytes.Equal(it.Key(), key) {
			seen += len(it.Value())
		}
	}
	require.Equal(b, present, seen > 0)
}

func perCell(b *testing.B, cells int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
}

func spaceBounds(space keyspace.ID) *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: cellkey.AppendSpace(nil, space), UpperBound: cellkey.SpaceEnd(space)}
}

func (f keyFormat) scan(b *testing.B, db *pebble.DB, space keyspace.ID, want int) {
	it := newIter(b, db, spaceBounds(space))
	for range b.N {
		n := 0
		for ok := it.First(); ok; ok = it.Next() {
			n += len(it.Value()) / 100
		}
		require.Equal(b, want, n)
	}
	perCell(b, want)
}

func (f keyFormat) prefixScan(b *testing.B, db *pebble.DB) {
	it := newIter(b, db, spaceBounds(1))
	var key []byte
	for n := range b.N {
		key = append(cellkey.AppendSpace(key[:0], 1), formatRow(n*7919%(formatRows-100))...)
		cells := 0
		for ok := it.SeekGE(key); ok && cells < 100; ok = it.Next() {
			cells += len(it.Value()) / 100
		}
		require.Equal(b, 100, cells)
	}
	perCell(b, 100)
}

// latest reads the newest version of each column. It skips the others by steps
// and then by a seek, or by NextPrefix if the split allows that.
func (f keyFormat) latest(b *testing.B, db *pebble.DB, space keyspace.ID, want int) {
	it := newIter(b, db, spaceBounds(space))
	for range b.N {
		n := 0
		for ok := it.First(); ok; {
			n += len(it.Value()) / 100
			ok = f.nextColumn(it)
		}
		require.Equal(b, want, n)
	}
	perCell(b, want)
}

var seekBuf [64]byte

func (f keyFormat) nextColumn(it *pebble.Iterator) bool {
	if f.byColumn {
		return it.NextPrefix()
	}
	column := append(seekBuf[:0], cellkey.Column(it.Key())...)
	ok := it.Next()
	for i := 0; ok && bytes.HasPrefix(it.Key(), column); i++ {
		if i == 2 {
			return it.SeekGE(cellkey.MakeBehind(column))
		}
		ok = it.Next()
	}
	return ok
}

func (f keyFormat) timeRange(b *testing.B, db *pebble.DB, space keyspace.ID, lo, hi int64, want int) {
	o := spaceBounds(space)
	if f.times {
		o.PointKeyFilters = []pebble.BlockPropertyFilter{cellkey.NewTimeFilter(lo, hi)}
	}
	it := newIter(b, db, o)
	for range b.N {
		n := 0
		for ok := it.First(); ok; ok = it.Next() {
			if t := cellkey.Timestamp(it.Key()); lo <= t && t <= hi {
				n += len(it.Value()) / 100
			}
		}
		require.Equal(b, want, n)
	}
	perCell(b, want)
}
