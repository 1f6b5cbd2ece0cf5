package tandem

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// There are few rows, qualifiers and timestamps, so that operations touch the same cells. They are
// short strings of bytes that matter to an encoding, prefixes of each other, and extreme values.
var (
	SomeRows = []string{"", "\x00", "\x00\x00", "\x00\x01", "\x01", "a", "a\x00", "a\x00\x01", "a\x00\xff", "a\x01", "aa",
		"ab",
		"a\xff", "a\xff\xff", "b", "b\x00", "\xff", "\xff\xff"}
	SomeQualifiers = []string{"", "\x00", "\x00\x01", "a", "a\x00", "ab", "a\xff", "b", "\xff"}
	SomeTimes      = []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 2, 3, math.MaxInt64 - 1, math.MaxInt64}
)

// Generator creates operations from random numbers. It writes to a few of the rows and qualifiers,
// and reads between any of them.
type Generator struct {
	*rand.Rand
	rows, qualifiers []string
	// splitsItself limits it to operations whose results do not depend on the number of partitions.
	splitsItself bool
	loads        bool // the store under test has bulk loads
	collects     bool // and is a kv.Collector
	// deletesRanges means that ranges are always deleted as a whole if no other transaction is in
	// the way.
	deletesRanges bool
}

// NewGenerator returns a generator that draws from r.
func NewGenerator(r *rand.Rand) *Generator {
	g := &Generator{Rand: r, rows: slices.Clone(SomeRows), qualifiers: slices.Clone(SomeQualifiers)}
	Shuffle(r, g.rows)
	Shuffle(r, g.qualifiers)
	g.rows, g.qualifiers = g.rows[:8], g.qualifiers[:4]
	return g
}

// Shuffle puts a slice in random order.
func Shuffle[T any](r *rand.Rand, s []T) {
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}

// Pick draws one element.
func Pick[T any](g *Generator, from []T) T { return from[g.IntN(len(from))] }

func (g *Generator) cell() kv.Cell {
	return kv.Cell{
		Row: []byte(Pick(g, g.rows)), Qualifier: []byte(Pick(g, g.qualifiers)),
		Timestamp: Pick(g, SomeTimes), Value: g.Value(),
	}
}

// CellIn returns a cell that has a place in the layout's slices of time.
func (g *Generator) CellIn(l fixture.Layout) kv.Cell {
	c := g.cell()
	c.Timestamp = max(c.Timestamp, l.Oldest())
	return c
}

// Value returns a value that is null, empty, short or, occasionally, long enough to be stored separately.
func (g *Generator) Value() []byte {
	switch n := g.IntN(40); {
	case n < 4:
		return nil
	case n < 8:
		return []byte{}
	case n == 8:
		return bytes.Repeat([]byte{byte(g.IntN(256))}, 100+g.IntN(20_000))
	}
	return []byte{Pick(g, []byte{0, 1, 'a', 0xff}), byte(g.IntN(256))}
}

func (g *Generator) position() kv.Position {
	rows, qualifiers := g.rows, g.qualifiers
	if g.IntN(4) == 0 {
		rows, qualifiers = SomeRows, SomeQualifiers
	}
	p := kv.Position{Depth: kv.DepthRow + kv.Depth(g.IntN(3)), After: g.IntN(2) == 0, Row: []byte(Pick(g, rows))}
	if p.Depth >= kv.DepthColumn {
		p.Qualifier = []byte(Pick(g, qualifiers))
	}
	if p.Depth == kv.DepthCell {
		p.Timestamp = Pick(g, SomeTimes)
	}
	return p
}

// positions returns n positions, occasionally all in one row or in one column.
func (g *Generator) positions(n int) []kv.Position {
	places := make([]kv.Position, n)
	near := g.IntN(4)
	for i := range places {
		places[i] = g.position()
		if near <= 1 {
			places[i].Row = places[0].Row
		}
		if near == 0 && places[0].Depth >= kv.DepthColumn && places[i].Depth >= kv.DepthColumn {
			places[i].Qualifier = places[0].Qualifier
		}
	}
	return places
}

// AllPositions returns the positions next to which a cell can be, with one timestamp of each column.
func AllPositions() []kv.Position {
	var out []kv.Position
	for _, row := range SomeRows {
		out = append(out, fixture.AtRow(row))
		for i, qualifier := range SomeQualifiers {
			out = append(out, fixture.AtColumn(row, qualifier), fixture.AtCell(row, qualifier, SomeTimes[i]))
		}
	}
	for _, p := range out {
		out = append(out, fixture.After(p))
	}
	return out
}

// comparePositions orders positions. If the parts of one position are the first parts of the other,
// the side of the shorter one decides.
func comparePositions(a, b kv.Position) int {
	if a.Depth > b.Depth {
		return -comparePositions(b, a)
	}
	if order := slices.CompareFunc(positionParts(a), positionParts(b)[:a.Depth], bytes.Compare); order != 0 {
		return order
	}
	switch {
	case a.After && !(b.After && a.Depth == b.Depth):
		return 1
	case !a.After && (b.After || a.Depth < b.Depth):
		return -1
	}
	return 0
}

func positionParts(p kv.Position) [][]byte {
	return [][]byte{p.Row, p.Qualifier, timeKey(p.Timestamp)}[:p.Depth]
}

// timeKey returns bytes that sort as timestamps do, newest first.
func timeKey(t int64) []byte {
	return binary.BigEndian.AppendUint64(nil, ^(uint64(t) ^ 1<<63))
}

// ranges returns up to three ranges, sorted and disjoint. The outer ends may be open.
func (g *Generator) ranges() []kv.Range {
	places := g.positions(2 * (1 + g.IntN(3)))
	slices.SortFunc(places, comparePositions)
	places = slices.CompactFunc(places, func(a, b kv.Position) bool { return comparePositions(a, b) == 0 })
	ranges := []kv.Range{}
	for i := 0; i+1 < len(places); i += 2 {
		ranges = append(ranges, kv.Range{Start: places[i], End: places[i+1]})
	}
	if len(ranges) > 0 && g.IntN(5) == 0 {
		ranges[0].Start = kv.Position{}
	}
	if len(ranges) > 0 && g.IntN(5) == 0 {
		ranges[len(ranges)-1].End = kv.Position{}
	}
	return ranges
}

// points returns ranges of entire rows, columns or cells.
func (g *Generator) points() []kv.Range {
	places := g.positions(1 + g.IntN(4))
	for i := range places {
		places[i].After = false
	}
	slices.SortFunc(places, comparePositions)
	var out []kv.Range
	for _, p := range places {
		if len(out) == 0 || comparePositions(out[len(out)-1].End, p) <= 0 {
			out = append(out, kv.Range{Start: p, End: fixture.After(p)})
		}
	}
	return out
}

func (g *Generator) qualifierRanges() []kv.QualifierRange {
	ends := slices.Clone(SomeQualifiers)
	Shuffle(g.Rand, ends)
	ends = ends[:2*(1+g.IntN(2))]
	slices.Sort(ends)
	var out []kv.QualifierRange
	for i := 0; i < len(ends); i += 2 {
		out = append(out, kv.QualifierRange{Start: []byte(ends[i]), End: []byte(ends[i+1])})
	}
	switch g.IntN(4) {
	case 0:
		out[len(out)-1].End = nil
	case 1, 2:
		for i := range out {
			out[i].End = append(bytes.Clone(out[i].Start), 0) // only that one
		}
	}
	return out
}

// maxOrdinal is roughly the largest number of partitions.
const maxOrdinal = 8

func (g *Generator) Scan() kv.Scan {
	s := kv.Scan{Ordered: g.IntN(2) == 0, ByPartition: g.IntN(2) == 0, Reverse: g.IntN(3) == 0, NeedValue: g.IntN(3) > 0,
		FirstPerRow: g.IntN(6) == 0}
	switch g.IntN(4) {
	case 0:
		s.Ranges = g.ranges()
	case 1:
		s.Ranges = g.points()
	}
	if g.IntN(3) == 0 {
		s.Qualifiers = g.qualifierRanges()
	}
	if g.IntN(3) == 0 {
		s.Time = kv.TimeRange{Min: Pick(g, SomeTimes), Max: Pick(g, SomeTimes), Bounded: true}
	}
	if g.IntN(2) == 0 {
		s.MaxVersions = 1 + g.IntN(3)
	}
	if g.IntN(6) == 0 && !g.splitsItself {
		s.Partitions = []int{}
		for i := range maxOrdinal {
			if g.IntN(2) == 0 {
				s.Partitions = append(s.Partitions, i)
			}
		}
	}
	if g.IntN(6) == 0 {
		s.Slices = []int{}
		for i := range maxOrdinal {
			if g.IntN(3) > 0 {
				s.Slices = append(s.Slices, i)
			}
		}
	}
	if g.IntN(8) == 0 {
		s.Leaves = []int{}
		for i := range 3 * maxOrdinal {
			if g.IntN(3) > 0 {
				s.Leaves = append(s.Leaves, i)
			}
		}
	}
	if g.IntN(6) == 0 {
		s.Limit = 1 + g.IntN(5)
	}
	return s
}

// Scanned returns the tables of a scan: a single one, or families of the group.
func (g *Generator) Scanned() []string {
	return Pick(g, [][]string{{"s"}, {"g$a"}, {"g$b"}, {"g$a", "g$b"}, {"g$b", "g$a"}})
}

// op returns the next operation.
func (g *Generator) op(c *fixture.Clock) op {
	switch n := g.IntN(216); {
	case n >= 208:
		return g.deleteRanges()
	case n < 190:
		return g.smallOp()
	case n < 196:
		return Pick(g, storeOps)
	case n < 200:
		return g.moveOp()
	case n < 203:
		return g.tick(c)
	case n < 205:
		return collectOp{Pick(g, fixture.TableNames)}
	}
	return g.Retain(Pick(g, fixture.TableNames))
}

// deleteRanges returns an operation that, most of the time, deletes ranges that can be deleted as a
// whole. It is not used while cells move, because stores behave differently then.
func (g *Generator) deleteRanges() op {
	if !g.deletesRanges {
		return g.smallOp()
	}
	o := rangesOp{slot: g.IntN(Own + 1), table: Pick(g, fixture.TableNames), scan: kv.Scan{MaxVersions: g.IntN(2)}}
	if g.IntN(8) == 0 {
		o.scan = g.Scan()
	} else if g.IntN(3) > 0 {
		o.scan.Ranges = g.ranges()
	}
	return o
}

// smallOp returns an operation that can run during another one.
func (g *Generator) smallOp() op {
	slot := g.IntN(slots)
	switch n := g.IntN(198); {
	case n < 6 && g.loads:
		return g.load()
	case n < 70:
		return g.write()
	case n < 115:
		return ScanOp{Slot: g.IntN(Own + 1), Tables: g.Scanned(), Scan: g.Scan(), at: max(0, g.IntN(6)-3)}
	case n < 125:
		s := g.Scan()
		s.Ordered = true
		return openOp{slot: slot, tables: g.Scanned(), scan: s}
	case n < 145:
		return stepOp{slot: slot, n: g.IntN(8), close: g.IntN(4) == 0}
	case n < 149:
		return beginOp{slot: slot, readOnly: g.IntN(2) == 0}
	case n < 167:
		return EndOp{Slot: slot, commit: g.IntN(4) > 0}
	case n < 184:
		return savepointOp{slot: slot, n: g.IntN(5) - 2}
	case n < 190:
		return CatalogOp{Kind: Pick(g, catalogKinds), Table: Pick(g, fixture.TableNames)}
	case g.splitsItself:
		return g.write()
	}
	if g.IntN(2) == 0 {
		return g.sliceOp(Pick(g, fixture.TableNames))
	}
	return g.partitionOp()
}

var (
	catalogKinds = []string{"truncate", "comment", "recreate", "drop", "create", "create", "create"}
	storeOps     = []storeOp{"flush", "flush", "flush", "flush", "flush", "compact", "compact", "reopen"}
)

// load returns a bulk load of a few cells, sorted or not.
func (g *Generator) load() op {
	o := LoadOp{Table: Pick(g, fixture.TableNames)}
	for range g.IntN(30) {
		o.Cells = append(o.Cells, g.cell())
	}
	if g.IntN(2) == 0 {
		slices.SortStableFunc(o.Cells, func(a, b kv.Cell) int {
			return cmp.Or(bytes.Compare(a.Row, b.Row), bytes.Compare(a.Qualifier, b.Qualifier),
				cmp.Compare(b.Timestamp, a.Timestamp))
		})
	}
	return o
}

var WriteKinds = []string{"put", "put", "put", "putIfAbsent", "putNext", "deleteVersion", "deleteColumn", "lockRow"}

func (g *Generator) write() op {
	w := WriteOp{Slot: g.IntN(Own + 1), Kind: Pick(g, WriteKinds), Table: Pick(g, fixture.TableNames)}
	n := 1
	if g.IntN(4) == 0 {
		n += g.IntN(12)
	}
	for range n {
		w.Cells = append(w.Cells, g.cell())
	}
	return w
}
