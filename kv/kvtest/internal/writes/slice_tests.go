package writes

import (
	"math"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/partition"
)

// SliceTests are the tests of tables with slices of time that end at 1, 2 and 3.
var SliceTests = []fixture.Test{
	{Name: "Slices", Run: testSlices, Needs: fixture.Ddl(kv.ChangePartitions)},
	{Name: "NoSlice", Run: testNoSlice, Needs: fixture.Ddl(kv.ChangePartitions)},
	{Name: "DropSlices", Run: testDropSlices, Needs: fixture.Ddl(kv.ChangePartitions)},
	{Name: "MoveSlices", Run: testMoveSlices, Needs: fixture.Ddl(kv.ChangePartitions)},
	{Name: "RetentionSlices", Run: testRetentionOfSlices, Needs: fixture.Ddl(kv.ChangePartitions)},
}

// sliceCells are in all slices, in order. Some columns have versions in several
// slices.
var sliceCells = strings.Fields(`a/p/9=1 a/p/2=2 a/p/1=3 a/p/0=4 a/p/-1=5 a/p/-7=6 a/q/-3=7 b/p/2=8 b/p/-2=9 c/p/0=10`)

// testSlices requires that the versions of a column come in order from all
// slices, and that a scan reads only the slices that it asks for.
func testSlices(f *fixture.Fixture) {
	f.Put("s", sliceCells...)
	all := strings.Join(sliceCells, " ")
	leaves := func(of ...int) (out []int) {
		for _, slice := range of {
			out = append(out, fixture.Catalog(f.Store).Table(fixture.Database, "s").Partitioning.LeavesIn(slice)...)
		}
		slices.Sort(out)
		return out
	}
	time := func(lo, hi int64) kv.TimeRange { return kv.TimeRange{Min: lo, Max: hi, Bounded: true} }
	f.Storage(func() {
		require.Equal(f, all, f.All("s"))
		for _, c := range []struct {
			scan kv.Scan
			want string
		}{
			{kv.Scan{MaxVersions: 1}, "a/p/9 a/q/-3 b/p/2 c/p/0"},
			{kv.Scan{MaxVersions: 3}, "a/p/9 a/p/2 a/p/1 a/q/-3 b/p/2 b/p/-2 c/p/0"},
			{kv.Scan{FirstPerRow: true}, "a/p/9 b/p/2 c/p/0"},
			{kv.Scan{Slices: []int{0}}, "a/p/0 c/p/0"},
			{kv.Scan{Slices: []int{2}, MaxVersions: 1}, "a/p/2 b/p/2"},
			{kv.Scan{Leaves: leaves(1, 3), MaxVersions: 2}, "a/p/9 a/p/1 a/q/-3"},
			{kv.Scan{Leaves: leaves(2), MaxVersions: 1}, "a/p/2 b/p/2"},
			{kv.Scan{Leaves: leaves(2, 3), Slices: []int{1, 2}}, "a/p/2 b/p/2 b/p/-2"},
			{kv.Scan{Leaves: leaves(0), Time: time(1, 9)}, ""},
			{kv.Scan{Slices: []int{1, 3}, MaxVersions: 2}, "a/p/9 a/p/1 a/q/-3"},
			{kv.Scan{Slices: []int{}}, ""},
			{kv.Scan{Slices: []int{7}}, ""},
			{kv.Scan{Leaves: []int{}}, ""},
			{kv.Scan{Time: time(-2, 1)}, "a/p/1 a/p/0 a/p/-1 b/p/-2 c/p/0"},
			{kv.Scan{Time: time(-2, 1), MaxVersions: 1}, "a/p/1 b/p/-2 c/p/0"},
			{kv.Scan{Time: time(-9, -3)}, "a/p/-7 a/q/-3"},
			{kv.Scan{Time: time(-9, -3), Slices: []int{0, 1, 2}}, ""},
			{kv.Scan{Time: time(math.MinInt64, math.MinInt64)}, ""},
			{kv.Scan{Qualifiers: []kv.QualifierRange{{Start: []byte("q")}}}, "a/q/-3"},
		} {
			c.scan.Ordered = true
			if c.scan.FirstPerRow {
				require.Equal(f, c.want, f.Read(c.scan, "s"), fixture.DescribeScan(c.scan))
				continue
			}
			f.BothWays(c.scan, c.want)
		}
	})
}

// testRetentionOfSlices requires that the versions of a column count in all
// slices, whichever the scan asks for.
func testRetentionOfSlices(f *fixture.Fixture) {
	f.Put("s", sliceCells...)
	leaves := f.Table("s").Partitioning.LeavesIn(2)
	for _, c := range []struct {
		retention kv.Retention
		scan      kv.Scan
		want      string
	}{
		{kv.Retention{MaxVersions: 2}, kv.Scan{}, "a/p/9 a/p/2 a/q/-3 b/p/2 b/p/-2 c/p/0"},
		{kv.Retention{MaxVersions: 2}, kv.Scan{Slices: []int{0}}, "c/p/0"},
		{kv.Retention{MaxVersions: 2}, kv.Scan{Slices: []int{1}}, ""},
		{kv.Retention{MaxVersions: 2}, kv.Scan{Slices: []int{2}}, "a/p/2 b/p/2 b/p/-2"},
		{kv.Retention{MaxVersions: 2}, kv.Scan{Slices: []int{2}, MaxVersions: 1}, "a/p/2 b/p/2"},
		{kv.Retention{MaxVersions: 2}, kv.Scan{Leaves: leaves, Slices: []int{0, 2}}, "a/p/2 b/p/2 b/p/-2"},
		{kv.Retention{MaxVersions: 3}, kv.Scan{Time: times(-9, 1)}, "a/p/1 a/q/-3 b/p/-2 c/p/0"},
		{kv.Retention{TTLSeconds: 1}, kv.Scan{}, "a/p/9 a/p/2 a/p/1 b/p/2"},
		{kv.Retention{TTLSeconds: 1}, kv.Scan{Slices: []int{0, 1, 2}}, "a/p/2 a/p/1 b/p/2"},
		{kv.Retention{TTLSeconds: 1}, kv.Scan{Slices: []int{0}}, ""},
		{kv.Retention{TTLSeconds: 1, MinVersions: 2}, kv.Scan{Slices: []int{2, 3}}, "a/p/9 a/p/2 a/q/-3 b/p/2 b/p/-2"},
		{kv.Retention{TTLSeconds: 1, MinVersions: 1}, kv.Scan{Slices: []int{0, 2}}, "a/p/2 b/p/2 c/p/0"},
	} {
		retain(f, c.retention, "s")
		setOldest(f, 1)
		f.BothWays(c.scan, c.want)
	}
}

// testNoSlice requires that a timestamp outside all slices is refused, and that
// a change of slices is refused if a cell would have no place.
func testNoSlice(f *fixture.Fixture) {
	cell := kv.Cell{Row: []byte("a"), Qualifier: []byte("q"), Timestamp: math.MinInt64}
	tx := f.Begin()
	t := f.Tables(tx, []string{"s"})[0]
	require.ErrorIs(f, tx.Put(f.Ctx, t, cell), kv.ErrNoPartition)
	_, err := tx.PutIfAbsent(f.Ctx, t, cell)
	require.ErrorIs(f, err, kv.ErrNoPartition)
	_, err = tx.PutNext(f.Ctx, t, cell)
	require.ErrorIs(f, err, kv.ErrNoPartition)
	require.ErrorIs(f, tx.DeleteVersion(f.Ctx, t, cell.Row, cell.Qualifier, cell.Timestamp), kv.ErrNoPartition)
	require.NoError(f, f.PutIn(tx, "s", "a/q/3=x"), "the transaction stands")
	require.NoError(f, tx.Commit(f.Ctx))

	f.Change(func(c *kv.CatalogChange) error { return c.DropSlices(fixture.Database, "s", []int{3}) })
	require.Empty(f, f.All("s"))
	f.Put("s", "a/q/1=", "a/q/2=")
	tx = f.Begin()
	for _, ts := range []int64{3, -3, math.MaxInt64} {
		cell.Timestamp = ts
		require.ErrorIs(f, tx.Put(f.Ctx, f.Tables(tx, []string{"s"})[0], cell), kv.ErrNoPartition)
	}
	cell.Timestamp = 1
	_, err = tx.PutNext(f.Ctx, f.Tables(tx, []string{"s"})[0], cell)
	require.ErrorIs(f, err, kv.ErrNoPartition, "the first free time has no slice")
	cell.Timestamp = 0
	ts, err := tx.PutNext(f.Ctx, f.Tables(tx, []string{"s"})[0], cell)
	require.NoError(f, err)
	require.Zero(f, ts)
	require.NoError(f, tx.Commit(f.Ctx))
	require.Equal(f, "a/q/2= a/q/1= a/q/0=NULL", f.All("s"))
}

// testDropSlices requires that dropped slices are gone immediately and
// permanently, even for users that had the table open, and that added slices
// accept what had no place before.
func testDropSlices(f *fixture.Fixture) {
	f.Put("s", sliceCells...)
	f.Put("g$a", sliceCells...)
	f.Put("g$b", sliceCells...)
	f.Flush()
	reader, writer := f.Begin(), f.Begin()
	require.Len(f, strings.Fields(f.ReadIn(reader, fixture.Everything, "s")), len(sliceCells))
	require.NoError(f, f.PutIn(writer, "s", "z/q/9="))
	f.Change(func(c *kv.CatalogChange) error { return c.DropSlices(fixture.Database, "s", []int{0, 3}) })
	f.Change(func(c *kv.CatalogChange) error { return c.DropSlices(fixture.Database, "g$a", []int{1}) })
	f.Change(func(c *kv.CatalogChange) error { return c.TruncateSlices(fixture.Database, "g$b", []int{0}) })
	require.Len(f, strings.Fields(f.ReadIn(reader, fixture.Everything, "s")), len(sliceCells), "a snapshot stays")
	require.ErrorIs(f, writer.Commit(f.Ctx), kv.ErrCatalogChanged)
	f.Storage(func() {
		require.Equal(f, "a/p/2=2 a/p/1=3 a/p/-1=5 b/p/2=8 b/p/-2=9", f.All("s"))
		require.Equal(f, "a/p/9=1 a/p/2=2 a/p/0=4 a/p/-7=6 a/q/-3=7 b/p/2=8 b/p/-2=9 c/p/0=10", f.All("g$a"))
		require.Equal(f, "a/p/9=1 a/p/2=2 a/p/-7=6 a/q/-3=7 b/p/2=8 b/p/-2=9", f.All("g$b"), "the group is cut alike")
	})
	open := f.Begin()
	require.NoError(f, f.PutIn(open, "s", "a/p/0=new", "a/p/2=new"))
	f.Change(func(c *kv.CatalogChange) error {
		return c.AddSlices(fixture.Database, "s", &partition.Slices{Names: []string{"later", "max"}, Upper: []int64{5}, Max: true})
	})
	require.NoError(f, open.Commit(f.Ctx), "no cell has gone")
	f.Put("s", "a/p/9=again", "a/p/4=")
	f.Storage(func() {
		require.Equal(f, "a/p/9=again a/p/4= a/p/2=new a/p/1=3 a/p/0=new a/p/-1=5 b/p/2=8 b/p/-2=9", f.All("s"))
	})
}

// testMoveSlices moves cells from one set of slices to another, to none and
// back, together with concurrent writes and uncommitted ones.
func testMoveSlices(f *fixture.Fixture) {
	mover, ok := f.Store.(kv.Repartitioner)
	if !ok {
		f.Skip("the store moves no cells")
	}
	f.Put("g$a", sliceCells...)
	f.Put("g$b", sliceCells...)
	want := strings.Join(sliceCells, " ")
	for i, l := range append(fixture.SlicedLayouts(), fixture.Layouts()[2], fixture.SlicedLayouts()[2], fixture.Layouts()[4], fixture.SlicedLayouts()[0],
		fixture.Layouts()[0], fixture.SlicedLayouts()[1]) {
		open := f.Begin()
		require.NoError(f, f.PutIn(open, "g$a", "z/p/7=", "z/p/-1="))
		told := 0
		err := mover.Repartition(f.Ctx, fixture.Database, "g$a", func(t *kv.Table) error {
			t.Partitioning = l.Scheme
			return nil
		}, kv.MoveOptions{Progress: func(kv.MoveProgress) {
			if told++; told == 3 {
				f.Put("g$b", "a/p/3=m", "y/p/2=m", "y/p/-4=m")
			}
		}})
		require.NoError(f, err)
		require.NoError(f, open.Commit(f.Ctx))
		require.Equal(f, want+" z/p/7= z/p/-1=", f.All("g$a"), "%d %s", i, l.Name)
		require.Equal(f, strings.Replace(want, "a/p/9=1", "a/p/9=1 a/p/3=m", 1)+" y/p/2=m y/p/-4=m", f.All("g$b"))
		fixture.RequireSound(f.Ctx, f, f.Store, kv.CheckLookups)
		f.Write(func(tx kv.Txn) error {
			for _, column := range [][2]string{{"g$a", "z"}, {"g$b", "y"}} {
				if err := tx.DeleteColumn(f.Ctx, f.Tables(tx, column[:1])[0], []byte(column[1]), []byte("p")); err != nil {
					return err
				}
			}
			return tx.DeleteVersion(f.Ctx, f.Tables(tx, []string{"g$b"})[0], []byte("a"), []byte("p"), 3)
		})
		require.Equal(f, want, f.All("g$a"))
		require.Equal(f, want, f.All("g$b"))
	}
	f.Storage(func() { require.Equal(f, want, f.All("g$a")) })
	require.NoError(f, f.Store.(kv.Repartitioner).Repartition(f.Ctx, fixture.Database, "g$a", func(t *kv.Table) error {
		t.Partitioning = fixture.Layouts()[0].Scheme
		return nil
	}, kv.MoveOptions{}))
	f.Put("g$b", "a/p/-9223372036854775808=")
	before := f.Table("g$a")
	require.ErrorIs(f, f.Store.(kv.Repartitioner).Repartition(f.Ctx, fixture.Database, "g$a", func(t *kv.Table) error {
		t.Partitioning = fixture.SlicedLayouts()[0].Scheme
		return nil
	}, kv.MoveOptions{}), kv.ErrNoPartition)
	require.Equal(f, before, f.Table("g$a"))
}
