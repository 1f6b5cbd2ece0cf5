package txn

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
)

// follow gives the writes the keys of the newest catalog's layout.
// kv.ErrCatalogChanged where more than the layout of a written table has
// changed. One whose reads are checked may have read what says that there is no
// table, and has read where cells were, so that all descriptors must stand.
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

// rekey gives the writes the keys of the catalog's layout. kv.ErrCatalogChanged
// where more than the layout of a written table is another there,
// kv.ErrNoPartition where a row has no place in it. Catalogs share the
// descriptors they have in common. What deletes ranges follows no cells to other key spaces.
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
