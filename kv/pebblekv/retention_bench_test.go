package pebblekv

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// BenchmarkRetention reads by turns two tables with the same content: one keeps
// everything, the other has a retention. The metric x is the processor time of
// the latter divided by that of the former.
func BenchmarkRetention(b *testing.B) {
	const old, young = 1_000, 1_000_000
	halves := func(i, rows int) int64 { return []int64{old, young}[2*i/rows] }
	turns := func(i, _ int) int64 { return []int64{old, young}[i%2] }
	ttl := kv.Retention{TTLSeconds: 60}
	for _, c := range []struct {
		name      string
		retention kv.Retention
		at        func(i, rows int) int64
		versions  int
	}{
		{"ttl/olderhalf", ttl, halves, 1},
		{"ttl/turns", ttl, turns, 1},
		{"ttl/nothing", kv.Retention{TTLSeconds: 1 << 30}, halves, 1},
		{"ttl+min/turns", kv.Retention{TTLSeconds: 60, MinVersions: 1}, turns, 1},
		{"versions3/of1", kv.Retention{MaxVersions: 3}, turns, 1},
		{"versions3/of10", kv.Retention{MaxVersions: 3}, turns, 10},
	} {
		b.Run(c.name, func(b *testing.B) {
			x := newRetentionBench(b, c.retention, c.at, c.versions)
			x.reads(b)
		})
	}
}

// retentionBench is a store with the two tables.
type retentionBench struct {
	store    *Store
	tables   [2]*kv.Table
	rows     int
	versions int
}

func newRetentionBench(
	b *testing.B, r kv.Retention, at func(i, rows int) int64, versions int,
) *retentionBench {
	s, err := Open(Options{InMemory: true, CacheBytes: 512 << 20, CollectEvery: -1,
		Now: func() time.Time { return time.UnixMilli(1_000_000) }})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	x := &retentionBench{store: s, rows: max(scaled(20_000/versions), 10), versions: versions}
	for i, name := range []string{"all", "some"} {
		createTable(b, s, "g", name, &partition.Scheme{})
		retain(b, s, "g$"+name, []kv.Retention{{}, r}[i])
	}
	for i, name := range []string{"all", "some"} {
		x.tables[i] = kvtest.Catalog(s).Table("d", "g$"+name)
		x.load(b, x.tables[i], at)
		require.NoError(b, s.Compact(b.Context(), x.tables[i], nil))
	}
	return x
}

func (x *retentionBench) load(b *testing.B, t *kv.Table, at func(i, rows int) int64) {
	tx := kvtest.Begin(x.store, kv.TxnOptions{})
	value := bytes.Repeat([]byte("v"), 100)
	for i := range x.rows {
		for n := range benchQualifiers * x.versions {
			c := kv.Cell{Row: formatRow(i), Qualifier: formatQualifier(n % benchQualifiers), Value: value,
				Timestamp: at(i, x.rows) + int64(n/benchQualifiers)}
			require.NoError(b, tx.Put(b.Context(), t, c))
		}
	}
	require.NoError(b, tx.Commit(b.Context()))
	require.NoError(b, x.store.Flush(b.Context()))
}

func (x *retentionBench) reads(b *testing.B) {
	for name, scan := range map[string]kv.Scan{
		"latest":  {NeedValue: true, MaxVersions: 1},
		"all":     {NeedValue: true},
		"reverse": {NeedValue: true, Reverse: true},
		"asof":    {NeedValue: true, MaxVersions: 1, Time: kv.TimeRange{Max: 2_000_000, Bounded: true}},
	} {
		x.byTurns(b, name, func(t *kv.Table) { x.batches(b, t, &scan) })
	}
	x.byTurns(b, "count", func(t *kv.Table) { x.countRuns(b, t, &kv.Scan{MaxVersions: 1}) })
	x.byTurns(b, "countall", func(t *kv.Table) { x.countRuns(b, t, &kv.Scan{}) })
	x.byTurns(b, "row", func(t *kv.Table) {
		for i := range 1000 {
			x.batches(b, t, rowGet(formatRow(i*7%x.rows), kv.DepthRow, nil))
		}
	})
}

func (x *retentionBench) byTurns(b *testing.B, name string, read func(*kv.Table)) {
	b.Run(name, func(b *testing.B) {
		var spent [2]int64
		for n := range 2 * b.N {
			before := processorTime()
			read(x.tables[n%2])
			spent[n%2] += processorTime() - before
		}
		b.ReportMetric(float64(spent[1])/float64(spent[0]), "x")
	})
}

func (x *retentionBench) open(b *testing.B, t *kv.Table, scan *kv.Scan) (kv.Cursor, func()) {
	tx := kvtest.Begin(x.store, kv.TxnOptions{ReadOnly: true})
	c, err := tx.Scan(b.Context(), []*kv.Table{t}, scan)
	require.NoError(b, err)
	return c, func() {
		require.NoError(b, c.Err())
		require.NoError(b, c.(kv.Releaser).Release())
		require.NoError(b, tx.(kv.Releaser).Release())
	}
}

func (x *retentionBench) batches(b *testing.B, t *kv.Table, scan *kv.Scan) {
	c, done := x.open(b, t, scan)
	var batch kv.Batch
	for c.(kv.Batcher).NextBatch(&batch, 1000) {
	}
	done()
}

func (x *retentionBench) countRuns(b *testing.B, t *kv.Table, scan *kv.Scan) {
	c, done := x.open(b, t, scan)
	for {
		if _, n := c.(kv.RunCounter).CountRun(0); n == 0 {
			break
		}
	}
	done()
}
