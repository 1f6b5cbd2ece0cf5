package catalogs

import (
	"errors"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/partition"
)

// DDLTests are the tests of the changes that a store allows.
var DDLTests = []fixture.Test{{Name: "Allowed", Run: testAllowed}}

// change is a change of the catalog and the kinds of changes it requires.
type change struct {
	name string
	ddl  kv.DDL
	fn   func(*kv.CatalogChange) error
}

// changesOf returns changes of the fixture's catalog, one of each kind, in an order in
// which they can be made.
func changesOf(f *fixture.Fixture) []change {
	return []change{
		{"create a view", kv.ChangeViews, createView("v")},
		{"create a group", kv.ChangeGroups, func(c *kv.CatalogChange) error {
			return c.CreateGroup(kv.Group{Database: fixture.Database, Name: "h", Explicit: true})
		}},
		{"alter a group", kv.ChangeGroups, func(c *kv.CatalogChange) error {
			return c.AlterGroup(kv.Group{Database: fixture.Database, Name: "g", Explicit: true})
		}},
		{"set an attribute", kv.SetAttributes, func(c *kv.CatalogChange) error { return c.SetAttribute("a", "b") }},
		{"alter a database", kv.SetAttributes, func(c *kv.CatalogChange) error {
			return c.AlterDatabase(kv.Database{Name: fixture.Database, Attributes: fixture.Says{Note: "x"}.Attributes()})
		}},
		{"alter a table", 0, func(c *kv.CatalogChange) error { return lengthen(f, c, "s", 1) }},
		{"empty partitions", kv.ChangePartitions, func(c *kv.CatalogChange) error {
			return c.TruncateLeaves(fixture.Database, "s", []int{0})
		}},
		{"exchange a partition", kv.ChangePartitions | kv.ChangeSeveral, func(c *kv.CatalogChange) error {
			alone := f.Layout.Table("alone")
			alone.Partitioning = &partition.Scheme{}
			with, err := c.CreateTable(alone)
			if err != nil {
				return err
			}
			return c.ExchangePartition(c.Catalog().Table(fixture.Database, "s"), 0, with)
		}},
		{"empty a family", kv.TruncateFamilies, fixture.Truncate("g$a")},
		{"empty a table", 0, fixture.Truncate("s")},
		{"change two tables", kv.ChangeSeveral, func(c *kv.CatalogChange) error {
			return errors.Join(lengthen(f, c, "s", 2), lengthen(f, c, "g$b", 2))
		}},
		{"rename a table", kv.RenameTables, func(c *kv.CatalogChange) error {
			t := *c.Catalog().Table(fixture.Database, "g$a")
			t.Name, t.Group, t.Family = "renamed", "", ""
			return c.AlterTable(t)
		}},
		{"drop a database with tables", kv.DropFullDatabases, func(c *kv.CatalogChange) error { return c.DropDatabase(fixture.Database) }},
	}
}

// lengthen alters a table.
func lengthen(f *fixture.Fixture, c *kv.CatalogChange, name string, by int) error {
	t := *c.Catalog().Table(fixture.Database, name)
	t.MaxRow += by
	return c.AlterTable(t)
}

// testAllowed requires that each change is made if the limits allow it. Otherwise it
// must be refused without changing anything.
func testAllowed(f *fixture.Fixture) {
	for _, each := range changesOf(f) {
		f.Put("s", "a/q/1=")
		before := fixture.Catalog(f.Store)
		err := f.Store.ChangeCatalog(f.Ctx, each.fn)
		if f.Limits.Allows(each.ddl) == nil {
			require.NoError(f, err, each.name)
			require.Greater(f, fixture.Catalog(f.Store).Version(), before.Version(), each.name)
			continue
		}
		var refused kv.ErrUnsupported
		require.ErrorAs(f, err, &refused, each.name)
		require.NotEmpty(f, refused.What, each.name)
		require.Equal(f, before.Version(), fixture.Catalog(f.Store).Version(), each.name)
		require.Equal(f, "a/q/1=", f.All("s"), each.name)
	}
}
