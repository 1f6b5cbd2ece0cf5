package infoschema

import (
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// retentionText are the options that give a table its retention if it would inherit another.
func retentionText(r, inherited kv.Retention) string {
	text := ""
	drops, inheritedDrops := r.DropExpired, inherited.DropExpired
	r.DropExpired, inherited.DropExpired = false, false
	r.CellTTL, inherited.CellTTL = false, false // no option sets it, only cells
	if r != (kv.Retention{}) || inherited != (kv.Retention{}) {
		text += ` KV_ATTRIBUTES='{"Hbase": {` + attributes(r) + `}}'`
	}
	switch {
	case drops:
		text += " DROP_EXPIRED_PARTITIONS=ON"
	case inheritedDrops:
		text += " DROP_EXPIRED_PARTITIONS=OFF"
	}
	return text
}

// attributes are KV_ATTRIBUTES without those that are not set.
func attributes(r kv.Retention) string {
	var out []string
	add := func(name string, n int64) {
		if n != 0 {
			out = append(out, fmt.Sprintf("%q: %d", name, n))
		}
	}
	add("TimeToLive", r.TTLSeconds)
	add("MaxVersions", int64(r.MaxVersions))
	add("MinVersions", int64(r.MinVersions))
	return strings.Join(out, ", ")
}

// addFamilies adds the lines of HBASEKV_FAMILIES, which is about HBase's model and has no counterpart in
// MySQL. It lists the family of a typed table by the family's own name.
func (r *infoReader) addFamilies() {
	wants := r.wants("TABLE_NAME")
	r.relationsIn("TABLE_SCHEMA", every, func(each object) {
		if t := each.table; t != nil && schema.HasCells(t) && wants(t.Name) {
			r.addFamily(each)
		}
	})
}

func (r *infoReader) addFamily(each object) {
	t := each.table
	var size size
	if r.reads("CELLS", "BYTES") {
		size = r.sizes(t).total()
	}
	row := []any{each.database, orNull(t.Group), orNull(t.Family), t.Name,
		unlessZero(t.Retention.TTLSeconds), unlessZero(int64(t.Retention.MaxVersions)), uint64(t.Retention.MinVersions),
		t.Retention.DropExpired, uint64(t.MaxRow), uint64(t.MaxQualifier), uint64(t.Value.Max),
		uint64(t.Partitioning.NumLeaves()), size.rows, size.bytes, r.oldest(t)}
	r.add(append(row, r.collected(t)...)...)
}

func unlessZero(n int64) any {
	if n == 0 {
		return nil
	}
	return uint64(n)
}

// oldest is the oldest timestamp that has not expired, NULL if cells do not expire.
func (r *infoReader) oldest(t *kv.Table) any {
	if t.Retention.TTLSeconds == 0 {
		return nil
	}
	tx, err := r.store.Begin(r.Ctx, kv.TxnOptions{ReadOnly: true})
	if err != nil {
		r.err = err
		return nil
	}
	defer tx.Rollback()
	return t.Retention.Oldest(tx.Now())
}

// collected is the work of the collector, NULLs if the store has none.
func (r *infoReader) collected(t *kv.Table) []any {
	collector, ok := r.store.(kv.Collector)
	if !ok {
		return nil
	}
	c := collector.Collected(t)
	row := []any{uint64(c.Versions), uint64(c.Ranges), uint64(c.Partitions), nil}
	if c.At != 0 {
		row[len(row)-1] = datetime(c.At)
	}
	return row
}
