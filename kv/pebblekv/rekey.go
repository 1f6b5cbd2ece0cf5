package pebblekv

import (
	"github.com/hbasekv/hbasekv/kv"
)

// follow gives the writes the keys of the newest catalog's layout.
// kv.ErrCatalogChanged where more than the layout of a written table has
// changed. One whose reads are checked may have read what says that there is no
// table, and has read where cells were, so that all descriptors must stand.
func (t *txn) follow() error {
	newest := t.store.Catalog()
	if newest == t.keyed {
		return nil
	}
	if t.reads != nil && !newest.SameDescriptors(t.view.catalog) {
		return kv.ErrCatalogChanged
	}
	return t.rekey(newest)
}

// rekey gives the writes the keys of the catalog's layout. kv.ErrCatalogChanged
// where more than the layout of a written table is another there,
// kv.ErrNoPartition where a row has no place in it.
func (t *txn) rekey(to *kv.Catalog) error {
	own, wrote, err := rekeyed(t.own, t.wrote, to)
	if err != nil {
		return err
	}
	t.own, t.wrote, t.keyed = own, wrote, to
	return nil
}

// rekeyed are writes to tables as another catalog has them. Catalogs share the
// descriptors they have in common.
func rekeyed(own overlay, wrote []*kv.Table, to *kv.Catalog) (overlay, []*kv.Table, error) {
	now := make([]*kv.Table, len(wrote))
	same := true
	for i, t := range wrote {
		now[i] = to.Table(t.Database, t.Name)
		if !t.SameButLayout(now[i]) {
			return own, wrote, kv.ErrCatalogChanged
		}
		same = same && now[i] == t
	}
	if same || own.tree == nil {
		return own, now, nil
	}
	out, err := own.moved(newPlacer(wrote, now))
	return out, now, err
}

// moved are the writes with the keys that the placer gives them. Deletions in
// rows that have no place go: there is nothing to delete.
func (o *overlay) moved(place placer) (out overlay, err error) {
	var key []byte
	o.tree.Scan(func(w write) bool {
		var how placing
		switch key, how = place.key(key[:0], w.key); how {
		case stays:
			out.set(w)
		case goes:
			out.reserve(len(key))
			out.arena, w.key = grow(out.arena, func(dst []byte) []byte { return append(dst, key...) })
			out.set(w)
		case homeless:
			if !w.deleted {
				err = kv.ErrNoPartition
			}
		}
		return err == nil
	})
	out.bytes = o.bytes
	return out, err
}
