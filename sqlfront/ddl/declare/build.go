package declare

import (
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// dropEntries drops indexes of a table; others may have dropped some already.
func dropEntries(c *kv.CatalogChange, t *kv.Table, names []string) error {
	for _, name := range names {
		if err := c.DropIndex(t.Database, t.Name, name); err != nil && !errors.Is(err, kv.ErrNoIndex) {
			return err
		}
	}
	return nil
}

// buildEach builds the entries of a table's indexes. building is called with the number of rows read; it may
// be nil.
func buildEach(ctx context.Context, store kv.Store, t *kv.Table, names []string, building func(rows int64)) error {
	for _, name := range names {
		if err := buildIndex(ctx, store, t.ID, name, building); err != nil {
			return err
		}
	}
	return nil
}

// without are the indexes other than those with these names.
func without(indexes []schema.Index, names []string) []schema.Index {
	return slices.DeleteFunc(slices.Clone(indexes), func(i schema.Index) bool { return slices.Contains(names, i.Name) })
}

// buildIndex builds the entries of an index of the table with that ID.
func buildIndex(ctx context.Context, store kv.Store, table uint64, name string, building func(rows int64)) error {
	catalog, err := store.Catalog(ctx)
	if err != nil {
		return err
	}
	t := catalog.TableByID(table)
	if t == nil || t.IndexNamed(name) < 0 {
		return kv.ErrCatalogChanged // others have dropped it
	}
	return index.Build(ctx, store, t.Indexes[t.IndexNamed(name)].Entries, index.BuildOptions{Progress: building})
}
