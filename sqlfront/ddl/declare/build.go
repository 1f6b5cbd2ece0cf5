package declare

import (
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
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

// without are the indexes other than those with these names.
func without(indexes []schema.Index, names []string) []schema.Index {
	return slices.DeleteFunc(slices.Clone(indexes), func(i schema.Index) bool { return slices.Contains(names, i.Name) })
}
