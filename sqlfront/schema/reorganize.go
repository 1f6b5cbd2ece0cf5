package schema

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// reorganize is REORGANIZE PARTITION and REORGANIZE SUBPARTITION. Within one key
// space only descriptors change; partitions that keep their cells apart are
// moved together.
func (d *DDL) reorganize(ctx context.Context, t *kv.Table, a *parse.AlterReorganizePartition) error {
	level := levelOf(t, a.Sub)
	ranged := level == byTime || t.Partitioning.Method() == partition.Range
	switch {
	case level == noLevel:
		return inList("REORGANIZE")("")
	case ranged && len(a.Names) == 0:
		return mysqlerr.New(mysqlerr.ReorganizeNoParam,
			"REORGANIZE PARTITION without parameters can only be used on auto-partitioned tables using HASH PARTITIONs")
	case len(a.Names) == 0:
		return nil // every row is where its hash says
	case !ranged:
		return mysqlerr.New(mysqlerr.ReorganizeHash,
			"REORGANIZE PARTITION can only be used to reorganize partitions not to change their numbers")
	}
	if level == byTime {
		return d.reorganizeSlices(ctx, t, a)
	}
	if err := noSubpartitions(a.Into); err != nil {
		return wrongAddedSubpartitions()
	}
	names, upper, err := d.ranges(a.Into)
	if err != nil {
		return err
	}
	return d.reorganizeOr(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		first, last, err := neighbours(a.Names, now.Partitioning.Len(), now.Partitioning.Ordinal)
		if err != nil {
			return err
		}
		return c.ReorganizePartitions(now.Database, now.Name, first, last, names, upper)
	}, func(now *kv.Table) error {
		first, last, err := neighbours(a.Names, now.Partitioning.Len(), now.Partitioning.Ordinal)
		if err != nil {
			return err
		}
		now.Partitioning, err = now.Partitioning.Reorganizing(first, last, names, upper)
		return err
	})
}

func (d *DDL) reorganizeSlices(ctx context.Context, t *kv.Table, a *parse.AlterReorganizePartition) error {
	if noSubpartitions(a.Into) != nil && (a.Sub || checkSubpartitions(a.Into, t.Partitioning.Len()) != nil) {
		return wrongAddedSubpartitions()
	}
	into, err := d.slices(a.Into, "RANGE COLUMNS")
	if err != nil {
		return err
	}
	return d.reorganizeOr(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		first, last, err := neighbours(a.Names, now.Partitioning.NumSlices(), now.Partitioning.SliceOrdinal)
		if err != nil {
			return err
		}
		return c.ReorganizeSlices(now.Database, now.Name, first, last, into)
	}, func(now *kv.Table) error {
		first, last, err := neighbours(a.Names, now.Partitioning.NumSlices(), now.Partitioning.SliceOrdinal)
		if err != nil {
			return err
		}
		now.Partitioning, err = now.Partitioning.ReorganizingSlices(first, last, into)
		return err
	})
}

// reorganizeOr changes descriptors alone or, where that is not enough, gives the
// table another layout.
func (d *DDL) reorganizeOr(ctx context.Context, t *kv.Table, change func(*kv.CatalogChange, *kv.Table) error, layout func(*kv.Table) error) error {
	err := d.change(ctx, t, change)
	if errors.Is(err, kv.ErrNeedsMove) {
		err = d.move(ctx, t, layout)
	}
	return err
}

// neighbours are the first and the last of n partitions given by name, which
// must be a run without gaps.
func neighbours(names []string, n int, ordinal func(string) (int, bool)) (first, last int, err error) {
	if len(names) > n {
		return 0, 0, mysqlerr.New(mysqlerr.ReorganizeNotExist, "More partitions to reorganize than there are partitions")
	}
	which, err := numbers(names, ordinal, inList("REORGANIZE"))
	if err != nil {
		return 0, 0, err
	}
	first, last = which[0], which[len(which)-1]
	if last-first+1 != len(which) {
		return 0, 0, partition.ErrNotNeighbours
	}
	return first, last, nil
}
