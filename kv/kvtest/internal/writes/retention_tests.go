package writes

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/tandem"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// RetentionTests are the tests of tables that do not keep everything.
var RetentionTests = []fixture.Test{
	{Name: "TTL", Run: testTTL, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "MaxVersions", Run: testMaxVersions, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "MinVersions", Run: testMinVersions, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "Families", Run: testRetentionOfFamilies, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "Moment", Run: testRetentionMoment, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "OwnWrites", Run: testRetentionOfOwnWrites, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "PutIfAbsent", Run: testPutIfAbsentHidden, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "PutNext", Run: testPutNextHidden, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "DeleteVersion", Run: testDeleteHides, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "DeleteExpiring", Run: testDeleteExpiring, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "UndeleteExpiring", Run: testUndeleteExpiring, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "Alter", Run: testAlterRetention, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "Serial", Run: testSerialRetention, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "Stats", Run: testRetentionStats, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "Late", Run: testLateRetention, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "LongColumns", Run: testRetentionOfLongColumns, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "NextRow", Run: testRetentionOfNextRow, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
	{Name: "Scans", Run: testRetentionScans, Needs: fixture.OwnTime | fixture.AnyTime | fixture.ManyRows},
}

// retain sets the retention of tables.
func retain(f *fixture.Fixture, r kv.Retention, tables ...string) {
	f.Helper()
	f.Change(func(c *kv.CatalogChange) error {
		for _, name := range tables {
			t := *c.Catalog().Table(fixture.Database, name)
			t.Retention = r
			if err := c.AlterTable(t); err != nil {
				return err
			}
		}
		return nil
	})
}

// setOldest sets the clock so that, with a TTL of one second, this timestamp is the oldest that has not
// expired.
func setOldest(f *fixture.Fixture, t int64) { f.Clock.Ms.Store(t + 1000) }

func times(lo, hi int64) kv.TimeRange { return kv.TimeRange{Min: lo, Max: hi, Bounded: true} }

// versions returns the range from one version of a column to another, inclusive.
func versions(row, qualifier string, newest, oldest int64) []kv.Range {
	return []kv.Range{{Start: fixture.AtCell(row, qualifier, newest), End: fixture.After(fixture.AtCell(row, qualifier, oldest))}}
}

// requireViews requires that scans return what is wanted, forward and in reverse and in all storage.
func requireViews(f *fixture.Fixture, cells string, want []wantView) {
	f.Helper()
	f.Put("s", strings.Fields(cells)...)
	f.Storage(func() {
		for _, w := range want {
			if w.scan.Ordered = true; w.scan.FirstPerRow {
				require.Equal(f, w.want, f.Read(w.scan, "s"), fixture.DescribeScan(w.scan))
				continue
			}
			f.BothWays(w.scan, w.want)
		}
	})
}

type wantView struct {
	scan kv.Scan
	want string
}

// testTTL requires that a version expires in the millisecond in which it becomes older than the time to live,
// in every view.
func testTTL(f *fixture.Fixture) {
	retain(f, kv.Retention{TTLSeconds: 1}, "s")
	setOldest(f, 3)
	requireViews(f, "a/p/9= a/p/3= a/p/2= a/p/-3= b/p/2= b/q/3= c/p/9223372036854775807= c/p/-9223372036854775807=", []wantView{
		{kv.Scan{}, "a/p/9 a/p/3 b/q/3 c/p/9223372036854775807"},
		{kv.Scan{MaxVersions: 1}, "a/p/9 b/q/3 c/p/9223372036854775807"},
		{kv.Scan{FirstPerRow: true}, "a/p/9 b/q/3 c/p/9223372036854775807"},
		{kv.Scan{Time: times(-9, 8), MaxVersions: 1}, "a/p/3 b/q/3"},
		{kv.Scan{Time: times(-9, 2)}, ""},
		{kv.Scan{Ranges: versions("a", "p", 8, -9)}, "a/p/3"},
		{kv.Scan{Ranges: versions("b", "p", 2, 2)}, ""},
		{kv.Scan{Ranges: []kv.Range{{Start: fixture.AtRow("b"), End: fixture.After(fixture.AtRow("b"))}}, MaxVersions: 1}, "b/q/3"},
	})
	setOldest(f, 4)
	require.Equal(f, "a/p/9 c/p/9223372036854775807", f.Read(kv.Scan{Ordered: true}, "s"))
	setOldest(f, math.MaxInt64-1000)
	require.Equal(f, "c/p/9223372036854775807", f.Read(kv.Scan{Ordered: true}, "s"))
}

// testMaxVersions requires that only the newest versions count, even if a scan does not ask for the newer
// ones.
func testMaxVersions(f *fixture.Fixture) {
	retain(f, kv.Retention{MaxVersions: 2}, "s")
	requireViews(f, "a/p/9= a/p/3= a/p/2= a/p/-3= a/q/1= b/p/2= b/p/-2= c/p/3= c/p/2= c/p/1=", []wantView{
		{kv.Scan{}, "a/p/9 a/p/3 a/q/1 b/p/2 b/p/-2 c/p/3 c/p/2"},
		{kv.Scan{MaxVersions: 1}, "a/p/9 a/q/1 b/p/2 c/p/3"},
		{kv.Scan{MaxVersions: 3}, "a/p/9 a/p/3 a/q/1 b/p/2 b/p/-2 c/p/3 c/p/2"},
		{kv.Scan{Time: times(-9, 2)}, "a/q/1 b/p/2 b/p/-2 c/p/2"},
		{kv.Scan{Time: times(-9, 3)}, "a/p/3 a/q/1 b/p/2 b/p/-2 c/p/3 c/p/2"},
		{kv.Scan{Time: times(-9, 1)}, "a/q/1 b/p/-2"},
		{kv.Scan{Time: times(2, math.MaxInt64)}, "a/p/9 a/p/3 b/p/2 c/p/3 c/p/2"},
		{kv.Scan{Time: times(-9, 2), MaxVersions: 1}, "a/q/1 b/p/2 c/p/2"},
		{kv.Scan{Ranges: versions("a", "p", 8, -9)}, "a/p/3"},
		{kv.Scan{Ranges: versions("a", "p", 2, -9)}, ""},
		{kv.Scan{Ranges: []kv.Range{{Start: fixture.AtCell("a", "p", 2)}}, MaxVersions: 1}, "a/q/1 b/p/2 c/p/3"},
		{kv.Scan{Slices: []int{0, 1}, Time: times(-9, 2), Partitions: []int{}}, ""},
	})
}

// testMinVersions requires that only the newest versions stay after they have expired.
func testMinVersions(f *fixture.Fixture) {
	retain(f, kv.Retention{TTLSeconds: 1, MinVersions: 2, MaxVersions: 3}, "s")
	setOldest(f, 3)
	cells := "a/p/9= a/p/5= a/p/3= a/p/2= b/p/2= b/p/1= b/p/0= b/p/-3= c/p/7= c/p/-7= c/p/-8= d/p/9= d/p/8= d/p/7= d/p/6="
	requireViews(f, cells, []wantView{
		{kv.Scan{}, "a/p/9 a/p/5 a/p/3 b/p/2 b/p/1 c/p/7 c/p/-7 d/p/9 d/p/8 d/p/7"},
		{kv.Scan{MaxVersions: 1}, "a/p/9 b/p/2 c/p/7 d/p/9"},
		{kv.Scan{MaxVersions: 2}, "a/p/9 a/p/5 b/p/2 b/p/1 c/p/7 c/p/-7 d/p/9 d/p/8"},
		{kv.Scan{Time: times(-9, 4)}, "a/p/3 b/p/2 b/p/1 c/p/-7"},
		{kv.Scan{Time: times(-9, 1)}, "b/p/1 c/p/-7"},
		{kv.Scan{Time: times(-9, 1), FirstPerRow: true}, "b/p/1 c/p/-7"},
		{kv.Scan{Ranges: versions("b", "p", 1, -9)}, "b/p/1"},
	})
	setOldest(f, 6)
	require.Equal(f, "a/p/9 a/p/5 b/p/2 b/p/1 c/p/7 c/p/-7 d/p/9 d/p/8 d/p/7", f.Read(kv.Scan{Ordered: true}, "s"))
}

// testRetentionOfFamilies requires that each family of a scan has its own retention.
func testRetentionOfFamilies(f *fixture.Fixture) {
	retain(f, kv.Retention{TTLSeconds: 1}, "g$a")
	retain(f, kv.Retention{MaxVersions: 1}, "g$b")
	setOldest(f, 3)
	cells := strings.Fields("a/p/5= a/p/2= b/p/2= b/p/1= c/p/9= c/p/3=")
	f.Put("g$a", cells...)
	f.Put("g$b", cells...)
	f.Storage(func() {
		require.Equal(f, "0:a/p/5 1:a/p/5 1:b/p/2 0:c/p/9 0:c/p/3 1:c/p/9",
			f.Read(kv.Scan{Ordered: true}, "g$a", "g$b"))
		require.Equal(f, "1:c/p/3 1:c/p/9 0:c/p/9 0:b/p/2 1:a/p/5 0:a/p/5",
			f.Read(kv.Scan{Ordered: true, Reverse: true, Time: times(2, math.MaxInt64)}, "g$b", "g$a"))
		require.Equal(f, "1:b/p/2 0:c/p/3", f.Read(kv.Scan{Ordered: true, Time: times(-9, 4)}, "g$a", "g$b"))
	})
}

// testRetentionMoment requires that a transaction has one fixed time, so that what it sees does not change
// with the clock.
func testRetentionMoment(f *fixture.Fixture) {
	retain(f, kv.Retention{TTLSeconds: 1, MinVersions: 1}, "s")
	setOldest(f, 1)
	f.Put("s", "a/p/5=", "a/p/2=", "a/p/1=")
	tx := f.Begin()
	require.Equal(f, int64(1001), tx.Now())
	s := kv.Scan{Ordered: true}
	before := f.ReadIn(tx, s, "s")
	require.Equal(f, "a/p/5 a/p/2 a/p/1", before)
	setOldest(f, 6)
	require.Equal(f, before, f.ReadIn(tx, s, "s"))
	require.Equal(f, "a/p/5", f.Read(s, "s"))
	require.NoError(f, tx.Renew(context.Background()))
	require.Equal(f, int64(1006), tx.Now())
	require.Equal(f, "a/p/5", f.ReadIn(tx, s, "s"))
}

// testRetentionOfOwnWrites requires that a transaction's own writes count as stored versions do, and no
// longer count after they are undone.
func testRetentionOfOwnWrites(f *fixture.Fixture) {
	retain(f, kv.Retention{MaxVersions: 2, TTLSeconds: 1, MinVersions: 1}, "s")
	setOldest(f, 2)
	f.Put("s", "a/p/5=", "a/p/3=", "b/p/1=")
	tx := f.Begin()
	before := tx.Savepoint()
	require.NoError(f, f.PutIn(tx, "s", "a/p/4=", "a/p/1=", "b/p/0=", "c/p/-1="))
	for _, s := range []kv.Scan{{}, {Reverse: true}} {
		s.Ordered = true
		want := "a/p/5 a/p/4 b/p/1 c/p/-1"
		if s.Reverse {
			want = "c/p/-1 b/p/1 a/p/4 a/p/5"
		}
		require.Equal(f, want, f.ReadIn(tx, s, "s"))
		s.Time = times(-9, 4)
		require.Equal(f, strings.TrimSuffix(strings.TrimPrefix(want, "a/p/5 "), " a/p/5"), f.ReadIn(tx, s, "s"))
		s.Time, s.At = kv.TimeRange{}, before
		require.Equal(f, f.Read(kv.Scan{Ordered: true, Reverse: s.Reverse}, "s"), f.ReadIn(tx, s, "s"))
	}
	tx.RollbackTo(before)
	require.Equal(f, "a/p/5 a/p/3 b/p/1", f.ReadIn(tx, kv.Scan{Ordered: true}, "s"))
}

// testPutIfAbsentHidden requires that a hidden version counts as absent.
func testPutIfAbsentHidden(f *fixture.Fixture) {
	retain(f, kv.Retention{MaxVersions: 2, TTLSeconds: 1}, "s")
	setOldest(f, 2)
	f.Put("s", "a/p/5=old", "a/p/4=old", "a/p/3=old", "a/p/1=old", "b/p/1=old")
	f.Storage(func() {
		tx := f.Begin()
		defer tx.Rollback()
		for _, c := range []struct {
			cell    string
			written bool
		}{{"a/p/5=new", false}, {"a/p/4=new", false}, {"a/p/3=new", true}, {"a/p/1=new", true}, {"b/p/1=new", true},
			{"b/p/2=new", true}, {"b/p/2=newer", false}} {
			written, err := tx.PutIfAbsent(f.Ctx, f.Tables(tx, []string{"s"})[0], fixture.ParseCell(f, c.cell))
			require.NoError(f, err)
			require.Equal(f, c.written, written, c.cell)
		}
		require.Equal(f, "a/p/5=old a/p/4=old b/p/2=new", f.ReadIn(tx, fixture.Everything, "s"))
	})
}

// testPutNextHidden requires that a hidden version does not occupy a timestamp, and that a new version is not
// hidden.
func testPutNextHidden(f *fixture.Fixture) {
	retain(f, kv.Retention{MaxVersions: 2}, "s")
	f.Put("s", "a/p/9=", "a/p/5=", "a/p/3=")
	for _, c := range []struct{ from, at int64 }{{3, 6}, {3, 7}, {5, 8}, {9, 10}, {11, 11}, {3, 12}, {20, 20}, {3, 13},
		{math.MaxInt64, math.MaxInt64}, {3, 21}} {
		f.Write(func(tx kv.Txn) error {
			at, err := tx.PutNext(f.Ctx, f.Tables(tx, []string{"s"})[0],
				kv.Cell{Row: []byte("a"), Qualifier: []byte("p"), Timestamp: c.from})
			require.Equal(f, c.at, at, "from %d", c.from)
			return err
		})
	}
	tx := f.Begin()
	_, err := tx.PutNext(f.Ctx, f.Tables(tx, []string{"s"})[0],
		kv.Cell{Row: []byte("a"), Qualifier: []byte("p"), Timestamp: math.MaxInt64})
	require.ErrorIs(f, err, kv.ErrTimestampExhausted)
}

// testDeleteHides requires that removing a version does not reveal another.
func testDeleteHides(f *fixture.Fixture) {
	cells := []string{"a/p/9=", "a/p/5=", "a/p/3=", "a/p/2=", "a/p/1=", "b/p/2=", "b/p/1="}
	for _, c := range []struct {
		retention kv.Retention
		remove    []int64
		want      string
	}{
		{kv.Retention{MaxVersions: 2}, []int64{9}, "a/p/5 b/p/2 b/p/1"},
		{kv.Retention{MaxVersions: 3}, []int64{5, 9}, "a/p/3 b/p/2 b/p/1"},
		{kv.Retention{MaxVersions: 2}, []int64{1}, "a/p/9 a/p/5 b/p/2 b/p/1"},
		{kv.Retention{MaxVersions: 2}, []int64{4, 9, 5}, "b/p/2 b/p/1"},
		{kv.Retention{TTLSeconds: 1}, []int64{9}, "a/p/5 a/p/3"},
		{kv.Retention{TTLSeconds: 1, MinVersions: 4}, []int64{9}, "a/p/5 a/p/3 a/p/2 b/p/2 b/p/1"},
		{kv.Retention{TTLSeconds: 1, MinVersions: 1}, []int64{3, 5, 9}, "b/p/2"},
	} {
		retain(f, c.retention, "s")
		setOldest(f, 3)
		f.Put("s", cells...)
		f.Storage(func() {
			tx := f.Begin()
			defer tx.Rollback()
			start := tx.Savepoint()
			before := f.ReadIn(tx, kv.Scan{Ordered: true}, "s")
			for _, at := range c.remove {
				require.NoError(f, tx.DeleteVersion(f.Ctx, f.Tables(tx, []string{"s"})[0], []byte("a"), []byte("p"), at))
			}
			require.Equal(f, c.want, f.ReadIn(tx, kv.Scan{Ordered: true}, "s"), "%+v", c.retention)
			tx.RollbackTo(start)
			require.Equal(f, before, f.ReadIn(tx, kv.Scan{Ordered: true}, "s"), "%+v", c.retention)
		})
		f.Write(func(tx kv.Txn) error {
			t := f.Tables(tx, []string{"s"})[0]
			for _, at := range c.remove {
				if err := tx.DeleteVersion(f.Ctx, t, []byte("a"), []byte("p"), at); err != nil {
					return err
				}
			}
			return nil
		})
		require.Equal(f, c.want, f.Read(kv.Scan{Ordered: true}, "s"), "%+v", c.retention)
		f.Change(func(c *kv.CatalogChange) error { return c.TruncateTable(fixture.Database, "s") })
	}
	retain(f, kv.Retention{MaxVersions: 1}, "s")
	f.Put("s", cells...)
	f.Write(func(tx kv.Txn) error {
		return tx.DeleteColumn(f.Ctx, f.Tables(tx, []string{"s"})[0], []byte("a"), []byte("p"))
	})
	require.Equal(f, "b/p/2", f.Read(kv.Scan{Ordered: true}, "s"))
}

// testDeleteExpiring deletes a version while an older version of the column expires before the commit. The
// older one would then reappear as the newest, so the commit must be a conflict.
func testDeleteExpiring(f *fixture.Fixture) {
	retain(f, kv.Retention{TTLSeconds: 1, MinVersions: 1}, "s")
	f.Put("s", "a/p/9=", "a/p/5=", "b/p/9=", "b/p/5=")
	remove := func(row string) kv.Txn {
		tx := f.Begin()
		require.NoError(f, tx.DeleteVersion(f.Ctx, f.Tables(tx, []string{"s"})[0], []byte(row), []byte("p"), 9))
		return tx
	}
	setOldest(f, 3)
	first, second := remove("a"), remove("b")
	setOldest(f, 5)
	require.NoError(f, first.Commit(f.Ctx))
	setOldest(f, 6)
	require.ErrorIs(f, second.Commit(f.Ctx), kv.ErrConflict)
	require.Equal(f, "a/p/5 b/p/9", f.Read(kv.Scan{Ordered: true}, "s"))
}

// testUndeleteExpiring requires that the older version may expire before the commit if the deletion was
// undone.
func testUndeleteExpiring(f *fixture.Fixture) {
	retain(f, kv.Retention{TTLSeconds: 1, MinVersions: 1}, "s")
	f.Put("s", "a/p/9=", "a/p/5=", "b/p/9=", "b/p/7=")
	setOldest(f, 3)
	tx := f.Begin()
	remove := func(row string) {
		require.NoError(f, tx.DeleteVersion(f.Ctx, f.Tables(tx, []string{"s"})[0], []byte(row), []byte("p"), 9))
	}
	remove("b")
	before := tx.Savepoint()
	remove("a")
	tx.RollbackTo(before)
	setOldest(f, 7)
	require.NoError(f, tx.Commit(f.Ctx))
	require.Equal(f, "a/p/9 b/p/7", f.Read(kv.Scan{Ordered: true}, "s"))
}

// testAlterRetention requires that a changed retention takes effect at once, whether stricter or looser.
func testAlterRetention(f *fixture.Fixture) {
	f.Put("s", "a/p/5=", "a/p/3=", "a/p/2=")
	tx := f.Begin()
	require.Equal(f, "a/p/5 a/p/3 a/p/2", f.ReadIn(tx, kv.Scan{Ordered: true}, "s"))
	retain(f, kv.Retention{MaxVersions: 2}, "s")
	require.Equal(f, "a/p/5 a/p/3", f.Read(kv.Scan{Ordered: true}, "s"))
	require.Equal(f, "a/p/5 a/p/3 a/p/2", f.ReadIn(tx, kv.Scan{Ordered: true}, "s"), "in the view of before")
	retain(f, kv.Retention{MaxVersions: 1}, "s")
	require.Equal(f, "a/p/5", f.Read(kv.Scan{Ordered: true}, "s"))
	retain(f, kv.Retention{TTLSeconds: 1}, "s")
	setOldest(f, 6)
	require.Equal(f, "", f.Read(kv.Scan{Ordered: true}, "s"))
}

// testSerialRetention requires that a newer version that hides an older one is a conflict for a transaction
// that has read only older times.
func testSerialRetention(f *fixture.Fixture) {
	retain(f, kv.Retention{MaxVersions: 1}, "s")
	f.Put("s", "a/p/2=", "b/p/2=")
	for _, c := range []struct {
		write    string
		conflict bool
	}{{"a/p/9=", true}, {"b/p/1=", false}} {
		tx := fixture.Begin(f.Store, kv.TxnOptions{Serializable: true})
		require.Equal(f, "a/p/2", f.ReadIn(tx, kv.Scan{Ranges: versions("a", "p", 3, 2), Time: times(2, 3)}, "s"))
		require.NoError(f, f.PutIn(tx, "s", "x/p/1="))
		f.Put("s", c.write)
		err := tx.Commit(f.Ctx)
		require.Equal(f, c.conflict, err != nil, "%s: %v", c.write, err)
		if c.conflict {
			require.ErrorIs(f, err, kv.ErrConflict)
			f.Write(func(tx kv.Txn) error {
				return tx.DeleteColumn(f.Ctx, f.Tables(tx, []string{"s"})[0], []byte("a"), []byte("p"))
			})
			f.Put("s", "a/p/2=")
		}
	}
}

// testRetentionStats requires that exact statistics count only what is visible.
func testRetentionStats(f *fixture.Fixture) {
	if _, ok := f.Store.(kv.StatsReader); !ok {
		f.Skip("the store tells no sizes")
	}
	retain(f, kv.Retention{TTLSeconds: 1, MaxVersions: 2}, "s")
	setOldest(f, 2)
	f.Put("s", "a/p/9=v", "a/p/5=v", "a/p/3=v", "b/p/1=v", "c/p/2=v", "d/p/1=v")
	f.Storage(func() {
		parts, err := f.Store.(kv.StatsReader).TableStats(f.Ctx, f.Table("s"), true)
		require.NoError(f, err)
		var cells int64
		rows := map[string]bool{}
		for _, p := range parts {
			if cells += p.Cells; p.Cells > 0 {
				require.Positive(f, p.Bytes)
				rows[string(p.MinRow)], rows[string(p.MaxRow)] = true, true
			} else {
				require.Nil(f, p.MinRow)
			}
		}
		require.Equal(f, int64(3), cells)
		require.Equal(f, map[string]bool{"a": true, "c": true}, rows)
	})
}

// testLateRetention requires that a transaction that takes its snapshot late sees what its row keeps at that
// time.
func testLateRetention(f *fixture.Fixture) {
	retain(f, kv.Retention{TTLSeconds: 1, MinVersions: 1}, "s")
	f.Put("s", "a/p/5=old", "a/p/3=old", "b/p/3=old")
	setOldest(f, 4)
	for _, c := range []struct {
		cell    string
		written bool
	}{{"a/p/5=new", false}, {"a/p/3=new", true}, {"b/p/3=new", false}} {
		tx := fixture.Begin(f.Store, kv.TxnOptions{Single: true})
		t := tx.Catalog().Table(fixture.Database, "s")
		cell := fixture.ParseCell(f, c.cell)
		require.NoError(f, tx.LockRow(f.Ctx, t, cell.Row, kv.RowLock{}))
		row := kv.Range{Start: fixture.AtRow(string(cell.Row)), End: fixture.After(fixture.AtRow(string(cell.Row)))}
		text, err := fixture.ScanText(f.Ctx, tx, []*kv.Table{t}, &kv.Scan{Ranges: []kv.Range{row}})
		require.NoError(f, err)
		require.Equal(f, map[string]string{"a": "a/p/5", "b": "b/p/3"}[string(cell.Row)], text)
		written, err := tx.PutIfAbsent(f.Ctx, t, cell)
		require.NoError(f, err)
		require.Equal(f, c.written, written, c.cell)
		require.NoError(f, tx.Commit(f.Ctx))
	}
}

// testRetentionOfLongColumns tests columns with 10,000 versions.
func testRetentionOfLongColumns(f *fixture.Fixture) {
	const n = 10_000
	f.Write(func(tx kv.Txn) error {
		t := f.Tables(tx, []string{"s"})[0]
		for i := range int64(n) {
			for _, row := range []string{"a", "b"} {
				if err := tx.Put(f.Ctx, t, kv.Cell{Row: []byte(row), Qualifier: []byte("p"), Timestamp: i}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	f.Flush()
	setOldest(f, n-2)
	for _, c := range []struct {
		retention kv.Retention
		scan      kv.Scan
		want      string
	}{
		{kv.Retention{TTLSeconds: 1}, kv.Scan{}, "a/p/9999 a/p/9998 b/p/9999 b/p/9998"},
		{kv.Retention{TTLSeconds: 1, MinVersions: 3}, kv.Scan{}, "a/p/9999 a/p/9998 a/p/9997 b/p/9999 b/p/9998 b/p/9997"},
		{kv.Retention{TTLSeconds: 1, MinVersions: 1}, kv.Scan{}, "a/p/9999 a/p/9998 b/p/9999 b/p/9998"},
		{kv.Retention{TTLSeconds: 1, MinVersions: 3}, kv.Scan{Time: times(5, 9997)}, "a/p/9997 b/p/9997"},
		{kv.Retention{MaxVersions: 2}, kv.Scan{}, "a/p/9999 a/p/9998 b/p/9999 b/p/9998"},
		{kv.Retention{MaxVersions: 2}, kv.Scan{Time: times(5, 9998)}, "a/p/9998 b/p/9998"},
		{kv.Retention{MaxVersions: 5000}, kv.Scan{Time: times(5, 5001)}, "a/p/5001 a/p/5000 b/p/5001 b/p/5000"},
	} {
		retain(f, c.retention, "s")
		c.scan.Ordered = true
		f.BothWays(c.scan, c.want)
	}
	retain(f, kv.Retention{MaxVersions: 2}, "s")
	f.Write(func(tx kv.Txn) error {
		t := f.Tables(tx, []string{"s"})[0]
		return tx.DeleteVersion(f.Ctx, t, []byte("a"), []byte("p"), n-1)
	})
	require.Equal(f, "a/p/9998 b/p/9999 b/p/9998", f.Read(kv.Scan{Ordered: true}, "s"))
}

// testRetentionOfNextRow has a scan that meets one of the transaction's writes after a row without looking
// for what is stored in the next row. That write must not be taken for the newest version of its column.
func testRetentionOfNextRow(f *fixture.Fixture) {
	retain(f, kv.Retention{MaxVersions: 2}, "s")
	f.Put("s", "a/p/50", "b/p/100", "b/p/99")
	f.Storage(func() {
		tx := f.Begin()
		defer tx.Rollback()
		require.NoError(f, tx.Put(f.Ctx, f.Table("s"), kv.Cell{Row: []byte("b"), Qualifier: []byte("p"), Timestamp: 1}))
		rows := []kv.Range{{Start: fixture.AtRow("a"), End: fixture.After(fixture.AtRow("a"))}, versions("b", "p", 1, 1)[0]}
		require.Equal(f, "a/p/50", f.ReadIn(tx, kv.Scan{Ranges: rows, Ordered: true}, "s"))
	})
}

// testRetentionScans requires that scans of all kinds return the Model's results, for many retentions,
// millisecond by millisecond, with and without own writes.
func testRetentionScans(f *fixture.Fixture) {
	r := tandem.New(f)
	seed := testseed.Of(f)
	retentionScans(f, r, escapedSeed, 12)
	if fixture.OnAllLayouts() {
		retentionScans(f, r, seed, 12)
	} else {
		retentionScans(f, r, seed, 6)
	}
}

// escapedSeed is a seed with a scan whose batch ends within a column, with a zero byte in the qualifier,
// where the next batch continues.
const escapedSeed = 1795835732284995065

func retentionScans(f *fixture.Fixture, r *tandem.Tandem, seed uint64, rounds int) {
	g := tandem.NewGenerator(rand.New(rand.NewPCG(seed, 1)))
	for round := range rounds {
		for _, table := range fixture.TableNames {
			r.Step(g.Retain(table))
		}
		for range 6 {
			r.Step(tandem.WriteOp{Slot: tandem.Own, Kind: "put", Table: tandem.Pick(g, fixture.TableNames), Cells: cellsIn(g, f.Layout)})
		}
		if round%3 == 1 {
			r.Flush()
		}
		for ms := int64(998); ms < 1006; ms++ {
			r.Step(tandem.ClockOp{Clock: f.Clock, To: ms + int64(round%2)*1000})
			compareScans(r, g)
		}
		f.Clock.Ms.Store(fixture.Start)
	}
}

func cellsIn(g *tandem.Generator, l fixture.Layout) (cells []kv.Cell) {
	for range 8 {
		cells = append(cells, g.CellIn(l))
	}
	return cells
}

// compareScans compares scans in a transaction with own writes and in one without.
func compareScans(r *tandem.Tandem, g *tandem.Generator) {
	for range 3 {
		r.Step(tandem.WriteOp{Slot: 0, Kind: tandem.Pick(g, tandem.WriteKinds), Table: tandem.Pick(g, fixture.TableNames), Cells: cellsIn(g, r.Layout)})
		for _, slot := range []int{0, tandem.Own} {
			for range 4 {
				r.Step(tandem.ScanOp{Slot: slot, Tables: g.Scanned(), Scan: g.Scan()})
			}
		}
	}
	r.Step(tandem.EndOp{Slot: 0})
}
