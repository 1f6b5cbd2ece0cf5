package catalogs

import (
	"errors"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// ViewTests are the tests of views in the catalog.
var ViewTests = []fixture.Test{
	{Name: "Persistent", Run: testViewPersistent, Needs: fixture.Ddl(kv.ChangeViews)},
	{Name: "Names", Run: testViewNames, Needs: fixture.Ddl(kv.ChangeViews)},
	{Name: "Undone", Run: testViewUndone, Needs: fixture.Ddl(kv.ChangeViews)},
	{Name: "Snapshot", Run: testViewSnapshot, Needs: fixture.Ddl(kv.ChangeViews)},
	{Name: "DropDatabase", Run: testViewDropDatabase, Needs: fixture.Ddl(kv.ChangeViews | kv.DropFullDatabases)},
}

func view(name string) kv.View {
	return kv.View{Database: fixture.Database, Name: name, Created: 1234567890123,
		Attributes: fixture.Says{Note: "what \x00 only the caller 'reads'"}.Attributes()}
}

func createView(name string) func(*kv.CatalogChange) error {
	return func(c *kv.CatalogChange) error { return c.CreateView(view(name)) }
}

func testViewPersistent(f *fixture.Fixture) {
	f.Change(func(c *kv.CatalogChange) error {
		return errors.Join(c.CreateView(view("w")), c.CreateView(view("v")), c.CreateView(view("gone")),
			c.CreateView(view("old")))
	})
	changed := view("w")
	changed.Attributes = fixture.Says{Note: "changed"}.Attributes()
	f.Change(func(c *kv.CatalogChange) error {
		return errors.Join(c.DropView(fixture.Database, "gone"), c.AlterView(changed), c.RenameView(fixture.Database, "old", fixture.Database, "x"))
	})
	v, x := view("v"), view("x")
	for range 2 {
		equalDescriptors(f, []*kv.View{&v, &changed, &x}, fixture.Catalog(f.Store).Views(fixture.Database))
		equalDescriptors(f, &v, fixture.Catalog(f.Store).View(fixture.Database, "v"))
		require.Nil(f, fixture.Catalog(f.Store).View(fixture.Database, "gone"))
		require.Nil(f, fixture.Catalog(f.Store).View(fixture.Database, "old"))
		require.Nil(f, fixture.Catalog(f.Store).View("other", "v"))
		f.Reopen()
	}
}

// testViewNames requires that views, tables and groups share one set of names.
func testViewNames(f *fixture.Fixture) {
	f.Change(createView("v"))
	f.Change(func(c *kv.CatalogChange) error { return c.CreateView(view("v2")) })
	inGroup := f.Layout.Table("v$a")
	inGroup.Group, inGroup.Family = "v", "a"
	for _, each := range []struct {
		name string
		fn   func(*kv.CatalogChange) error
		want error
	}{
		{"view over view", createView("v"), kv.ErrViewExists},
		{"view over table", createView("s"), kv.ErrTableExists},
		{"view over group", createView("g"), kv.ErrGroupExists},
		{"table over view", func(c *kv.CatalogChange) error { _, err := c.CreateTable(f.Layout.Table("v")); return err },
			kv.ErrViewExists},
		{"implied group over view", func(c *kv.CatalogChange) error { _, err := c.CreateTable(inGroup); return err },
			kv.ErrViewExists},
		{"group over view", func(c *kv.CatalogChange) error {
			return c.CreateGroup(kv.Group{Database: fixture.Database, Name: "v"})
		}, kv.ErrViewExists},
		{"rename table", func(c *kv.CatalogChange) error {
			t := *c.Catalog().Table(fixture.Database, "s")
			t.Name = "v"
			return c.AlterTable(t)
		}, kv.ErrViewExists},
		{"rename view to view", func(c *kv.CatalogChange) error { return c.RenameView(fixture.Database, "v", fixture.Database, "v2") },
			kv.ErrViewExists},
		{"rename view to table", func(c *kv.CatalogChange) error { return c.RenameView(fixture.Database, "v", fixture.Database, "s") },
			kv.ErrTableExists},
		{"rename view to nowhere", func(c *kv.CatalogChange) error { return c.RenameView(fixture.Database, "v", "none", "v") },
			kv.ErrNoDatabase},
		{"rename nothing", func(c *kv.CatalogChange) error { return c.RenameView(fixture.Database, "none", fixture.Database, "w") },
			kv.ErrNoView},
		{"drop nothing", func(c *kv.CatalogChange) error { return c.DropView(fixture.Database, "s") }, kv.ErrNoView},
		{"alter nothing", func(c *kv.CatalogChange) error { return c.AlterView(view("s")) }, kv.ErrNoView},
		{"drop table", func(c *kv.CatalogChange) error { return c.DropTable(fixture.Database, "v") }, kv.ErrNoTable},
		{"no database", func(c *kv.CatalogChange) error { return c.CreateView(kv.View{Database: "none", Name: "v"}) },
			kv.ErrNoDatabase},
	} {
		// The change continues after its error, with the catalog copy as it was.
		f.Change(func(c *kv.CatalogChange) error {
			err := each.fn(c)
			if unsupported := (kv.ErrUnsupported{}); each.name == "rename table" && errors.As(err, &unsupported) {
				return nil
			}
			require.ErrorIs(f, err, each.want, each.name)
			return nil
		})
	}
	v, v2 := view("v"), view("v2")
	equalDescriptors(f, []*kv.View{&v, &v2}, fixture.Catalog(f.Store).Views(fixture.Database))
	require.Len(f, fixture.Catalog(f.Store).Tables(fixture.Database), len(fixture.TableNames))
}

func testViewUndone(f *fixture.Fixture) {
	f.Change(createView("v"))
	before := fixture.Catalog(f.Store)
	err := f.Store.ChangeCatalog(f.Ctx, func(c *kv.CatalogChange) error {
		return errors.Join(c.DropView(fixture.Database, "v"), c.CreateView(view("w")), errMine)
	})
	require.ErrorIs(f, err, errMine)
	require.Equal(f, before.Version(), fixture.Catalog(f.Store).Version())
	for range 2 {
		equalDescriptors(f, before.Views(fixture.Database), fixture.Catalog(f.Store).Views(fixture.Database))
		f.Reopen()
	}
}

// testViewSnapshot requires that a transaction sees the views of its snapshot,
// and that creating or dropping a view does not affect its writes to tables.
func testViewSnapshot(f *fixture.Fixture) {
	f.Change(createView("v"))
	tx := f.Begin()
	require.NoError(f, f.PutIn(tx, "s", "a/q/1=x"))
	f.Change(func(c *kv.CatalogChange) error {
		return errors.Join(c.DropView(fixture.Database, "v"), c.CreateView(view("w")))
	})
	require.NotNil(f, tx.Catalog().View(fixture.Database, "v"))
	require.Nil(f, tx.Catalog().View(fixture.Database, "w"))
	require.NoError(f, tx.Commit(f.Ctx))
	require.Equal(f, "a/q/1=x", f.All("s"))
	require.Nil(f, fixture.Catalog(f.Store).View(fixture.Database, "v"))
}

func testViewDropDatabase(f *fixture.Fixture) {
	other := view("v")
	other.Database = "e"
	f.Change(func(c *kv.CatalogChange) error {
		return errors.Join(c.CreateDatabase(kv.Database{Name: "e"}), c.CreateView(view("v")), c.CreateView(other))
	})
	f.Change(func(c *kv.CatalogChange) error { return c.DropDatabase(fixture.Database) })
	f.Change(func(c *kv.CatalogChange) error { return c.CreateDatabase(kv.Database{Name: fixture.Database}) })
	for range 2 {
		require.Empty(f, fixture.Catalog(f.Store).Views(fixture.Database))
		equalDescriptors(f, []*kv.View{&other}, fixture.Catalog(f.Store).Views("e"))
		f.Reopen()
	}
}
