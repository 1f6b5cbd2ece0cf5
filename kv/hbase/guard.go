package hbase

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
)

// guard is the condition of a commit: that a row has, in some areas and a range of times, certain cells
// and no others.
type guard struct {
	table string
	row   []byte
	areas []area
	times kv.TimeRange // bounded
	reads []guarded
	cells []cell // in HBase's order
	look  bool   // cells must be read first
	all   bool   // all versions of the areas must be known
	whole bool   // the areas are the whole row
}

// area is the columns of a family between two qualifiers, both inclusive; a nil to is open.
type area struct {
	family   []byte
	from, to []byte
	single   bool // one column
}

func (a *area) holds(family, qualifier []byte) bool {
	return bytes.Equal(a.family, family) && bytes.Compare(qualifier, a.from) >= 0 && (a.to == nil || bytes.Compare(qualifier, a.to) <= 0)
}

// guarded is a scan and the cells of the row that it returned.
type guarded struct {
	scan  *loggedScan
	cells []readCell
}

// maxGuarded is the most cells that a condition may name.
const maxGuarded = 2000

// add adds a scan and the cells of the row that it returned.
func (g *guard) add(s *loggedScan, cells []readCell) {
	g.reads = append(g.reads, guarded{s, cells})
	times, some := common(s.scan.Time, kv.TimeRange{})
	if !some {
		return
	}
	times.Bounded = true
	var areas []area
	exact := false
	if s.done {
		areas, times, exact = areasOf(s, g.row, times)
	} else {
		for _, c := range cells {
			areas = append(areas, area{family: s.families[c.family], from: c.qualifier, to: c.qualifier, single: true})
		}
	}
	one := len(areas) == 1 && areas[0].single
	switch {
	case one && len(cells) == 1 && (exact || s.scan.MaxVersions == 1) && s.scan.NeedValue:
		times.Min = cells[0].timestamp
	case one && len(cells) == 0 && s.done:
	default:
		g.look = true
	}
	if len(g.reads) > 1 || len(g.areas) > 0 {
		g.look = true
		times.Min, times.Max = min(times.Min, g.times.Min), max(times.Max, g.times.Max)
	}
	g.times = times
	for _, a := range areas {
		if !slices.ContainsFunc(g.areas, func(b area) bool { return sameArea(&a, &b) }) {
			g.areas = append(g.areas, a)
		}
	}
}

func sameArea(a, b *area) bool {
	return bytes.Equal(a.family, b.family) && bytes.Equal(a.from, b.from) && bytes.Equal(a.to, b.to) && (a.to == nil) == (b.to == nil)
}

// areasOf returns the columns of a row that a scan reads, and its times if they are of one column; exact
// is true if that is one version.
func areasOf(s *loggedScan, row []byte, times kv.TimeRange) (out []area, in kv.TimeRange, exact bool) {
	ranges := s.scan.Ranges
	if ranges == nil {
		ranges = []kv.Range{{}}
	}
	for _, r := range ranges {
		if !touchesRow(&r, row) {
			continue
		}
		p := partOfRow(&r, row)
		for _, f := range s.families {
			if named, ok := kv.SingleQualifiers(s.scan.Qualifiers); ok && s.scan.Qualifiers != nil && !p.column {
				for _, q := range named {
					out = append(out, area{family: f, from: orEmpty(q), to: orEmpty(q), single: true})
				}
				continue
			}
			out = append(out, area{family: f, from: orEmpty(p.from), to: p.to, single: p.column})
		}
		if p.column && len(ranges) == 1 {
			if t, some := common(times, p.times); some {
				t.Bounded = true
				times, exact = t, t.Min == t.Max
			}
		}
	}
	return out, times, exact
}

// build reads the cells if they are unknown, and checks whether what was read has changed since.
func (g *guard) build(ctx context.Context, w *rowWrite) error {
	if len(g.areas) == 0 {
		return nil
	}
	if !g.times.Bounded {
		g.times = kv.TimeRange{Min: 0, Max: maxTimestamp, Bounded: true}
	}
	if !g.look {
		r := &g.reads[0]
		for _, c := range r.cells {
			g.cells = append(g.cells, cell{row: g.row, family: r.scan.families[c.family], qualifier: c.qualifier, timestamp: c.timestamp, value: c.value})
		}
		return nil
	}
	if g.all {
		g.times = kv.TimeRange{Min: 0, Max: maxTimestamp, Bounded: true}
	}
	if err := g.readSame(ctx, w); err != nil {
		return err
	}
	if len(g.cells) == 0 && !(len(g.areas) == 1 && g.areas[0].single) {
		// HBase only checks a row that has a cell: any cell will do.
		g.whole, g.times = true, kv.TimeRange{Min: 0, Max: maxTimestamp, Bounded: true}
		if err := g.readSame(ctx, w); err != nil {
			return err
		}
	}
	if len(g.cells) > maxGuarded {
		return kv.ErrUnsupported{What: "a write to HBase that depends on more than 2000 versions in its row"}
	}
	return nil
}

// oneFamily reports whether all areas are in one family.
func (g *guard) oneFamily() bool {
	return !slices.ContainsFunc(g.areas, func(a area) bool { return !bytes.Equal(a.family, g.areas[0].family) })
}

func (g *guard) singles() bool {
	return !slices.ContainsFunc(g.areas, func(a area) bool { return !a.single })
}

// readSame is read, and fails with kv.ErrConflict if a scan would not return the same again.
func (g *guard) readSame(ctx context.Context, w *rowWrite) error {
	if err := g.read(ctx, w); err != nil {
		return err
	}
	for i := range g.reads {
		if !g.reads[i].same(g) {
			return kv.ErrConflict
		}
	}
	return nil
}

// read reads the row's cells in the areas, or the whole row if the areas cannot be one condition.
func (g *guard) read(ctx context.Context, w *rowWrite) error {
	g.whole = g.whole || !g.singles() && !g.oneFamily()
	get := &pb.Get{Row: g.row, MaxVersions: proto.Uint32(1<<31 - 1), TimeRange: timeRange(g.times)}
	switch {
	case g.whole:
	case g.singles():
		for _, a := range g.areas {
			i := slices.IndexFunc(get.Column, func(c *pb.Column) bool { return bytes.Equal(c.Family, a.family) })
			if i < 0 {
				i = len(get.Column)
				get.Column = append(get.Column, &pb.Column{Family: a.family})
			}
			get.Column[i].Qualifier = append(get.Column[i].Qualifier, orEmpty(a.from))
		}
	default:
		get.Column = []*pb.Column{{Family: g.areas[0].family}}
		from, to := g.hull()
		get.Filter = columnRange(from, to, true)
	}
	answers := make([][]byte, 1)
	if _, err := w.txn.store.cluster.getAll(ctx, g.table, []*pb.Get{get}, []int{0}, answers, map[string]bool{}); err != nil {
		return err
	}
	g.cells = nil
	for block := answers[0]; len(block) > 0; {
		var c cell
		var err error
		if block, err = c.decode(block); err != nil {
			return err
		}
		g.cells = append(g.cells, c)
	}
	return nil
}

// hull returns the first and the last qualifier of the areas.
func (g *guard) hull() (from, to []byte) {
	from, to = g.areas[0].from, g.areas[0].to
	for _, a := range g.areas[1:] {
		if bytes.Compare(a.from, from) < 0 {
			from = a.from
		}
		if to != nil && (a.to == nil || bytes.Compare(a.to, to) > 0) {
			to = a.to
		}
	}
	return from, to
}

// same reports whether a scan of the cells would return the same; if it was not read to its end, whether
// it would return at least that.
func (r *guarded) same(g *guard) bool {
	var cells []kv.Cell
	for i := range g.cells {
		c := &g.cells[i]
		if f := slices.IndexFunc(r.scan.families, func(f []byte) bool { return bytes.Equal(f, c.family) }); f >= 0 {
			cells = append(cells, kv.Cell{Family: f, Row: c.row, Qualifier: c.qualifier, Timestamp: c.timestamp, Value: c.value})
		}
	}
	slices.SortStableFunc(cells, func(a, b kv.Cell) int { return cmp.Compare(a.Family, b.Family) })
	s := &r.scan.scan
	now := evaluate(cells, s)
	for i := range now {
		if r.scan.done && !slices.ContainsFunc(r.cells, func(was readCell) bool { return was.is(&now[i], s.NeedValue) }) {
			return false
		}
	}
	for _, was := range r.cells { // a scan that was not finished may return more
		if !s.FirstPerRow && !slices.ContainsFunc(now, func(c kv.Cell) bool { return was.is(&c, s.NeedValue) }) {
			return false
		}
	}
	return true
}

func (c *readCell) is(now *kv.Cell, valued bool) bool {
	return c.family == now.Family && c.timestamp == now.Timestamp && bytes.Equal(c.qualifier, now.Qualifier) && (!valued || bytes.Equal(c.value, now.Value))
}

// watches reports whether the condition checks a version of a column.
func (g *guard) watches(c *column, at int64) bool {
	if at < g.times.Min || at > g.times.Max {
		return false
	}
	return g.whole && len(g.cells) > 0 || slices.ContainsFunc(g.areas, func(a area) bool { return a.holds(c.family, c.qualifier) })
}

// has reports whether a version exists with that value.
func (g *guard) has(c *column, at int64, value []byte) bool {
	return slices.ContainsFunc(g.cells, func(have cell) bool {
		return have.timestamp == at && bytes.Equal(have.family, c.family) && bytes.Equal(have.qualifier, c.qualifier) && bytes.Equal(have.value, value)
	})
}

// newest reports whether a cell is the newest of its column among the cells.
func (g *guard) newest(i int) bool {
	return i == 0 || !bytes.Equal(g.cells[i-1].qualifier, g.cells[i].qualifier) || !bytes.Equal(g.cells[i-1].family, g.cells[i].family)
}

// emptyColumn returns a column that the commit can require to have no cell, if none was read. It prefers
// one that the commit fills with a non-empty value, since HBase treats an empty value as missing: then
// one of two commits of the same columns fails.
func (g *guard) emptyColumn(written []*column) (family, qualifier []byte) {
	for _, c := range written {
		for at, p := range c.puts {
			if g.watches(c, at) && len(p.value) > 0 {
				return c.family, c.qualifier
			}
		}
	}
	return g.areas[0].family, g.areas[0].from
}

// condition returns the guard in HBase's form, for a commit that writes columns. Without cells it is that
// one column has none; HBase cannot express more about a row that may be empty. With cells it is that the
// row passes filters, which see all versions or the newest:
//
//   - the first leaves the areas' cells, and of those each must pass the rest;
//   - of each column the newest cell has the value that it had, and is there;
//   - no cell is another than those that were.
func (g *guard) condition(row []byte, written []*column) (*pb.Condition, error) {
	times := timeRange(g.times)
	if len(g.cells) == 0 {
		family, qualifier := g.emptyColumn(written)
		return absence(row, family, orEmpty(qualifier), times)
	}
	var all, known []*pb.Filter
	if lead := g.lead(); lead != nil {
		all = append(all, lead)
	}
	for i := range g.cells {
		c := &g.cells[i]
		known = append(known, passAll([]*pb.Filter{timestamps(c.timestamp), columnValue(c.family, c.qualifier, pb.CompareType_EQUAL, c.value)}))
		if g.newest(i) {
			all = append(all, newestValue(c))
		}
	}
	all = append(all, filter("SkipFilter", &pb.SkipFilter{Filter: passOne(known)}))
	return conditionOn(row, passAll(all), times)
}

// lead returns a filter that passes only the areas' cells.
func (g *guard) lead() *pb.Filter {
	switch {
	case g.whole:
		return nil
	case g.singles():
		var columns []*pb.Filter
		for _, a := range g.areas {
			columns = append(columns, columnValue(a.family, orEmpty(a.from), pb.CompareType_GREATER_OR_EQUAL, []byte{}))
		}
		return passOne(columns)
	}
	from, to := g.hull()
	family := filter("FamilyFilter", &pb.FamilyFilter{CompareFilter: &pb.CompareFilter{CompareOp: pb.CompareType_EQUAL.Enum(), Comparator: withBytes(g.areas[0].family)}})
	return passAll([]*pb.Filter{family, columnRange(from, to, true)})
}

func passOne(of []*pb.Filter) *pb.Filter { return list(of, pb.FilterList_MUST_PASS_ONE) }

// withBytes returns a comparator with bytes.
func withBytes(b []byte) *pb.Comparator {
	body, err := proto.Marshal(&pb.BinaryComparator{Comparable: &pb.ByteArrayComparable{Value: orEmpty(b)}})
	if err != nil {
		panic(err) // the message is complete
	}
	return &pb.Comparator{Name: proto.String(comparators + "BinaryComparator"), SerializedComparator: body}
}

func timestamps(at int64) *pb.Filter {
	return filter("TimestampsFilter", &pb.TimestampsFilter{Timestamps: []int64{at}})
}

// columnValue returns a filter that passes cells of one column by their value. gohbase has no message for
// it: its fields are family, qualifier, operator and comparator, in this order.
func columnValue(family, qualifier []byte, op pb.CompareType, value []byte) *pb.Filter {
	return filter("ColumnValueFilter", &pb.SingleColumnValueFilter{ColumnFamily: family, ColumnQualifier: orEmpty(qualifier), CompareOp: op.Enum(), Comparator: withBytes(value)})
}

// newestValue returns a filter that passes rows in which the newest cell of a column has a value.
func newestValue(c *cell) *pb.Filter {
	return filter("SingleColumnValueFilter", &pb.SingleColumnValueFilter{ColumnFamily: c.family, ColumnQualifier: orEmpty(c.qualifier), CompareOp: pb.CompareType_EQUAL.Enum(),
		Comparator: withBytes(c.value), FilterIfMissing: proto.Bool(true), LatestVersionOnly: proto.Bool(true)})
}
