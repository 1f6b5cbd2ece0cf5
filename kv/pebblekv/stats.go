package pebblekv

import (
	"bytes"
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/estimate"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/read"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
	"github.com/hbasekv/hbasekv/kv/sample"
)

// TableStats implements kv.StatsReader. Small partitions are counted. For others
// the size is that on disk, and the cells are their share of the entries of the
// files, some of which may be older versions of a cell that no compaction has
// dropped yet. Cells that are only in memory are missing from the estimate until
// Flush.
func (s *Store) TableStats(ctx context.Context, t *kv.Table, exact bool) ([]kv.PartitionStats, error) {
	if err := (door{s}).Enter(); err != nil {
		return nil, err
	}
	defer door{s}.Exit()
	v := s.engine.Views.Acquire(views.Reader)
	defer func() { _ = v.Release(views.Reader) }()
	out, now := make([]kv.PartitionStats, len(keyspace.Of(t).Spaces)), s.engine.Now()
	for p := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lower, upper := cellkey.Extent(keyspace.ExtentOf(t, p))
		if bytes.Compare(lower, upper) >= 0 {
			continue
		}
		var err error
		if out[p], err = estimate.SpanStats(ctx, v, cellkey.NewSpan(lower, upper), exact); err != nil {
			return nil, faultfs.DiskError(err)
		}
		if out[p].Estimated || t.Retention.IsZero() {
			continue
		}
		if out[p], err = read.KeptStats(ctx, v, t, p, now); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// FoundBounds implements kv.BoundsFinder: the medians at which regions were split.
func (s *Store) FoundBounds(t *kv.Table) [][]byte { return keyspace.Of(t).AutoSplits }

// TellSamples implements sample.Teller.
func (s *Store) TellSamples(fn func(context.Context, sample.Sample)) { s.engine.Loads.TellSamples(fn) }

// TableLoads implements kv.LoadReader.
func (s *Store) TableLoads(t *kv.Table) []kv.PartitionLoad {
	loads := s.engine.Loads.Of(t)
	out := make([]kv.PartitionLoad, len(loads))
	for i, l := range loads {
		out[i] = kv.PartitionLoad{Reads: l.Reads.Load(), Writes: l.Writes.Load()}
	}
	return out
}
