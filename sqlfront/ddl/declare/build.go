package declare

import (
	"context"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
)

// dropEntries drops indexes of a table, of which others may have dropped some.
func dropEntries(c *kv.CatalogChange, t *kv.Table, names []string) error {
	for _, name := range names {
		if err := c.DropIndex(t.Database, t.Name, name); err != nil && !errors.Is(err, kv.ErrNoIndex) {
			return err
		}
	}
	return nil
}

// buildIndex makes the entries of an index of the table of that ID.
func buildIndex(ctx context.Context, store kv.Store, table uint64, name string) error {
	catalog, err := store.Catalog(ctx)
	if err != nil {
		return err
	}
	t := catalog.TableByID(table)
	if t == nil || t.IndexNamed(name) < 0 {
		return kv.ErrCatalogChanged // others have dropped it
	}
	return index.Build(ctx, store, t.Indexes[t.IndexNamed(name)].Entries, index.BuildOptions{})
}
