package pebblekv

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/tablebuild"
)

// BenchmarkBulkLoad loads cells in order and in random order; "raw" builds the
// same files with Pebble's writer, one writer for each partition, and ingests
// them.
func BenchmarkBulkLoad(b *testing.B) {
	cells := benchCells(scaled(250_000))
	shuffled := slices.Clone(cells)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(cells), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for _, partitions := range []int{1, 97} {
		b.Run(fmt.Sprint("partitions=", partitions, "/raw"), func(b *testing.B) {
			benchLoads(b, len(cells), partitions, func(s *Store, t *kv.Table) error { return rawLoad(s, t, cells) })
		})
		for name, in := range map[string][]kv.Cell{"sorted": cells, "shuffled": shuffled} {
			b.Run(fmt.Sprint("partitions=", partitions, "/", name), func(b *testing.B) {
				benchLoads(b, len(cells), partitions, func(s *Store, t *kv.Table) error {
					_, err := s.BulkLoad(b.Context(), []*kv.Table{t}, cellSeq(in), kv.BulkOptions{})
					return err
				})
			})
		}
	}
}

// benchCells returns cells of 100 bytes, five to a row, that compress to about a half.
func benchCells(n int) []kv.Cell {
	r := rand.New(rand.NewPCG(7, 7))
	cells := make([]kv.Cell, n)
	for i := range cells {
		value := make([]byte, 100)
		for j := range value[:50] {
			value[j] = byte(r.Uint32())
		}
		copy(value[50:], bytes.Repeat([]byte{'v'}, 50))
		cells[i] = kv.Cell{Row: formatRow(i / 5), Qualifier: formatQualifier(i % 5), Timestamp: 1, Value: value}
	}
	return cells
}

func benchLoads(b *testing.B, cells, partitions int, load func(*Store, *kv.Table) error) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		s, err := Open(Options{Dir: b.TempDir()})
		require.NoError(b, err)
		t := createTable(b, s, "g", "a", keyScheme(b, partitions))
		b.StartTimer()
		require.NoError(b, load(s, t))
		b.StopTimer()
		require.NoError(b, s.Close())
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
}

func rawLoad(s *Store, t *kv.Table, cells []kv.Cell) error {
	dir := s.opts.Dir + "/raw"
	if err := s.opts.FS.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	writers := make([]*sstable.Writer, len(keyspace.Of(t).Spaces))
	var paths []string
	for i := range writers {
		paths = append(paths, fmt.Sprintf("%s/%d.sst", dir, i))
		f, err := s.opts.FS.Create(paths[i], vfs.WriteCategoryUnspecified)
		if err != nil {
			return err
		}
		writers[i] = sstable.NewWriter(objstorageprovider.NewFileWritable(f), tablebuild.TableOptions(s.pebble))
	}
	var key, value []byte
	for _, c := range cells {
		i, _ := t.Partitioning.Locate(c.Row)
		key = cellkey.AppendCell(key[:0], keyspace.Of(t).Spaces[i], c.Row, c.Qualifier, c.Timestamp)
		value = cellkey.AppendValue(value[:0], c.Value)
		if err := writers[i].Set(key, value); err != nil {
			return err
		}
	}
	for _, w := range writers {
		if err := w.Close(); err != nil {
			return err
		}
	}
	return s.db.Ingest(context.Background(), paths)
}
