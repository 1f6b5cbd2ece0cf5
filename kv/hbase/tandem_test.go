package hbase

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/partition"
)

// tandem has the same cells in HBase and in the embedded store.
type tandem struct {
	*testing.T
	r      *rand.Rand
	name   string
	hbase  *Store
	pebble kv.Store
	cells  []kv.Cell
}

// splits are the bounds of the regions.
var splits = [][]byte{[]byte("a\x00"), []byte("b"), []byte("b\xff")}

func newTandem(t *testing.T, cells int) *tandem {
	f := &tandem{T: t, name: newName(), hbase: openTest(t)}
	f.r = rand.New(rand.NewPCG(testseed.Of(t), 0))
	all := []string{"VERSIONS", "2147483647", "NEW_VERSION_BEHAVIOR", "true"}
	makeTable(t, f.hbase, f.name, splits, familySchema("a", all...), familySchema("b", all...))
	var err error
	f.pebble, err = pebblekv.Open(pebblekv.Options{InMemory: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.pebble.Close()) })
	scheme, err := partition.NewRange([]string{"p0", "p1", "p2", "p3"}, append(slices.Clone(splits), nil))
	require.NoError(t, err)
	ctx := context.Background()
	require.NoError(t, f.pebble.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		if err := c.CreateDatabase(kv.Database{Name: "default"}); err != nil {
			return err
		}
		for _, family := range []string{"a", "b"} {
			_, err := c.CreateTable(kv.Table{Database: "default", Name: f.name + "$" + family, Group: f.name, Family: family,
				MaxRow: maxRow, MaxQualifier: maxQualifier, Value: kv.ValueType{Max: maxValue}, Partitioning: scheme})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	f.put(cells)
	return f
}

// put writes random cells into both.
func (f *tandem) put(n int) {
	ctx := context.Background()
	txn := kvtest.Begin(f.pebble, kv.TxnOptions{})
	for range n {
		c := kv.Cell{Family: f.r.IntN(2), Row: f.row(), Qualifier: f.qualifier(), Timestamp: f.time(), Value: f.value()}
		table := txn.Catalog().Table("default", f.name+"$"+string(rune('a'+c.Family)))
		require.NoError(f, txn.Put(ctx, table, c))
		putRaw(f, f.hbase, f.name, cell{row: c.Row, family: []byte{byte('a' + c.Family)}, qualifier: c.Qualifier, timestamp: c.Timestamp, value: c.Value})
		f.cells = append(f.cells, c)
	}
	require.NoError(f, txn.Commit(ctx))
}

func (f *tandem) pick(from ...string) []byte { return []byte(from[f.r.IntN(len(from))]) }

// row returns a row, rarely one at the limits.
func (f *tandem) row() []byte {
	if f.r.IntN(60) == 0 {
		return bytes.Repeat(f.pick("\xff", "b", "\x00"), maxRow-f.r.IntN(2))
	}
	out := f.pick("\x00", "a", "b", "\xff")
	for range f.r.IntN(3) {
		out = append(out, f.pick("\x00", "\x01", "a", "\xff")...)
	}
	return out
}

func (f *tandem) qualifier() []byte {
	var out []byte
	for range f.r.IntN(3) {
		out = append(out, f.pick("\x00", "q", "\xff")...)
	}
	return orEmpty(out)
}

func (f *tandem) time() int64 {
	return []int64{0, 1, 2, 3, 4, 5, 1000, maxTimestamp, maxTimestamp - 1}[f.r.IntN(9)]
}

func (f *tandem) value() []byte {
	return bytes.Repeat([]byte{'v'}, f.r.IntN(5)*f.r.IntN(30))
}

// position returns a random position.
func (f *tandem) position() kv.Position {
	c := f.cells[f.r.IntN(len(f.cells))]
	p := kv.Position{Row: c.Row, Depth: kv.Depth(f.r.IntN(4)), After: f.r.IntN(2) == 0}
	if f.r.IntN(3) == 0 {
		p.Row = f.row()
	}
	switch p.Depth {
	case kv.DepthNone:
		return kv.Position{}
	case kv.DepthCell:
		p.Timestamp = c.Timestamp
		if f.r.IntN(8) == 0 {
			p.Timestamp = []int64{math.MinInt64, -1, math.MaxInt64}[f.r.IntN(3)]
		}
		fallthrough
	case kv.DepthColumn:
		p.Qualifier = c.Qualifier
	}
	return p
}

// comparePositions compares two positions that are not open.
func comparePositions(a, b kv.Position) int {
	c := func(x, y int) int { return x - y }
	if n := bytes.Compare(a.Row, b.Row); n != 0 {
		return n
	}
	side := func(p kv.Position) int {
		if p.After {
			return 1
		}
		return -1
	}
	at := func(of, other kv.Position) int { return c(side(of), 0) }
	if a.Depth == kv.DepthRow || b.Depth == kv.DepthRow {
		return coarse(a, b, kv.DepthRow, at, side)
	}
	if n := bytes.Compare(a.Qualifier, b.Qualifier); n != 0 {
		return n
	}
	if a.Depth == kv.DepthColumn || b.Depth == kv.DepthColumn {
		return coarse(a, b, kv.DepthColumn, at, side)
	}
	if a.Timestamp != b.Timestamp {
		if a.Timestamp > b.Timestamp {
			return -1
		}
		return 1
	}
	return side(a) - side(b)
}

func coarse(a, b kv.Position, d kv.Depth, at func(a, b kv.Position) int, side func(kv.Position) int) int {
	switch {
	case a.Depth == d && b.Depth == d:
		return side(a) - side(b)
	case a.Depth == d:
		return at(a, b)
	}
	return -at(b, a)
}

// ranges returns sorted, disjoint, non-empty ranges.
func (f *tandem) ranges() []kv.Range {
	if f.r.IntN(4) == 0 {
		return nil
	}
	if f.r.IntN(4) == 0 { // points
		return f.pointRanges()
	}
	var at []kv.Position
	for range 2 * (1 + f.r.IntN(6)) {
		if p := f.position(); p.Depth != kv.DepthNone {
			at = append(at, p)
		}
	}
	slices.SortFunc(at, comparePositions)
	at = slices.CompactFunc(at, func(a, b kv.Position) bool { return comparePositions(a, b) == 0 })
	var out []kv.Range
	for i := 0; i+1 < len(at); i += 2 {
		out = append(out, kv.Range{Start: at[i], End: at[i+1]})
	}
	if len(out) == 0 {
		return nil
	}
	if f.r.IntN(4) == 0 {
		out[0].Start = kv.Position{}
	}
	if f.r.IntN(4) == 0 {
		out[len(out)-1].End = kv.Position{}
	}
	return out
}

// pointRanges returns ranges of single rows, columns or cells.
func (f *tandem) pointRanges() []kv.Range {
	depth := kv.Depth(1 + f.r.IntN(3))
	var at []kv.Position
	for range 1 + f.r.IntN(6) {
		c := f.cells[f.r.IntN(len(f.cells))]
		p := kv.Position{Row: c.Row, Depth: depth}
		if f.r.IntN(4) == 0 {
			p.Row = f.row()
		}
		if depth >= kv.DepthColumn {
			p.Qualifier = c.Qualifier
		}
		if depth == kv.DepthCell {
			p.Timestamp = c.Timestamp
		}
		at = append(at, p)
	}
	slices.SortFunc(at, comparePositions)
	at = slices.CompactFunc(at, func(a, b kv.Position) bool { return comparePositions(a, b) == 0 })
	var out []kv.Range
	for _, p := range at {
		end := p
		end.After = true
		out = append(out, kv.Range{Start: p, End: end})
	}
	return out
}

func (f *tandem) qualifiers() []kv.QualifierRange {
	switch f.r.IntN(5) {
	case 0:
		var out []kv.QualifierRange
		for _, q := range []string{"", "\x00", "q", "qq", "\xff"} {
			if f.r.IntN(2) == 0 {
				out = append(out, kv.QualifierRange{Start: []byte(q), End: []byte(q + "\x00")})
			}
		}
		slices.SortFunc(out, func(a, b kv.QualifierRange) int { return bytes.Compare(a.Start, b.Start) })
		if len(out) > 1 && bytes.Equal(out[0].End, out[1].Start) {
			return nil
		}
		return out
	case 1:
		all := []kv.QualifierRange{{Start: []byte("\x00"), End: []byte("q")}, {Start: []byte("q\x00"), End: []byte("q\xff")}, {Start: []byte("\xff"), End: nil}}
		return all[f.r.IntN(3):]
	}
	return nil
}

// scan returns a random scan.
func (f *tandem) scan() kv.Scan {
	s := kv.Scan{Ordered: true, Ranges: f.ranges(), Qualifiers: f.qualifiers(), MaxVersions: []int{0, 1, 1, 1, 2, 3}[f.r.IntN(6)],
		Reverse: f.r.IntN(3) == 0, NeedValue: f.r.IntN(3) > 0, FirstPerRow: f.r.IntN(5) == 0, ByPartition: f.r.IntN(4) == 0}
	if f.r.IntN(3) == 0 {
		s.Time = kv.TimeRange{Min: f.time() - int64(f.r.IntN(2)), Max: f.time() + int64(f.r.IntN(2)), Bounded: true}
		if f.r.IntN(3) == 0 {
			s.Time.Min = math.MinInt64
		}
		if f.r.IntN(3) == 0 {
			s.Time.Max = math.MaxInt64
		}
	}
	if f.r.IntN(5) == 0 {
		for i := range 4 {
			if f.r.IntN(2) == 0 {
				s.Partitions = append(s.Partitions, i)
			}
		}
		if s.Partitions == nil {
			s.Partitions = []int{}
		}
	}
	if f.r.IntN(6) == 0 {
		s.Rows = partition.RowRange{Start: f.row(), End: f.row()}
	}
	if f.r.IntN(3) == 0 {
		s.Limit = 1 + f.r.IntN(5)
	}
	return s
}

// compare runs random scans on both.
func (f *tandem) compare(n int) {
	f.Helper()
	for i := range n {
		s := f.scan()
		tables := [][]string{{"a"}, {"b"}, {"a", "b"}, {"b", "a"}}[f.r.IntN(4)]
		for i := range tables {
			tables = slices.Clone(tables)
			tables[i] = f.name + "$" + tables[i]
		}
		// Partitions are numbered as the transaction sees them: a split may be noticed at any time.
		txn := kvtest.Begin(f.hbase, kv.TxnOptions{ReadOnly: true})
		if txn.Catalog().Table("default", tables[0]).Partitioning.Len() != len(splits)+1 {
			s.Partitions = nil
		}
		onPebble := s
		want := read(f, f.pebble, tables, onPebble)
		got := readIn(f, txn, tables, s)
		require.Equal(f, printed(want), printed(got), "scan %d of %v: %+v", i, tables, s)
		if i%4 == 1 {
			free := s
			free.Ordered, free.Reverse, free.Limit, free.Parallel = false, false, 0, 2+f.r.IntN(4)
			onPebble.Ordered, onPebble.Reverse = true, false
			want, got := read(f, f.pebble, tables, onPebble), readIn(f, txn, tables, free)
			require.Equal(f, printed(want), printed(regionByRegion(got)), "parallel scan %d of %v: %+v", i, tables, free)
		}
		if i%3 == 0 {
			require.Equal(f, printed(want), printed(f.divided(txn, tables, s)), "divided scan %d of %v: %+v", i, tables, s)
		}
		txn.Rollback()
	}
}

// regionByRegion sorts rows, and keeps the order of the cells in each.
func regionByRegion(cells []kv.Cell) []kv.Cell {
	var rows [][]kv.Cell
	for _, c := range cells {
		if n := len(rows); n > 0 && bytes.Equal(rows[n-1][0].Row, c.Row) {
			rows[n-1] = append(rows[n-1], c)
		} else {
			rows = append(rows, []kv.Cell{c})
		}
	}
	slices.SortStableFunc(rows, func(a, b []kv.Cell) int { return bytes.Compare(a[0].Row, b[0].Row) })
	return slices.Concat(rows...)
}

// divided reads a scan in parts, the first of which ends somewhere.
func (f *tandem) divided(txn kv.Txn, tables []string, s kv.Scan) (out []kv.Cell) {
	var of []*kv.Table
	for _, name := range tables {
		of = append(of, txn.Catalog().Table("default", name))
	}
	take := func(c kv.Cursor, n int) {
		for ; n != 0 && c.Next(); n-- {
			cell := *c.Cell()
			cell.Row, cell.Qualifier, cell.Value = bytes.Clone(cell.Row), bytes.Clone(cell.Qualifier), nil
			if s.NeedValue {
				v, err := c.Value()
				require.NoError(f, err)
				cell.Value = append([]byte{}, v...)
			}
			out = append(out, cell)
		}
		require.NoError(f, c.Err())
	}
	first, err := txn.Scan(context.Background(), of, &s)
	require.NoError(f, err)
	take(first, f.r.IntN(6))
	parts, err := first.(kv.Divider).Divide(1 + f.r.IntN(4))
	require.NoError(f, err)
	take(first, -1)
	for i := range parts {
		c, err := txn.Scan(context.Background(), of, &parts[i])
		require.NoError(f, err)
		take(c, -1)
		require.NoError(f, c.Close())
	}
	return out
}

func printed(cells []kv.Cell) (out []string) {
	for _, c := range cells {
		row := fmt.Sprintf("%q", c.Row)
		if len(c.Row) > 10 {
			row = fmt.Sprintf("%d times %q", len(c.Row), c.Row[:1])
		}
		out = append(out, fmt.Sprintf("%d %s %q %d %q", c.Family, row, c.Qualifier, c.Timestamp, c.Value))
	}
	return out
}

// TestTandemScans compares random scans of both stores, with the same cells in
// memory, in files, in one file, after moves, and during and after a split.
func TestTandemScans(t *testing.T) {
	f := newTandem(t, 300)
	n := 300
	if testing.Short() {
		n = 50
	}
	t.Run("Memory", func(t *testing.T) { f.in(t).compare(n) })
	flush(t, f.hbase, f.name)
	f.put(50)
	t.Run("Flushed", func(t *testing.T) { f.in(t).compare(n) })
	flush(t, f.hbase, f.name)
	compact(t, f.hbase, f.name)
	t.Run("Compacted", func(t *testing.T) { f.in(t).compare(n) })
	moveAll(t, f.hbase, f.name)
	t.Run("Moved", func(t *testing.T) { f.in(t).compare(n) })
	split := make(chan error, 1)
	go func() {
		split <- f.hbase.cluster.splitRegion(context.Background(), pbTable("default", f.name), []byte("b\x00"))
	}()
	t.Run("Splitting", func(t *testing.T) { f.in(t).compare(n) })
	require.NoError(t, <-split)
	t.Run("Split", func(t *testing.T) { f.in(t).compare(n) })
}

func (f *tandem) in(t *testing.T) *tandem {
	next := *f
	next.T = t
	return &next
}
