package txn

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
)

// follow gives the writes the keys of the newest catalog's layout. It returns
// kv.ErrCatalogChanged if more than the layout of a written table has changed. A transaction
// whose reads are checked may have read that there is no such table, and has read cells
// where they were; for it, no descriptor may have changed.
func (t *Txn) follow() error {
	newest := t.m.engine.Views.NewestCatalog()
	if newest == t.keyLayout {
		return nil
	}
	if t.Reads != nil && !newest.SameDescriptors(t.view.Catalog) {
		return kv.ErrCatalogChanged
	}
	return t.rekey(newest)
}

// rekey gives the writes the keys of the catalog's layout. It returns kv.ErrCatalogChanged
// if more than the layout of a written table differs, or if a range was deleted and cells
// would move to other key spaces; and kv.ErrNoPartition if a row has no partition. Catalogs
// share the descriptors that are the same in both.
func (t *Txn) rekey(to *kv.Catalog) error {
	now := make([]*kv.Table, len(t.wrote))
	same := true
	for i, old := range t.wrote {
		now[i] = to.Table(old.Database, old.Name)
		if !old.SameButLayout(now[i]) {
			return kv.ErrCatalogChanged
		}
		same = same && now[i] == old
	}
	if !same && len(t.own.Deleted()) > 0 {
		if (&keyspace.Move{Before: t.wrote, After: now}).Needed() {
			return kv.ErrCatalogChanged
		}
		same = true
	}
	if !same && t.own.Len() > 0 {
		if err := t.own.Move(layout.NewPlacer(t.wrote, now).Write, t.m.openSpill); err != nil {
			return err
		}
	}
	t.wrote, t.keyLayout = now, to
	return nil
}
