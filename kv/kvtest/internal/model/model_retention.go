package model

import (
	"cmp"
	"context"
	"slices"

	"github.com/tidwall/btree"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/partition"
)

// versionsOf returns the versions of a column in all leaves, newest first.
func versionsOf(cells *btree.BTreeG[entry], t *kv.Table, row, qualifier string) []entry {
	p, ok := t.Partitioning.Locate([]byte(row))
	if !ok {
		return nil
	}
	var out []entry
	for slice := range t.Partitioning.NumSlices() {
		column := entry{space: keyspace.Space(t, p, slice), row: row, qualifier: qualifier, timestamp: maxTimestamp}
		out = append(out, entriesWhile(cells, column, column.sameColumn)...)
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Compare(b.timestamp, a.timestamp) })
	return out
}

// kept returns the versions of a column that the table keeps at a moment, and the
// hidden ones.
func kept(cells *btree.BTreeG[entry], t *kv.Table, row, qualifier string, now int64) (kept, hidden []entry) {
	rank := 0
	for _, e := range versionsOf(cells, t, row, qualifier) {
		if e.hasExpired(now) {
			hidden = append(hidden, e)
			continue
		}
		if rank++; t.Retention.Keeps(rank-1, e.timestamp, now) {
			kept = append(kept, e)
		} else {
			hidden = append(hidden, e)
		}
	}
	return kept, hidden
}

// isKept reports whether a version exists at a moment.
func isKept(cells *btree.BTreeG[entry], t *kv.Table, e entry, now int64) bool {
	found, _ := kept(cells, t, e.row, e.qualifier, now)
	return slices.ContainsFunc(found, func(v entry) bool { return v.timestamp == e.timestamp })
}

// keptIn returns the cells of a leaf that exist at a moment, and hiddenIn the others.
func keptIn(cells *btree.BTreeG[entry], t *kv.Table, leaf int, now int64) []entry {
	found, _ := divided(cells, t, leaf, now)
	return found
}

func hiddenIn(cells *btree.BTreeG[entry], t *kv.Table, leaf int, now int64) []entry {
	_, others := divided(cells, t, leaf, now)
	return others
}

func divided(cells *btree.BTreeG[entry], t *kv.Table, leaf int, now int64) (found, hidden []entry) {
	all := leafEntries(cells, t, leaf)
	if t.Retention.IsZero() {
		return all, nil
	}
	exist := map[int64]bool{}
	for i, e := range all {
		if i == 0 || !e.sameColumn(all[i-1]) {
			clear(exist)
			versions, _ := kept(cells, t, e.row, e.qualifier, now)
			for _, v := range versions {
				exist[v.timestamp] = true
			}
		}
		if exist[e.timestamp] {
			found = append(found, e)
		} else {
			hidden = append(hidden, e)
		}
	}
	return found, hidden
}

// sweep removes the hidden versions of a column before one of its visible versions is
// removed; otherwise hidden ones would reappear. A visible version that is going to
// expire must not do so before the commit.
func (x *txn) sweep(t *kv.Table, e entry) {
	found, hidden := kept(x.cells, t, e.row, e.qualifier, x.now)
	for _, old := range hidden {
		x.write(t, old, true)
	}
	for rank, v := range found {
		if rank >= t.Retention.MinVersions && t.Retention.MinVersions > 0 {
			x.until = min(x.until, t.Retention.LastsUntil(v.timestamp))
		}
	}
}

// now returns the clock's time, but never a time before the last collection.
func (d *disk) now() int64 { return max(d.clock().UnixMilli(), d.floor.Load()) }

// Collect implements kv.Collector.
func (m *Model) Collect(ctx context.Context, database, name string, _ kv.CollectOptions) (kv.Collected, error) {
	if err := m.usable(ctx); err != nil {
		return kv.Collected{}, err
	}
	done := kv.Collected{At: m.disk.now()}
	err := m.disk.install(func(s *state) error {
		t := s.catalog.Table(database, name)
		if t == nil {
			return kv.ErrNoTable
		}
		m.disk.floor.Store(done.At)
		done.Versions = s.collect(t, done.At)
		return nil
	})
	if err == nil {
		m.collected.Store(name, done)
	}
	return done, err
}

// collect removes what the table hides at a moment.
func (s *state) collect(t *kv.Table, now int64) int64 {
	var all []entry
	for leaf := range keyspace.Of(t).Spaces {
		all = append(all, hiddenIn(s.cells, t, leaf, now)...)
	}
	for _, e := range all {
		s.cells.Delete(e)
	}
	return int64(len(all))
}

// DropExpired implements kv.Collector.
func (m *Model) DropExpired(ctx context.Context, database, name string) (n int, err error) {
	err = m.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		now := m.disk.now()
		m.disk.floor.Store(now)
		switch t := c.Catalog().Table(database, name); {
		case t == nil:
			return kv.ErrNoTable
		case t.Partitioning.Slices() == nil:
			return partition.ErrNotSliced
		}
		n, err = c.DropExpiredSlices(database, name, now)
		return err
	})
	return n, err
}

// Collections implements kv.Collector. It never returns any.
func (m *Model) Collections() []kv.Collection { return nil }

// Collected implements kv.Collector. It returns the result of the last collection
// of the table.
func (m *Model) Collected(t *kv.Table) kv.Collected {
	done, _ := m.collected.Load(t.Name)
	c, _ := done.(kv.Collected)
	return c
}
