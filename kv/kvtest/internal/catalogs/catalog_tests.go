// Package catalogs has the suite's tests of descriptors, checks and the life of a store.
package catalogs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// CatalogTests are the tests of changes of the catalog.
var CatalogTests = []fixture.Test{
	{Name: "Persistent", Run: testCatalogPersistent, Needs: fixture.Ddl(kv.ChangeGroups | kv.ChangeSeveral)},
	{Name: "Atomic", Run: testCatalogAtomic, Needs: fixture.Ddl(kv.ChangeSeveral)},
	{Name: "Concurrent", Run: testCatalogConcurrent},
	{Name: "Truncate", Run: testTruncate, Needs: fixture.Snapshots},
	{Name: "DropAndCreate", Run: testDropAndCreate, Needs: fixture.Snapshots},
	{Name: "Snapshot", Run: testCatalogSnapshot, Needs: fixture.Snapshots | fixture.Ddl(kv.DropFullDatabases)},
	{Name: "Changed", Run: testCatalogChanged, Needs: fixture.Snapshots | fixture.ManyRows | fixture.Ddl(kv.TruncateFamilies|kv.ChangeSeveral)},
	{Name: "Undone", Run: testCatalogUndone, Needs: fixture.ManyRows | fixture.Ddl(kv.TruncateFamilies)},
	{Name: "Cancelled", Run: testCatalogCancelled},
}

func testCatalogPersistent(f *fixture.Fixture) {
	f.Change(func(c *kv.CatalogChange) error {
		t := f.Layout.Table("g$c")
		t.Attributes, t.Created = fixture.Says{Note: "of a table"}.Attributes(), 1234567890123
		_, err := c.CreateTable(t)
		return errors.Join(err, c.CreateGroup(kv.Group{Database: fixture.Database, Name: "h", Explicit: true, Attributes: fixture.Says{Note: "of a group"}.Attributes()}))
	})
	before := fixture.Catalog(f.Store)
	require.Equal(f, []string{"a", "b", "c"}, families(before, "g"))
	f.Reopen()
	after := fixture.Catalog(f.Store)
	require.Equal(f, before.Version(), after.Version())
	equalDescriptors(f, before.Databases(), after.Databases())
	equalDescriptors(f, before.Groups(fixture.Database), after.Groups(fixture.Database))
	equalDescriptors(f, before.Tables(fixture.Database), after.Tables(fixture.Database))
	require.Equal(f, "of a table", attribute.Read[fixture.Says](after.Table(fixture.Database, "g$c").Attributes).Note)
	require.Equal(f, "of a group", attribute.Read[fixture.Says](after.Group(fixture.Database, "h").Attributes).Note)
}

// equalDescriptors compares the stored part of descriptors.
func equalDescriptors(f *fixture.Fixture, want, got any) {
	left, err := json.Marshal(want)
	require.NoError(f, err)
	right, err := json.Marshal(got)
	require.NoError(f, err)
	require.JSONEq(f, string(left), string(right))
}

func families(c *kv.Catalog, group string) (names []string) {
	for _, t := range c.Families(fixture.Database, group) {
		names = append(names, t.Family)
	}
	return names
}

var errMine = errors.New("mine")

func testCatalogAtomic(f *fixture.Fixture) {
	f.Put("s", "a/q/1=")
	before := fixture.Catalog(f.Store)
	err := f.Store.ChangeCatalog(f.Ctx, func(c *kv.CatalogChange) error {
		_, err := c.CreateTable(f.Layout.Table("new"))
		return errors.Join(err, c.DropTable(fixture.Database, "g$a"), c.TruncateTable(fixture.Database, "s"), errMine)
	})
	require.ErrorIs(f, err, errMine)
	for range 2 {
		require.Equal(f, before.Version(), fixture.Catalog(f.Store).Version())
		require.Equal(f, before.Tables(fixture.Database), fixture.Catalog(f.Store).Tables(fixture.Database))
		require.Equal(f, "a/q/1=", f.All("s"))
		f.Reopen()
	}
	plain := f.Store.ChangeCatalog(f.Ctx, func(*kv.CatalogChange) error { return errMine })
	require.True(f, plain == errMine, "fn's error as it is")

	f.Change(func(c *kv.CatalogChange) error {
		_, err := c.CreateTable(f.Layout.Table("new"))
		return errors.Join(err, c.DropTable(fixture.Database, "g$a"), c.TruncateTable(fixture.Database, "s"))
	})
	require.Greater(f, fixture.Catalog(f.Store).Version(), before.Version())
	f.Storage(func() {
		require.Nil(f, fixture.Catalog(f.Store).Table(fixture.Database, "g$a"))
		require.Empty(f, f.All("s")+f.All("new"))
	})
}

func testCatalogConcurrent(f *fixture.Fixture) {
	const workers, each = 3, 2
	fixture.Parallel(f, workers, func(worker int) error {
		for i := range each {
			err := f.Store.ChangeCatalog(f.Ctx, func(c *kv.CatalogChange) error {
				_, err := c.CreateTable(f.Layout.Table(fmt.Sprintf("t%d_%d", worker, i)))
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	ids := map[uint64]bool{}
	for _, t := range fixture.Catalog(f.Store).Tables(fixture.Database) {
		ids[t.ID] = true
	}
	require.Len(f, ids, workers*each+len(fixture.TableNames))
}

func testTruncate(f *fixture.Fixture) {
	f.Put("s", fixture.InOrder...)
	f.Put("g$a", "a/q/1=")
	f.Flush()
	f.Put("s", "z/q/1=")
	reader := f.Begin()
	cursor := f.Cursor(reader, &fixture.Everything)
	before := f.ReadIn(reader, fixture.Everything, "s")
	old := f.Table("s")
	f.Change(fixture.Truncate("s"))
	for _, step := range []func(){func() {}, f.Flush, f.Compact} {
		step()
		require.Empty(f, f.All("s"))
		require.Equal(f, "a/q/1=", f.All("g$a"))
		require.Equal(f, before, f.ReadIn(reader, fixture.Everything, "s"), "an older snapshot has them still")
	}
	require.Equal(f, before, f.Rest(cursor))
	require.NoError(f, reader.Commit(f.Ctx))
	f.Compact()
	requireGone(f, old)
	f.Put("s", "a/q/1=new")
	f.Storage(func() { require.Equal(f, "a/q/1=new", f.All("s")) })
}

// requireGone requires that a dropped table uses no space, if the store has statistics.
func requireGone(f *fixture.Fixture, old *kv.Table) {
	f.Helper()
	if reader, ok := f.Store.(kv.StatsReader); ok {
		stats, err := reader.TableStats(f.Ctx, old, false)
		require.NoError(f, err)
		require.Equal(f, make([]kv.PartitionStats, old.Partitioning.NumLeaves()), stats)
	}
}

func testDropAndCreate(f *fixture.Fixture) {
	for range 3 {
		f.Put("s", fixture.InOrder...)
		f.Flush()
		f.Put("s", "z/q/1=")
		old := f.Table("s")
		f.Change(fixture.Drop("s"))
		require.Nil(f, fixture.Catalog(f.Store).Table(fixture.Database, "s"))
		f.Reopen()
		f.Change(func(c *kv.CatalogChange) error {
			_, err := c.CreateTable(f.Layout.Table("s"))
			return err
		})
		requireGone(f, old)
		require.NotEqual(f, old.ID, f.Table("s").ID)
		f.Storage(func() { require.Empty(f, f.All("s")) })
	}
}

func testCatalogSnapshot(f *fixture.Fixture) {
	f.Put("s", "a/q/1=")
	tx := f.Begin()
	seen := tx.Catalog()
	f.Change(fixture.Drop("s"))
	f.Change(func(c *kv.CatalogChange) error { return c.DropDatabase(fixture.Database) })
	require.Same(f, seen, tx.Catalog())
	require.Equal(f, "a/q/1=", f.ReadIn(tx, fixture.Everything, "s"))
	require.NoError(f, tx.Commit(f.Ctx), "it wrote nothing")
	require.Nil(f, fixture.Catalog(f.Store).Database(fixture.Database))
	require.Empty(f, fixture.Catalog(f.Store).Tables(fixture.Database))
}

// testCatalogChanged requires that a change of a table makes the transactions that have
// written to it fail.
func testCatalogChanged(f *fixture.Fixture) {
	f.Put("s", "a/q/1=kept")
	for name, change := range map[string]func(*kv.CatalogChange) error{
		"truncate": fixture.Truncate("g$a"),
		"alter": func(c *kv.CatalogChange) error {
			t := *c.Catalog().Table(fixture.Database, "g$a")
			t.Attributes = fixture.Says{Note: "x"}.Attributes()
			return c.AlterTable(t)
		},
		"drop and create": func(c *kv.CatalogChange) error {
			err := c.DropTable(fixture.Database, "g$a")
			_, err2 := c.CreateTable(f.Layout.Table("g$a"))
			return errors.Join(err, err2)
		},
		"drop": fixture.Drop("g$a"),
	} {
		if fixture.Catalog(f.Store).Table(fixture.Database, "g$a") == nil {
			f.Change(func(c *kv.CatalogChange) error { _, err := c.CreateTable(f.Layout.Table("g$a")); return err })
		}
		loser, bystander, reader := f.Begin(), f.Begin(), f.Begin()
		require.NoError(f, f.PutIn(loser, "g$a", "r/q/1=lost"), name)
		require.NoError(f, f.PutIn(loser, "s", "r/q/1=lost"), name)
		require.NoError(f, f.PutIn(bystander, "s", "b/q/1=kept"), name)
		f.ReadIn(reader, fixture.Everything, "g$a")
		f.Change(change)
		require.ErrorIs(f, loser.Commit(f.Ctx), kv.ErrCatalogChanged, name)
		require.NoError(f, bystander.Commit(f.Ctx), name)
		require.NoError(f, reader.Commit(f.Ctx), name)
		require.Equal(f, "a/q/1=kept b/q/1=kept", f.All("s"), name)
		if fixture.Catalog(f.Store).Table(fixture.Database, "g$a") != nil {
			require.Empty(f, f.All("g$a"), name)
		}
	}
}

// testCatalogUndone requires that a write undone by rolling back to a savepoint does not
// count as a write.
func testCatalogUndone(f *fixture.Fixture) {
	tx := f.Begin()
	require.NoError(f, f.PutIn(tx, "s", "r/q/1="))
	savepoint := tx.Savepoint()
	require.NoError(f, f.PutIn(tx, "g$a", "r/q/1="))
	tx.RollbackTo(savepoint)
	f.Change(fixture.Truncate("g$a"))
	require.NoError(f, tx.Commit(f.Ctx))
	require.Equal(f, "r/q/1=", f.All("s"))
}

func testCatalogCancelled(f *fixture.Fixture) {
	ctx, cancel := context.WithCancel(f.Ctx)
	cancel()
	require.ErrorIs(f, f.Store.ChangeCatalog(ctx, fixture.Drop("s")), context.Canceled)
	require.NotNil(f, fixture.Catalog(f.Store).Table(fixture.Database, "s"))
}
