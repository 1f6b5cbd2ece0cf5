package views

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/sample"
)

// PartLoad counts what is asked of one partition or, where these are cut by
// time, of a leaf.
type PartLoad struct{ Reads, Writes atomic.Int64 }

// loads are those of all partitions. A partition is known by its table, its
// name and its bounds, so that the counts stay with it while other partitions
// are split, and one that is cut itself begins again.
type loads struct {
	views   *Views
	byTable sync.Map // of *kv.Table to []*PartLoad, of tables as the newest catalog has them

	teller atomic.Pointer[func(context.Context, sample.Sample)]

	mu    sync.Mutex
	byKey map[string]*PartLoad
}

func (l *loads) init(vs *Views) { l.views, l.byKey = vs, map[string]*PartLoad{} }

// TellSamples sets whom samples are told to.
func (l *loads) TellSamples(fn func(context.Context, sample.Sample)) {
	if fn == nil {
		l.teller.Store(nil)
		return
	}
	l.teller.Store(&fn)
}

// Told is the function that samples are told to, or nil.
func (l *loads) Told() func(context.Context, sample.Sample) {
	if fn := l.teller.Load(); fn != nil {
		return *fn
	}
	return nil
}

// Of are the loads of a table's partitions, in their order.
func (l *loads) Of(t *kv.Table) []*PartLoad {
	if found, ok := l.byTable.Load(t); ok {
		return found.([]*PartLoad)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	newest := l.views.NewestCatalog().TableByID(t.ID) == t
	out := make([]*PartLoad, t.Partitioning.NumLeaves())
	for i := range out {
		out[i] = l.named(loadKey(t, i), newest)
	}
	if newest {
		l.byTable.Store(t, out)
	}
	return out
}

// named is the load of that key, which is kept where a table of the newest catalog asks. mu is held.
func (l *loads) named(key string, keep bool) *PartLoad {
	found := l.byKey[key]
	if found == nil {
		found = &PartLoad{}
		if keep {
			l.byKey[key] = found
		}
	}
	return found
}

// loadKey is what the counts of a leaf are known by.
func loadKey(t *kv.Table, leaf int) string {
	return strconv.FormatUint(t.ID, 10) + t.Partitioning.LeafKey(leaf)
}

// Forget forgets the partitions that tables had before a change of the catalog, which is the newest by
// now, and have no more.
func (l *loads) Forget(changed []kv.Changed[kv.Table]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range changed {
		if c.Was == nil {
			continue
		}
		l.byTable.Delete(c.Was)
		kept := map[string]bool{}
		for i := range leavesOf(c.Is) {
			kept[loadKey(c.Is, i)] = true
		}
		for i := range leavesOf(c.Was) {
			if key := loadKey(c.Was, i); !kept[key] {
				delete(l.byKey, key)
			}
		}
	}
}

// leavesOf is how many partitions a table has; 0 where there is none.
func leavesOf(t *kv.Table) int {
	if t == nil {
		return 0
	}
	return t.Partitioning.NumLeaves()
}
