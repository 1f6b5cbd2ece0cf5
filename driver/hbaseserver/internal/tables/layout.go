package tables

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/partition"
)

// Split splits a table's region that begins at start at the row at. No cell is moved. The error is
// UnknownRegionException if there is no such region, DoNotRetryIOException if at is not within it.
func (c *Changes) Split(ctx context.Context, name rowapi.TableName, start, at []byte) error {
	return c.do(ctx, func(c change) error {
		t, err := c.table(name)
		if err != nil {
			return err
		}
		switch i := regionAt(t, start); {
		case i < 0:
			return exception("UnknownRegionException", "%s has no region that begins at %.300q", name, start)
		case len(at) == 0 || !rangesOf(t.Families[0].Partitioning)[i].Contains(at) || bytes.Equal(at, start):
			return exception("DoNotRetryIOException", "the split row %.300q is not within the region, or is its first row", at)
		}
		_, err = c.SplitPartitions(t.database, t.Families[0].Name, [][]byte{at})
		if errors.Is(err, partition.ErrNotRange) {
			return notByRange(name)
		}
		return err
	})
}

func notByRange(name rowapi.TableName) error {
	return exception("DoNotRetryIOException", "%s is not partitioned by RANGE: its rows have no order to be cut in", name)
}

// regionAt is the index of the region that begins at a row among a table's, negative if there is none.
func regionAt(t *Table, start []byte) int {
	return slices.IndexFunc(rangesOf(t.Families[0].Partitioning), func(r partition.RowRange) bool {
		return bytes.Equal(r.Start, start)
	})
}

// Merge merges adjacent regions, given by their start rows, into one. Their cells are moved if they are
// in different key spaces.
func (c *Changes) Merge(ctx context.Context, name rowapi.TableName, starts [][]byte) error {
	var family *kv.Table // any of them: all are partitioned alike
	err := c.do(ctx, func(c change) error {
		t, err := c.table(name)
		if err != nil {
			return err
		}
		family = t.Families[0]
		m, err := mergeOf(t, starts)
		if err != nil {
			return err
		}
		return c.ReorganizePartitions(t.database, family.Name, m.first, m.last, m.names, m.upper)
	})
	mover, ok := c.store.(kv.Repartitioner)
	if !errors.Is(err, kv.ErrNeedsMove) || !ok {
		return err
	}
	return mover.Repartition(ctx, family.Database, family.Name, func(now *kv.Table) error {
		m, err := mergeOf(&Table{Name: name, Families: []*kv.Table{now}}, starts)
		if err == nil {
			now.Partitioning, err = now.Partitioning.Reorganizing(m.first, m.last, m.names, m.upper)
		}
		return err
	}, kv.MoveOptions{})
}

// merge says which partitions become which one.
type merge struct {
	first, last int
	names       []string
	upper       [][]byte
}

func mergeOf(t *Table, starts [][]byte) (merge, error) {
	s := t.Families[0].Partitioning
	if s.Method() != partition.Range {
		return merge{}, notByRange(t.Name)
	}
	places := []int{}
	for _, start := range starts {
		i := regionAt(t, start)
		if i < 0 {
			return merge{}, exception("UnknownRegionException", "%s has no region that begins at %.300q", t.Name, start)
		}
		places = append(places, i)
	}
	slices.Sort(places)
	n := len(places)
	if n < 2 || places[n-1]-places[0] != n-1 || len(slices.Compact(places)) != n {
		return merge{}, exception("exceptions.MergeRegionException",
			"Unable to merge non-adjacent or non-overlapping regions of %s", t.Name)
	}
	last := places[n-1]
	return merge{places[0], last, []string{s.Name(last)}, [][]byte{s.Bounds(last).End}}, nil
}
