package hbase

import (
	"context"
	"errors"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/tablename"
)

// metaChanges is what was seen last of hbase:meta, so that of a large one no more is read again
// than what has changed. The goroutine that loads the layout has it.
type metaChanges struct {
	newest int64            // in ms by the master's clock
	recent map[string]int64 // rows by key that changed shortly before it, and when
}

const (
	// metaMargin is how much a later change may seem the older one, in ms: another
	// master has another clock.
	metaMargin = 60_000
	// manyTables are read together, from the whole list of regions.
	manyTables = 16
)

// allRegions are the regions of tables. The whole list is read the first time. Later
// it is asked for what is new: regions that split, merge or move, and tables that are
// made, write what says so. A table that has such a row is read again.
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
			table, _, _ := strings.Cut(m.key, ",") // a table's state has its name alone
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
		if err != nil && !errors.Is(err, kv.ErrNoTable) { // one that is just made or dropped has none
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

// note remembers what was read.
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
