package pebblekv

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
)

// partLoad counts what is asked of one partition or, where these are cut by
// time, of a leaf.
type partLoad struct{ reads, writes atomic.Int64 }

// loads are those of all partitions. A partition is known by its table, its
// name and its bounds, so that the counts stay with it while other partitions
// are split, and one that is cut itself begins anew.
type loads struct {
	mu      sync.Mutex
	byKey   map[string]*partLoad
	byTable atomic.Pointer[map[*kv.Table][]*partLoad] // replaced, never changed
}

func (l *loads) init() {
	l.byKey = map[string]*partLoad{}
	l.byTable.Store(&map[*kv.Table][]*partLoad{})
}

// of are the loads of a table's partitions, in their order.
func (l *loads) of(t *kv.Table) []*partLoad {
	if found := (*l.byTable.Load())[t]; found != nil {
		return found
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	old := *l.byTable.Load()
	if found := old[t]; found != nil {
		return found
	}
	next := make(map[*kv.Table][]*partLoad, len(old)+1)
	for each, found := range old {
		next[each] = found
	}
	next[t] = make([]*partLoad, t.Partitioning.NumLeaves())
	for i := range next[t] {
		next[t][i] = l.named(loadKey(t, i))
	}
	l.byTable.Store(&next)
	return next[t]
}

// named is the load of that key. mu is held.
func (l *loads) named(key string) *partLoad {
	if l.byKey[key] == nil {
		l.byKey[key] = &partLoad{}
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

// keep forgets all partitions that are not in the catalog.
func (l *loads) keep(c *kv.Catalog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tables, keys := map[*kv.Table][]*partLoad{}, map[string]*partLoad{}
	old := *l.byTable.Load()
	for _, d := range c.Databases() {
		for _, t := range c.Tables(d.Name) {
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

// countReads counts what a stream has read: a lookup that finds nothing is a
// read too.
func (s *stream) countReads() {
	t := s.c.tables[s.family]
	cells, _ := s.it.counted()
	s.c.view.store.loads.of(t)[t.Partitioning.Leaf(s.partition, s.c.slice)].reads.Add(max(cells, 1))
}

// TableLoads implements kv.LoadReader.
func (s *Store) TableLoads(t *kv.Table) []kv.PartitionLoad {
	loads := s.loads.of(t)
	out := make([]kv.PartitionLoad, len(loads))
	for i, l := range loads {
		out[i] = kv.PartitionLoad{Reads: l.reads.Load(), Writes: l.writes.Load()}
	}
	return out
}
