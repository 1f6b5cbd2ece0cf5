package pebblekv

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/records"
	"github.com/hbasekv/hbasekv/partition"
)

// TestFirstFormat requires that a store whose catalog is one record can be read, and is converted by
// the first Open that may write.
func TestFirstFormat(t *testing.T) {
	fs := vfs.NewMem()
	s, err := Open(Options{Dir: "d", FS: fs})
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	tx := kvtest.Begin(s, kv.TxnOptions{})
	require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: []byte("r")}))
	require.NoError(t, tx.Commit(t.Context()))
	toFirstFormat(t, s, `{"version":2,"next_id":1,"next_space":1,"databases":[{"name":"d"}],"groups":[{"database":"d","name":"g"}],`+
		`"tables":[{"id":1,"database":"d","name":"g$a","group":"g","family":"a","max_row":64,"max_qualifier":64,`+
		`"value":{"kind":"","max":100},"created":0,"partitioning":null,"spaces":[1],"comment":"c"}]}`)
	require.NoError(t, s.Close())

	for _, readOnly := range []bool{true, false, false, true} {
		s, err = Open(Options{Dir: "d", FS: fs, ReadOnly: readOnly})
		require.NoError(t, err)
		require.Equal(t, 1, len(readAll(t, kvtest.Begin(s, kv.TxnOptions{}), s.catalog().Tables("d"), &kv.Scan{})))
		c, err := s.Check(kv.CheckOptions{})
		require.NoError(t, err)
		report, err := c.Rest(t.Context())
		require.NoError(t, err)
		require.Empty(t, report.Damage)
		require.NoError(t, c.Close())
		require.NoError(t, s.Close())
	}
	s, err = Open(Options{Dir: "d", FS: fs})
	require.NoError(t, err)
	format, _, err := layout.Record(s.db.Get, layout.FormatRecord)
	require.NoError(t, err)
	require.Equal(t, "3", string(format))
	_, there, err := layout.Record(s.db.Get, records.First)
	require.NoError(t, err)
	require.False(t, there)
	createTable(t, s, "g", "b", &partition.Scheme{})
	require.NoError(t, s.Close())
}

// toFirstFormat gives a store a catalog of the first format.
func toFirstFormat(t *testing.T, s *Store, catalog string) {
	t.Helper()
	b := s.db.NewBatch()
	require.NoError(t, b.DeleteRange(cellkey.SystemKey("catalog/"), cellkey.SystemKey("catalog0"), nil))
	require.NoError(t, b.Set(cellkey.SystemKey(layout.FormatRecord), []byte("1"), nil))
	require.NoError(t, b.Set(cellkey.SystemKey(records.First), []byte(catalog), nil))
	require.NoError(t, b.Commit(pebble.Sync))
}

// said returns the content of a catalog, for comparison.
func said(c *kv.Catalog) string {
	var b strings.Builder
	for _, d := range c.Databases() {
		fmt.Fprintln(&b, d.Name)
		for _, g := range c.Groups(d.Name) {
			fmt.Fprintln(&b, " group", g.Name, g.Explicit)
		}
		for _, t := range c.AllTables(d.Name) {
			fmt.Fprintln(&b, " table", t.ID, t.Name, t.Group, t.Generation, t.Retention, t.Indexes, t.IndexOf,
				c.TableByID(t.ID) == t)
		}
		for _, v := range c.Views(d.Name) {
			fmt.Fprintln(&b, " view", v.Name, v.GroupDatabase, v.Group)
		}
	}
	for name := range c.AttributeNames() {
		fmt.Fprintln(&b, name, c.Attribute(name))
	}
	return b.String()
}

// randomDDL changes one or several descriptors; many changes fail, and change nothing.
func randomDDL(r *rand.Rand, c *kv.CatalogChange) error {
	database, other := fmt.Sprint("d", r.IntN(3)), fmt.Sprint("d", r.IntN(3))
	name, group := fmt.Sprint("t", r.IntN(9)), fmt.Sprint("g", r.IntN(4))
	switch r.IntN(13) {
	case 0:
		return c.CreateDatabase(kv.Database{Name: database})
	case 1, 2, 3:
		_, err := c.CreateTable(kv.Table{Database: database, Name: name, Partitioning: &partition.Scheme{}})
		return err
	case 4, 5:
		family := fmt.Sprint("f", r.IntN(2))
		_, err := c.CreateTable(kv.Table{Database: database, Name: group + "$" + family, Group: group, Family: family})
		return err
	case 6:
		return c.DropTable(database, name)
	case 7:
		if r.IntN(5) > 0 {
			return c.DropTable(database, group+"$f0")
		}
		return c.DropDatabase(database)
	case 8:
		t := c.Catalog().Table(database, name)
		if t == nil {
			return kv.ErrNoTable
		}
		next := *t
		next.Database, next.Name = other, fmt.Sprint("t", r.IntN(9))
		return c.AlterTable(next)
	case 9:
		return c.CreateView(kv.View{Database: database, Name: "v" + name, Group: group, GroupDatabase: other})
	case 10:
		_, err := c.AddIndex(database, name, kv.Index{Name: fmt.Sprint("i", r.IntN(3))}, kv.Table{})
		return err
	case 11:
		return c.SetAttribute("a"+name, []string{"", "x", "y"}[r.IntN(3)])
	}
	return c.TruncateTable(database, name)
}

// TestRandomDDL makes random changes of one and of several steps. They are complete after the store
// is closed and, after a power failure, up to before or after the last change.
func TestRandomDDL(t *testing.T) {
	r := seed(t)
	fs := newCrashable()
	s, err := Open(Options{Dir: "d", FS: fs})
	require.NoError(t, err)
	want := said(s.catalog())
	for i := range 400 {
		before := want
		err := s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
			for range 1 + r.IntN(4) {
				was := said(c.Catalog())
				if err := randomDDL(r, c); err != nil {
					require.Equal(t, was, said(c.Catalog()), "%v", err)
				}
			}
			if r.IntN(8) == 0 {
				return errNothing
			}
			return nil
		})
		want = said(s.catalog())
		if err != nil {
			require.ErrorIs(t, err, errNothing)
			require.Equal(t, before, want)
		}
		if i%20 == 0 {
			left := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: r})
			crashed, err := Open(Options{Dir: "d", FS: left})
			require.NoError(t, err)
			require.Equal(t, want, said(crashed.catalog()))
			require.Equal(t, s.catalog().Version(), crashed.catalog().Version())
			require.NoError(t, crashed.Close())
		}
		if i%40 == 0 {
			require.NoError(t, s.Close())
			s, err = Open(Options{Dir: "d", FS: fs})
			require.NoError(t, err)
			require.Equal(t, want, said(s.catalog()))
		}
	}
	require.NoError(t, s.Close())
}

// TestPowerLossDuringDDL cuts the power at each write of a change of several tables: the change is
// complete or not there.
func TestPowerLossDuringDDL(t *testing.T) {
	r := seed(t)
	fs := &cutFS{crashable: newCrashable(), random: r}
	s, err := Open(Options{Dir: "d", FS: fs})
	require.NoError(t, err)
	states := map[string]bool{said(s.catalog()): true}
	for i := range 12 {
		require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
			_ = c.CreateDatabase(kv.Database{Name: fmt.Sprint("d", i%4)})
			for n := range 40 {
				_, _ = c.CreateTable(kv.Table{Database: fmt.Sprint("d", i%4), Name: fmt.Sprint("t", i, "_", n),
					Partitioning: &partition.Scheme{}})
			}
			if i%3 == 2 {
				return c.DropDatabase(fmt.Sprint("d", (i-1)%4))
			}
			return nil
		}))
		states[said(s.catalog())] = true
	}
	require.NoError(t, s.Close())
	require.NotEmpty(t, fs.clones)
	for _, clone := range fs.clones {
		crashed, err := Open(Options{Dir: "d", FS: clone})
		require.NoError(t, err)
		require.True(t, states[said(crashed.catalog())], said(crashed.catalog()))
		require.NoError(t, crashed.Close())
	}
}

// cutFS keeps what a power failure leaves behind at each write of a log.
type cutFS struct {
	*crashable
	random *rand.Rand
	clones []*vfs.MemFS
}

func (fs *cutFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.crashable.Create(name, c)
	if err != nil || !strings.HasSuffix(name, ".log") {
		return f, err
	}
	return &cutFile{f, fs}, nil
}

type cutFile struct {
	vfs.File
	fs *cutFS
}

func (f *cutFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	lost := vfs.CrashCloneCfg{UnsyncedDataPercent: f.fs.random.IntN(101), RNG: f.fs.random}
	f.fs.clones = append(f.fs.clones, f.fs.CrashClone(lost))
	return n, err
}
