package kv

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/partition"
)

// catalogs goes from one stored catalog to the next, as a Store does.
type catalogs struct {
	*testing.T
	stored *StoredCatalog
	freed  []SpaceID // by the last change, whole spaces
	parts  []Extent  // and parts of spaces
}

func newCatalogs(t *testing.T) *catalogs {
	c := &catalogs{T: t, stored: &StoredCatalog{}}
	c.change(func(c *CatalogChange) error { return c.CreateDatabase(Database{Name: "d"}) })
	return c
}

func (c *catalogs) now() *Catalog { return c.stored.Catalog() }

func (c *catalogs) change(fn func(*CatalogChange) error) {
	c.Helper()
	change := c.stored.Change()
	require.NoError(c, fn(change))
	var freed []Extent
	c.stored, freed = change.Finish(c.stored)
	c.freed, c.parts = nil, nil
	for _, e := range freed {
		if e.Rows.Start == nil && e.Rows.End == nil {
			c.freed = append(c.freed, e.Space)
		} else {
			c.parts = append(c.parts, e)
		}
	}
}

// refuses runs a change that must fail with the error and leave the private
// copy as it was.
func (c *catalogs) refuses(want error, fn func(*CatalogChange) error) {
	c.Helper()
	change := c.stored.Change()
	before := *change
	require.ErrorIs(c, fn(change), want)
	require.Equal(c, before.nextID, change.nextID)
	require.Equal(c, before.nextSpace, change.nextSpace)
	require.Equal(c, c.now(), change.Catalog())
}

func (c *catalogs) create(tables ...Table) {
	c.Helper()
	c.change(func(change *CatalogChange) error {
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

// plain is a table in no group, family one in a group, of three partitions.
func plain(name string) Table {
	return Table{Database: "d", Name: name, Partitioning: key(3), Value: ValueType{Kind: Blob, Max: 65535}}
}

func family(group, name string) Table {
	t := plain(group + "$" + name)
	t.Group, t.Family = group, name
	return t
}

func tableNames(tables []*Table) []string {
	names := []string{}
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names
}

func groupNames(groups []*Group) []string {
	names := []string{}
	for _, g := range groups {
		names = append(names, g.Name)
	}
	return names
}

func createTable(t Table) func(*CatalogChange) error {
	return func(c *CatalogChange) error { _, err := c.CreateTable(t); return err }
}

func createGroup(g Group) func(*CatalogChange) error {
	return func(c *CatalogChange) error { return c.CreateGroup(g) }
}

func dropTable(name string) func(*CatalogChange) error {
	return func(c *CatalogChange) error { return c.DropTable("d", name) }
}

func TestCatalogLists(t *testing.T) {
	c := newCatalogs(t)
	c.change(func(change *CatalogChange) error { return change.CreateDatabase(Database{Name: "a"}) })
	other := plain("zz")
	other.Database = "a"
	c.create(plain("t"), family("g", "b"), family("g", "a"), family("g", "B"), plain("T"), family("a", "x"), other)
	now := c.now()
	require.Equal(t, []*Database{{Name: "a"}, {Name: "d"}}, now.Databases())
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
	c.refuses(ErrDatabaseExists, func(c *CatalogChange) error { return c.CreateDatabase(Database{Name: "d"}) })
	c.refuses(ErrNoDatabase, func(c *CatalogChange) error { return c.DropDatabase("none") })
	c.change(func(c *CatalogChange) error { return c.CreateDatabase(Database{Name: "e"}) })
	kept := plain("kept")
	kept.Database = "e"
	c.create(plain("t"), family("g", "a"), kept)
	c.change(createGroup(Group{Database: "d", Name: "h", Explicit: true}))
	spaces := slices.Concat(c.now().Table("d", "t").Spaces, c.now().Table("d", "g$a").Spaces)
	c.change(func(c *CatalogChange) error { return c.DropDatabase("d") })
	require.ElementsMatch(t, spaces, c.freed)
	require.Equal(t, []*Database{{Name: "e"}}, c.now().Databases())
	require.Empty(t, c.now().Tables("d"))
	require.Empty(t, c.now().Groups("d"))
	require.Equal(t, []string{"kept"}, tableNames(c.now().Tables("e")))
}

// TestImpliedGroup: a group that a table implies goes with its last table.
func TestImpliedGroup(t *testing.T) {
	c := newCatalogs(t)
	c.create(family("g", "a"), family("g", "b"))
	require.Equal(t, &Group{Database: "d", Name: "g"}, c.now().Group("d", "g"))
	c.change(dropTable("g$a"))
	require.NotNil(t, c.now().Group("d", "g"))
	c.change(dropTable("g$b"))
	require.Nil(t, c.now().Group("d", "g"))

	c.change(createGroup(Group{Database: "d", Name: "g", Explicit: true}))
	c.create(family("g", "a"))
	require.True(t, c.now().Group("d", "g").Explicit)
	c.change(dropTable("g$a"))
	require.NotNil(t, c.now().Group("d", "g"), "a group that was created outlives its tables")
}

func TestGroups(t *testing.T) {
	c := newCatalogs(t)
	c.change(createGroup(Group{Database: "d", Name: "g", Explicit: true, Sharding: "NONE"}))
	c.refuses(ErrGroupExists, createGroup(Group{Database: "d", Name: "g"}))
	c.refuses(ErrNoDatabase, createGroup(Group{Database: "none", Name: "g"}))
	c.refuses(ErrNoGroup, func(c *CatalogChange) error { return c.DropGroup("d", "none") })
	c.refuses(ErrNoGroup, func(c *CatalogChange) error { return c.AlterGroup(Group{Database: "d", Name: "none"}) })
	c.create(family("g", "a"))
	c.refuses(ErrGroupNotEmpty, func(c *CatalogChange) error { return c.DropGroup("d", "g") })
	c.change(func(c *CatalogChange) error {
		return c.AlterGroup(Group{Database: "d", Name: "g", Explicit: true, Sharding: "ADAPTIVE"})
	})
	require.Equal(t, "ADAPTIVE", c.now().Group("d", "g").Sharding)
	c.change(dropTable("g$a"))
	c.change(func(c *CatalogChange) error { return c.DropGroup("d", "g") })
	require.Empty(t, c.now().Groups("d"))
}

// TestNames: tables and groups share one space of names.
func TestNames(t *testing.T) {
	c := newCatalogs(t)
	c.create(plain("t"), family("g", "a"))
	c.change(createGroup(Group{Database: "d", Name: "h", Explicit: true}))
	missing := plain("t")
	missing.Database = "none"
	c.refuses(ErrNoDatabase, createTable(missing))
	c.refuses(ErrTableExists, createTable(plain("t")))
	c.refuses(ErrTableExists, createTable(family("g", "a")))
	c.refuses(ErrGroupExists, createTable(plain("g")))
	c.refuses(ErrGroupExists, createTable(plain("h")))
	c.refuses(ErrTableExists, createGroup(Group{Database: "d", Name: "t"}))
	c.refuses(ErrTableExists, createTable(family("t", "a")))
	self := family("x", "a")
	self.Name = "x"
	c.refuses(ErrTableExists, createTable(self))
	c.create(plain("T"), family("G", "a"))
}

// TestPartitionedAlike: the tables of a group have one partitioning.
func TestPartitionedAlike(t *testing.T) {
	c := newCatalogs(t)
	c.create(family("g", "a"))
	unlike := family("g", "b")
	for _, scheme := range []*partition.Scheme{nil, {}, key(1), key(4)} {
		unlike.Partitioning = scheme
		c.refuses(ErrPartitioning, createTable(unlike))
	}
	c.create(family("g", "b"))
	other := family("h", "a")
	other.Partitioning = key(4)
	c.create(other)

	moved := *c.now().Table("d", "h$a")
	moved.Group, moved.Name = "g", "g$c"
	c.refuses(ErrPartitioning, func(c *CatalogChange) error { return c.AlterTable(moved) })
	require.NotNil(t, c.now().Group("d", "h"))
}

// TestUnpartitioned: a table that names no partitioning has one key space.
func TestUnpartitioned(t *testing.T) {
	c := newCatalogs(t)
	table := plain("t")
	table.Partitioning = nil
	c.create(table)
	require.Len(t, c.now().Table("d", "t").Spaces, 1)
}

// TestSpaces: key spaces are given to one table, once.
func TestSpaces(t *testing.T) {
	c := newCatalogs(t)
	c.create(plain("s"), plain("t"))
	s, before := c.now().Table("d", "s"), c.now().Table("d", "t")
	require.Equal(t, []SpaceID{1, 2, 3}, s.Spaces, "0 is no space of a table")
	require.Equal(t, []SpaceID{4, 5, 6}, before.Spaces)
	require.NotEqual(t, s.ID, before.ID)
	require.Empty(t, c.freed)

	c.change(func(c *CatalogChange) error { return c.TruncateTable("d", "t") })
	truncated := c.now().Table("d", "t")
	require.Equal(t, before.Spaces, c.freed)
	require.Equal(t, []SpaceID{7, 8, 9}, truncated.Spaces)
	require.Equal(t, before.ID, truncated.ID)
	require.NotSame(t, before, truncated)
	require.Equal(t, []SpaceID{4, 5, 6}, before.Spaces, "a descriptor is immutable")

	c.change(dropTable("t"))
	require.Equal(t, truncated.Spaces, c.freed)
	c.create(plain("t"))
	require.Equal(t, []SpaceID{10, 11, 12}, c.now().Table("d", "t").Spaces)
	require.Greater(t, c.now().Table("d", "t").ID, before.ID)

	c.change(func(c *CatalogChange) error {
		return errors.Join(c.TruncateTable("d", "t"), c.TruncateTable("d", "t"), c.DropTable("d", "s"))
	})
	require.Equal(t, []SpaceID{1, 2, 3, 10, 11, 12}, c.freed, "the spaces between were never stored")
	require.Same(t, c.now().Table("d", "t"), c.stored.Tables[0])
}

// TestSharedSpaces: a space of several partitions is freed with the last.
func TestSharedSpaces(t *testing.T) {
	c := newCatalogs(t)
	scheme, err := partition.NewRange([]string{"a", "b", "c"}, [][]byte{[]byte("h"), []byte("p"), nil})
	require.NoError(t, err)
	table := plain("t")
	table.Partitioning = scheme
	c.create(table)
	setSpaces := func(spaces ...SpaceID) {
		t.Helper()
		c.change(func(change *CatalogChange) error {
			next := *change.Catalog().Table("d", "t")
			next.Spaces = spaces
			return change.AlterTable(next)
		})
	}
	setSpaces(1, 1, 3)
	require.Equal(t, []SpaceID{2}, c.freed)
	setSpaces(1, 3, 3)
	require.Empty(t, c.freed)
	setSpaces(3, 3, 3)
	require.Equal(t, []SpaceID{1}, c.freed)
	c.change(dropTable("t"))
	require.Equal(t, []SpaceID{3}, c.freed, "once")
}

func TestAlterTable(t *testing.T) {
	c := newCatalogs(t)
	c.create(plain("s"), plain("t"), family("g", "a"))
	c.change(func(c *CatalogChange) error { return c.CreateDatabase(Database{Name: "e"}) })
	altered := func(name string, edit func(*Table)) func(*CatalogChange) error {
		next := *c.now().Table("d", name)
		edit(&next)
		return func(c *CatalogChange) error { return c.AlterTable(next) }
	}
	before := c.now().Table("d", "t")
	c.change(altered("t", func(t *Table) { t.Comment = "new" }))
	require.Equal(t, "new", c.now().Table("d", "t").Comment)
	require.Empty(t, before.Comment, "a descriptor is immutable")
	require.Empty(t, c.freed)

	c.refuses(ErrTableExists, altered("t", func(t *Table) { t.Name = "s" }))
	c.refuses(ErrGroupExists, altered("t", func(t *Table) { t.Name = "g" }))
	c.refuses(ErrNoDatabase, altered("t", func(t *Table) { t.Database = "none" }))
	c.refuses(ErrNoTable, altered("t", func(t *Table) { t.ID = 99 }))
	c.refuses(ErrTableExists, altered("t", func(t *Table) { t.Name, t.Group, t.Family = "s$a", "s", "a" }))

	c.change(altered("t", func(t *Table) { t.Database, t.Name = "e", "u" }))
	require.Nil(t, c.now().Table("d", "t"))
	require.Equal(t, before.ID, c.now().Table("e", "u").ID)
	require.Equal(t, before.Spaces, c.now().Table("e", "u").Spaces)
	require.Empty(t, c.freed)

	c.change(altered("g$a", func(t *Table) { t.Name, t.Group = "h$a", "h" }))
	require.Equal(t, []string{"h"}, groupNames(c.now().Groups("d")), "the groups follow")
	c.refuses(ErrNoDatabase, altered("h$a", func(t *Table) { t.Database = "none" }))
	c.change(altered("h$a", func(t *Table) { t.Name, t.Group, t.Family = "h", "", "" }))
	require.Empty(t, c.now().Groups("d"), "a table may take the name of the group that it was the last of")
}

func TestMissingTable(t *testing.T) {
	c := newCatalogs(t)
	c.create(family("g", "a"))
	for _, name := range []string{"none", "g", "G$a"} {
		c.refuses(ErrNoTable, dropTable(name))
		c.refuses(ErrNoTable, func(c *CatalogChange) error { return c.TruncateTable("d", name) })
	}
}

// TestChangeIsPrivate: readers of the old catalog see nothing of a change.
func TestChangeIsPrivate(t *testing.T) {
	c := newCatalogs(t)
	c.create(plain("t"), family("g", "a"))
	old, version := c.now(), c.now().Version()
	tables, groups := maps.Clone(old.tables), maps.Clone(old.groups)
	change := c.stored.Change()
	_, err := change.CreateTable(plain("new"))
	require.NoError(t, errors.Join(err, change.DropTable("d", "g$a"), change.TruncateTable("d", "t"),
		change.CreateDatabase(Database{Name: "e"})))
	require.Equal(t, tables, old.tables)
	require.Equal(t, groups, old.groups)
	require.Equal(t, tables, c.now().tables, "nor is the stored one changed before Finish")
	next, _ := change.Finish(c.stored)
	require.Equal(t, version+1, next.Catalog().Version())
	require.Equal(t, version, c.now().Version())
}

// TestStored holds the stored form, which is an on-disk format.
func TestStored(t *testing.T) {
	const want = `{"version":3,"next_id":2,"next_space":4,"databases":[{"name":"d"}],` +
		`"groups":[{"database":"d","name":"g"}],` +
		`"tables":[` +
		`{"id":1,"database":"d","name":"g$a","group":"g","family":"a","hbase":true,"max_row":1024,"max_qualifier":256,` +
		`"value":{"kind":"varbinary","max":1048576,"nullable":true},` +
		`"prefixes":[{"name":"K_PREFIX","length":2,"max":4,"stored":true}],"comment":"c","created":1700000000000,` +
		`"partitioning":{"method":2,"n":3,"prefix":2},"partition_column":"K_PREFIX","spaces":[1,2,3]},` +
		`{"id":2,"database":"d","name":"t","max_row":0,"max_qualifier":0,"value":{"kind":"blob","max":65535},` +
		`"created":0,"partitioning":null,"spaces":[4]}]}`
	c := newCatalogs(t)
	full := family("g", "a")
	full.HBase, full.MaxRow, full.MaxQualifier, full.Comment, full.Created = true, 1024, 256, "c", 1700000000000
	full.Value = ValueType{Kind: VarBinary, Max: 1 << 20, Nullable: true}
	full.Prefixes = []PrefixColumn{{Name: "K_PREFIX", Length: 2, Max: 4, Stored: true}}
	full.PartitionColumn = "K_PREFIX"
	full.Partitioning, _ = partition.NewPrefixKey(3, 2)
	bare := plain("t")
	bare.Partitioning = nil
	c.create(full)
	c.create(bare)
	data, err := json.Marshal(c.stored)
	require.NoError(t, err)
	require.Equal(t, want, string(data))

	back, err := ParseStoredCatalog(data)
	require.NoError(t, err)
	require.Equal(t, c.stored, back)
	require.Equal(t, c.now(), back.Catalog())
	again, err := json.Marshal(back)
	require.NoError(t, err)
	require.Equal(t, want, string(again))
}

// TestStoredIsStable: the stored form does not depend on the order of maps.
func TestStoredIsStable(t *testing.T) {
	c := newCatalogs(t)
	for _, name := range []string{"q", "z", "a", "m", "c", "x", "b"} {
		c.create(plain(name), family("g"+name, "f"))
	}
	first, err := json.Marshal(c.stored)
	require.NoError(t, err)
	for range 20 {
		next, freed := c.stored.Change().Finish(c.stored)
		next.Version = c.stored.Version
		data, err := json.Marshal(next)
		require.NoError(t, err)
		require.Equal(t, string(first), string(data))
		require.Empty(t, freed)
	}
}

func TestParseStoredErrors(t *testing.T) {
	for _, text := range []string{"", "x", "[]", `{"tables":[{"partitioning":{"method":77}}]}`, `{"version":-1}`} {
		_, err := ParseStoredCatalog([]byte(text))
		require.ErrorIs(t, err, ErrFormat, text)
	}
}

// A catalog that was stored before columns had names of their own.
func TestColumnNames(t *testing.T) {
	old, err := ParseStoredCatalog([]byte(`{"databases":[{"name":"d"}],"tables":[{"id":1,"database":"d","name":"t"}]}`))
	require.NoError(t, err)
	table := *old.Catalog().Table("d", "t")
	require.Equal(t, [4]string{"K", "Q", "T", "V"}, table.ColumnNames())
	before, err := json.Marshal(table)
	require.NoError(t, err)
	require.NotContains(t, string(before), "labels")
	require.NotContains(t, string(before), "text")

	table.SetColumn(0, Label{Name: "k", Comment: "row"})
	table.SetColumn(3, Label{Name: "V"})
	require.Equal(t, [4]string{"k", "Q", "T", "V"}, table.ColumnNames())
	require.Equal(t, [4]Label{{Name: "k", Comment: "row"}}, table.Labels)
}

func TestAlterDatabase(t *testing.T) {
	c := newCatalogs(t)
	text := Text{Charset: "latin1", Collation: "latin1_bin"}
	c.change(func(c *CatalogChange) error { return c.AlterDatabase(Database{Name: "d", Text: text}) })
	require.Equal(t, text, c.now().Database("d").Text)
	c.refuses(ErrNoDatabase, func(c *CatalogChange) error { return c.AlterDatabase(Database{Name: "none"}) })
}
