package pebblekv

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/collect"
	"github.com/hbasekv/hbasekv/partition"
)

// handClock is a clock that is set by hand, in ms.
type handClock struct{ ms atomic.Int64 }

func (c *handClock) now() time.Time { return time.UnixMilli(c.ms.Load()) }

// openCollecting opens a store in memory that only collects on demand.
func openCollecting(t testing.TB, clock *handClock) *Store {
	s, err := Open(Options{InMemory: true, LockTimeout: 50 * time.Millisecond, CollectEvery: -1, Now: clock.now})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.Zero(t, s.OpenIterators())
		require.NoError(t, s.Close())
	})
	return s
}

// retain changes the retention of a table.
func retain(t testing.TB, s *Store, name string, r kv.Retention) *kv.Table {
	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		next := *c.Catalog().Table("d", name)
		next.Retention = r
		return c.AlterTable(next)
	}))
	return kvtest.Catalog(s).Table("d", name)
}

// openRetaining opens a store whose clock is at now, in ms, with a table with this
// retention.
func openRetaining(t testing.TB, now int64, r kv.Retention) (*Store, *handClock, *kv.Table) {
	clock := &handClock{}
	clock.ms.Store(now)
	s := openCollecting(t, clock)
	createTable(t, s, "g", "a", &partition.Scheme{})
	return s, clock, retain(t, s, "g$a", r)
}

// cellsOf returns the keys in a table's key spaces, whatever readers see.
func cellsOf(t testing.TB, s *Store, table *kv.Table) (out []kv.Cell) {
	for leaf := range keyspace.Of(table).Spaces {
		lower, upper := cellkey.Extent(keyspace.ExtentOf(table, leaf))
		it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
		require.NoError(t, err)
		for ok := it.First(); ok; ok = it.Next() {
			var d cellkey.Decoded
			require.NoError(t, d.Decode(slices.Clone(it.Key())))
			out = append(out, kv.Cell{Row: d.Row, Qualifier: d.Qualifier, Timestamp: d.Timestamp})
		}
		require.NoError(t, it.Close())
	}
	return out
}

// physical returns cellsOf as text, sorted.
func physical(t testing.TB, s *Store, table *kv.Table) (out []string) {
	for _, c := range cellsOf(t, s, table) {
		out = append(out, fmt.Sprintf("%s/%s@%d", c.Row, c.Qualifier, c.Timestamp))
	}
	slices.Sort(out)
	return out
}

func put(t testing.TB, s *Store, table *kv.Table, row, qualifier string, times ...int64) {
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for _, ts := range times {
		cell := kv.Cell{Row: []byte(row), Qualifier: []byte(qualifier), Timestamp: ts, Value: []byte("v")}
		require.NoError(t, tx.Put(t.Context(), table, cell))
	}
	require.NoError(t, tx.Commit(t.Context()))
}

func collectNow(t testing.TB, s *Store, table *kv.Table) kv.Collected {
	out, err := s.Collect(t.Context(), table.Database, table.Name, kv.CollectOptions{})
	require.NoError(t, err)
	return out
}

// TestCollect removes what each kind of retention hides, and nothing else, from
// memory and from files.
func TestCollect(t *testing.T) {
	sliced, err := (&partition.Scheme{}).Sliced(&partition.Slices{
		Names: []string{"p0", "p1", "p2"}, Upper: []int64{6000, 9000}, Max: true,
	})
	require.NoError(t, err)
	cases := []struct {
		retention kv.Retention
		kept      []int64 // kept of 1000, 2000 ... 10000 at 10500
	}{
		{kv.Retention{TTLSeconds: 4}, []int64{7000, 8000, 9000, 10000}},
		{kv.Retention{MaxVersions: 3}, []int64{8000, 9000, 10000}},
		{kv.Retention{TTLSeconds: 2, MaxVersions: 3}, []int64{9000, 10000}},
		{kv.Retention{TTLSeconds: 2, MinVersions: 5}, []int64{6000, 7000, 8000, 9000, 10000}},
		{kv.Retention{TTLSeconds: 2, MinVersions: 5, MaxVersions: 4}, []int64{7000, 8000, 9000, 10000}},
		{kv.Retention{MinVersions: 2}, []int64{1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000}},
	}
	for name, scheme := range map[string]*partition.Scheme{"one": {}, "sliced": sliced} {
		for _, flush := range []bool{false, true} {
			for _, c := range cases {
				t.Run(fmt.Sprintf("%s/%+v/flush=%v", name, c.retention, flush), func(t *testing.T) {
					clock := &handClock{}
					clock.ms.Store(10_500)
					s := openCollecting(t, clock)
					createTable(t, s, "g", "a", scheme)
					table := retain(t, s, "g$a", c.retention)
					var want []string
					for _, row := range []string{"a", "b\x00", "c"} {
						for _, q := range []string{"", "q"} {
							put(t, s, table, row, q, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000)
							for _, ts := range c.kept {
								want = append(want, fmt.Sprintf("%s/%s@%d", row, q, ts))
							}
						}
					}
					if flush {
						require.NoError(t, s.Flush(t.Context()))
					}
					out := collectNow(t, s, table)
					slices.Sort(want)
					require.Equal(t, want, physical(t, s, table))
					require.EqualValues(t, 6*(10-len(c.kept)), out.Versions)
					require.Equal(t, out, s.Collected(table))
				})
			}
		}
	}
}

// betweenDoor is a store in which something happens after a collection has chosen what
// to remove.
type betweenDoor struct {
	door
	excluded int
	then     func()
}

func (d *betweenDoor) Exclude(fn func()) {
	if d.excluded++; d.excluded == 2 { // the first one began the watch
		d.then()
	}
	d.door.Exclude(fn)
}

// TestCollectRewritten deletes a young version and writes it again, after a collection
// of old versions has seen the first one but not its deletion, which is in a file
// without anything old.
func TestCollectRewritten(t *testing.T) {
	s, _, table := openRetaining(t, 10_500, kv.Retention{TTLSeconds: 4})
	put(t, s, table, "a", "", 1000, 2000)
	put(t, s, table, "b", "", 1000, 7000, 8000)
	require.NoError(t, s.Flush(t.Context()))
	deleteVersion(t, s, table, "b", "", 8000)
	require.NoError(t, s.Flush(t.Context()))
	host := &betweenDoor{door: door{s}, then: func() { put(t, s, table, "b", "", 8000) }}
	_, err := collect.Job{
		Engine: &s.engine, Host: host, Watches: &s.txns.Watches, Table: table, Now: s.engine.Now(),
		Progress: func(kv.Collected) {},
	}.Run(t.Context())
	require.NoError(t, err)
	require.Greater(t, host.excluded, 2)
	require.Equal(t, []string{"b/@7000", "b/@8000"}, physical(t, s, table))
}

// TestCollectRanges lets thousands of versions expire, in one column, in many rows, or
// everywhere: they are removed by ranges, and live neighbours stay.
func TestCollectRanges(t *testing.T) {
	for _, flush := range []bool{false, true} {
		clock := &handClock{}
		s := openCollecting(t, clock)
		createTable(t, s, "g", "a", &partition.Scheme{})
		table := retain(t, s, "g$a", kv.Retention{TTLSeconds: 1})
		tx := kvtest.Begin(s, kv.TxnOptions{})
		var want []string
		write := func(row string, ts int64) {
			require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: []byte(row), Timestamp: ts, Value: []byte("v")}))
			if ts >= 99_000 {
				want = append(want, fmt.Sprintf("%s/@%d", row, ts))
			}
		}
		for i := range 3000 {
			write(fmt.Sprintf("a%05d", i), int64(i))        // expired rows
			write("b", 99_500-int64(i))                     // a column whose newest versions live
			write(fmt.Sprintf("c%05d", i), 97_500+int64(i)) // rows of which half have expired
			write("d", int64(i))
		}
		require.NoError(t, tx.Commit(t.Context()))
		if flush {
			require.NoError(t, s.Flush(t.Context()))
		}
		clock.ms.Store(100_000)
		out := collectNow(t, s, table)
		slices.Sort(want)
		require.Equal(t, want, physical(t, s, table))
		require.Less(t, out.Versions, int64(4*rangeOften))
		require.Positive(t, out.Ranges)
		require.Less(t, out.Ranges, int64(20)) // a piece of work may end within a long range
	}
}

// rangeOften is the number of adjacent versions from which they are no longer removed
// one by one.
const rangeOften = 256

// TestCollectUnderSnapshots requires that a reader's snapshot keeps what it sees.
func TestCollectUnderSnapshots(t *testing.T) {
	s, clock, table := openRetaining(t, 10_000, kv.Retention{TTLSeconds: 60, MaxVersions: 2})
	put(t, s, table, "r", "q", 1000, 2000, 3000)
	old := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer old.Rollback()
	n, err := countRows(old, old.Catalog().Table("d", "g$a"))
	require.NoError(t, err)
	clock.ms.Store(61_500)
	collectNow(t, s, table)
	require.Equal(t, []string{"r/q@2000", "r/q@3000"}, physical(t, s, table))
	clock.ms.Store(1_000_000)
	collectNow(t, s, table)
	require.Empty(t, physical(t, s, table))
	again, err := countRows(old, old.Catalog().Table("d", "g$a"))
	require.NoError(t, err)
	require.Equal(t, n, again)
}

// TestCollectWithoutConflicts requires that writers do not conflict with a collection.
func TestCollectWithoutConflicts(t *testing.T) {
	s, _, table := openRetaining(t, 10_000, kv.Retention{MaxVersions: 1})
	put(t, s, table, "r", "q", 1, 2, 3)
	for _, o := range []kv.TxnOptions{{}, {Serializable: true}} {
		put(t, s, table, "r", "q", 1, 2)
		tx := kvtest.Begin(s, o)
		table := tx.Catalog().Table("d", "g$a")
		_, err := countRows(tx, table)
		require.NoError(t, err)
		require.EqualValues(t, 2, collectNow(t, s, table).Versions)
		require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: []byte("r"), Qualifier: []byte("q"), Timestamp: 4}))
		require.NoError(t, tx.Commit(t.Context()))
		require.Equal(t, []string{"r/q@3", "r/q@4"}, physical(t, s, table))
		deleteVersion(t, s, table, "r", "q", 4)
		put(t, s, table, "r", "q", 3)
	}
}

func deleteVersion(t testing.TB, s *Store, table *kv.Table, row, qualifier string, ts int64) {
	tx := kvtest.Begin(s, kv.TxnOptions{})
	require.NoError(t, tx.DeleteVersion(t.Context(), table, []byte(row), []byte(qualifier), ts))
	require.NoError(t, tx.Commit(t.Context()))
}

// TestClockNeverRunsBehind requires that the clock never goes back before a
// collection, even after a restart with an earlier clock.
func TestClockNeverRunsBehind(t *testing.T) {
	clock := &handClock{}
	clock.ms.Store(100_000)
	dir := t.TempDir()
	open := func() *Store {
		s, err := Open(Options{Dir: dir, CollectEvery: -1, Now: clock.now})
		require.NoError(t, err)
		return s
	}
	s := open()
	createTable(t, s, "g", "a", &partition.Scheme{})
	table := retain(t, s, "g$a", kv.Retention{TTLSeconds: 10})
	put(t, s, table, "r", "q", 1000)
	collectNow(t, s, table)
	clock.ms.Store(5000)
	require.EqualValues(t, 100_000, s.engine.Now())
	require.NoError(t, s.Close())
	s = open()
	require.EqualValues(t, 100_000, s.engine.Now())
	clock.ms.Store(200_000)
	require.EqualValues(t, 200_000, s.engine.Now())
	require.Zero(t, collectNow(t, s, kvtest.Catalog(s).Table("d", "g$a")).Versions)
	clock.ms.Store(0)
	require.EqualValues(t, 100_000, s.engine.Now(), "nothing was collected at the later moment")
	require.NoError(t, s.Close())
}

// TestCollectByItself requires that, as time passes and nothing else happens, expired
// partitions are dropped if asked for, and the rest is collected.
func TestCollectByItself(t *testing.T) {
	sliced, err := (&partition.Scheme{}).Sliced(&partition.Slices{
		Names: []string{"p0", "p1"}, Upper: []int64{6000}, Max: true,
	})
	require.NoError(t, err)
	clock := &handClock{}
	clock.ms.Store(5000)
	s, err := Open(Options{InMemory: true, CollectEvery: time.Millisecond, Now: clock.now})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	createTable(t, s, "g", "a", sliced)
	table := retain(t, s, "g$a", kv.Retention{TTLSeconds: 5, DropExpired: true})
	put(t, s, table, "r", "q", 4000, 5000, 7000, 8000, 20_000)
	require.NoError(t, s.Flush(t.Context()))
	clock.ms.Store(15_000)
	require.Eventually(t, func() bool {
		table = kvtest.Catalog(s).Table("d", "g$a")
		return table.Partitioning.NumSlices() == 1 && len(cellsOf(t, s, table)) == 1 &&
			s.Collected(table).Partitions == 1 // it is counted once it is dropped
	}, time.Minute, time.Millisecond)
	require.GreaterOrEqual(t, s.Collected(table).Versions, int64(2)) // others may have been dropped with their partition
}
