package pebblekv

import (
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
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
// kv.ErrNoPartition where a row has no place in it. Catalogs share the
// descriptors they have in common.
func (t *txn) rekey(to *kv.Catalog) error {
	now := make([]*kv.Table, len(t.wrote))
	same := true
	for i, old := range t.wrote {
		now[i] = to.Table(old.Database, old.Name)
		if !old.SameButLayout(now[i]) {
			return kv.ErrCatalogChanged
		}
		same = same && now[i] == old
	}
	if !same && t.own.len() > 0 {
		if err := t.own.move(newPlacer(t.wrote, now)); err != nil {
			return err
		}
	}
	t.wrote, t.keyed = now, to
	return nil
}

// move gives the writes the keys that the placer gives them. Each keeps its
// number: savepoints stay good. Deletions in rows that have no place stay where
// they are, where there is nothing to delete any more.
func (o *overlay) move(place placer) error {
	out := overlay{store: o.store}
	out.begin(len(o.data))
	out.room.rows, out.room.rowAt = append(out.room.rows, o.room.rows...), append(out.room.rowAt, o.room.rowAt...)
	var key []byte
	for n := range o.room.entries {
		w := o.write(uint32(n))
		var how placing
		if key, how = place.key(key[:0], w.key); how != goes {
			key = append(key[:0], w.key...)
		}
		value, err := decodeOwn(w)
		if how == homeless && !w.deleted {
			err = kv.ErrNoPartition
		}
		if err != nil {
			return errors.Join(err, out.close())
		}
		out.append(key, value, w.deleted)
	}
	err := o.close()
	*o = out
	return err
}

func decodeOwn(w write) ([]byte, error) {
	if w.deleted {
		return nil, nil
	}
	return cellkey.DecodeValue(w.value)
}
