package ddl

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// reorganize is REORGANIZE PARTITION and REORGANIZE SUBPARTITION. Within one key space only descriptors
// change; cells of partitions with key spaces of their own are moved.
func (d *DDL) reorganize(ctx context.Context, t *kv.Table, a *ast.AlterReorganizePartition) error {
	level := levelOf(t, a.Sub)
	ranged := level == byTime || t.Partitioning.Method() == partition.Range
	switch {
	case level == noLevel:
		return inList("REORGANIZE")("")
	case ranged && len(a.Names) == 0:
		return mysqlerr.New(mysqlerr.ReorganizeNoParam,
			"REORGANIZE PARTITION without parameters can only be used on auto-partitioned tables using HASH PARTITIONs")
	case len(a.Names) == 0:
		return nil // every row is already where its hash says
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
	names, upper, err := d.ranges(t, a.Into)
	if err != nil {
		return err
	}
	which := func(s *partition.Scheme) (int, int, error) { return neighbours(a.Names, s.Len(), s.Ordinal) }
	return d.reorganizeOr(ctx, t, which, func(c *kv.CatalogChange, now *kv.Table, first, last int) error {
		return c.ReorganizePartitions(now.Database, now.Name, first, last, names, upper)
	}, func(s *partition.Scheme, first, last int) (*partition.Scheme, error) {
		return s.Reorganizing(first, last, names, upper)
	})
}

func (d *DDL) reorganizeSlices(ctx context.Context, t *kv.Table, a *ast.AlterReorganizePartition) error {
	if noSubpartitions(a.Into) != nil && (a.Sub || checkSubpartitions(a.Into, t.Partitioning.Len()) != nil) {
		return wrongAddedSubpartitions()
	}
	into, err := d.slices(a.Into, "RANGE COLUMNS")
	if err != nil {
		return err
	}
	which := func(s *partition.Scheme) (int, int, error) { return neighbours(a.Names, s.NumSlices(), s.SliceOrdinal) }
	return d.reorganizeOr(ctx, t, which, func(c *kv.CatalogChange, now *kv.Table, first, last int) error {
		return c.ReorganizeSlices(now.Database, now.Name, first, last, into)
	}, func(s *partition.Scheme, first, last int) (*partition.Scheme, error) {
		return s.ReorganizingSlices(first, last, into)
	})
}

// reorganizeOr changes only descriptors or, if that is not enough, the layout of the table. which finds the
// partitions in the scheme that the table has at that moment.
func (d *DDL) reorganizeOr(ctx context.Context, t *kv.Table, which func(*partition.Scheme) (first, last int, err error),
	change func(c *kv.CatalogChange, now *kv.Table, first, last int) error,
	layout func(s *partition.Scheme, first, last int) (*partition.Scheme, error)) error {
	err := d.change(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		first, last, err := which(now.Partitioning)
		if err != nil {
			return err
		}
		return change(c, now, first, last)
	})
	if !errors.Is(err, kv.ErrNeedsMove) {
		return err
	}
	return d.move(ctx, t, func(now *kv.Table) error {
		first, last, err := which(now.Partitioning)
		if err == nil {
			now.Partitioning, err = layout(now.Partitioning, first, last)
		}
		return err
	})
}

// neighbours are the first and the last of n partitions given by name, which must be adjacent.
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
