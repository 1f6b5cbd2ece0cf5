package pebblekv

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/partition"
)

// perSlice is the number of timestamps in each slice of slicedTable.
const perSlice = 100

// slicedTable makes rows with a version at each time, in slices.
func slicedTable(t testing.TB, s *Store, rows *partition.Scheme, slices, count int) *kv.Table {
	by := &partition.Slices{}
	for i := range slices {
		by.Names, by.Upper = append(by.Names, "s"+strconv.Itoa(i)), append(by.Upper, int64((i+1)*perSlice))
	}
	scheme, err := rows.Sliced(by)
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", scheme)
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for i := range count {
		for ts := range slices * perSlice {
			require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(i), Qualifier: []byte("q"), Timestamp: int64(ts),
				Value: make([]byte, 100)}))
		}
	}
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, s.Flush(t.Context()))
	require.NoError(t, s.Compact(t.Context(), table, nil))
	return table
}

// readStats reads a scan to its end.
func readStats(t testing.TB, s *Store, table *kv.Table, scan kv.Scan) (cells int, stats kv.ScanStats) {
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	c, err := tx.Scan(t.Context(), []*kv.Table{tx.Catalog().Table("d", table.Name)}, &scan)
	require.NoError(t, err)
	for c.Next() {
		cells++
	}
	require.NoError(t, c.Err())
	stats = c.Stats()
	require.NoError(t, c.Close())
	require.Zero(t, s.OpenIterators())
	return cells, stats
}

// TestSlicesRead bounds the work of reads of 100 slices.
func TestSlicesRead(t *testing.T) {
	s := openMem(t)
	table := slicedTable(t, s, nil, 100, 5)
	of := func(lo, hi int64) kv.TimeRange { return kv.TimeRange{Min: lo, Max: hi, Bounded: true} }
	at := func(depth kv.Depth, ts int64) []kv.Range {
		p := kv.Position{Row: row(3), Qualifier: []byte("q"), Timestamp: ts, Depth: depth}
		end := p
		end.After = true
		return []kv.Range{{Start: p, End: end}}
	}
	for _, c := range []struct {
		name  string
		scan  kv.Scan
		cells int
		want  kv.ScanStats
	}{
		{"all", kv.Scan{Ordered: true}, 50_000, kv.ScanStats{Cells: 50_000, Seeks: 100, Partitions: 100}},
		{"1% of the time", kv.Scan{Ordered: true, Time: of(4200, 4299)}, 500,
			kv.ScanStats{Cells: 500, Seeks: 1, Partitions: 1}},
		{"latest of 1%", kv.Scan{Ordered: true, Time: of(4200, 4299), MaxVersions: 1}, 5,
			kv.ScanStats{Cells: 25, Seeks: 6, Partitions: 1}},
		{"over a bound", kv.Scan{Ordered: true, Time: of(4250, 4349)}, 500,
			kv.ScanStats{Cells: 546, Seeks: 12, Partitions: 2}},
		{"backwards", kv.Scan{Ordered: true, Time: of(4200, 4299), Reverse: true}, 500,
			kv.ScanStats{Cells: 500, Seeks: 1, Partitions: 1}},
		{"outside", kv.Scan{Time: of(10_000, math.MaxInt64)}, 0, kv.ScanStats{}},
		{"a slice", kv.Scan{Slices: []int{7}}, 500, kv.ScanStats{Cells: 500, Seeks: 1, Partitions: 1}},
		{"a version", kv.Scan{Ranges: at(kv.DepthCell, 4250)}, 1, kv.ScanStats{Cells: 1, Seeks: 1, Partitions: 1}},
		{"a row's 1%", kv.Scan{Ranges: at(kv.DepthRow, 0), Time: of(4200, 4299)}, 100,
			kv.ScanStats{Cells: 100, Seeks: 1, Partitions: 1}},
		{"the latest of a column", kv.Scan{Ranges: at(kv.DepthColumn, 0), MaxVersions: 1}, 1,
			kv.ScanStats{Cells: 1, Seeks: 1, Partitions: 1}},
		{"the latest 150", kv.Scan{Ranges: at(kv.DepthColumn, 0), MaxVersions: 150}, 150,
			kv.ScanStats{Cells: 150, Seeks: 2, Partitions: 2}},
		{"the latest of a column of then", kv.Scan{Ranges: at(kv.DepthColumn, 0), MaxVersions: 1,
			Time: of(math.MinInt64, 4250)}, 1,
			kv.ScanStats{Cells: 1, Seeks: 1, Partitions: 1}},
		{"the latest of a row and column", kv.Scan{Ranges: at(kv.DepthRow, 0), MaxVersions: 1,
			Qualifiers: []kv.QualifierRange{{Start: []byte("q"), End: []byte("q\x00")}}}, 1,
			kv.ScanStats{Cells: 113, Seeks: 200, Partitions: 100}},
		{"the latest of a row", kv.Scan{Ranges: at(kv.DepthRow, 0), MaxVersions: 1}, 1,
			kv.ScanStats{Cells: 113, Seeks: 200, Partitions: 100}},
	} {
		cells, stats := readStats(t, s, table, c.scan)
		require.Equal(t, c.cells, cells, c.name)
		require.Equal(t, c.want, stats, c.name)
	}
}

// TestDroppedSlicesAreGone requires that the space of dropped slices is freed,
// by one range deletion for each leaf, however much is in it.
func TestDroppedSlicesAreGone(t *testing.T) {
	s := openMem(t)
	table := slicedTable(t, s, must(partition.NewKey(3)), 4, 3)
	written := s.db.Metrics().WAL.BytesIn
	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		return c.DropSlices("d", "g$a",
			[]int{0, 1})
	}))
	require.Less(t, s.db.Metrics().WAL.BytesIn-written, uint64(4<<10))
	stats, err := s.TableStats(t.Context(), table, true)
	require.NoError(t, err)
	for leaf, each := range stats {
		p, slice := table.Partitioning.LeafAt(leaf)
		rows := 0
		for i := range 3 {
			if at, _ := table.Partitioning.Locate(row(i)); at == p {
				rows++
			}
		}
		if slice < 2 {
			rows = 0
		}
		require.EqualValues(t, rows*perSlice, each.Cells, "leaf %d", leaf)
	}
	cells, _ := readStats(t, s, table, kv.Scan{})
	require.Equal(t, 3*2*perSlice, cells)
	kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
}

// TestCheckFindsTime requires that a cell in another slice's key space is damage.
func TestCheckFindsTime(t *testing.T) {
	s := openMem(t)
	table := slicedTable(t, s, nil, 2, 1)
	for _, ts := range []int64{5, 500} {
		require.NoError(t, s.db.Set(cellkey.AppendCell(nil, keyspace.Space(table, 0, 1), row(0), []byte("q"), ts),
			cellkey.AppendValue(nil, nil), nil))
	}
	c, err := s.Check(kv.CheckOptions{})
	require.NoError(t, err)
	report, err := c.Table(t.Context(), "d", "g$a")
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.Len(t, report.Damage, 2)
	require.ErrorContains(t, report.Damage[0], "no partition holds the timestamp")
	require.ErrorContains(t, report.Damage[1], "belongs to partition s0")
	require.ErrorIs(t, report.Damage[1], kv.ErrCorrupt)
}

// TestSerialSlices requires that a transaction that has read some slices
// conflicts with writes that its scan would have found, and not with writes to
// other slices.
func TestSerialSlices(t *testing.T) {
	of := func(lo, hi int64) kv.TimeRange { return kv.TimeRange{Min: lo, Max: hi, Bounded: true} }
	for _, c := range []struct {
		name string
		scan kv.Scan
		ts   int64
		want error
	}{
		{"all", kv.Scan{}, 250, kv.ErrConflict},
		{"one slice", kv.Scan{Slices: []int{2}}, 250, kv.ErrConflict},
		{"another slice", kv.Scan{Slices: []int{1}}, 250, nil},
		{"two slices", kv.Scan{Slices: []int{1, 2}, Reverse: true}, 250, kv.ErrConflict},
		{"two others", kv.Scan{Slices: []int{0, 1}, Ordered: true}, 250, nil},
		{"its time", kv.Scan{Time: of(150, 250)}, -250, nil},
		{"the other sign", kv.Scan{Time: of(-250, 150)}, -250, kv.ErrConflict},
	} {
		s := openMem(t)
		table := slicedTable(t, s, nil, 3, 1)
		tx := serial(s)
		require.NotEmpty(t, readAll(t, tx, []*kv.Table{family(tx, "a")}, &c.scan), c.name)
		require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: []byte("mine"), Timestamp: 1}))
		other := kvtest.Begin(s, kv.TxnOptions{})
		require.NoError(t, other.Put(t.Context(), table, kv.Cell{Row: row(7), Qualifier: []byte("q"), Timestamp: c.ts}))
		require.NoError(t, other.Commit(t.Context()))
		require.ErrorIs(t, tx.Commit(t.Context()), c.want, c.name)
	}
}

// BenchmarkSlices reads tables with 1 to 100 slices, whose rows have the same
// number of versions.
func BenchmarkSlices(b *testing.B) {
	const versions = 100 * perSlice
	for _, n := range []int{1, 10, 100} {
		s, err := Open(Options{InMemory: true})
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, s.Close()) })
		by := &partition.Slices{Max: true, Names: []string{"max"}}
		for i := 1; i < n; i++ {
			by.Names, by.Upper = append([]string{strconv.Itoa(i)}, by.Names...), append(by.Upper, int64(i*versions/n))
		}
		scheme, err := (*partition.Scheme)(nil).Sliced(by)
		require.NoError(b, err)
		table := createTable(b, s, "g", "a", scheme)
		load(b, s, table, 5, 1, versions)
		last := kv.TimeRange{Min: versions * 99 / 100, Max: versions - 1, Bounded: true}
		for name, scan := range map[string]*kv.Scan{
			"all":        {NeedValue: true, Ordered: true},
			"last1%":     {NeedValue: true, Ordered: true, Time: last},
			"latestrow":  rowGet(formatRow(3), kv.DepthRow, nil),
			"latestcell": rowGet(formatRow(3), kv.DepthColumn, formatQualifier(0)),
		} {
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					scanCount(b, s, table, scan)
				}
			})
		}
	}
}
