package views

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/sample"
)

// PartLoad counts the reads and writes of one partition or, in tables with slices of time, of a leaf.
type PartLoad struct{ Reads, Writes atomic.Int64 }

// loads are the loads of all partitions. A partition is known by its table, its name and its bounds.
// So it keeps its counts while other partitions are split, and a partition that is itself split starts
// over.
type loads struct {
	views   *Views
	byTable sync.Map // *kv.Table to []*PartLoad, for tables of the newest catalog

	teller atomic.Pointer[func(context.Context, sample.Sample)]

	mu    sync.Mutex
	byKey map[string]*PartLoad
}

func (l *loads) init(vs *Views) { l.views, l.byKey = vs, map[string]*PartLoad{} }

// TellSamples sets the function that receives samples; nil for none.
func (l *loads) TellSamples(fn func(context.Context, sample.Sample)) {
	if fn == nil {
		l.teller.Store(nil)
		return
	}
	l.teller.Store(&fn)
}

// Told returns the function that receives samples, or nil.
func (l *loads) Told() func(context.Context, sample.Sample) {
	if fn := l.teller.Load(); fn != nil {
		return *fn
	}
	return nil
}

// Of returns the loads of a table's partitions, in order.
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

// named returns the load of a key, which is stored if keep is set, for tables of the newest catalog.
// mu is held.
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

// loadKey returns the key of a leaf's counts.
func loadKey(t *kv.Table, leaf int) string {
	return strconv.FormatUint(t.ID, 10) + t.Partitioning.LeafKey(leaf)
}

// Forget drops the loads of partitions that no longer exist after a change of the catalog, which must
// be the newest by now.
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

// leavesOf returns how many partitions a table has; 0 for nil.
func leavesOf(t *kv.Table) int {
	if t == nil {
		return 0
	}
	return t.Partitioning.NumLeaves()
}
