package ddl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// maxExchanges bounds the attempts at an exchange while others change the tables.
const maxExchanges = 50

// exchange is EXCHANGE PARTITION: the partition and the table exchange their cells.
func (d *DDL) exchange(ctx context.Context, t *kv.Table, a *ast.AlterExchangePartition) error {
	if err := d.collectBoth(ctx, t, a); err != nil {
		return err
	}
	for range maxExchanges {
		x, err := d.exchanging(ctx, ast.TableName{Database: t.Database, Name: t.Name}, a)
		if err == nil {
			err = d.exchangeOnce(ctx, x)
		}
		if errors.Is(err, kv.ErrNeedsMove) {
			err = cmp.Or(d.isolate(ctx, x, a.Partition), kv.ErrCatalogChanged)
		}
		if !errors.Is(err, kv.ErrConflict) && !errors.Is(err, kv.ErrCatalogChanged) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return mysqlerr.New(mysqlerr.LockWaitTimeout, "Lock wait timeout exceeded; try restarting transaction")
}

// collectBoth is collect for both tables and the entries of their indexes: what is not retained may be outside of
// the partition.
func (d *DDL) collectBoth(ctx context.Context, t *kv.Table, a *ast.AlterExchangePartition) error {
	with, err := d.table(ctx, a.Table)
	if err != nil {
		return err
	}
	c, err := d.Store.Catalog(ctx)
	if err != nil {
		return err
	}
	tables := []*kv.Table{t, with}
	for _, of := range slices.Concat(t.Indexes, with.Indexes) {
		if entries := c.TableByID(of.Entries); entries != nil {
			tables = append(tables, entries)
		}
	}
	_, err = d.collect(ctx, tables...)
	return err
}

// exchanged is what changes places: a leaf of t's partitioning and a table, with the entries of indexes in locals.
type exchanged struct {
	t, with *kv.Table
	leaf    int
	locals  []index.Local
}

// exchanging finds and checks the tables of an exchange.
func (d *DDL) exchanging(ctx context.Context, name ast.TableName, a *ast.AlterExchangePartition) (x *exchanged, err error) {
	x = &exchanged{}
	if x.t, err = d.table(ctx, name); err != nil {
		return nil, err
	}
	if x.with, err = d.table(ctx, a.Table); err != nil {
		return nil, err
	}
	if x.leaf, err = exchangeable(x.t, a, x.with); err != nil {
		return nil, err
	}
	c, err := d.Store.Catalog(ctx)
	if err == nil {
		x.locals, err = localIndexes(c, x.t, x.leaf, x.with)
	}
	return x, err
}

// localIndexes are the indexes of typed tables whose entries change places with the rows: those of the leaf's rows
// lie together, and both tables have entries of the same form. The error is 1731 if UNIQUE ones would expire at
// other times than the rows that they come to.
func localIndexes(c *kv.Catalog, t *kv.Table, leaf int, with *kv.Table) (out []index.Local, err error) {
	if schema.Of(t).Typed == nil {
		return nil, nil
	}
	face, err := typed.Of(t)
	if err != nil {
		return nil, err
	}
	other, err := typed.Of(with)
	if err != nil {
		return nil, err
	}
	for n := range face.Indexes {
		of := &face.Indexes[n]
		rows, err := face.EntriesIn(t, n, leaf)
		if err != nil {
			return nil, err
		}
		if rows == nil || !typed.SameEntries(of, &other.Indexes[other.Index(of.Name)]) {
			continue
		}
		switch {
		case index.SameRetention(c, t, with, of.Name):
			out = append(out, index.Local{Index: of.Name, Entries: rows[0]})
		case of.Unique:
			return nil, mysqlerr.New(mysqlerr.ExchangeDifferentOption, "Non matching attribute 'TTL' between partition and table")
		}
	}
	return out, nil
}

// localEntries are the entries of the rows in the named partitions, in the indexes of a typed table that have those of
// each partition together. There are none for partitions that do not exist.
func localEntries(t *kv.Table, a *ast.AlterPartitions) (out []index.Local, err error) {
	leaves, missing := LeavesNamed(t, a, unknownPartition(t))
	if missing != nil || schema.Of(t).Typed == nil {
		return nil, nil
	}
	face, err := typed.Of(t)
	if err != nil {
		return nil, err
	}
	for n := range face.Indexes {
		entries, err := face.EntriesIn(t, n, leaves...)
		if err != nil {
			return nil, err
		}
		for _, rows := range entries {
			out = append(out, index.Local{Index: face.Indexes[n].Name, Entries: rows})
		}
	}
	return out, nil
}

// isolate moves the partition's cells, and the entries of local indexes, to key spaces of their own.
func (d *DDL) isolate(ctx context.Context, x *exchanged, leaf string) error {
	store, ok := d.Store.(kv.Repartitioner)
	if !ok {
		return mysqlerr.Unsupported("moving cells between partitions in this store: copy them to a table with that layout")
	}
	o := kv.MoveOptions{Progress: d.Progress}
	err := store.Isolate(ctx, x.t.Database, x.t.Name, leaf, o)
	if errors.Is(err, kv.ErrNoPartition) {
		return unknownPartition(x.t)(leaf)
	}
	for _, l := range x.locals {
		if err == nil {
			err = index.Isolate(ctx, d.Store, x.t, l, o)
		}
		if err == nil {
			err = index.Isolate(ctx, d.Store, x.with, index.Local{Index: l.Index}, o)
		}
	}
	return err
}

// exchangeOnce exchanges. The error is kv.ErrConflict if rows were written meanwhile, kv.ErrCatalogChanged if the
// tables were changed, kv.ErrNeedsMove if the partition's cells or entries must be moved first.
//
// WITHOUT VALIDATION checks as well. MySQL leaves misplaced rows where no lookup finds them; here splits,
// merges and scans of ranges rely on every row being in its partition, and would lose such a row.
func (d *DDL) exchangeOnce(ctx context.Context, x *exchanged) error {
	t, with := x.t, x.with
	if err := d.numberBoth(ctx, t, with); err != nil {
		return err
	}
	swap := func(c *kv.CatalogChange) error {
		if c.Catalog().Table(t.Database, t.Name) != t || c.Catalog().Table(with.Database, with.Name) != with {
			return kv.ErrCatalogChanged
		}
		return index.Exchange(c, t, x.leaf, with, x.locals)
	}
	return d.changeChecked(ctx, with, swap, t.Partitioning, x.leaf)
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
	case !sameColumns(t, with) || !typed.SameIndexes(t, with):
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
