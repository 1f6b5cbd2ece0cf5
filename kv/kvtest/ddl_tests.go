package kvtest

import (
	"errors"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

var ddlTests = []test{{"Allowed", testAllowed, 0}}

// change is something to do with a catalog, and what it takes.
type change struct {
	name string
	ddl  kv.DDL
	fn   func(*kv.CatalogChange) error
}

// changesOf are changes of the fixture's catalog of each kind. They come in an order in
// which each can be made.
func (f *fixture) changesOf() []change {
	return []change{
		{"create a view", kv.ChangeViews, createView("v")},
		{"create a group", kv.ChangeGroups, func(c *kv.CatalogChange) error {
			return c.CreateGroup(kv.Group{Database: database, Name: "h", Explicit: true})
		}},
		{"alter a group", kv.ChangeGroups, func(c *kv.CatalogChange) error {
			return c.AlterGroup(kv.Group{Database: database, Name: "g", Explicit: true})
		}},
		{"set an attribute", kv.SetAttributes, func(c *kv.CatalogChange) error { return c.SetAttribute("a", "b") }},
		{"alter a database", kv.SetAttributes, func(c *kv.CatalogChange) error {
			return c.AlterDatabase(kv.Database{Name: database, Attributes: says{"x"}.attributes()})
		}},
		{"alter a table", 0, func(c *kv.CatalogChange) error { return f.lengthen(c, "s", 1) }},
		{"empty partitions", kv.ChangePartitions, func(c *kv.CatalogChange) error {
			return c.TruncateLeaves(database, "s", []int{0})
		}},
		{"exchange a partition", kv.ChangePartitions | kv.ChangeSeveral, func(c *kv.CatalogChange) error {
			alone := f.layout.Table("alone")
			alone.Partitioning = &partition.Scheme{}
			with, err := c.CreateTable(alone)
			if err != nil {
				return err
			}
			return c.ExchangePartition(c.Catalog().Table(database, "s"), 0, with)
		}},
		{"empty a family", kv.TruncateFamilies, truncate("g$a")},
		{"empty a table", 0, truncate("s")},
		{"change two tables", kv.ChangeSeveral, func(c *kv.CatalogChange) error {
			return errors.Join(f.lengthen(c, "s", 2), f.lengthen(c, "g$b", 2))
		}},
		{"rename a table", kv.RenameTables, func(c *kv.CatalogChange) error {
			t := *c.Catalog().Table(database, "g$a")
			t.Name, t.Group, t.Family = "renamed", "", ""
			return c.AlterTable(t)
		}},
		{"drop a database with tables", kv.DropFullDatabases, func(c *kv.CatalogChange) error { return c.DropDatabase(database) }},
	}
}

// lengthen alters a table.
func (f *fixture) lengthen(c *kv.CatalogChange, name string, by int) error {
	t := *c.Catalog().Table(database, name)
	t.MaxRow += by
	return c.AlterTable(t)
}

// testAllowed: each change is made where the limits have it, else it is refused and
// nothing has changed.
func testAllowed(f *fixture) {
	for _, each := range f.changesOf() {
		f.put("s", "a/q/1=")
		before := Catalog(f.store)
		err := f.store.ChangeCatalog(f.ctx, each.fn)
		if f.limits.Allows(each.ddl) == nil {
			require.NoError(f, err, each.name)
			require.Greater(f, Catalog(f.store).Version(), before.Version(), each.name)
			continue
		}
		var refused kv.ErrUnsupported
		require.ErrorAs(f, err, &refused, each.name)
		require.NotEmpty(f, refused.What, each.name)
		require.Equal(f, before.Version(), Catalog(f.store).Version(), each.name)
		require.Equal(f, "a/q/1=", f.all("s"), each.name)
	}
}
