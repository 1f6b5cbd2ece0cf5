package kvtest

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// retentionTests are of tables that do not keep everything.
var retentionTests = []test{
	{"TTL", testTTL, ownTime | anyTime | manyRows},
	{"MaxVersions", testMaxVersions, ownTime | anyTime | manyRows},
	{"MinVersions", testMinVersions, ownTime | anyTime | manyRows},
	{"Families", testRetentionOfFamilies, ownTime | anyTime | manyRows},
	{"Moment", testRetentionMoment, ownTime | anyTime | manyRows},
	{"OwnWrites", testRetentionOfOwnWrites, ownTime | anyTime | manyRows},
	{"PutIfAbsent", testPutIfAbsentHidden, ownTime | anyTime | manyRows},
	{"PutNext", testPutNextHidden, ownTime | anyTime | manyRows},
	{"DeleteVersion", testDeleteHides, ownTime | anyTime | manyRows},
	{"DeleteExpiring", testDeleteExpiring, ownTime | anyTime | manyRows},
	{"UndeleteExpiring", testUndeleteExpiring, ownTime | anyTime | manyRows},
	{"Alter", testAlterRetention, ownTime | anyTime | manyRows},
	{"Serial", testSerialRetention, ownTime | anyTime | manyRows},
	{"Stats", testRetentionStats, ownTime | anyTime | manyRows},
	{"Late", testLateRetention, ownTime | anyTime | manyRows},
	{"LongColumns", testRetentionOfLongColumns, ownTime | anyTime | manyRows},
	{"NextRow", testRetentionOfNextRow, ownTime | anyTime | manyRows},
	{"Scans", testRetentionScans, ownTime | anyTime | manyRows},
}

// retain gives tables a retention.
func (f *fixture) retain(r kv.Retention, tables ...string) {
	f.Helper()
	f.change(func(c *kv.CatalogChange) error {
		for _, name := range tables {
			t := *c.Catalog().Table(database, name)
			t.Retention = r
			if err := c.AlterTable(t); err != nil {
				return err
			}
		}
		return nil
	})
}

// oldest sets the clock so that, after one second, this timestamp is the oldest
// that has not expired.
func (f *fixture) oldest(t int64) { f.clock.ms.Store(t + 1000) }

func times(lo, hi int64) kv.TimeRange { return kv.TimeRange{Min: lo, Max: hi, Bounded: true} }

// versions is a range from one version of a column to another, both included.
func versions(row, qualifier string, newest, oldest int64) []kv.Range {
	return []kv.Range{{Start: atCell(row, qualifier, newest), End: after(atCell(row, qualifier, oldest))}}
}

// views holds scans to what they must give, both ways and in all storage.
func (f *fixture) views(cells string, want []wantView) {
	f.Helper()
	f.put("s", strings.Fields(cells)...)
	f.storage(func() {
		for _, w := range want {
			if w.scan.Ordered = true; w.scan.FirstPerRow {
				require.Equal(f, w.want, f.read(w.scan, "s"), describeScan(w.scan))
				continue
			}
			f.bothWays(w.scan, w.want)
		}
	})
}

type wantView struct {
	scan kv.Scan
	want string
}

// testTTL: a version has expired from the millisecond on in which it is older than
// the time to live, whatever the view.
func testTTL(f *fixture) {
	f.retain(kv.Retention{TTLSeconds: 1}, "s")
	f.oldest(3)
	f.views("a/p/9= a/p/3= a/p/2= a/p/-3= b/p/2= b/q/3= c/p/9223372036854775807= c/p/-9223372036854775807=", []wantView{
		{kv.Scan{}, "a/p/9 a/p/3 b/q/3 c/p/9223372036854775807"},
		{kv.Scan{MaxVersions: 1}, "a/p/9 b/q/3 c/p/9223372036854775807"},
		{kv.Scan{FirstPerRow: true}, "a/p/9 b/q/3 c/p/9223372036854775807"},
		{kv.Scan{Time: times(-9, 8), MaxVersions: 1}, "a/p/3 b/q/3"},
		{kv.Scan{Time: times(-9, 2)}, ""},
		{kv.Scan{Ranges: versions("a", "p", 8, -9)}, "a/p/3"},
		{kv.Scan{Ranges: versions("b", "p", 2, 2)}, ""},
		{kv.Scan{Ranges: []kv.Range{{Start: atRow("b"), End: after(atRow("b"))}}, MaxVersions: 1}, "b/q/3"},
	})
	f.oldest(4)
	require.Equal(f, "a/p/9 c/p/9223372036854775807", f.read(kv.Scan{Ordered: true}, "s"))
	f.oldest(math.MaxInt64 - 1000)
	require.Equal(f, "c/p/9223372036854775807", f.read(kv.Scan{Ordered: true}, "s"))
}

// testMaxVersions: only the newest versions count, also where the newer ones are
// not asked for.
func testMaxVersions(f *fixture) {
	f.retain(kv.Retention{MaxVersions: 2}, "s")
	f.views("a/p/9= a/p/3= a/p/2= a/p/-3= a/q/1= b/p/2= b/p/-2= c/p/3= c/p/2= c/p/1=", []wantView{
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
		{kv.Scan{Ranges: []kv.Range{{Start: atCell("a", "p", 2)}}, MaxVersions: 1}, "a/q/1 b/p/2 c/p/3"},
		{kv.Scan{Slices: []int{0, 1}, Time: times(-9, 2), Partitions: []int{}}, ""},
	})
}

// testMinVersions: the newest stay though they have expired, and only they.
func testMinVersions(f *fixture) {
	f.retain(kv.Retention{TTLSeconds: 1, MinVersions: 2, MaxVersions: 3}, "s")
	f.oldest(3)
	cells := "a/p/9= a/p/5= a/p/3= a/p/2= b/p/2= b/p/1= b/p/0= b/p/-3= c/p/7= c/p/-7= c/p/-8= d/p/9= d/p/8= d/p/7= d/p/6="
	f.views(cells, []wantView{
		{kv.Scan{}, "a/p/9 a/p/5 a/p/3 b/p/2 b/p/1 c/p/7 c/p/-7 d/p/9 d/p/8 d/p/7"},
		{kv.Scan{MaxVersions: 1}, "a/p/9 b/p/2 c/p/7 d/p/9"},
		{kv.Scan{MaxVersions: 2}, "a/p/9 a/p/5 b/p/2 b/p/1 c/p/7 c/p/-7 d/p/9 d/p/8"},
		{kv.Scan{Time: times(-9, 4)}, "a/p/3 b/p/2 b/p/1 c/p/-7"},
		{kv.Scan{Time: times(-9, 1)}, "b/p/1 c/p/-7"},
		{kv.Scan{Time: times(-9, 1), FirstPerRow: true}, "b/p/1 c/p/-7"},
		{kv.Scan{Ranges: versions("b", "p", 1, -9)}, "b/p/1"},
	})
	f.oldest(6)
	require.Equal(f, "a/p/9 a/p/5 b/p/2 b/p/1 c/p/7 c/p/-7 d/p/9 d/p/8 d/p/7", f.read(kv.Scan{Ordered: true}, "s"))
}

// testRetentionOfFamilies: each family of a scan has its own.
func testRetentionOfFamilies(f *fixture) {
	f.retain(kv.Retention{TTLSeconds: 1}, "g$a")
	f.retain(kv.Retention{MaxVersions: 1}, "g$b")
	f.oldest(3)
	cells := strings.Fields("a/p/5= a/p/2= b/p/2= b/p/1= c/p/9= c/p/3=")
	f.put("g$a", cells...)
	f.put("g$b", cells...)
	f.storage(func() {
		require.Equal(f, "0:a/p/5 1:a/p/5 1:b/p/2 0:c/p/9 0:c/p/3 1:c/p/9",
			f.read(kv.Scan{Ordered: true}, "g$a", "g$b"))
		require.Equal(f, "1:c/p/3 1:c/p/9 0:c/p/9 0:b/p/2 1:a/p/5 0:a/p/5",
			f.read(kv.Scan{Ordered: true, Reverse: true, Time: times(2, math.MaxInt64)}, "g$b", "g$a"))
		require.Equal(f, "1:b/p/2 0:c/p/3", f.read(kv.Scan{Ordered: true, Time: times(-9, 4)}, "g$a", "g$b"))
	})
}

// testRetentionMoment: a transaction has one moment, and what it sees does not
// change with the clock.
func testRetentionMoment(f *fixture) {
	f.retain(kv.Retention{TTLSeconds: 1, MinVersions: 1}, "s")
	f.oldest(1)
	f.put("s", "a/p/5=", "a/p/2=", "a/p/1=")
	tx := f.begin()
	require.Equal(f, int64(1001), tx.Now())
	s := kv.Scan{Ordered: true}
	before := f.readIn(tx, s, "s")
	require.Equal(f, "a/p/5 a/p/2 a/p/1", before)
	f.oldest(6)
	require.Equal(f, before, f.readIn(tx, s, "s"))
	require.Equal(f, "a/p/5", f.read(s, "s"))
	require.NoError(f, tx.Renew(context.Background()))
	require.Equal(f, int64(1006), tx.Now())
	require.Equal(f, "a/p/5", f.readIn(tx, s, "s"))
}

// testRetentionOfOwnWrites: they count as stored versions do, and count no more
// once they are undone.
func testRetentionOfOwnWrites(f *fixture) {
	f.retain(kv.Retention{MaxVersions: 2, TTLSeconds: 1, MinVersions: 1}, "s")
	f.oldest(2)
	f.put("s", "a/p/5=", "a/p/3=", "b/p/1=")
	tx := f.begin()
	before := tx.Savepoint()
	require.NoError(f, f.putIn(tx, "s", "a/p/4=", "a/p/1=", "b/p/0=", "c/p/-1="))
	for _, s := range []kv.Scan{{}, {Reverse: true}} {
		s.Ordered = true
		want := "a/p/5 a/p/4 b/p/1 c/p/-1"
		if s.Reverse {
			want = "c/p/-1 b/p/1 a/p/4 a/p/5"
		}
		require.Equal(f, want, f.readIn(tx, s, "s"))
		s.Time = times(-9, 4)
		require.Equal(f, strings.TrimSuffix(strings.TrimPrefix(want, "a/p/5 "), " a/p/5"), f.readIn(tx, s, "s"))
		s.Time, s.At = kv.TimeRange{}, before
		require.Equal(f, f.read(kv.Scan{Ordered: true, Reverse: s.Reverse}, "s"), f.readIn(tx, s, "s"))
	}
	tx.RollbackTo(before)
	require.Equal(f, "a/p/5 a/p/3 b/p/1", f.readIn(tx, kv.Scan{Ordered: true}, "s"))
}

// testPutIfAbsentHidden: what is hidden is not there.
func testPutIfAbsentHidden(f *fixture) {
	f.retain(kv.Retention{MaxVersions: 2, TTLSeconds: 1}, "s")
	f.oldest(2)
	f.put("s", "a/p/5=old", "a/p/4=old", "a/p/3=old", "a/p/1=old", "b/p/1=old")
	f.storage(func() {
		tx := f.begin()
		defer tx.Rollback()
		for _, c := range []struct {
			cell    string
			written bool
		}{{"a/p/5=new", false}, {"a/p/4=new", false}, {"a/p/3=new", true}, {"a/p/1=new", true}, {"b/p/1=new", true},
			{"b/p/2=new", true}, {"b/p/2=newer", false}} {
			written, err := tx.PutIfAbsent(f.ctx, f.tables(tx, []string{"s"})[0], parseCell(f, c.cell))
			require.NoError(f, err)
			require.Equal(f, c.written, written, c.cell)
		}
		require.Equal(f, "a/p/5=old a/p/4=old b/p/2=new", f.readIn(tx, everything, "s"))
	})
}

// testPutNextHidden: a hidden version takes no timestamp, and a new one is not hidden.
func testPutNextHidden(f *fixture) {
	f.retain(kv.Retention{MaxVersions: 2}, "s")
	f.put("s", "a/p/9=", "a/p/5=", "a/p/3=")
	for _, c := range []struct{ from, at int64 }{{3, 6}, {3, 7}, {5, 8}, {9, 10}, {11, 11}, {3, 12}, {20, 20}, {3, 13},
		{math.MaxInt64, math.MaxInt64}, {3, 21}} {
		f.write(func(tx kv.Txn) error {
			at, err := tx.PutNext(f.ctx, f.tables(tx, []string{"s"})[0],
				kv.Cell{Row: []byte("a"), Qualifier: []byte("p"), Timestamp: c.from})
			require.Equal(f, c.at, at, "from %d", c.from)
			return err
		})
	}
	tx := f.begin()
	_, err := tx.PutNext(f.ctx, f.tables(tx, []string{"s"})[0],
		kv.Cell{Row: []byte("a"), Qualifier: []byte("p"), Timestamp: math.MaxInt64})
	require.ErrorIs(f, err, kv.ErrTimestampExhausted)
}

// testDeleteHides: to remove a version uncovers none.
func testDeleteHides(f *fixture) {
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
		f.retain(c.retention, "s")
		f.oldest(3)
		f.put("s", cells...)
		f.storage(func() {
			tx := f.begin()
			defer tx.Rollback()
			start := tx.Savepoint()
			before := f.readIn(tx, kv.Scan{Ordered: true}, "s")
			for _, at := range c.remove {
				require.NoError(f, tx.DeleteVersion(f.ctx, f.tables(tx, []string{"s"})[0], []byte("a"), []byte("p"), at))
			}
			require.Equal(f, c.want, f.readIn(tx, kv.Scan{Ordered: true}, "s"), "%+v", c.retention)
			tx.RollbackTo(start)
			require.Equal(f, before, f.readIn(tx, kv.Scan{Ordered: true}, "s"), "%+v", c.retention)
		})
		f.write(func(tx kv.Txn) error {
			t := f.tables(tx, []string{"s"})[0]
			for _, at := range c.remove {
				if err := tx.DeleteVersion(f.ctx, t, []byte("a"), []byte("p"), at); err != nil {
					return err
				}
			}
			return nil
		})
		require.Equal(f, c.want, f.read(kv.Scan{Ordered: true}, "s"), "%+v", c.retention)
		f.change(func(c *kv.CatalogChange) error { return c.TruncateTable(database, "s") })
	}
	f.retain(kv.Retention{MaxVersions: 1}, "s")
	f.put("s", cells...)
	f.write(func(tx kv.Txn) error {
		return tx.DeleteColumn(f.ctx, f.tables(tx, []string{"s"})[0], []byte("a"), []byte("p"))
	})
	require.Equal(f, "b/p/2", f.read(kv.Scan{Ordered: true}, "s"))
}

// testDeleteExpiring: where what a transaction has left beside what it deleted has
// expired by its commit, it would come back as one of the newest.
func testDeleteExpiring(f *fixture) {
	f.retain(kv.Retention{TTLSeconds: 1, MinVersions: 1}, "s")
	f.put("s", "a/p/9=", "a/p/5=", "b/p/9=", "b/p/5=")
	remove := func(row string) kv.Txn {
		tx := f.begin()
		require.NoError(f, tx.DeleteVersion(f.ctx, f.tables(tx, []string{"s"})[0], []byte(row), []byte("p"), 9))
		return tx
	}
	f.oldest(3)
	first, second := remove("a"), remove("b")
	f.oldest(5)
	require.NoError(f, first.Commit(f.ctx))
	f.oldest(6)
	require.ErrorIs(f, second.Commit(f.ctx), kv.ErrConflict)
	require.Equal(f, "a/p/5 b/p/9", f.read(kv.Scan{Ordered: true}, "s"))
}

// testUndeleteExpiring: what was left beside a deletion that was undone may expire.
func testUndeleteExpiring(f *fixture) {
	f.retain(kv.Retention{TTLSeconds: 1, MinVersions: 1}, "s")
	f.put("s", "a/p/9=", "a/p/5=", "b/p/9=", "b/p/7=")
	f.oldest(3)
	tx := f.begin()
	remove := func(row string) {
		require.NoError(f, tx.DeleteVersion(f.ctx, f.tables(tx, []string{"s"})[0], []byte(row), []byte("p"), 9))
	}
	remove("b")
	before := tx.Savepoint()
	remove("a")
	tx.RollbackTo(before)
	f.oldest(7)
	require.NoError(f, tx.Commit(f.ctx))
	require.Equal(f, "a/p/9 b/p/7", f.read(kv.Scan{Ordered: true}, "s"))
}

// testAlterRetention: it takes effect at once, both ways.
func testAlterRetention(f *fixture) {
	f.put("s", "a/p/5=", "a/p/3=", "a/p/2=")
	tx := f.begin()
	require.Equal(f, "a/p/5 a/p/3 a/p/2", f.readIn(tx, kv.Scan{Ordered: true}, "s"))
	f.retain(kv.Retention{MaxVersions: 2}, "s")
	require.Equal(f, "a/p/5 a/p/3", f.read(kv.Scan{Ordered: true}, "s"))
	require.Equal(f, "a/p/5 a/p/3 a/p/2", f.readIn(tx, kv.Scan{Ordered: true}, "s"), "in the view of before")
	f.retain(kv.Retention{MaxVersions: 1}, "s")
	require.Equal(f, "a/p/5", f.read(kv.Scan{Ordered: true}, "s"))
	f.retain(kv.Retention{TTLSeconds: 1}, "s")
	f.oldest(6)
	require.Equal(f, "", f.read(kv.Scan{Ordered: true}, "s"))
}

// testSerialRetention: a newer version hides an older one from those that have read
// only older times.
func testSerialRetention(f *fixture) {
	f.retain(kv.Retention{MaxVersions: 1}, "s")
	f.put("s", "a/p/2=", "b/p/2=")
	for _, c := range []struct {
		write    string
		conflict bool
	}{{"a/p/9=", true}, {"b/p/1=", false}} {
		tx := Begin(f.store, kv.TxnOptions{Serializable: true})
		require.Equal(f, "a/p/2", f.readIn(tx, kv.Scan{Ranges: versions("a", "p", 3, 2), Time: times(2, 3)}, "s"))
		require.NoError(f, f.putIn(tx, "s", "x/p/1="))
		f.put("s", c.write)
		err := tx.Commit(f.ctx)
		require.Equal(f, c.conflict, err != nil, "%s: %v", c.write, err)
		if c.conflict {
			require.ErrorIs(f, err, kv.ErrConflict)
			f.write(func(tx kv.Txn) error {
				return tx.DeleteColumn(f.ctx, f.tables(tx, []string{"s"})[0], []byte("a"), []byte("p"))
			})
			f.put("s", "a/p/2=")
		}
	}
}

// testRetentionStats: exact figures are those of what is there.
func testRetentionStats(f *fixture) {
	if _, ok := f.store.(kv.StatsReader); !ok {
		f.Skip("the store tells no sizes")
	}
	f.retain(kv.Retention{TTLSeconds: 1, MaxVersions: 2}, "s")
	f.oldest(2)
	f.put("s", "a/p/9=v", "a/p/5=v", "a/p/3=v", "b/p/1=v", "c/p/2=v", "d/p/1=v")
	f.storage(func() {
		parts, err := f.store.(kv.StatsReader).TableStats(f.ctx, f.table("s"), true)
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

// testLateRetention: a transaction that takes its snapshot late sees what its row
// keeps.
func testLateRetention(f *fixture) {
	f.retain(kv.Retention{TTLSeconds: 1, MinVersions: 1}, "s")
	f.put("s", "a/p/5=old", "a/p/3=old", "b/p/3=old")
	f.oldest(4)
	for _, c := range []struct {
		cell    string
		written bool
	}{{"a/p/5=new", false}, {"a/p/3=new", true}, {"b/p/3=new", false}} {
		tx := Begin(f.store, kv.TxnOptions{Single: true})
		t := tx.Catalog().Table(database, "s")
		cell := parseCell(f, c.cell)
		require.NoError(f, tx.LockRow(f.ctx, t, cell.Row, kv.RowLock{}))
		row := kv.Range{Start: atRow(string(cell.Row)), End: after(atRow(string(cell.Row)))}
		text, err := scanText(f.ctx, tx, []*kv.Table{t}, &kv.Scan{Ranges: []kv.Range{row}})
		require.NoError(f, err)
		require.Equal(f, map[string]string{"a": "a/p/5", "b": "b/p/3"}[string(cell.Row)], text)
		written, err := tx.PutIfAbsent(f.ctx, t, cell)
		require.NoError(f, err)
		require.Equal(f, c.written, written, c.cell)
		require.NoError(f, tx.Commit(f.ctx))
	}
}

// testRetentionOfLongColumns: the same with 10,000 versions.
func testRetentionOfLongColumns(f *fixture) {
	const n = 10_000
	f.write(func(tx kv.Txn) error {
		t := f.tables(tx, []string{"s"})[0]
		for i := range int64(n) {
			for _, row := range []string{"a", "b"} {
				if err := tx.Put(f.ctx, t, kv.Cell{Row: []byte(row), Qualifier: []byte("p"), Timestamp: i}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	f.flush()
	f.oldest(n - 2)
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
		f.retain(c.retention, "s")
		c.scan.Ordered = true
		f.bothWays(c.scan, c.want)
	}
	f.retain(kv.Retention{MaxVersions: 2}, "s")
	f.write(func(tx kv.Txn) error {
		t := f.tables(tx, []string{"s"})[0]
		return tx.DeleteVersion(f.ctx, t, []byte("a"), []byte("p"), n-1)
	})
	require.Equal(f, "a/p/9998 b/p/9999 b/p/9998", f.read(kv.Scan{Ordered: true}, "s"))
}

// testRetentionOfNextRow: an own write that is met behind a row, where what is stored in the
// next one is not looked for, is not the newest version of its column.
func testRetentionOfNextRow(f *fixture) {
	f.retain(kv.Retention{MaxVersions: 2}, "s")
	f.put("s", "a/p/50", "b/p/100", "b/p/99")
	f.storage(func() {
		tx := f.begin()
		defer tx.Rollback()
		require.NoError(f, tx.Put(f.ctx, f.table("s"), kv.Cell{Row: []byte("b"), Qualifier: []byte("p"), Timestamp: 1}))
		rows := []kv.Range{{Start: atRow("a"), End: after(atRow("a"))}, versions("b", "p", 1, 1)[0]}
		require.Equal(f, "a/p/50", f.readIn(tx, kv.Scan{Ranges: rows, Ordered: true}, "s"))
	})
}

// testRetentionScans: scans of all kinds give what the model gives, for many
// retentions, from millisecond to millisecond, with own writes and without.
func testRetentionScans(f *fixture) {
	r := newTandem(f)
	seed := fromEnvironment(f, seedVariable, uint64(time.Now().UnixNano()))
	f.Cleanup(func() {
		if f.Failed() {
			f.Logf("%s=%d", seedVariable, seed)
		}
	})
	g := newGenerator(rand.New(rand.NewPCG(seed, 1)))
	for round := range 12 {
		for _, table := range tableNames {
			r.step(g.retain(table))
		}
		for range 6 {
			r.step(writeOp{slot: own, kind: "put", table: pick(g, tableNames), cells: g.cellsIn(f.layout)})
		}
		if round%3 == 1 {
			r.flush()
		}
		for ms := int64(998); ms < 1006; ms++ {
			r.step(clockOp{f.clock, ms + int64(round%2)*1000})
			r.scans(g)
		}
		f.clock.ms.Store(start)
	}
}

func (g *generator) cellsIn(l Layout) (cells []kv.Cell) {
	for range 8 {
		cells = append(cells, g.cellIn(l))
	}
	return cells
}

// scans compares scans in a transaction with own writes, and in ones without.
func (r *tandem) scans(g *generator) {
	for range 3 {
		r.step(writeOp{slot: 0, kind: pick(g, writeKinds), table: pick(g, tableNames), cells: g.cellsIn(r.layout)})
		for _, slot := range []int{0, own} {
			for range 4 {
				r.step(scanOp{slot: slot, tables: g.scanned(), scan: g.scan()})
			}
		}
	}
	r.step(endOp{slot: 0})
}
