package schema

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// partitionBy is PARTITION BY and, with nil, REMOVE PARTITIONING: any
// partitioning may become any other.
func (d *DDL) partitionBy(ctx context.Context, t *kv.Table, by *parse.PartitionBy) error {
	return d.move(ctx, t, func(now *kv.Table) error { return d.setPartitioning(now, by) })
}

// move gives the table and the others of its group another layout, which takes
// moving their cells.
func (d *DDL) move(ctx context.Context, t *kv.Table, layout func(now *kv.Table) error) error {
	store, ok := d.Store.(kv.Repartitioner)
	if !ok {
		return mysqlerr.Unsupported("moving cells between partitions: the store cannot")
	}
	err := store.Repartition(ctx, t.Database, t.Name, layout, kv.MoveOptions{})
	if errors.Is(err, kv.ErrNoPartition) {
		return mysqlerr.New(mysqlerr.NoPartitionForValue, "Table has no partition for value: a row is above the last partition of the new layout")
	}
	return err
}

// exchange is EXCHANGE PARTITION: the partition's cells and the table's change
// places.
func (d *DDL) exchange(ctx context.Context, t *kv.Table, a *parse.AlterExchangePartition) error {
	with, err := d.table(a.Table)
	if err != nil {
		return err
	}
	if err := d.exchangeable(ctx, t, a, with); err != nil {
		return err
	}
	return d.change(ctx, t, func(c *kv.CatalogChange, now *kv.Table) error {
		if c.Catalog().Table(with.Database, with.Name) != with || now != t {
			return mysqlerr.New(mysqlerr.TableDefChanged, "Table definition has changed, please retry transaction")
		}
		i, ok := now.Partitioning.Ordinal(a.Partition)
		if !ok {
			return unknownPartition(now)(a.Partition)
		}
		return c.ExchangePartition(now, i, with)
	})
}

// exchangeable checks what MySQL checks: that the two tables are declared
// alike, and that each row of the table belongs into the partition.
func (d *DDL) exchangeable(ctx context.Context, t *kv.Table, a *parse.AlterExchangePartition, with *kv.Table) error {
	i, ok := t.Partitioning.Ordinal(a.Partition)
	switch {
	case !ok:
		return unknownPartition(t)(a.Partition)
	case partitioned(with):
		return mysqlerr.New(mysqlerr.ExchangePartTable, "Table to exchange with partition is partitioned: '%s'", with.Name)
	case t.Value != with.Value || t.MaxRow != with.MaxRow || t.MaxQualifier != with.MaxQualifier || len(t.Prefixes) != len(with.Prefixes):
		return mysqlerr.New(mysqlerr.TablesDifferent, "Tables have different definitions")
	case a.WithoutValidation:
		return nil
	}
	return d.checkRows(ctx, with, func(row []byte) bool {
		at, ok := t.Partitioning.Locate(row)
		return ok && at == i
	})
}

// checkRows is 1737 where a row of the table does not belong. It reads the
// rows' keys.
func (d *DDL) checkRows(ctx context.Context, t *kv.Table, belongs func(row []byte) bool) (err error) {
	tx := d.Store.Begin(kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	if tx.Catalog().Table(t.Database, t.Name) != t {
		return mysqlerr.New(mysqlerr.TableDefChanged, "Table definition has changed, please retry transaction")
	}
	cursor, err := tx.Scan(ctx, []*kv.Table{t}, &kv.Scan{MaxVersions: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for cursor.Next() {
		if !belongs(cursor.Cell().Row) {
			return mysqlerr.New(mysqlerr.RowDoesNotMatch, "Found a row that does not match the partition")
		}
	}
	return cursor.Err()
}
