package maintain

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/schema"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// Partitions is the action of an ALTER TABLE that maintains partitions without changing anything, or nil.
func Partitions(st *ast.AlterTable) *ast.AlterPartitions {
	if len(st.Actions) != 1 {
		return nil
	}
	a, ok := st.Actions[0].(*ast.AlterPartitions)
	if !ok || !slices.Contains([]string{"ANALYZE", "CHECK", "OPTIMIZE", "REBUILD", "REPAIR"}, a.Verb) {
		return nil
	}
	return a
}

// maintainPartitions runs ALTER TABLE ... ANALYZE, CHECK, OPTIMIZE, REBUILD or REPAIR PARTITION. All except
// REBUILD return the same result as the statement for whole tables, one row for all partitions
// (https://dev.mysql.com/doc/refman/5.7/en/partitioning-maintenance.html).
func (k *Keeper) maintainPartitions(ctx context.Context, name ast.TableName, a *ast.AlterPartitions) (*relation.Result, error) {
	name = k.named([]ast.TableName{name})[0]
	op, out := strings.ToLower(a.Verb), newAnswer()
	catalog, err := k.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	t := schema.Stored(catalog, name.Database, name.Name)
	if t == nil && a.Verb == "REBUILD" {
		return nil, mysqlerr.New(mysqlerr.NoSuchTable, "%s", missingTable(name.Database, name.Name))
	}
	if t == nil {
		addNoTable(out, op, name, catalog)
		return out, nil
	}
	if !t.Partitioning.Partitioned() {
		return nil, mysqlerr.New(mysqlerr.PartitionMgmtOnNonPart, "Partition management on a not partitioned table is not possible")
	}
	which, ok := leavesNamed(t, a)
	switch {
	case a.Verb == "REBUILD":
		return nil, k.rebuild(ctx, t, which, ok)
	case !ok:
		add(out, op, name, "error", "Error in list of partitions to "+name.Database+"."+name.Name)
		return out, nil
	case a.Verb == "CHECK":
		report, err := k.checkPartitions(ctx, t, which)
		addReport(out, name, report)
		return out, err
	}
	do := map[string]upkeep{
		"ANALYZE": k.analyze, "OPTIMIZE": k.optimize, "REPAIR": k.repair}[a.Verb]
	kind, text, err := do(ctx, t, which)
	add(out, op, name, kind, text)
	return out, err
}

// leavesNamed are the leaves of the named partitions or subpartitions, ascending.
func leavesNamed(t *kv.Table, a *ast.AlterPartitions) (leaves []int, ok bool) {
	leaves, err := ddl.LeavesNamed(t, a, func(name string) error { return kv.ErrNoPartition })
	return leaves, err == nil
}

// rebuild is REBUILD PARTITION, which rewrites the files. To MySQL it is a change of the table.
func (k *Keeper) rebuild(ctx context.Context, t *kv.Table, which []int, ok bool) error {
	if err := k.Writable(); err != nil {
		return err
	}
	if !ok {
		return mysqlerr.New(mysqlerr.DropPartitionNonExistent, "Error in list of partitions to REBUILD")
	}
	_, _, err := k.optimize(ctx, t, which)
	return err
}

// checkPartitions reads every version in the leaves, verifies the checksums of their blocks, and checks that
// each cell belongs to its leaf.
func (k *Keeper) checkPartitions(ctx context.Context, t *kv.Table, leaves []int) (report kv.CheckReport, err error) {
	txn, err := k.Begin(ctx)
	if err != nil {
		return report, err
	}
	defer txn.Rollback()
	if txn.Catalog().Table(t.Database, t.Name) != t {
		return report, mysqlerr.New(mysqlerr.TableDefChanged, "Table definition has changed, please retry transaction")
	}
	for _, leaf := range leaves {
		if err = checkLeaf(ctx, txn, t, leaf, &report); err != nil {
			break
		}
	}
	if err != nil && ctx.Err() == nil {
		report.Add(err)
		err = nil
	}
	return report, errors.Join(err, ctx.Err())
}

func checkLeaf(ctx context.Context, txn kv.Txn, t *kv.Table, leaf int, report *kv.CheckReport) error {
	scan := &kv.Scan{NeedValue: true}
	row, slice := t.Partitioning.LeafAt(leaf)
	scan.Partitions = []int{row}
	if t.Partitioning.Slices() != nil {
		scan.Slices = []int{slice}
	}
	c, err := txn.Scan(ctx, []*kv.Table{t}, scan)
	if err != nil {
		return err
	}
	for c.Next() && err == nil {
		cell := c.Cell()
		if at, ok := t.Partitioning.LocateLeaf(cell.Row, cell.Timestamp); !ok || at != leaf {
			report.Add(mysqlerr.New(mysqlerr.RowDoesNotMatch, "Found a row that does not match the partition: X'%X'", cell.Row))
		}
		_, err = c.Value()
	}
	return errors.Join(err, c.Err(), c.Close())
}
