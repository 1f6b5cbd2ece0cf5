package keyspace

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/partition"
)

// catalogs moves from one stored catalog to the next, like a Store.
type catalogs struct {
	*testing.T
	stored *Catalog
	freed  []ID     // by the last change: whole spaces
	parts  []Extent // and parts of spaces
}

func newCatalogs(t *testing.T) *catalogs {
	c := &catalogs{T: t, stored: New()}
	c.change(func(c *Change) error { return c.CreateDatabase(kv.Database{Name: "d"}) })
	return c
}

func (c *catalogs) now() *kv.Catalog { return c.stored.Catalog }

func (c *catalogs) change(fn func(*Change) error) {
	c.Helper()
	change := c.stored.Change()
	require.NoError(c, fn(change))
	var freed []Extent
	c.stored, _, freed = change.Finish()
	c.freed, c.parts = nil, nil
	for _, e := range freed {
		if e.Rows.Start == nil && e.Rows.End == nil {
			c.freed = append(c.freed, e.Space)
		} else {
			c.parts = append(c.parts, e)
		}
	}
}

// refuses runs a change that must fail with the error and must not change the
// private copy.
func (c *catalogs) refuses(want error, fn func(*Change) error) {
	c.Helper()
	change := c.stored.Change()
	require.ErrorIs(c, fn(change), want)
	require.True(c, c.now().SameDescriptors(change.Catalog()))
	_, changed, freed := change.Finish()
	require.Equal(c, &kv.Difference{}, changed)
	require.Empty(c, freed)
}

func (c *catalogs) create(tables ...kv.Table) {
	c.Helper()
	c.change(func(change *Change) error {
		for _, t := range tables {
			if _, err := change.CreateTable(t); err != nil {
				return err
			}
		}
		return nil
	})
}

func key(n int) *partition.Scheme {
	s, err := partition.NewKey(n)
	if err != nil {
		panic(err)
	}
	return s
}

// plain returns a table in no group, family one in a group, both with three
// partitions.
func plain(name string) kv.Table {
	return kv.Table{Database: "d", Name: name, Partitioning: key(3), Value: kv.ValueType{Kind: "blob", Max: 65535}}
}

func family(group, name string) kv.Table {
	t := plain(group + "$" + name)
	t.Group, t.Family = group, name
	return t
}

func tableNames(tables []*kv.Table) []string {
	names := []string{}
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names
}

func groupNames(groups []*kv.Group) []string {
	names := []string{}
	for _, g := range groups {
		names = append(names, g.Name)
	}
	return names
}

func createTable(t kv.Table) func(*Change) error {
	return func(c *Change) error { _, err := c.CreateTable(t); return err }
}

func createGroup(g kv.Group) func(*Change) error {
	return func(c *Change) error { return c.CreateGroup(g) }
}

func dropTable(name string) func(*Change) error {
	return func(c *Change) error { return c.DropTable("d", name) }
}

func TestCatalogLists(t *testing.T) {
	c := newCatalogs(t)
	c.change(func(change *Change) error { return change.CreateDatabase(kv.Database{Name: "a"}) })
	other := plain("zz")
	other.Database = "a"
	c.create(plain("t"), family("g", "b"), family("g", "a"), family("g", "B"), plain("T"), family("a", "x"), other)
	now := c.now()
	require.Equal(t, []*kv.Database{{Name: "a"}, {Name: "d"}}, now.Databases())
	require.Equal(t, []string{"T", "a$x", "g$B", "g$a", "g$b", "t"}, tableNames(now.Tables("d")))
	require.Equal(t, []string{"g$B", "g$a", "g$b"}, tableNames(now.Families("d", "g")))
	require.Equal(t, []string{"a", "g"}, groupNames(now.Groups("d")))
	require.Equal(t, []string{"zz"}, tableNames(now.Tables("a")))
	require.Empty(t, now.Tables("none"))
	require.Empty(t, now.Groups("none"))
	require.Empty(t, now.Families("d", ""), "tables of no group are no family of it")
	require.Nil(t, now.Table("a", "t"))
	require.Nil(t, now.Table("d", "ZZ"), "names are case-sensitive")
	require.Nil(t, now.Group("a", "g"))
	require.Nil(t, now.Database("D"))
}

func TestDatabases(t *testing.T) {
	c := newCatalogs(t)
	c.refuses(kv.ErrDatabaseExists, func(c *Change) error { return c.CreateDatabase(kv.Database{Name: "d"}) })
	c.refuses(kv.ErrNoDatabase, func(c *Change) error { return c.DropDatabase("none") })
	c.change(func(c *Change) error { return c.CreateDatabase(kv.Database{Name: "e"}) })
	kept := plain("kept")
	kept.Database = "e"
	c.create(plain("t"), family("g", "a"), kept)
	c.change(createGroup(kv.Group{Database: "d", Name: "h", Explicit: true}))
	spaces := slices.Concat(Of(c.now().Table("d", "t")).Spaces, Of(c.now().Table("d", "g$a")).Spaces)
	c.change(func(c *Change) error { return c.DropDatabase("d") })
	require.ElementsMatch(t, spaces, c.freed)
	require.Equal(t, []*kv.Database{{Name: "e"}}, c.now().Databases())
	require.Empty(t, c.now().Tables("d"))
	require.Empty(t, c.now().Groups("d"))
	require.Equal(t, []string{"kept"}, tableNames(c.now().Tables("e")))
}

// TestImpliedGroup requires that an implicit group is dropped with its last table.
func TestImpliedGroup(t *testing.T) {
	c := newCatalogs(t)
	c.create(family("g", "a"), family("g", "b"))
	require.Equal(t, &kv.Group{Database: "d", Name: "g"}, c.now().Group("d", "g"))
	c.change(dropTable("g$a"))
	require.NotNil(t, c.now().Group("d", "g"))
	c.change(dropTable("g$b"))
	require.Nil(t, c.now().Group("d", "g"))

	c.change(createGroup(kv.Group{Database: "d", Name: "g", Explicit: true}))
	c.create(family("g", "a"))
	require.True(t, c.now().Group("d", "g").Explicit)
	c.change(dropTable("g$a"))
	require.NotNil(t, c.now().Group("d", "g"), "a group that was created outlives its tables")
}

func TestGroups(t *testing.T) {
	c := newCatalogs(t)
	c.change(createGroup(kv.Group{Database: "d", Name: "g", Explicit: true, Attributes: says("NONE")}))
	c.refuses(kv.ErrGroupExists, createGroup(kv.Group{Database: "d", Name: "g"}))
	c.refuses(kv.ErrNoDatabase, createGroup(kv.Group{Database: "none", Name: "g"}))
	c.refuses(kv.ErrNoGroup, func(c *Change) error { return c.DropGroup("d", "none") })
	c.refuses(kv.ErrNoGroup, func(c *Change) error { return c.AlterGroup(kv.Group{Database: "d", Name: "none"}) })
	c.create(family("g", "a"))
	c.refuses(kv.ErrGroupNotEmpty, func(c *Change) error { return c.DropGroup("d", "g") })
	c.change(func(c *Change) error {
		return c.AlterGroup(kv.Group{Database: "d", Name: "g", Explicit: true, Attributes: says("ADAPTIVE")})
	})
	require.Equal(t, "ADAPTIVE", said(c.now().Group("d", "g").Attributes))
	c.change(dropTable("g$a"))
	c.change(func(c *Change) error { return c.DropGroup("d", "g") })
	require.Empty(t, c.now().Groups("d"))
}

// TestNames requires that tables and groups share one name space.
func TestNames(t *testing.T) {
	c := newCatalogs(t)
	c.create(plain("t"), family("g", "a"))
	c.change(createGroup(kv.Group{Database: "d", Name: "h", Explicit: true}))
	missing := plain("t")
	missing.Database = "none"
	c.refuses(kv.ErrNoDatabase, createTable(missing))
	c.refuses(kv.ErrTableExists, createTable(plain("t")))
	c.refuses(kv.ErrTableExists, createTable(family("g", "a")))
	c.refuses(kv.ErrGroupExists, createTable(plain("g")))
	c.refuses(kv.ErrGroupExists, createTable(plain("h")))
	c.refuses(kv.ErrTableExists, createGroup(kv.Group{Database: "d", Name: "t"}))
	c.refuses(kv.ErrTableExists, createTable(family("t", "a")))
	self := family("x", "a")
	self.Name = "x"
	c.refuses(kv.ErrTableExists, createTable(self))
	c.create(plain("T"), family("G", "a"))
}

// TestPartitionedAlike requires that the tables of a group have one partitioning.
func TestPartitionedAlike(t *testing.T) {
	c := newCatalogs(t)
	c.create(family("g", "a"))
	unlike := family("g", "b")
	for _, scheme := range []*partition.Scheme{nil, {}, key(1), key(4)} {
		unlike.Partitioning = scheme
		c.refuses(kv.ErrPartitioning, createTable(unlike))
	}
	c.create(family("g", "b"))
	other := family("h", "a")
	other.Partitioning = key(4)
	c.create(other)

	moved := *c.now().Table("d", "h$a")
	moved.Group, moved.Name = "g", "g$c"
	c.refuses(kv.ErrPartitioning, func(c *Change) error { return c.AlterTable(moved) })
	require.NotNil(t, c.now().Group("d", "h"))
}

// TestUnpartitioned requires that an unpartitioned table has one key space.
func TestUnpartitioned(t *testing.T) {
	c := newCatalogs(t)
	table := plain("t")
	table.Partitioning = nil
	c.create(table)
	require.Len(t, Of(c.now().Table("d", "t")).Spaces, 1)
}

// TestSpaces requires that a key space is given only once, to one table.
func TestSpaces(t *testing.T) {
	c := newCatalogs(t)
	c.create(plain("s"), plain("t"))
	s, before := c.now().Table("d", "s"), c.now().Table("d", "t")
	require.Equal(t, []ID{1, 2, 3}, Of(s).Spaces, "0 is no space of a table")
	require.Equal(t, []ID{4, 5, 6}, Of(before).Spaces)
	require.NotEqual(t, s.ID, before.ID)
	require.Empty(t, c.freed)

	c.change(func(c *Change) error { return c.TruncateTable("d", "t") })
	truncated := c.now().Table("d", "t")
	require.Equal(t, Of(before).Spaces, c.freed)
	require.Equal(t, []ID{7, 8, 9}, Of(truncated).Spaces)
	require.Equal(t, before.ID, truncated.ID)
	require.NotSame(t, before, truncated)
	require.Equal(t, []ID{4, 5, 6}, Of(before).Spaces, "a descriptor is immutable")

	c.change(dropTable("t"))
	require.Equal(t, Of(truncated).Spaces, c.freed)
	c.create(plain("t"))
	require.Equal(t, []ID{10, 11, 12}, Of(c.now().Table("d", "t")).Spaces)
	require.Greater(t, c.now().Table("d", "t").ID, before.ID)

	c.change(func(c *Change) error {
		return errors.Join(c.TruncateTable("d", "t"), c.TruncateTable("d", "t"), c.DropTable("d", "s"))
	})
	require.Equal(t, []ID{1, 2, 3, 10, 11, 12}, c.freed, "the spaces between were never stored")
	require.Same(t, c.now().Table("d", "t"), c.now().TableByID(c.now().Table("d", "t").ID))
}

// TestSharedSpaces requires that a space of several partitions is freed with
// the last.
func TestSharedSpaces(t *testing.T) {
	c := newCatalogs(t)
	scheme, err := partition.NewRange([]string{"a", "b", "c"}, [][]byte{[]byte("h"), []byte("p"), nil})
	require.NoError(t, err)
	table := plain("t")
	table.Partitioning = scheme
	c.create(table)
	setSpaces := func(spaces ...ID) {
		t.Helper()
		c.change(func(change *Change) error {
			next := *change.Catalog().Table("d", "t")
			next.Layout = &Layout{Spaces: spaces}
			return change.AlterTable(next)
		})
	}
	setSpaces(1, 1, 3)
	require.Equal(t, []ID{2}, c.freed)
	setSpaces(1, 3, 3)
	require.Empty(t, c.freed)
	setSpaces(3, 3, 3)
	require.Equal(t, []ID{1}, c.freed)
	c.change(dropTable("t"))
	require.Equal(t, []ID{3}, c.freed, "once")
}

func TestAlterTable(t *testing.T) {
	c := newCatalogs(t)
	c.create(plain("s"), plain("t"), family("g", "a"))
	c.change(func(c *Change) error { return c.CreateDatabase(kv.Database{Name: "e"}) })
	altered := func(name string, edit func(*kv.Table)) func(*Change) error {
		next := *c.now().Table("d", name)
		edit(&next)
		return func(c *Change) error { return c.AlterTable(next) }
	}
	before := c.now().Table("d", "t")
	c.change(altered("t", func(t *kv.Table) { t.Attributes = says("new") }))
	require.Equal(t, "new", said(c.now().Table("d", "t").Attributes))
	require.Empty(t, before.Attributes, "a descriptor is immutable")
	require.Empty(t, c.freed)

	c.refuses(kv.ErrTableExists, altered("t", func(t *kv.Table) { t.Name = "s" }))
	c.refuses(kv.ErrGroupExists, altered("t", func(t *kv.Table) { t.Name = "g" }))
	c.refuses(kv.ErrNoDatabase, altered("t", func(t *kv.Table) { t.Database = "none" }))
	c.refuses(kv.ErrNoTable, altered("t", func(t *kv.Table) { t.ID = 99 }))
	c.refuses(kv.ErrTableExists, altered("t", func(t *kv.Table) { t.Name, t.Group, t.Family = "s$a", "s", "a" }))

	c.change(altered("t", func(t *kv.Table) { t.Database, t.Name = "e", "u" }))
	require.Nil(t, c.now().Table("d", "t"))
	require.Equal(t, before.ID, c.now().Table("e", "u").ID)
	require.Equal(t, Of(before).Spaces, Of(c.now().Table("e", "u")).Spaces)
	require.Empty(t, c.freed)

	c.change(altered("g$a", func(t *kv.Table) { t.Name, t.Group = "h$a", "h" }))
	require.Equal(t, []string{"h"}, groupNames(c.now().Groups("d")), "the groups follow")
	c.refuses(kv.ErrNoDatabase, altered("h$a", func(t *kv.Table) { t.Database = "none" }))
	c.change(altered("h$a", func(t *kv.Table) { t.Name, t.Group, t.Family = "h", "", "" }))
	require.Empty(t, c.now().Groups("d"), "a table may take the name of the group that it was the last of")
}

func TestMissingTable(t *testing.T) {
	c := newCatalogs(t)
	c.create(family("g", "a"))
	for _, name := range []string{"none", "g", "G$a"} {
		c.refuses(kv.ErrNoTable, dropTable(name))
		c.refuses(kv.ErrNoTable, func(c *Change) error { return c.TruncateTable("d", name) })
	}
}

// TestChangeIsPrivate requires that readers of the old catalog see nothing of a
// change.
func TestChangeIsPrivate(t *testing.T) {
	c := newCatalogs(t)
	c.create(plain("t"), family("g", "a"))
	old, version := c.now(), c.now().Version()
	tables, groups := old.Tables("d"), old.Groups("d")
	change := c.stored.Change()
	_, err := change.CreateTable(plain("new"))
	require.NoError(t, errors.Join(err, change.DropTable("d", "g$a"), change.TruncateTable("d", "t"),
		change.CreateDatabase(kv.Database{Name: "e"})))
	require.Equal(t, tables, old.Tables("d"))
	require.Equal(t, groups, old.Groups("d"))
	require.Equal(t, tables, c.now().Tables("d"), "nor is the stored one changed before Finish")
	next, _, _ := change.Finish()
	require.Equal(t, version+1, next.Version())
	require.Equal(t, version, c.now().Version())
}

// says returns attributes with a word, and said returns the word of attributes.
func says(word string) *attribute.Set { return attribute.New(&spoken{word}) }

func said(a *attribute.Set) string { return attribute.Read[spoken](a).Word }

type spoken struct{ Word string }

func TestAlterDatabase(t *testing.T) {
	c := newCatalogs(t)
	c.change(func(c *Change) error { return c.AlterDatabase(kv.Database{Name: "d", Attributes: says("latin1")}) })
	require.Equal(t, "latin1", said(c.now().Database("d").Attributes))
	c.refuses(kv.ErrNoDatabase, func(c *Change) error { return c.AlterDatabase(kv.Database{Name: "none"}) })
}
