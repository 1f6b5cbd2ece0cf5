package views

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
)

// PartLoad counts what is asked of one partition or, where these are cut by
// time, of a leaf.
type PartLoad struct{ Reads, Writes atomic.Int64 }

// loads are those of all partitions. A partition is known by its table, its
// name and its bounds, so that the counts stay with it while other partitions
// are split, and one that is cut itself begins anew.
type loads struct {
	mu      sync.Mutex
	byKey   map[string]*PartLoad
	byTable atomic.Pointer[map[*kv.Table][]*PartLoad] // replaced, never changed
}

func (l *loads) init() {
	l.byKey = map[string]*PartLoad{}
	l.byTable.Store(&map[*kv.Table][]*PartLoad{})
}

// Of are the loads of a table's partitions, in their order.
func (l *loads) Of(t *kv.Table) []*PartLoad {
	if found := (*l.byTable.Load())[t]; found != nil {
		return found
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	old := *l.byTable.Load()
	if found := old[t]; found != nil {
		return found
	}
	next := make(map[*kv.Table][]*PartLoad, len(old)+1)
	for each, found := range old {
		next[each] = found
	}
	next[t] = make([]*PartLoad, t.Partitioning.NumLeaves())
	for i := range next[t] {
		next[t][i] = l.named(loadKey(t, i))
	}
	l.byTable.Store(&next)
	return next[t]
}

// named is the load of that key. mu is held.
func (l *loads) named(key string) *PartLoad {
	if l.byKey[key] == nil {
		l.byKey[key] = &PartLoad{}
	}
	return l.byKey[key]
}

func loadKey(t *kv.Table, leaf int) string {
	row, slice := t.Partitioning.LeafAt(leaf)
	bounds := t.Partitioning.Bounds(row)
	key := strconv.AppendUint(nil, t.ID, 10)
	for _, part := range [][]byte{[]byte(t.Partitioning.LeafName(leaf)), bounds.Start, bounds.End} {
		key = strconv.AppendQuote(append(key, ' '), string(part))
	}
	from, to, _ := t.Partitioning.SliceBounds(slice)
	return string(strconv.AppendInt(strconv.AppendInt(key, from, 10), to, 10))
}

// Keep forgets all partitions that are not in the catalog.
func (l *loads) Keep(c *kv.Catalog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tables, keys := map[*kv.Table][]*PartLoad{}, map[string]*PartLoad{}
	old := *l.byTable.Load()
	for _, d := range c.Databases() {
		for _, t := range c.AllTables(d.Name) {
			if found := old[t]; found != nil {
				tables[t] = found
			}
			for i := range t.Partitioning.NumLeaves() {
				key := loadKey(t, i)
				if found := l.byKey[key]; found != nil {
					keys[key] = found
				}
			}
		}
	}
	l.byKey = keys
	l.byTable.Store(&tables)
}
