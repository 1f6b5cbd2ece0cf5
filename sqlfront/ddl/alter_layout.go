package ddl

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/declare"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
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
