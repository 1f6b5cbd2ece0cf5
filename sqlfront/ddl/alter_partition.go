package ddl

import (
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/parts"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// managesPartitions reports whether the action is about the table's partitions; MySQL allows such an action
// only alone.
func managesPartitions(action ast.AlterAction) bool {
	switch action.(type) {
	case *ast.AlterAddPartition, *ast.AlterPartitions, *ast.AlterCoalescePartition, *ast.AlterReorganizePartition,
		*ast.AlterExchangePartition, *ast.AlterDropExpired, *ast.AlterPartitionBy, *ast.AlterRemovePartitioning:
		return true
	}
	return false
}

// alterPartitions runs an action that manages partitions
// (https://dev.mysql.com/doc/refman/5.7/en/alter-table-partition-operations.html).
// Changes of the layout apply to all tables of the table's group at once.
func (d *DDL) alterPartitions(ctx context.Context, t *kv.Table, action ast.AlterAction) error {
	by, isBy := action.(*ast.AlterPartitionBy)
	if isBy {
		return d.partitionBy(ctx, t, &by.By)
	}
	if !t.Partitioning.Partitioned() {
		return mysqlerr.New(mysqlerr.PartitionMgmtOnNonPart, "Partition management on a not partitioned table is not possible")
	}
	var err error
	switch a := action.(type) {
	case *ast.AlterAddPartition:
		err = d.addPartitions(ctx, t, a)
	case *ast.AlterPartitions:
		err = d.eachPartition(ctx, t, a)
	case *ast.AlterCoalescePartition:
		err = d.coalesce(ctx, t, a.N)
	case *ast.AlterReorganizePartition:
		err = d.reorganize(ctx, t, a)
	case *ast.AlterExchangePartition:
		err = d.exchange(ctx, t, a)
	case *ast.AlterDropExpired:
		err = d.dropExpired(ctx, t)
	case *ast.AlterRemovePartitioning:
		err = d.partitionBy(ctx, t, nil)
	}
	return d.partitionError(err, t, action)
}

// partitionError turns errors of partition management into MySQL's.
func (d *DDL) partitionError(err error, t *kv.Table, action ast.AlterAction) error {
	switch {
	case errors.Is(err, kv.ErrNoTable):
		return mysqlerr.NoTable(t.Database, schema.ShownName(t))
	case errors.Is(err, partition.ErrNotRange):
		return mysqlerr.New(mysqlerr.OnlyOnRangeList, "%s can only be used on RANGE/LIST partitions", partitionVerb(action))
	case errors.Is(err, partition.ErrNotSliced):
		return kv.ErrCatalogChanged // the layout has changed meanwhile
	}
	return parts.SchemeError(err)
}

func partitionVerb(action ast.AlterAction) string {
	verb, sub := "ADD", false
	switch a := action.(type) {
	case *ast.AlterDropExpired:
		verb = "DROP"
	case *ast.AlterPartitions:
		verb, sub = a.Verb, a.Sub
	case *ast.AlterReorganizePartition:
		verb, sub = "REORGANIZE", a.Sub
	case *ast.AlterAddPartition:
		sub = a.Sub
	}
	if sub {
		return verb + " SUBPARTITION"
	}
	return verb + " PARTITION"
}

// level is what the partitions, or the subpartitions, of a table are divided by.
type level uint8

const (
	noLevel level = iota // none
	byRow
	byTime
)

func levelOf(t *kv.Table, sub bool) level {
	slices := t.Partitioning.Slices()
	switch {
	case sub && !t.Partitioning.TwoLevels():
		return noLevel
	case slices == nil:
		return byRow
	case sub != (slices.Outer || t.Partitioning.Method() == partition.None):
		return byTime
	}
	return byRow
}

// change changes the table as it is in the newest catalog.
func (d *DDL) change(ctx context.Context, t *kv.Table, fn func(c *kv.CatalogChange, now *kv.Table) error) error {
	return d.changeCatalog(ctx, func(c *kv.CatalogChange) error {
		now := c.Catalog().Table(t.Database, t.Name)
		if now == nil {
			return kv.ErrNoTable
		}
		return fn(c, now)
	})
}

// addPartitions is ADD PARTITION and ADD SUBPARTITION: ranges after the last one, or more partitions of a
// hash.
func (d *DDL) addPartitions(ctx context.Context, t *kv.Table, a *ast.AlterAddPartition) error {
	level, ranged := levelOf(t, a.Sub), t.Partitioning.Method() == partition.Range
	switch {
	case level == noLevel:
		return wrongAddedSubpartitions()
	case level == byRow && !ranged && a.Sub:
		return partition.ErrNotRange
	case level == byRow && !ranged:
		return d.addKeyPartitions(ctx, t, a)
	case len(a.Defs) == 0:
		return parts.Undefined()
	}
	if err := checkAddedSubpartitions(t, a, level); err != nil {
		return err
	}
	if level == byTime {
		return d.addSlices(ctx, t, a)
	}
	names, upper, err := d.ranges(t, a.Defs)
	if err != nil {
		return err
	}
	return d.change(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		return c.AddPartitions(now.Database, now.Name, names, upper)
	})
}

// checkAddedSubpartitions checks that new partitions have the same subpartitions as the others.
func checkAddedSubpartitions(t *kv.Table, a *ast.AlterAddPartition, level level) error {
	if noSubpartitions(a.Defs) == nil {
		return nil
	}
	if level != byTime || !t.Partitioning.TwoLevels() {
		return wrongAddedSubpartitions()
	}
	err := checkSubpartitions(a.Defs, t.Partitioning.Len())
	if mysqlerr.Is(err, mysqlerr.PartitionWrongSubCount) {
		return wrongAddedSubpartitions()
	}
	return err
}

func wrongAddedSubpartitions() error {
	return mysqlerr.New(mysqlerr.AddPartitionSubpart, "Trying to Add partition(s) with wrong number of subpartitions")
}

func (d *DDL) addSlices(ctx context.Context, t *kv.Table, a *ast.AlterAddPartition) error {
	more, err := d.slices(a.Defs, "RANGE COLUMNS")
	if err != nil {
		return err
	}
	return d.change(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		return c.AddSlices(now.Database, now.Name, more)
	})
}

func (d *DDL) addKeyPartitions(ctx context.Context, t *kv.Table, a *ast.AlterAddPartition) error {
	added := max(a.Partitions, len(a.Defs))
	switch {
	case added < 1:
		return mysqlerr.New(mysqlerr.AddPartitionNoNew, "At least one partition must be added")
	case noSubpartitions(a.Defs) != nil:
		return wrongAddedSubpartitions()
	}
	return d.move(ctx, t, func(now *kv.Table) error {
		if err := parts.CheckKeyDefs(a.Defs, now.Partitioning.Len()); err != nil {
			return err
		}
		return setKeyCount(now, now.Partitioning.Len()+added)
	})
}

// coalesce is COALESCE PARTITION: it removes n partitions of a hash.
func (d *DDL) coalesce(ctx context.Context, t *kv.Table, n int) error {
	if levelOf(t, false) == byTime || t.Partitioning.Method() == partition.Range {
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

// setKeyCount sets the number of partitions of a table that is partitioned by a hash; partitions by time
// stay.
func setKeyCount(t *kv.Table, n int) (err error) {
	var rows *partition.Scheme
	switch t.Partitioning.Method() {
	case partition.Key:
		rows, err = partition.NewKey(n)
	case partition.PrefixKey:
		rows, err = partition.NewPrefixKey(n, t.Partitioning.PrefixLen())
	default:
		err = kv.ErrCatalogChanged
	}
	if err == nil {
		t.Partitioning, err = rows.Sliced(t.Partitioning.Slices())
	}
	return err
}

// eachPartition is DROP and TRUNCATE PARTITION and SUBPARTITION. ANALYZE and similar actions return rows and
// are not DDL.
func (d *DDL) eachPartition(ctx context.Context, t *kv.Table, a *ast.AlterPartitions) error {
	if t.Partitioning.Slices() != nil {
		// Excess versions of the dropped cells are in other partitions, and must not reappear.
		members, err := d.members(ctx, t)
		if err != nil {
			return err
		}
		counting := slices.DeleteFunc(members, func(t *kv.Table) bool { return !t.Retention.Counts() })
		if _, err := d.collect(ctx, counting...); err != nil {
			return err
		}
	}
	return d.change(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		locals, err := localEntries(now, a)
		if err != nil {
			return err
		}
		return index.Without(c, now, locals, func() error { return removePartitions(c, now, a) })
	})
}

func removePartitions(c *kv.CatalogChange, now *kv.Table, a *ast.AlterPartitions) error {
	switch a.Verb {
	case "DROP":
		return dropPartitions(c, now, a)
	case "TRUNCATE":
		leaves, err := LeavesNamed(now, a, unknownPartition(now))
		if err != nil {
			return err
		}
		return c.TruncateLeaves(now.Database, now.Name, leaves)
	}
	return mysqlerr.Unsupported("ALTER TABLE ... " + partitionVerb(a))
}

// dropExpired is DROP EXPIRED PARTITIONS: it drops the partitions by time in which retention keeps nothing.
func (d *DDL) dropExpired(ctx context.Context, t *kv.Table) error {
	collector, ok := d.Store.(kv.Collector)
	switch {
	case !ok:
		return mysqlerr.Unsupported("ALTER TABLE ... DROP EXPIRED PARTITIONS")
	case t.Partitioning.Slices() == nil:
		return partition.ErrNotRange
	}
	_, err := collector.DropExpired(ctx, t.Database, t.Name)
	return err
}

// dropPartitions drops whole ranges of a level: a subpartition is dropped from all partitions, since they
// share one template.
func dropPartitions(c *kv.CatalogChange, now *kv.Table, a *ast.AlterPartitions) error {
	switch level := levelOf(now, a.Sub); {
	case level == noLevel:
		return inList("DROP")("")
	case level == byRow && now.Partitioning.Method() != partition.Range:
		return partition.ErrNotRange
	case level == byTime:
		which, err := numbersOf(a, now.Partitioning.NumSlices(), now.Partitioning.SliceOrdinal)
		if err != nil {
			return err
		}
		return c.DropSlices(now.Database, now.Name, which)
	}
	which, err := numbersOf(a, now.Partitioning.Len(), now.Partitioning.Ordinal)
	if err != nil {
		return err
	}
	return c.DropPartitions(now.Database, now.Name, which)
}

func numbersOf(a *ast.AlterPartitions, n int, ordinal func(string) (int, bool)) ([]int, error) {
	if !a.All {
		return numbers(a.Names, ordinal, inList(a.Verb))
	}
	which := make([]int, n)
	for i := range which {
		which[i] = i
	}
	return which, nil
}

// numbers are the ordinals of names, ascending; each name may be given once.
func numbers(names []string, ordinal func(string) (int, bool), missing func(name string) error) (which []int, err error) {
	for _, name := range names {
		i, ok := ordinal(name)
		if !ok || slices.Contains(which, i) {
			return nil, missing(name)
		}
		which = append(which, i)
	}
	slices.Sort(which)
	return which, nil
}

// LeavesNamed are the leaves that a statement about partitions, or about subpartitions, names: those of a
// partition, of a subpartition of the template, or a single one; ascending. The error is that of missing, for
// the first name without a partition.
func LeavesNamed(t *kv.Table, a *ast.AlterPartitions, missing func(name string) error) (leaves []int, err error) {
	s, find := t.Partitioning, t.Partitioning.LeavesOf
	if a.Sub {
		find = s.LeavesBelow
	}
	if a.Sub && !s.TwoLevels() {
		return nil, missing("")
	}
	for i := range s.NumLeaves() {
		if a.All {
			leaves = append(leaves, i)
		}
	}
	for _, name := range a.Names {
		some, ok := find(name)
		if !ok {
			return nil, missing(name)
		}
		leaves = append(leaves, some...)
	}
	slices.Sort(leaves)
	return slices.Compact(leaves), nil
}

func inList(verb string) func(string) error {
	return func(string) error {
		return mysqlerr.New(mysqlerr.DropPartitionNonExistent, "Error in list of partitions to %s", verb)
	}
}

func unknownPartition(t *kv.Table) func(string) error {
	return func(name string) error {
		return mysqlerr.New(mysqlerr.UnknownPartition, "Unknown partition '%s' in table '%s'", name, schema.ShownName(t))
	}
}
