package ddl

import (
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/schema"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/parts"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// splitTable is TiDB's SPLIT TABLE
// (https://docs.pingcap.com/tidb/stable/sql-statement-split-region). It only changes descriptors, however
// much the table holds.
func (d *DDL) splitTable(ctx context.Context, st *ast.SplitTable) error {
	t, err := d.table(ctx, st.Name)
	if err != nil {
		return err
	}
	if t.Partitioning.Method() != partition.Range && t.Partitioning.Partitioned() {
		return mysqlerr.New(mysqlerr.OnlyOnRangeList, "SPLIT TABLE can only be used on RANGE/LIST partitions")
	}
	rows, err := d.rows(t)
	if err != nil {
		return err
	}
	points, err := rows.SplitPoints(st, t.Partitioning.Partitioned())
	if err != nil {
		return parts.SchemeError(err)
	}
	added := 0
	err = d.change(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		if err := checkInside(now, st.Partitions, points); err != nil {
			return err
		}
		if rows.Face != nil {
			next := *now
			if rows.Face.SetPartitionColumns(&next, rows.Columns); next.PartitionColumn != now.PartitionColumn {
				if err := c.AlterTable(next); err != nil {
					return err
				}
			}
		}
		added, err = c.SplitPartitions(now.Database, now.Name, points)
		return err
	})
	switch {
	case errors.Is(err, kv.ErrNoTable):
		return mysqlerr.NoTable(t.Database, schema.ShownName(t))
	case errors.Is(err, partition.ErrOutside):
		return mysqlerr.New(mysqlerr.NoPartitionForValue, "Table has no partition for value: a split point is above the last partition")
	}
	if err == nil {
		d.Answer = splitAnswer(added)
		d.noteCount(ctx, t.Database, t.Name)
	}
	return parts.SchemeError(err)
}

// checkInside checks that the points are in the partitions of the PARTITION clause.
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

// splitAnswer is TiDB's row: the number of added partitions, and that nothing is left to be done.
func splitAnswer(added int) *relation.Result {
	return &relation.Result{
		Columns: []relation.Column{
			{Name: "TOTAL_SPLIT_REGION", Type: value.Type{Kind: value.Int}},
			{Name: "SCATTER_FINISH_RATIO", Type: value.Type{Kind: value.Float}},
		},
		Rows: [][]value.Value{{value.NewInt(int64(added)), value.NewFloat(1)}},
	}
}
