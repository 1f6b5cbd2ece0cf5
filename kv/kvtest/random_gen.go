package kvtest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// Few rows, qualifiers and timestamps, so that operations meet: short strings
// of bytes that matter to an encoding, prefixes of one another, the ends of
// what there can be.
var (
	someRows = []string{"", "\x00", "\x00\x00", "\x00\x01", "\x01", "a", "a\x00", "a\x00\x01", "a\x00\xff", "a\x01", "aa",
		"ab",
		"a\xff", "a\xff\xff", "b", "b\x00", "\xff", "\xff\xff"}
	someQualifiers = []string{"", "\x00", "\x00\x01", "a", "a\x00", "ab", "a\xff", "b", "\xff"}
	someTimes      = []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 2, 3, math.MaxInt64 - 1, math.MaxInt64}
)

// generator makes operations from random numbers. It writes to a few of the
// rows and qualifiers, and reads between any.
type generator struct {
	*rand.Rand
	rows, qualifiers []string
	// splitsItself keeps to what does not depend on the numbers of partitions.
	splitsItself bool
	loads        bool // the store under test has bulk loads
	collects     bool // and is a kv.Collector
}

func newGenerator(r *rand.Rand) *generator {
	g := &generator{Rand: r, rows: slices.Clone(someRows), qualifiers: slices.Clone(someQualifiers)}
	shuffle(r, g.rows)
	shuffle(r, g.qualifiers)
	g.rows, g.qualifiers = g.rows[:8], g.qualifiers[:4]
	return g
}

func shuffle[T any](r *rand.Rand, s []T) {
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

func (g *generator) cell() kv.Cell {
	return kv.Cell{
		Row: []byte(pick(g, g.rows)), Qualifier: []byte(pick(g, g.qualifiers)),
		Timestamp: pick(g, someTimes), Value: g.value(),
	}
}

// cellIn is a cell that has a place in the layout's slices of time.
func (g *generator) cellIn(l Layout) kv.Cell {
	c := g.cell()
	c.Timestamp = max(c.Timestamp, l.oldest())
	return c
}

// value is null, empty, short or, now and then, long enough to be stored
// apart.
func (g *generator) value() []byte {
	switch n := g.IntN(40); {
	case n < 4:
		return nil
	case n < 8:
		return []byte{}
	case n == 8:
		return bytes.Repeat([]byte{byte(g.IntN(256))}, 100+g.IntN(20_000))
	}
	return []byte{pick(g, []byte{0, 1, 'a', 0xff}), byte(g.IntN(256))}
}

func (g *generator) position() kv.Position {
	rows, qualifiers := g.rows, g.qualifiers
	if g.IntN(4) == 0 {
		rows, qualifiers = someRows, someQualifiers
	}
	p := kv.Position{Depth: kv.DepthRow + kv.Depth(g.IntN(3)), After: g.IntN(2) == 0, Row: []byte(pick(g, rows))}
	if p.Depth >= kv.DepthColumn {
		p.Qualifier = []byte(pick(g, qualifiers))
	}
	if p.Depth == kv.DepthCell {
		p.Timestamp = pick(g, someTimes)
	}
	return p
}

// positions are n positions, now and then all in one row or in one column.
func (g *generator) positions(n int) []kv.Position {
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

// allPositions are the positions next to which there can be a cell, with one
// timestamp of each column.
func allPositions() []kv.Position {
	var out []kv.Position
	for _, row := range someRows {
		out = append(out, atRow(row))
		for i, qualifier := range someQualifiers {
			out = append(out, atColumn(row, qualifier), atCell(row, qualifier, someTimes[i]))
		}
	}
	for _, p := range out {
		out = append(out, after(p))
	}
	return out
}

// comparePositions orders places. Where one position's parts are the first
// parts of the other's, its own side decides.
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

// timeKey orders timestamps, newest first, as bytes.
func timeKey(t int64) []byte {
	return binary.BigEndian.AppendUint64(nil, ^(uint64(t) ^ 1<<63))
}

// ranges are up to three ranges, sorted and disjoint; the outer ends may be
// open.
func (g *generator) ranges() []kv.Range {
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

// points are the ranges of whole rows, columns or cells.
func (g *generator) points() []kv.Range {
	places := g.positions(1 + g.IntN(4))
	for i := range places {
		places[i].After = false
	}
	slices.SortFunc(places, comparePositions)
	var out []kv.Range
	for _, p := range places {
		if len(out) == 0 || comparePositions(out[len(out)-1].End, p) <= 0 {
			out = append(out, kv.Range{Start: p, End: after(p)})
		}
	}
	return out
}

func (g *generator) qualifierRanges() []kv.QualifierRange {
	ends := slices.Clone(someQualifiers)
	shuffle(g.Rand, ends)
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
			out[i].End = append(bytes.Clone(out[i].Start), 0) // that one alone
		}
	}
	return out
}

// maxOrdinal is about how many partitions there can be.
const maxOrdinal = 8

func (g *generator) scan() kv.Scan {
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
		s.Time = kv.TimeRange{Min: pick(g, someTimes), Max: pick(g, someTimes), Bounded: true}
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

// scanned are the tables of a scan: one, or families of the group.
func (g *generator) scanned() []string {
	return pick(g, [][]string{{"s"}, {"g$a"}, {"g$b"}, {"g$a", "g$b"}, {"g$b", "g$a"}})
}

// op is the next operation.
func (g *generator) op(c *clock) op {
	switch n := g.IntN(208); {
	case n < 190:
		return g.smallOp()
	case n < 196:
		return pick(g, storeOps)
	case n < 200:
		return g.moveOp()
	case n < 203:
		return g.tick(c)
	case n < 205:
		return collectOp{pick(g, tableNames)}
	}
	return g.retain(pick(g, tableNames))
}

// smallOp is an operation that can happen within another.
func (g *generator) smallOp() op {
	slot := g.IntN(slots)
	switch n := g.IntN(198); {
	case n < 6 && g.loads:
		return g.load()
	case n < 70:
		return g.write()
	case n < 115:
		return scanOp{slot: g.IntN(own + 1), tables: g.scanned(), scan: g.scan(), at: max(0, g.IntN(6)-3)}
	case n < 125:
		s := g.scan()
		s.Ordered = true
		return openOp{slot: slot, tables: g.scanned(), scan: s}
	case n < 145:
		return stepOp{slot: slot, n: g.IntN(8), close: g.IntN(4) == 0}
	case n < 149:
		return beginOp{slot: slot, readOnly: g.IntN(2) == 0}
	case n < 167:
		return endOp{slot: slot, commit: g.IntN(4) > 0}
	case n < 184:
		return savepointOp{slot: slot, n: g.IntN(5) - 2}
	case n < 190:
		return catalogOp{kind: pick(g, catalogKinds), table: pick(g, tableNames)}
	case g.splitsItself:
		return g.write()
	}
	if g.IntN(2) == 0 {
		return g.sliceOp(pick(g, tableNames))
	}
	return g.partitionOp()
}

var (
	catalogKinds = []string{"truncate", "comment", "recreate", "drop", "create", "create", "create"}
	storeOps     = []storeOp{"flush", "flush", "flush", "flush", "flush", "compact", "compact", "reopen"}
)

// load is a bulk load of a few cells, in order or not.
func (g *generator) load() op {
	o := loadOp{table: pick(g, tableNames)}
	for range g.IntN(30) {
		o.cells = append(o.cells, g.cell())
	}
	if g.IntN(2) == 0 {
		slices.SortStableFunc(o.cells, func(a, b kv.Cell) int {
			return cmp.Or(bytes.Compare(a.Row, b.Row), bytes.Compare(a.Qualifier, b.Qualifier),
				cmp.Compare(b.Timestamp, a.Timestamp))
		})
	}
	return o
}

var writeKinds = []string{"put", "put", "put", "putIfAbsent", "putNext", "deleteVersion", "deleteColumn", "lockRow"}

func (g *generator) write() op {
	w := writeOp{slot: g.IntN(own + 1), kind: pick(g, writeKinds), table: pick(g, tableNames)}
	n := 1
	if g.IntN(4) == 0 {
		n += g.IntN(12)
	}
	for range n {
		w.cells = append(w.cells, g.cell())
	}
	return w
}
