package pebblekv

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
	"github.com/hbasekv/hbasekv/partition"
)

func openMem(t testing.TB) *Store {
	s, err := Open(Options{InMemory: true, LockTimeout: 50 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.Zero(t, s.OpenIterators())
		require.NoError(t, s.Close())
	})
	return s
}

func createTable(t testing.TB, s kv.Store, group, family string, scheme *partition.Scheme) *kv.Table {
	table := kv.Table{Database: "d", Name: group + "$" + family, Group: group, Family: family, Partitioning: scheme}
	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		if c.Catalog().Database("d") == nil {
			if err := c.CreateDatabase(kv.Database{Name: "d"}); err != nil {
				return err
			}
		}
		_, err := c.CreateTable(table)
		return err
	}))
	return kvtest.Catalog(s).Table("d", table.Name)
}

func schemes(t testing.TB) map[string]*partition.Scheme {
	key, err := partition.NewKey(5)
	require.NoError(t, err)
	prefix, err := partition.NewPrefixKey(3, 1)
	require.NoError(t, err)
	ranges, err := partition.NewRange([]string{"p", "q", "r"}, [][]byte{[]byte("\x00\x00"), []byte("b"), nil})
	require.NoError(t, err)
	return map[string]*partition.Scheme{
		"none": {}, "key": key, "prefix": prefix, "range": ranges,
		"slices":      sliced(t, nil, 2, 5, 11),
		"keyslices":   sliced(t, key, 1, 4),
		"rangeslices": sliced(t, ranges, 3),
	}
}

// sliced returns the scheme with slices of time at the bounds; the last slice is open.
func sliced(t testing.TB, rows *partition.Scheme, upper ...int64) *partition.Scheme {
	by := &partition.Slices{Upper: upper, Max: true}
	for i := range len(upper) + 1 {
		by.Names = append(by.Names, "s"+strconv.Itoa(i))
	}
	s, err := rows.Sliced(by)
	require.NoError(t, err)
	return s
}

func seed(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(testseed.Of(t), 0)) }

var (
	someRows  = []string{"", "\x00", "\x00\x00", "\x00\x01", "a", "a\x00", "a\x00\xff", "ab", "b", "\xff", "\xff\xff"}
	someQuals = []string{"", "\x00", "\x01", "q", "q\x00", "q1", "\xff"}
	someTimes = []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		math.MaxInt64 - 1, math.MaxInt64}
)

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func randomPosition(r *rand.Rand) kv.Position {
	return kv.Position{
		Row: []byte(pick(r, someRows)), Qualifier: []byte(pick(r, someQuals)), Timestamp: pick(r, someTimes),
		Depth: kv.Depth(1 + r.IntN(3)), After: r.IntN(2) == 0,
	}
}

func (c bruteCell) side(p kv.Position) int {
	side := bytes.Compare(c.Row, p.Row)
	if p.Depth > kv.DepthRow {
		side = cmp.Or(side, bytes.Compare(c.Qualifier, p.Qualifier))
	}
	if p.Depth > kv.DepthColumn {
		side = cmp.Or(side, cmp.Compare(p.Timestamp, c.Timestamp))
	}
	if side == 0 {
		return map[bool]int{true: -1, false: 1}[p.After]
	}
	return side
}

// bruteCell is a cell of the model, which is a sorted slice.
type bruteCell struct{ kv.Cell }

func compareBrute(a, b bruteCell) int {
	return cmp.Or(bytes.Compare(a.Row, b.Row), cmp.Compare(a.Family, b.Family),
		bytes.Compare(a.Qualifier, b.Qualifier), cmp.Compare(b.Timestamp, a.Timestamp))
}

func (c bruteCell) String() string {
	return fmt.Sprintf("%q/%d/%q/%d=%v", c.Row, c.Family, c.Qualifier, c.Timestamp, c.Value)
}

func bruteScan(cells []bruteCell, s *kv.Scan) []bruteCell {
	var out []bruteCell
	versions := 0
	var last *bruteCell
	for i, c := range cells {
		in := s.Ranges == nil || slices.ContainsFunc(s.Ranges, func(r kv.Range) bool {
			return (r.Start.Depth == 0 || c.side(r.Start) > 0) && (r.End.Depth == 0 || c.side(r.End) < 0)
		})
		qualified := s.Qualifiers == nil || slices.ContainsFunc(s.Qualifiers, func(q kv.QualifierRange) bool {
			return bytes.Compare(c.Qualifier, q.Start) >= 0 && (q.End == nil || bytes.Compare(c.Qualifier, q.End) < 0)
		})
		timely := !s.Time.Bounded || s.Time.Min <= c.Timestamp && c.Timestamp <= s.Time.Max
		if !in || !qualified || !timely {
			continue
		}
		if last == nil || last.Family != c.Family || !bytes.Equal(last.Row, c.Row) ||
			!bytes.Equal(last.Qualifier, c.Qualifier) {
			versions = 0
		}
		last = &cells[i]
		if versions++; s.MaxVersions == 0 || versions <= s.MaxVersions {
			out = append(out, c)
		}
	}
	if s.Reverse {
		slices.Reverse(out)
	}
	if s.FirstPerRow {
		out = slices.CompactFunc(out, func(a, b bruteCell) bool { return bytes.Equal(a.Row, b.Row) && a.Family == b.Family })
	}
	return out
}

func randomScan(r *rand.Rand) *kv.Scan {
	s := &kv.Scan{Ordered: true, NeedValue: r.IntN(4) > 0, Reverse: r.IntN(2) == 0, FirstPerRow: r.IntN(4) == 0}
	if r.IntN(2) == 0 {
		s.MaxVersions = pick(r, []int{1, 1, 2, 3, 20})
	}
	if r.IntN(3) == 0 {
		a, b := pick(r, someTimes), pick(r, someTimes)
		s.Time = kv.TimeRange{Min: min(a, b), Max: max(a, b), Bounded: true}
	}
	if r.IntN(3) == 0 {
		s.Qualifiers = randomQualifiers(r)
	}
	if r.IntN(3) > 0 {
		s.Ranges = randomRanges(r)
	}
	if r.IntN(8) == 0 { // rows that are kept in memory once read
		end := kv.Position{Row: []byte(pick(r, someRows)), Depth: kv.DepthRow, After: true}
		start := end
		start.After = false
		return &kv.Scan{Ordered: true, NeedValue: true, MaxVersions: 1, Ranges: []kv.Range{{Start: start, End: end}}}
	}
	if r.IntN(8) == 0 {
		s.MaxVersions, s.Qualifiers, s.Time, s.Reverse = 1, nil, kv.TimeRange{}, false
	}
	return s
}

func randomQualifiers(r *rand.Rand) []kv.QualifierRange {
	ends := map[string]bool{}
	for range 2 * (1 + r.IntN(3)) {
		ends[pick(r, someQuals)] = true
	}
	sorted := slices.Sorted(func(yield func(string) bool) {
		for e := range ends {
			if !yield(e) {
				return
			}
		}
	})
	out := []kv.QualifierRange{}
	for i := 0; i+1 < len(sorted); i += 2 {
		out = append(out, kv.QualifierRange{Start: []byte(sorted[i]), End: []byte(sorted[i+1])})
	}
	if len(sorted)%2 == 1 {
		out = append(out, kv.QualifierRange{Start: []byte(sorted[len(sorted)-1])})
	}
	return out
}

func randomRanges(r *rand.Rand) []kv.Range {
	var places []kv.Position
	for range 2 * (1 + r.IntN(4)) {
		places = append(places, randomPosition(r))
	}
	if r.IntN(3) == 0 { // gets of rows, columns and cells
		places = places[:0]
		for range 1 + r.IntN(4) {
			p := randomPosition(r)
			p.After = false
			end := p
			end.After = true
			places = append(places, p, end)
		}
	}
	keyOf := func(p kv.Position) []byte { return cellkey.AppendPosition(nil, 1, p, false) }
	slices.SortFunc(places, func(a, b kv.Position) int { return bytes.Compare(keyOf(a), keyOf(b)) })
	places = slices.CompactFunc(places, func(a, b kv.Position) bool { return bytes.Equal(keyOf(a), keyOf(b)) })
	if r.IntN(4) == 0 {
		places[0] = kv.Position{}
	}
	out := []kv.Range{}
	for i := 0; i+1 < len(places); i += 2 {
		out = append(out, kv.Range{Start: places[i], End: places[i+1]})
	}
	if len(places)%2 == 1 {
		out = append(out, kv.Range{Start: places[len(places)-1]})
	}
	return out
}

var scanRounds = flag.Int("scan.rounds", 6, "how often TestScanBrute writes and reads each layout")

// TestScanBrute compares random scans with a walk over a sorted slice. Some of the cells are in
// files, some in memory, and some or none are the transaction's own: with none, the first cells
// of many families are read ahead.
func TestScanBrute(t *testing.T) {
	r := seed(t)
	for name, scheme := range schemes(t) {
		for _, families := range []int{1, 2, views.DefaultTuning().AheadStreams + 1} {
			t.Run(fmt.Sprint(name, families), func(t *testing.T) { scanBrute(t, r, scheme, families) })
		}
	}
}

func scanBrute(t *testing.T, r *rand.Rand, scheme *partition.Scheme, families int) {
	s, m := openMem(t), &bruteModel{}
	keepAllRows(s)
	for i := range families {
		createTable(t, s, "g", string(rune('a'+i)), scheme)
	}
	for i := range families {
		m.tables = append(m.tables, kvtest.Catalog(s).Table("d", "g$"+string(rune('a'+i))))
	}
	for round := range *scanRounds {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for range 30 * families {
			m.change(t, r, tx)
		}
		for range 20 {
			m.compare(t, r, tx, randomScan(r))
		}
		require.NoError(t, tx.Commit(t.Context()))
		tx = kvtest.Begin(s, kv.TxnOptions{ReadOnly: r.IntN(2) == 0})
		for range 20 {
			m.compare(t, r, tx, randomScan(r))
		}
		tx.Rollback()
		if round%4 == 1 {
			require.NoError(t, s.Flush(t.Context()))
		}
		if round%16 == 3 {
			require.NoError(t, s.Compact(t.Context(), m.tables[round/16%families], nil))
		}
	}
}

// deleteColumns deletes a column, or some from there on in order, like a statement that scans,
// and sometimes undoes a part of that.
func (m *bruteModel) deleteColumns(t *testing.T, r *rand.Rand, tx kv.Txn, from bruteCell) {
	columns := []bruteCell{from}
	for _, c := range m.cells {
		last := &columns[len(columns)-1]
		if len(columns) < 1+r.IntN(9) && c.Family == from.Family && compareBrute(*last, c) < 0 && r.IntN(3) > 0 && !last.sameColumn(&c) {
			columns = append(columns, c)
		}
	}
	sp, kept := kv.Savepoint(nil), 0
	for i, c := range columns {
		if r.IntN(8) == 0 {
			sp, kept = tx.Savepoint(), i
		}
		require.NoError(t, tx.DeleteColumn(t.Context(), m.tables[c.Family], c.Row, c.Qualifier))
		if sp != nil && r.IntN(8) == 0 {
			tx.RollbackTo(sp)
			for j := kept; j <= i; j++ {
				columns[j].Family = -1
			}
		}
	}
	for _, column := range columns {
		m.cells = slices.DeleteFunc(m.cells, func(c bruteCell) bool { return c.sameColumn(&column) })
	}
}

func (c *bruteCell) sameColumn(o *bruteCell) bool {
	return c.Family == o.Family && bytes.Equal(c.Row, o.Row) && bytes.Equal(c.Qualifier, o.Qualifier)
}

type bruteModel struct {
	tables []*kv.Table
	cells  []bruteCell
}

func (m *bruteModel) change(t *testing.T, r *rand.Rand, tx kv.Txn) {
	c := bruteCell{kv.Cell{
		Family: r.IntN(len(m.tables)), Row: []byte(pick(r, someRows)), Qualifier: []byte(pick(r, someQuals)),
		Timestamp: pick(r, someTimes), Value: pick(r, [][]byte{nil, {}, {0}, []byte("v"), {byte(r.IntN(256))}}),
	}}
	table := m.tables[c.Family]
	if table.Partitioning.Slices() != nil {
		c.Timestamp = max(c.Timestamp, math.MinInt64+1)
	}
	i, found := slices.BinarySearchFunc(m.cells, c, compareBrute)
	switch r.IntN(8) {
	case 0:
		m.deleteColumns(t, r, tx, c)
	case 1, 2:
		require.NoError(t, tx.DeleteVersion(t.Context(), table, c.Row, c.Qualifier, c.Timestamp))
		if found {
			m.cells = slices.Delete(m.cells, i, i+1)
		}
	case 3, 4:
		done, err := tx.PutIfAbsent(t.Context(), table, c.Cell)
		require.NoError(t, err)
		require.Equal(t, !found, done)
		if done {
			m.cells = slices.Insert(m.cells, i, c)
		}
	default:
		require.NoError(t, tx.Put(t.Context(), table, c.Cell))
		if found {
			m.cells[i] = c
		} else {
			m.cells = slices.Insert(m.cells, i, c)
		}
	}
}

func (m *bruteModel) compare(t *testing.T, r *rand.Rand, tx kv.Txn, s *kv.Scan) {
	t.Helper()
	want := bruteScan(m.cells, s)
	if !s.NeedValue {
		for i := range want {
			want[i].Value = nil
		}
	}
	require.Equal(t, fmt.Sprint(want), fmt.Sprint(readAll(t, tx, m.tables, s)), "%+v", s)
	s.Ordered = false
	got := readAll(t, tx, m.tables, s)
	slices.SortFunc(got, compareBrute)
	slices.SortFunc(want, compareBrute)
	require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "%+v", s)
	s.Ordered, s.ByPartition = r.IntN(2) == 0, r.IntN(2) == 0
	m.compareTally(t, r, tx, s, want)
}

// compareTally counts the cells by the first bytes of their rows, and on the way divides what is left.
func (m *bruteModel) compareTally(t *testing.T, r *rand.Rand, tx kv.Txn, s *kv.Scan, cells []bruteCell) {
	t.Helper()
	n := pick(r, []int{0, 1, 2, math.MaxInt})
	want, got := map[string]int64{}, map[string]int64{}
	for _, c := range cells {
		want[string(c.Row[:min(n, len(c.Row))])]++
	}
	scans := []kv.Scan{*s}
	for divisions := 1 + r.IntN(3); len(scans) > 0; scans = scans[1:] {
		cur, err := tx.Scan(t.Context(), m.tables, &scans[0])
		require.NoError(t, err)
		for at := r.IntN(4); ; at-- {
			if at == 0 && divisions > 0 {
				divisions--
				rest, err := cur.(kv.Divider).Divide(1 + r.IntN(5))
				require.NoError(t, err)
				scans = append(scans, rest...)
			}
			row, cells := cur.(kv.RunCounter).CountRun(n)
			if cells == 0 {
				break
			}
			got[string(row)] += cells
		}
		require.NoError(t, cur.Err())
		require.NoError(t, cur.(kv.Releaser).Release())
	}
	require.Equal(t, want, got, "%+v, by %d bytes", s, n)
}

func readAll(t *testing.T, tx kv.Txn, tables []*kv.Table, s *kv.Scan) []bruteCell {
	t.Helper()
	cur, err := tx.Scan(t.Context(), tables, s)
	require.NoError(t, err)
	var out []bruteCell
	for cur.Next() {
		c := *cur.Cell()
		c.Row, c.Qualifier = bytes.Clone(c.Row), bytes.Clone(c.Qualifier)
		if s.NeedValue {
			v, err := cur.Value()
			require.NoError(t, err)
			c.Value = bytes.Clone(v)
		}
		out = append(out, bruteCell{c})
	}
	require.NoError(t, cur.Err())
	require.NoError(t, cur.Close())
	return out
}
