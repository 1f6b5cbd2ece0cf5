package kvtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

var catalogTests = []test{
	{"Persistent", testCatalogPersistent, ddl(kv.ChangeGroups | kv.ChangeSeveral)},
	{"Atomic", testCatalogAtomic, ddl(kv.ChangeSeveral)},
	{"Concurrent", testCatalogConcurrent, 0},
	{"Truncate", testTruncate, snapshots},
	{"DropAndCreate", testDropAndCreate, snapshots},
	{"Snapshot", testCatalogSnapshot, snapshots | ddl(kv.DropFullDatabases)},
	{"Changed", testCatalogChanged, snapshots | manyRows | ddl(kv.TruncateFamilies|kv.ChangeSeveral)},
	{"Undone", testCatalogUndone, manyRows | ddl(kv.TruncateFamilies)},
	{"Cancelled", testCatalogCancelled, 0},
}

func drop(name string) func(*kv.CatalogChange) error {
	return func(c *kv.CatalogChange) error { return c.DropTable(database, name) }
}

func truncate(name string) func(*kv.CatalogChange) error {
	return func(c *kv.CatalogChange) error { return c.TruncateTable(database, name) }
}

func testCatalogPersistent(f *fixture) {
	f.change(func(c *kv.CatalogChange) error {
		t := f.layout.Table("g$c")
		t.Attributes, t.Created = says{"of a table"}.attributes(), 1234567890123
		_, err := c.CreateTable(t)
		return errors.Join(err, c.CreateGroup(kv.Group{Database: database, Name: "h", Explicit: true, Attributes: says{"of a group"}.attributes()}))
	})
	before := Catalog(f.store)
	require.Equal(f, []string{"a", "b", "c"}, families(before, "g"))
	f.reopen()
	after := Catalog(f.store)
	require.Equal(f, before.Version(), after.Version())
	equalDescriptors(f, before.Databases(), after.Databases())
	equalDescriptors(f, before.Groups(database), after.Groups(database))
	equalDescriptors(f, before.Tables(database), after.Tables(database))
	require.Equal(f, "of a table", kv.ReadAttributes[says](after.Table(database, "g$c").Attributes).Note)
	require.Equal(f, "of a group", kv.ReadAttributes[says](after.Group(database, "h").Attributes).Note)
}

// says is what a front could say of a descriptor.
type says struct {
	Note string `json:"note,omitempty"`
}

func (s says) attributes() *kv.Attributes { return kv.NewAttributes(&s) }

// equalDescriptors compares what is stored of descriptors.
func equalDescriptors(f *fixture, want, got any) {
	left, err := json.Marshal(want)
	require.NoError(f, err)
	right, err := json.Marshal(got)
	require.NoError(f, err)
	require.JSONEq(f, string(left), string(right))
}

func families(c *kv.Catalog, group string) (names []string) {
	for _, t := range c.Families(database, group) {
		names = append(names, t.Family)
	}
	return names
}

var errMine = errors.New("mine")

func testCatalogAtomic(f *fixture) {
	f.put("s", "a/q/1=")
	before := Catalog(f.store)
	err := f.store.ChangeCatalog(f.ctx, func(c *kv.CatalogChange) error {
		_, err := c.CreateTable(f.layout.Table("new"))
		return errors.Join(err, c.DropTable(database, "g$a"), c.TruncateTable(database, "s"), errMine)
	})
	require.ErrorIs(f, err, errMine)
	for range 2 {
		require.Equal(f, before.Version(), Catalog(f.store).Version())
		require.Equal(f, before.Tables(database), Catalog(f.store).Tables(database))
		require.Equal(f, "a/q/1=", f.all("s"))
		f.reopen()
	}
	plain := f.store.ChangeCatalog(f.ctx, func(*kv.CatalogChange) error { return errMine })
	require.True(f, plain == errMine, "fn's error as it is")

	f.change(func(c *kv.CatalogChange) error {
		_, err := c.CreateTable(f.layout.Table("new"))
		return errors.Join(err, c.DropTable(database, "g$a"), c.TruncateTable(database, "s"))
	})
	require.Greater(f, Catalog(f.store).Version(), before.Version())
	f.storage(func() {
		require.Nil(f, Catalog(f.store).Table(database, "g$a"))
		require.Empty(f, f.all("s")+f.all("new"))
	})
}

func testCatalogConcurrent(f *fixture) {
	const workers, each = 3, 2
	parallel(f, workers, func(worker int) error {
		for i := range each {
			err := f.store.ChangeCatalog(f.ctx, func(c *kv.CatalogChange) error {
				_, err := c.CreateTable(f.layout.Table(fmt.Sprintf("t%d_%d", worker, i)))
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	ids := map[uint64]bool{}
	for _, t := range Catalog(f.store).Tables(database) {
		ids[t.ID] = true
	}
	require.Len(f, ids, workers*each+len(tableNames))
}

func testTruncate(f *fixture) {
	f.put("s", inOrder...)
	f.put("g$a", "a/q/1=")
	f.flush()
	f.put("s", "z/q/1=")
	reader := f.begin()
	cursor := f.cursor(reader, &everything)
	before := f.readIn(reader, everything, "s")
	old := f.table("s")
	f.change(truncate("s"))
	for _, step := range []func(){func() {}, f.flush, f.compact} {
		step()
		require.Empty(f, f.all("s"))
		require.Equal(f, "a/q/1=", f.all("g$a"))
		require.Equal(f, before, f.readIn(reader, everything, "s"), "an older snapshot has them still")
	}
	require.Equal(f, before, f.rest(cursor))
	require.NoError(f, reader.Commit(f.ctx))
	f.compact()
	f.requireGone(old)
	f.put("s", "a/q/1=new")
	f.storage(func() { require.Equal(f, "a/q/1=new", f.all("s")) })
}

// requireGone asks a store that has statistics whether a table that was given
// up still takes room.
func (f *fixture) requireGone(old *kv.Table) {
	f.Helper()
	if reader, ok := f.store.(kv.StatsReader); ok {
		stats, err := reader.TableStats(f.ctx, old, false)
		require.NoError(f, err)
		require.Equal(f, make([]kv.PartitionStats, old.Partitioning.NumLeaves()), stats)
	}
}

func testDropAndCreate(f *fixture) {
	for range 3 {
		f.put("s", inOrder...)
		f.flush()
		f.put("s", "z/q/1=")
		old := f.table("s")
		f.change(drop("s"))
		require.Nil(f, Catalog(f.store).Table(database, "s"))
		f.reopen()
		f.change(func(c *kv.CatalogChange) error {
			_, err := c.CreateTable(f.layout.Table("s"))
			return err
		})
		f.requireGone(old)
		require.NotEqual(f, old.ID, f.table("s").ID)
		f.storage(func() { require.Empty(f, f.all("s")) })
	}
}

func testCatalogSnapshot(f *fixture) {
	f.put("s", "a/q/1=")
	tx := f.begin()
	seen := tx.Catalog()
	f.change(drop("s"))
	f.change(func(c *kv.CatalogChange) error { return c.DropDatabase(database) })
	require.Same(f, seen, tx.Catalog())
	require.Equal(f, "a/q/1=", f.readIn(tx, everything, "s"))
	require.NoError(f, tx.Commit(f.ctx), "it wrote nothing")
	require.Nil(f, Catalog(f.store).Database(database))
	require.Empty(f, Catalog(f.store).Tables(database))
}

// testCatalogChanged: a change of a table defeats those that have written it.
func testCatalogChanged(f *fixture) {
	f.put("s", "a/q/1=kept")
	for name, change := range map[string]func(*kv.CatalogChange) error{
		"truncate": truncate("g$a"),
		"alter": func(c *kv.CatalogChange) error {
			t := *c.Catalog().Table(database, "g$a")
			t.Attributes = says{"x"}.attributes()
			return c.AlterTable(t)
		},
		"drop and create": func(c *kv.CatalogChange) error {
			err := c.DropTable(database, "g$a")
			_, err2 := c.CreateTable(f.layout.Table("g$a"))
			return errors.Join(err, err2)
		},
		"drop": drop("g$a"),
	} {
		if Catalog(f.store).Table(database, "g$a") == nil {
			f.change(func(c *kv.CatalogChange) error { _, err := c.CreateTable(f.layout.Table("g$a")); return err })
		}
		loser, bystander, reader := f.begin(), f.begin(), f.begin()
		require.NoError(f, f.putIn(loser, "g$a", "r/q/1=lost"), name)
		require.NoError(f, f.putIn(loser, "s", "r/q/1=lost"), name)
		require.NoError(f, f.putIn(bystander, "s", "b/q/1=kept"), name)
		f.readIn(reader, everything, "g$a")
		f.change(change)
		require.ErrorIs(f, loser.Commit(f.ctx), kv.ErrCatalogChanged, name)
		require.NoError(f, bystander.Commit(f.ctx), name)
		require.NoError(f, reader.Commit(f.ctx), name)
		require.Equal(f, "a/q/1=kept b/q/1=kept", f.all("s"), name)
		if Catalog(f.store).Table(database, "g$a") != nil {
			require.Empty(f, f.all("g$a"), name)
		}
	}
}

// testCatalogUndone: a write that a savepoint has undone is none.
func testCatalogUndone(f *fixture) {
	tx := f.begin()
	require.NoError(f, f.putIn(tx, "s", "r/q/1="))
	savepoint := tx.Savepoint()
	require.NoError(f, f.putIn(tx, "g$a", "r/q/1="))
	tx.RollbackTo(savepoint)
	f.change(truncate("g$a"))
	require.NoError(f, tx.Commit(f.ctx))
	require.Equal(f, "r/q/1=", f.all("s"))
}

func testCatalogCancelled(f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	require.ErrorIs(f, f.store.ChangeCatalog(ctx, drop("s")), context.Canceled)
	require.NotNil(f, Catalog(f.store).Table(database, "s"))
}
