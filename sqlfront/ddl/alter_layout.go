package ddl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// partitionBy is PARTITION BY or, with nil, REMOVE PARTITIONING: any partitioning may be changed to any
// other.
func (d *DDL) partitionBy(ctx context.Context, t *kv.Table, by *ast.PartitionBy) error {
	if err := declare.CheckParted(t, by); err != nil {
		return err
	}
	return d.noteHash(by, d.move(ctx, t, func(now *kv.Table) error { return d.setPartitioning(now, by) }))
}

// move changes the layout of the table and of the others in its group by moving their cells.
func (d *DDL) move(ctx context.Context, t *kv.Table, layout func(now *kv.Table) error) error {
	store, ok := d.Store.(kv.Repartitioner)
	if !ok {
		return mysqlerr.Unsupported("moving cells between partitions in this store: copy them to a table with that layout")
	}
	move := func() error {
		return store.Repartition(ctx, t.Database, t.Name, layout, kv.MoveOptions{Progress: d.Progress})
	}
	err := move()
	if errors.Is(err, kv.ErrNoPartition) {
		members, failed := d.members(ctx, t)
		if failed != nil {
			return failed
		}
		var collected bool
		if collected, err = d.collect(ctx, members...); err != nil {
			return err
		}
		if err = kv.ErrNoPartition; collected {
			err = move()
		}
	}
	if errors.Is(err, kv.ErrNoPartition) {
		return mysqlerr.New(mysqlerr.NoPartitionForValue, "Table has no partition for value: a row, or a version of one, is above the last partition of the new layout")
	}
	return err
}

// members are the tables that share a table's layout, itself included.
func (d *DDL) members(ctx context.Context, t *kv.Table) ([]*kv.Table, error) {
	if t.Group == "" {
		return []*kv.Table{t}, nil
	}
	c, err := d.Store.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	return c.Families(t.Database, t.Group), nil
}

// collect removes cells that the tables do not retain, so that they cannot violate a layout. It reports
// whether there may have been some.
func (d *DDL) collect(ctx context.Context, tables ...*kv.Table) (done bool, err error) {
	store, ok := d.Store.(kv.Collector)
	for _, t := range tables {
		if !ok || t.Retention.IsZero() {
			continue
		}
		if _, err := store.Collect(ctx, t.Database, t.Name, kv.CollectOptions{}); err != nil && !errors.Is(err, kv.ErrNoTable) {
			return done, err
		}
		done = true
	}
	return done, nil
}

// maxExchanges bounds the attempts at an exchange while others change the tables.
const maxExchanges = 50

// exchange is EXCHANGE PARTITION: the partition and the table exchange their cells.
func (d *DDL) exchange(ctx context.Context, t *kv.Table, a *ast.AlterExchangePartition) error {
	if with, err := d.table(ctx, a.Table); err != nil {
		return err
	} else if _, err := d.collect(ctx, t, with); err != nil {
		return err
	}
	for range maxExchanges {
		err := d.exchangeOnce(ctx, ast.TableName{Database: t.Database, Name: t.Name}, a)
		switch {
		case errors.Is(err, kv.ErrNeedsMove):
			err = d.isolate(ctx, t, a.Partition)
		case errors.Is(err, kv.ErrConflict), errors.Is(err, kv.ErrCatalogChanged):
			err = ctx.Err()
		default:
			return err
		}
		if err != nil {
			return err
		}
	}
	return mysqlerr.New(mysqlerr.LockWaitTimeout, "Lock wait timeout exceeded; try restarting transaction")
}

// isolate moves the partition's cells to a key space of their own.
func (d *DDL) isolate(ctx context.Context, t *kv.Table, leaf string) error {
	store, ok := d.Store.(kv.Repartitioner)
	if !ok {
		return mysqlerr.Unsupported("moving cells between partitions in this store: copy them to a table with that layout")
	}
	err := store.Isolate(ctx, t.Database, t.Name, leaf, kv.MoveOptions{Progress: d.Progress})
	if errors.Is(err, kv.ErrNoPartition) {
		return unknownPartition(t)(leaf)
	}
	return err
}

// exchangeOnce checks the tables and exchanges. The error is kv.ErrConflict if rows were written meanwhile,
// kv.ErrCatalogChanged if the tables were changed, kv.ErrNeedsMove if the partition's cells must be moved
// first.
//
// WITHOUT VALIDATION checks as well. MySQL leaves misplaced rows where no lookup finds them; here splits,
// merges and scans of ranges rely on every row being in its partition, and would lose such a row.
func (d *DDL) exchangeOnce(ctx context.Context, name ast.TableName, a *ast.AlterExchangePartition) error {
	t, err := d.table(ctx, name)
	if err != nil {
		return err
	}
	with, err := d.table(ctx, a.Table)
	if err != nil {
		return err
	}
	i, err := exchangeable(t, a, with)
	if err != nil {
		return err
	}
	if err := d.numberBoth(ctx, t, with); err != nil {
		return err
	}
	swap := func(c *kv.CatalogChange) error {
		if c.Catalog().Table(t.Database, t.Name) != t || c.Catalog().Table(with.Database, with.Name) != with {
			return kv.ErrCatalogChanged
		}
		return c.ExchangePartition(t, i, with)
	}
	return d.changeChecked(ctx, with, swap, t.Partitioning, i)
}

// numberBoth moves the counters of both typed tables past the numbers that either has given out.
func (d *DDL) numberBoth(ctx context.Context, a, b *kv.Table) error {
	store, ok := d.Store.(kv.Counters)
	face, err := d.rows(a)
	if err != nil || !ok || face.Face == nil || face.Face.Numbered() < 0 {
		return err
	}
	next := [2]uint64{}
	for i, t := range []*kv.Table{a, b} {
		if next[i], err = store.NextCount(t); err != nil {
			return err
		}
	}
	return cmp.Or(store.CountFrom(ctx, a, next[1]), store.CountFrom(ctx, b, next[0]))
}

// misplacedRow is error 1737, which names the row to users who may read the table.
func (d *DDL) misplacedRow(t *kv.Table, row []byte) error {
	named := ""
	if d.Authority.Table(rights.Select, t.Database, t.Name, t.Group) == nil {
		named = fmt.Sprintf(": X'%.32X'", row)
	}
	return mysqlerr.New(mysqlerr.RowDoesNotMatch, "Found a row that does not match the partition%s", named)
}

// misplaced is a scan for cells that may not belong into a leaf: rows outside a range, all rows of a hash,
// and all cells if timestamps matter.
func misplaced(into *partition.Scheme, leaf int) *kv.Scan {
	scan := &kv.Scan{MaxVersions: 1, FirstPerRow: true}
	switch {
	case into.Slices() != nil:
		return &kv.Scan{}
	case !into.Ordered():
		return scan
	}
	bounds := into.Bounds(leaf)
	scan.Ranges = []kv.Range{}
	if len(bounds.Start) > 0 {
		scan.Ranges = append(scan.Ranges, kv.Range{End: kv.Position{Row: bounds.Start, Depth: kv.DepthRow}})
	}
	if bounds.End != nil {
		scan.Ranges = append(scan.Ranges, kv.Range{Start: kv.Position{Row: bounds.End, Depth: kv.DepthRow}})
	}
	return scan
}

// exchangeable checks what MySQL checks: that the two tables are declared alike. It returns the number of the
// leaf.
func exchangeable(t *kv.Table, a *ast.AlterExchangePartition, with *kv.Table) (int, error) {
	leaves, ok := t.Partitioning.LeavesOf(a.Partition)
	leaf, whole := t.Partitioning.LeafOrdinal(a.Partition)
	switch {
	case !ok:
		return 0, unknownPartition(t)(a.Partition)
	case !whole || len(leaves) > 1:
		return 0, mysqlerr.New(mysqlerr.UseSubpartition, "Subpartitioned table, use subpartition instead of partition")
	case with.Partitioning.Partitioned():
		return 0, mysqlerr.New(mysqlerr.ExchangePartTable, "Table to exchange with partition is partitioned: '%s'", schema.ShownName(with))
	case !sameColumns(t, with):
		return 0, mysqlerr.New(mysqlerr.TablesDifferent, "Tables have different definitions")
	}
	return leaf, nil
}

// sameColumns reports whether two tables have the same columns, apart from comments.
func sameColumns(a, b *kv.Table) bool {
	samePrefix := func(p, q schema.PrefixColumn) bool {
		return strings.EqualFold(p.Name, q.Name) && p.Length == q.Length && p.Max == q.Max && p.Stored == q.Stored
	}
	p, q := schema.Of(a), schema.Of(b)
	if !typed.SameRows(a, b) {
		return false
	}
	return a.Value == b.Value && a.MaxRow == b.MaxRow && a.MaxQualifier == b.MaxQualifier &&
		slices.EqualFunc(p.Prefixes, q.Prefixes, samePrefix) && sameTimeColumn(p.TimeColumn, q.TimeColumn)
}

func sameTimeColumn(a, b *schema.TimeColumn) bool {
	if a == nil || b == nil {
		return a == b
	}
	return strings.EqualFold(a.Name, b.Name) && a.Stored == b.Stored
}

// changeChecked changes the catalog if all cells of the table belong into a leaf of a scheme, up to the
// moment of the change.
func (d *DDL) changeChecked(ctx context.Context, t *kv.Table, fn func(*kv.CatalogChange) error, into *partition.Scheme, leaf int) error {
	store, ok := d.Store.(kv.CheckedChanger)
	tx, err := d.Store.Begin(ctx, kv.TxnOptions{Serializable: ok, ReadOnly: !ok})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := d.checkCells(ctx, tx, t, into, leaf); err != nil {
		return err
	}
	if !ok {
		return d.changeCatalog(ctx, fn)
	}
	return store.ChangeCatalogAfter(ctx, tx, d.permitted(fn))
}

// checkCells is error 1737 if a cell of the table is misplaced, whether retained or not: the next table may
// retain it. It reads keys, and only of the newest versions unless timestamps matter.
func (d *DDL) checkCells(ctx context.Context, tx kv.Txn, t *kv.Table, into *partition.Scheme, leaf int) (err error) {
	if tx.Catalog().Table(t.Database, t.Name) != t {
		return kv.ErrCatalogChanged
	}
	all := *t
	all.Retention = kv.Retention{}
	cursor, err := tx.Scan(ctx, []*kv.Table{&all}, misplaced(into, leaf))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for cursor.Next() {
		if at, ok := into.LocateLeaf(cursor.Cell().Row, cursor.Cell().Timestamp); !ok || at != leaf {
			return d.misplacedRow(t, cursor.Cell().Row)
		}
	}
	return cursor.Err()
}
