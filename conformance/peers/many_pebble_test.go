package main

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// manyPebble is Pebble with the same cells under plain keys, without SQL, versions and locks: the limit of an
// UPDATE of all cells that has to read the cells and write new ones to a log and files.
type manyPebble struct{ *rawStore }

// benchManyPebble reports the processor time of an UPDATE of all cells: in one batch, with the flush of what it
// leaves in memory, and by a table file that is ingested.
func benchManyPebble(b *testing.B) {
	s, err := openPebble(b.TempDir(), false)
	require.NoError(b, err)
	defer s.close()
	p := manyPebble{s.(*rawStore)}
	p.load(b)
	require.NoError(b, s.settle(table{name: "c"}))
	b.Run("update/batch", func(b *testing.B) { p.bench(b, p.updateByBatch) })
	b.Run("update/ingest", func(b *testing.B) { p.bench(b, p.updateByIngest) })
}

func (p manyPebble) bench(b *testing.B, update func(*testing.B)) {
	var used time.Duration
	for b.Loop() {
		cpu := processorTime()
		update(b)
		used += processorTime() - cpu
	}
	b.ReportMetric(float64(used)/float64(b.N)/float64(*manyCells), "cpu-ns/cell")
}

func (p manyPebble) load(b *testing.B) {
	load := pebbleLoad{b: b, db: p.db}
	for i := range *manyCells {
		k, q, at, v := manyCell(i)
		load.set(rawKey(nil, "c", cell{k: []byte(k), q: []byte(q), t: int64(at)}), []byte(v))
	}
	load.commit()
}

func (p manyPebble) updateByBatch(b *testing.B) {
	batch := p.db.NewBatch()
	p.changed(b, func(key, v []byte) error { return batch.Set(key, v, nil) })
	require.NoError(b, batch.Commit(pebble.NoSync))
	require.NoError(b, p.db.Flush())
}

func (p manyPebble) updateByIngest(b *testing.B) {
	paths, writers, err := p.newFiles(1)
	require.NoError(b, err)
	p.changed(b, writers[0].Set)
	require.NoError(b, writers[0].Close())
	require.NoError(b, p.db.Ingest(b.Context(), paths))
}

// changed sets each cell to a new value.
func (p manyPebble) changed(b *testing.B, set func(key, v []byte) error) {
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: rawPrefix(nil, "c"), UpperBound: []byte("c\x01")})
	require.NoError(b, err)
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		if err := set(it.Key(), []byte("changed")); err != nil {
			b.Fatal(err)
		}
		n++
	}
	require.Equal(b, *manyCells, n)
	require.NoError(b, it.Close())
}
