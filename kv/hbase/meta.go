package hbase

import (
	"context"
	"errors"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/tablename"
)

// metaChanges is what was last seen of hbase:meta, so that only changes of a large one are read
// again. It belongs to the goroutine that loads the layout.
type metaChanges struct {
	newest int64            // in ms by the master's clock
	recent map[string]int64 // keys of rows that changed shortly before, and when
}

const (
	// metaMargin is by how many ms a later change may seem older: another master has another clock.
	metaMargin = 60_000
	// manyTables is the number of tables above which the whole list of regions is read.
	manyTables = 16
)

// allRegions returns the regions of tables. The first time it reads the whole list, and later
// what is new: when regions split, merge or move, and tables are created, rows of hbase:meta
// are written. A table with such a row is read again.
func (c *cluster) allRegions(ctx context.Context, tables []*pb.TableSchema) (map[string][]*regionInfo, error) {
	if c.changes.newest == 0 {
		return c.everyRegion(ctx)
	}
	rows, err := c.readMeta(ctx, nil, nil, c.changes.newest-metaMargin)
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{}
	for i := range rows {
		if m := &rows[i]; c.changes.recent[m.key] != m.changed {
			table, _, _ := strings.Cut(m.key, ",") // a table's state only has its name
			changed[table] = true
		}
	}
	if len(changed) > manyTables {
		return c.everyRegion(ctx)
	}
	for table := range changed {
		c.forget(table)
	}
	out := map[string][]*regionInfo{}
	for _, schema := range tables {
		name := tablename.Of(schema.GetTableName())
		out[name], err = c.tableRegions(ctx, name)
		if err != nil && !errors.Is(err, kv.ErrNoTable) { // a table that is being created or dropped has none
			return nil, err
		}
	}
	c.changes.note(rows)
	return out, nil
}

// everyRegion reads the whole list.
func (c *cluster) everyRegion(ctx context.Context) (map[string][]*regionInfo, error) {
	rows, err := c.readMeta(ctx, nil, nil, 0)
	if err != nil {
		return nil, err
	}
	out := map[string][]*regionInfo{}
	for _, m := range rows {
		if r := m.region; r != nil {
			out[r.table] = append(out[r.table], r)
		}
	}
	for table, all := range out {
		c.learn(table, all)
	}
	c.changes.note(rows)
	return out, nil
}

// note records what was read.
func (m *metaChanges) note(rows []metaRow) {
	for i := range rows {
		m.newest = max(m.newest, rows[i].changed)
	}
	m.recent = map[string]int64{}
	for i := range rows {
		if rows[i].changed >= m.newest-metaMargin {
			m.recent[rows[i].key] = rows[i].changed
		}
	}
}
