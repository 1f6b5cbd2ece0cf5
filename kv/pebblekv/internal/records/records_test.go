package records

import (
	"fmt"
	"maps"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	descriptor "github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/partition"
)

// firstText is a catalog as format 1 had it.
const firstText = `{"version":3,"next_id":2,"next_space":4,"databases":[{"name":"d","charset":"latin1"},{"name":"a/b %c"}],` +
	`"groups":[{"database":"d","name":"g"}],` +
	`"tables":[` +
	`{"id":1,"database":"d","name":"g$a","group":"g","family":"a","hbase":true,"max_row":1024,"max_qualifier":256,` +
	`"value":{"kind":"varbinary","max":1048576,"nullable":true},` +
	`"prefixes":[{"name":"K_PREFIX","length":2,"max":4,"stored":true}],"comment":"c\nd","created":1700000000000,` +
	`"partitioning":{"method":2,"n":3,"prefix":2},"partition_column":"K_PREFIX","spaces":[1,2,3]},` +
	`{"id":2,"database":"d","name":"t","max_row":0,"max_qualifier":0,"value":{"kind":"blob","max":65535},` +
	`"created":0,"partitioning":{"method":3,"names":["p","q"],"upper":["bQ==",null]},"spaces":[4,4],"auto_splits":["bQ=="]}],` +
	`"views":[{"database":"a/b %c","name":"v","created":5,"query":"SELECT 1"}],` +
	`"filling":[9],"attributes":{"accounts":"{\"root\":1}","x/y":"z"}}`

// recordsText are the records of the same catalog; they are an on-disk format.
var recordsText = map[string]string{
	"catalog/head":                  `{"version":3,"next_id":2,"next_space":4,"filling":[9],"records":8}`,
	"catalog/database/d":            "{\"name\":\"d\"}\n{\"charset\":\"latin1\"}",
	"catalog/database/a%2Fb%20%25c": "{\"name\":\"a/b %c\"}\n",
	"catalog/group/d/g":             "{\"database\":\"d\",\"name\":\"g\"}\n",
	"catalog/table/1": "{\"spaces\":[1,2,3]}\n" +
		`{"id":1,"database":"d","name":"g$a","group":"g","family":"a","max_row":1024,"max_qualifier":256,` +
		`"value":{"kind":"varbinary","max":1048576,"nullable":true},"created":1700000000000,` +
		"\"partitioning\":{\"method\":2,\"n\":3,\"prefix\":2},\"partition_column\":\"K_PREFIX\"}\n" +
		`{"comment":"c\nd","hbase":true,"prefixes":[{"name":"K_PREFIX","length":2,"max":4,"stored":true}]}`,
	"catalog/table/2": "{\"spaces\":[4,4],\"auto_splits\":[\"bQ==\"]}\n" +
		`{"id":2,"database":"d","name":"t","max_row":0,"max_qualifier":0,"value":{"kind":"blob","max":65535},` +
		"\"created\":0,\"partitioning\":{\"method\":3,\"n\":2,\"names\":[\"p\",\"q\"],\"upper\":[\"bQ==\",null]}}\n",
	"catalog/view/a%2Fb%20%25c/v": "{\"database\":\"a/b %c\",\"name\":\"v\",\"created\":5}\n{\"query\":\"SELECT 1\"}",
	"catalog/attribute/accounts":  `{"root":1}`,
	"catalog/attribute/x%2Fy":     "z",
}

func open(t *testing.T) *pebble.DB {
	t.Helper()
	db, err := pebble.Open("d", &pebble.Options{FS: vfs.NewMem(), Comparer: cellkey.Comparer, Logger: silent{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func commit(t *testing.T, db *pebble.DB, add func(*pebble.Batch) error) {
	t.Helper()
	b := db.NewBatch()
	require.NoError(t, add(b))
	require.NoError(t, b.Commit(pebble.NoSync))
}

// all returns the records in a database.
func all(t *testing.T, db *pebble.DB) map[string]string {
	t.Helper()
	it, err := db.NewIter(nil)
	require.NoError(t, err)
	out := map[string]string{}
	for ok := it.First(); ok; ok = it.Next() {
		out[string(it.Key()[cellkey.SpaceLen:])] = string(it.Value())
	}
	require.NoError(t, it.Close())
	return out
}

func read(t *testing.T, db *pebble.DB) *keyspace.Catalog {
	t.Helper()
	c, ok, err := ReadFrom(db.NewIter)
	require.NoError(t, err)
	require.True(t, ok)
	return c
}

// TestTurned turns a catalog of format 1 into records with the same content.
func TestTurned(t *testing.T) {
	db := open(t)
	_, ok, err := ReadFrom(db.NewIter)
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, db.Set(cellkey.SystemKey(First), []byte(firstText), nil))
	first, err := ReadFirst([]byte(firstText))
	require.NoError(t, err)
	commit(t, db, func(b *pebble.Batch) error { return Turn(b, first) })
	require.Equal(t, recordsText, all(t, db))
	same(t, first, read(t, db))
}

// same requires that two catalogs have the same content.
func same(t *testing.T, want, got *keyspace.Catalog) {
	t.Helper()
	require.Equal(t, []any{want.Version(), want.NextID(), want.NextSpace, want.Filling, want.Size(), want.Retains()},
		[]any{got.Version(), got.NextID(), got.NextSpace, got.Filling, got.Size(), got.Retains()})
	require.Equal(t, said(t, want), said(t, got))
}

// said returns the records of a catalog.
func said(t *testing.T, c *keyspace.Catalog) map[string]string {
	t.Helper()
	db := open(t)
	commit(t, db, func(b *pebble.Batch) error { return Write(b, c, c.Everything()) })
	return all(t, db)
}

// TestWrite requires that a change writes the head and only the records that differ.
func TestWrite(t *testing.T) {
	db := open(t)
	c, err := ReadFirst([]byte(firstText))
	require.NoError(t, err)
	commit(t, db, func(b *pebble.Batch) error { return Turn(b, c) })
	for _, step := range []struct {
		change  func(*keyspace.Change) error
		records []string // that it writes, besides the head, or removes
	}{
		{func(c *keyspace.Change) error {
			_, err := c.CreateTable(kv.Table{Database: "d", Name: "h$f", Group: "h", Family: "f"})
			return err
		}, []string{"catalog/table/3", "catalog/group/d/h"}},
		{func(c *keyspace.Change) error {
			next := *c.Catalog().Table("d", "t")
			next.Name, next.Retention = "u", kv.Retention{TTLSeconds: 1}
			next.Attributes = descriptor.New(&struct{ Says string }{"x"})
			return c.AlterTable(next)
		}, []string{"catalog/table/2"}},
		{func(c *keyspace.Change) error { return c.DropTable("d", "h$f") },
			[]string{"catalog/table/3", "catalog/group/d/h"}},
		{func(c *keyspace.Change) error { return c.RenameView("a/b %c", "v", "d", "w") },
			[]string{"catalog/view/a%2Fb%20%25c/v", "catalog/view/d/w"}},
		{func(c *keyspace.Change) error { return c.SetAttribute("x/y", "") }, []string{"catalog/attribute/x%2Fy"}},
		{func(c *keyspace.Change) error { return c.SetAttribute("accounts", "") },
			[]string{"catalog/attribute/accounts"}},
		{func(*keyspace.Change) error { return nil }, nil},
		{func(c *keyspace.Change) error { return c.DropDatabase("d") },
			[]string{"catalog/database/d", "catalog/group/d/g", "catalog/table/1", "catalog/table/2",
				"catalog/view/d/w"}},
	} {
		before, change := all(t, db), c.Change()
		require.NoError(t, step.change(change))
		next, changed, _ := change.Finish()
		commit(t, db, func(b *pebble.Batch) error { return Write(b, next, changed) })
		same(t, next, read(t, db))
		after := all(t, db)
		differ := []string{}
		for name := range union(before, after) {
			if before[name] != after[name] && name != head {
				differ = append(differ, name)
			}
		}
		require.ElementsMatch(t, step.records, differ)
		c = next
	}
}

func union(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// TestManyChanges makes random changes one after the other, and requires the records of the last
// catalog.
func TestManyChanges(t *testing.T) {
	db, c := open(t), keyspace.New()
	for i := range 300 {
		change := c.Change()
		_ = change.CreateDatabase(kv.Database{Name: fmt.Sprint("d", i%3)})
		_, _ = change.CreateTable(kv.Table{Database: fmt.Sprint("d", i%3), Name: fmt.Sprint("t", i*7%20),
			Partitioning: &partition.Scheme{}})
		_ = change.DropTable(fmt.Sprint("d", i%3), fmt.Sprint("t", i*5%20))
		if i%50 == 49 {
			_ = change.DropDatabase(fmt.Sprint("d", i%3))
		}
		next, changed, _ := change.Finish()
		commit(t, db, func(b *pebble.Batch) error { return Write(b, next, changed) })
		c = next
	}
	same(t, c, read(t, db))
}

func TestDamaged(t *testing.T) {
	for _, text := range []string{"", "x", "[]", `{"tables":[{"partitioning":{"method":77}}]}`, `{"version":-1}`} {
		_, err := ReadFirst([]byte(text))
		require.ErrorIs(t, err, kv.ErrFormat, text)
	}
	for name, text := range map[string]string{
		head: "x", "catalog/table/1": "{}\nx", "catalog/table/2": "",
		"catalog/table/3":   "{\"spaces\":[5]}\n{\"id\":3}\n",
		"catalog/nothing/1": "{}", "catalog/database/d": "[]", "catalog/attribute/%zz": "", "catalog/": "",
		"catalog/group/d/g": "\n", "catalog/view/d/v": "{\"name\":1}",
	} {
		db := open(t)
		c, err := ReadFirst([]byte(firstText))
		require.NoError(t, err)
		commit(t, db, func(b *pebble.Batch) error { return Turn(b, c) })
		require.NoError(t, db.Set(cellkey.SystemKey(name), []byte(text), nil))
		_, _, err = ReadFrom(db.NewIter)
		require.ErrorIs(t, err, kv.ErrFormat, name)
		if name != "catalog/table/3" {
			require.ErrorContains(t, err, name)
		}
	}
	db := open(t)
	require.NoError(t, db.Set(cellkey.SystemKey("catalog/table/1"), []byte(recordsText["catalog/table/1"]), nil))
	_, _, err := ReadFrom(db.NewIter)
	require.ErrorContains(t, err, "no record catalog/head")
}

// silent is a logger that logs nothing.
type silent struct{}

func (silent) Infof(string, ...any)      {}
func (silent) Errorf(string, ...any)     {}
func (silent) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }
