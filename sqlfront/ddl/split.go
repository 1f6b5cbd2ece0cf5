package ddl

import (
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// setSplits is PARTITION BY RANGE COLUMNS(K) SPLITS (...): the partitions p0,
// p1 and so on between the points, as HBase's shell makes regions.
func (d *DDL) setSplits(t *kv.Table, by *ast.PartitionBy) error {
	if len(by.Defs) > 0 {
		return mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of SPLITS and PARTITION definitions: the splits make the partitions")
	}
	if by.Counted && by.Partitions != len(by.Splits)+1 {
		return mysqlerr.New(mysqlerr.PartitionWrongCount, "Wrong number of partitions defined, mismatch with previous setting: %d splits make %d partitions",
			len(by.Splits), len(by.Splits)+1)
	}
	points, err := d.points(by.Splits)
	if err == nil {
		t.Partitioning, err = partition.NewSplit(points)
	}
	return err
}

// points are the rows to split at.
func (d *DDL) points(values []ast.PartValue) ([][]byte, error) {
	points := make([][]byte, len(values))
	for i, v := range values {
		var ok bool
		if points[i], ok = d.row(v); !ok {
			return nil, mysqlerr.New(mysqlerr.PartitionColumnType,
				"Partition column values of incorrect type: a split point is a string or X'..'")
		}
	}
	return points, nil
}

// splitTable is TiDB's SPLIT TABLE
// (https://docs.pingcap.com/tidb/stable/sql-statement-split-region). It changes
// descriptors alone, however much the table holds.
func (d *DDL) splitTable(ctx context.Context, st *ast.SplitTable) error {
	t, err := d.table(ctx, st.Name)
	if err != nil {
		return err
	}
	if t.Partitioning.Method() != partition.Range && t.Partitioning.Partitioned() {
		return mysqlerr.New(mysqlerr.OnlyOnRangeList, "SPLIT TABLE can only be used on RANGE/LIST partitions")
	}
	points, err := d.splitPoints(st)
	if err != nil {
		return schemeError(err)
	}
	added := 0
	err = d.change(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		if err := checkInside(now, st.Partitions, points); err != nil {
			return err
		}
		added, err = c.SplitPartitions(now.Database, now.Name, points)
		return err
	})
	switch {
	case errors.Is(err, kv.ErrNoTable):
		return mysqlerr.NoTable(t.Database, t.Name)
	case errors.Is(err, partition.ErrOutside):
		return mysqlerr.New(mysqlerr.NoPartitionForValue, "Table has no partition for value: a split point is above the last partition")
	}
	if err == nil {
		d.Answer = splitAnswer(added)
		d.noteCount(ctx, t.Database, t.Name)
	}
	return schemeError(err)
}

// splitPoints are those that the statement lists, or that it asks to be spread
// between two rows.
func (d *DDL) splitPoints(st *ast.SplitTable) ([][]byte, error) {
	if st.From == nil {
		return d.points(st.By)
	}
	ends, err := d.points([]ast.PartValue{*st.From, *st.To})
	if err != nil {
		return nil, err
	}
	switch n := st.Regions; {
	case n < 1:
		return nil, invalidSplit("the number of regions must be at least 1")
	case n > partition.MaxPartitions:
		return nil, partition.ErrTooMany
	case n == 1:
		return nil, nil
	}
	points := partition.Between(ends[0], ends[1], st.Regions)
	if points == nil {
		return nil, invalidSplit("lower value " + lex.QuoteBytes(ends[0]) + " should be less than the upper value " + lex.QuoteBytes(ends[1]) + ", with room between them")
	}
	return points, nil
}

func invalidSplit(why string) error {
	return mysqlerr.New(mysqlerr.InvalidSplitRegionRanges, "Failed to split region ranges: %s", why)
}

// checkInside holds the points to the partitions of the PARTITION clause.
func checkInside(t *kv.Table, names []string, points [][]byte) error {
	if len(names) == 0 {
		return nil
	}
	if !t.Partitioning.Partitioned() {
		return mysqlerr.New(mysqlerr.PartitionClauseOnNonPart, "PARTITION () clause on non partitioned table")
	}
	which, err := numbers(names, t.Partitioning.Ordinal, unknownPartition(t))
	if err != nil {
		return err
	}
	for _, point := range points {
		at, ok := t.Partitioning.Locate(point)
		if !ok {
			return partition.ErrOutside
		}
		if !slices.Contains(which, at) {
			return mysqlerr.New(mysqlerr.RowNotInPartitions, "Found a row not matching the given partition set: the split point %s", lex.QuoteBytes(point))
		}
	}
	return nil
}

// splitAnswer is TiDB's row: how many partitions were added, and that no more
// is to be done.
func splitAnswer(added int) *relation.Result {
	return &relation.Result{
		Columns: []relation.Column{
			{Name: "TOTAL_SPLIT_REGION", Type: value.Type{Kind: value.Int}},
			{Name: "SCATTER_FINISH_RATIO", Type: value.Type{Kind: value.Float}},
		},
		Rows: [][]value.Value{{value.NewInt(int64(added)), value.NewFloat(1)}},
	}
}
