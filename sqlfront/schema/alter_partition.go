package schema

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// managesPartitions reports whether the action is about the table's
// partitions; MySQL lets such a one stand alone.
func managesPartitions(action parse.AlterAction) bool {
	switch action.(type) {
	case *parse.AlterAddPartition, *parse.AlterPartitions, *parse.AlterCoalescePartition, *parse.AlterReorganizePartition,
		*parse.AlterExchangePartition, *parse.AlterPartitionBy, *parse.AlterRemovePartitioning:
		return true
	}
	return false
}

// alterPartitions runs an action that manages partitions
// (https://dev.mysql.com/doc/refman/5.7/en/alter-table-partition-operations.html).
// What changes the layout does so in each table of the table's group at once.
func (d *DDL) alterPartitions(ctx context.Context, t *kv.Table, action parse.AlterAction) error {
	by, isBy := action.(*parse.AlterPartitionBy)
	if isBy {
		return d.partitionBy(ctx, t, &by.By)
	}
	if !partitioned(t) {
		return mysqlerr.New(mysqlerr.PartitionMgmtOnNonPart, "Partition management on a not partitioned table is not possible")
	}
	var err error
	switch a := action.(type) {
	case *parse.AlterAddPartition:
		err = d.addPartitions(ctx, t, a)
	case *parse.AlterPartitions:
		err = d.eachPartition(ctx, t, a)
	case *parse.AlterCoalescePartition:
		err = d.coalesce(ctx, t, a.N)
	case *parse.AlterReorganizePartition:
		err = d.reorganize(ctx, t, a)
	case *parse.AlterExchangePartition:
		err = d.exchange(ctx, t, a)
	case *parse.AlterRemovePartitioning:
		err = d.partitionBy(ctx, t, nil)
	}
	return d.partitionError(err, t, action)
}

// partitionError gives the errors of partition management MySQL's numbers.
func (d *DDL) partitionError(err error, t *kv.Table, action parse.AlterAction) error {
	switch {
	case errors.Is(err, kv.ErrNoTable):
		return noTable(t.Database, t.Name)
	case errors.Is(err, partition.ErrNotRange):
		return mysqlerr.New(mysqlerr.OnlyOnRangeList, "%s PARTITION can only be used on RANGE/LIST partitions", partitionVerb(action))
	case errors.Is(err, partition.ErrDuplicateName):
		_, name, _ := strings.Cut(err.Error(), ": ")
		return mysqlerr.New(mysqlerr.SameNamePartition, "Duplicate partition name %s", name)
	}
	return schemeError(err)
}

func partitionVerb(action parse.AlterAction) string {
	switch a := action.(type) {
	case *parse.AlterPartitions:
		return a.Verb
	case *parse.AlterReorganizePartition:
		return "REORGANIZE"
	}
	return "ADD"
}

// change runs a change of the table as it is in the newest catalog.
func (d *DDL) change(ctx context.Context, t *kv.Table, fn func(c *kv.CatalogChange, now *kv.Table) error) error {
	return d.Store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		now := c.Catalog().Table(t.Database, t.Name)
		if now == nil {
			return kv.ErrNoTable
		}
		return fn(c, now)
	})
}

// addPartitions is ADD PARTITION: ranges behind the last one, or more
// partitions of a hash.
func (d *DDL) addPartitions(ctx context.Context, t *kv.Table, a *parse.AlterAddPartition) error {
	if t.Partitioning.Method() != partition.Range {
		return d.addKeyPartitions(ctx, t, a)
	}
	if len(a.Defs) == 0 {
		return mysqlerr.New(mysqlerr.PartitionsMustBeDefined, "For RANGE partitions each partition must be defined")
	}
	names, upper, err := d.ranges(a.Defs)
	if err != nil {
		return err
	}
	return d.change(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		return c.AddPartitions(now.Database, now.Name, names, upper)
	})
}

// ranges are the names and the upper bounds of definitions.
func (d *DDL) ranges(defs []parse.PartitionDef) (names []string, upper [][]byte, err error) {
	for _, def := range defs {
		bound, err := d.bound(def)
		if err != nil {
			return nil, nil, err
		}
		names, upper = append(names, def.Name), append(upper, bound)
	}
	return names, upper, nil
}

func (d *DDL) addKeyPartitions(ctx context.Context, t *kv.Table, a *parse.AlterAddPartition) error {
	added := max(a.Partitions, len(a.Defs))
	if added < 1 {
		return mysqlerr.New(mysqlerr.AddPartitionNoNew, "At least one partition must be added")
	}
	return d.move(ctx, t, func(now *kv.Table) error {
		for i, def := range a.Defs {
			if err := checkKeyName(def.Name, now.Partitioning.Len()+i); err != nil {
				return err
			}
		}
		return setKeyCount(now, now.Partitioning.Len()+added)
	})
}

// coalesce is COALESCE PARTITION: so many partitions of a hash fewer.
func (d *DDL) coalesce(ctx context.Context, t *kv.Table, n int) error {
	if t.Partitioning.Method() == partition.Range {
		return mysqlerr.New(mysqlerr.CoalesceOnlyOnHash, "COALESCE PARTITION can only be used on HASH/KEY partitions")
	}
	if n < 1 {
		return mysqlerr.New(mysqlerr.CoalesceNoPartition, "At least one partition must be coalesced")
	}
	return d.move(ctx, t, func(now *kv.Table) error {
		if n >= now.Partitioning.Len() {
			return partition.ErrLastPartition
		}
		return setKeyCount(now, now.Partitioning.Len()-n)
	})
}

// setKeyCount gives a table that is partitioned by a hash so many partitions.
func setKeyCount(t *kv.Table, n int) (err error) {
	switch t.Partitioning.Method() {
	case partition.Key:
		t.Partitioning, err = partition.NewKey(n)
	case partition.PrefixKey:
		t.Partitioning, err = partition.NewPrefixKey(n, t.Partitioning.PrefixLen())
	default:
		err = kv.ErrCatalogChanged
	}
	return err
}

// eachPartition is DROP and TRUNCATE PARTITION; ANALYZE and its kin, which
// answer with rows, are not DDL.
func (d *DDL) eachPartition(ctx context.Context, t *kv.Table, a *parse.AlterPartitions) error {
	return d.change(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		switch a.Verb {
		case "DROP":
			which, err := partitionNumbers(now, a.Names, a.All, inList("DROP"))
			if now.Partitioning.Method() != partition.Range {
				err = partition.ErrNotRange
			}
			if err != nil {
				return err
			}
			return c.DropPartitions(now.Database, now.Name, which)
		case "TRUNCATE":
			which, err := partitionNumbers(now, a.Names, a.All, unknownPartition(now))
			if err != nil {
				return err
			}
			return c.TruncatePartitions(now.Database, now.Name, which)
		}
		return mysqlerr.Unsupported("ALTER TABLE ... " + a.Verb + " PARTITION")
	})
}

// partitionNumbers are the numbers of partitions by name, ascending, or of all.
func partitionNumbers(t *kv.Table, names []string, all bool, missing func(name string) error) (which []int, err error) {
	for i := range t.Partitioning.Len() {
		if all {
			which = append(which, i)
		}
	}
	for _, name := range names {
		i, ok := t.Partitioning.Ordinal(name)
		if !ok {
			return nil, missing(name)
		}
		which = append(which, i)
	}
	slices.Sort(which)
	return slices.Compact(which), nil
}

func inList(verb string) func(string) error {
	return func(string) error {
		return mysqlerr.New(mysqlerr.DropPartitionNonExistent, "Error in list of partitions to %s", verb)
	}
}

func unknownPartition(t *kv.Table) func(string) error {
	return func(name string) error {
		return mysqlerr.New(mysqlerr.UnknownPartition, "Unknown partition '%s' in table '%s'", name, t.Name)
	}
}

// reorganize is REORGANIZE PARTITION. Within one key space only descriptors
// change; partitions that keep their cells apart are moved together.
func (d *DDL) reorganize(ctx context.Context, t *kv.Table, a *parse.AlterReorganizePartition) error {
	ranged := t.Partitioning.Method() == partition.Range
	switch {
	case ranged && len(a.Names) == 0:
		return mysqlerr.New(mysqlerr.ReorganizeNoParam,
			"REORGANIZE PARTITION without parameters can only be used on auto-partitioned tables using HASH PARTITIONs")
	case len(a.Names) == 0:
		return nil // every row is where its hash says
	case !ranged:
		return mysqlerr.New(mysqlerr.ReorganizeHash,
			"REORGANIZE PARTITION can only be used to reorganize partitions not to change their numbers")
	}
	names, upper, err := d.ranges(a.Into)
	if err != nil {
		return err
	}
	err = d.change(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		first, last, err := neighbours(now, a.Names)
		if err != nil {
			return err
		}
		return c.ReorganizePartitions(now.Database, now.Name, first, last, names, upper)
	})
	if !errors.Is(err, kv.ErrNeedsMove) {
		return err
	}
	return d.move(ctx, t, func(now *kv.Table) error {
		first, last, err := neighbours(now, a.Names)
		if err != nil {
			return err
		}
		now.Partitioning, err = now.Partitioning.Reorganizing(first, last, names, upper)
		return err
	})
}

// neighbours are the first and the last of partitions given by name, which must
// be a run without gaps.
func neighbours(t *kv.Table, names []string) (first, last int, err error) {
	if len(names) > t.Partitioning.Len() {
		return 0, 0, mysqlerr.New(mysqlerr.ReorganizeNotExist, "More partitions to reorganize than there are partitions")
	}
	which, err := partitionNumbers(t, names, false, inList("REORGANIZE"))
	if err != nil {
		return 0, 0, err
	}
	first, last = which[0], which[len(which)-1]
	if last-first+1 != len(which) {
		return 0, 0, partition.ErrNotNeighbours
	}
	return first, last, nil
}
