package hbase

import (
	"math"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// allTimes are all timestamps.
var allTimes = kv.TimeRange{Min: math.MinInt64, Max: math.MaxInt64}

// common returns the timestamps in both ranges; false if there are none that
// HBase can store.
func common(a, b kv.TimeRange) (kv.TimeRange, bool) {
	if !a.Bounded {
		a = allTimes
	}
	if b.Bounded {
		a = kv.TimeRange{Min: max(a.Min, b.Min), Max: min(a.Max, b.Max), Bounded: true}
	}
	a.Min = max(a.Min, 0)
	return a, a.Min <= a.Max && a.Min <= maxTimestamp
}

// timeRange returns a range in HBase's form: from 0, with an exclusive upper bound.
func timeRange(t kv.TimeRange) *pb.TimeRange {
	out := &pb.TimeRange{From: proto.Uint64(uint64(max(t.Min, 0))), To: proto.Uint64(math.MaxInt64)}
	if t.Max < math.MaxInt64 {
		out.To = proto.Uint64(uint64(t.Max) + 1)
	}
	return out
}

// maxTimestamp is HBase's greatest timestamp: the next one means the server's clock.
const maxTimestamp = math.MaxInt64 - 1

// query is what the server is asked for of each row.
type query struct {
	columns     []*pb.Column
	times       *pb.TimeRange
	maxVersions uint32
	storeLimit  *uint32
	filter      *pb.Filter
}

// queryFor returns the query for a piece. It filters only by families, qualifiers
// and times, which do not change which of the remaining versions are the newest. It
// returns false if nothing can be found.
func queryFor(s *kv.Scan, families [][]byte, p *piece) (query, bool) {
	var q query
	times, some := common(s.Time, p.times)
	if !some {
		return q, false
	}
	q.times = timeRange(times)
	q.maxVersions = math.MaxInt32
	if s.MaxVersions > 0 && !p.anyVersion {
		q.maxVersions = uint32(min(s.MaxVersions, math.MaxInt32))
	}
	qualifiers, filters, some := columnsFor(s, p)
	if !some {
		return q, false
	}
	for _, f := range families {
		q.columns = append(q.columns, &pb.Column{Family: f, Qualifier: qualifiers})
	}
	if s.FirstPerRow && !s.Reverse && p.exact == nil && len(s.Qualifiers) <= mostFilters {
		q.storeLimit = proto.Uint32(1)
	}
	if !s.NeedValue {
		filters = append(filters, keyOnly())
	}
	if len(filters) > 0 {
		q.filter = passAll(filters)
	}
	return q, true
}

// columnsFor returns the qualifiers that are named one by one, or else filters.
func columnsFor(s *kv.Scan, p *piece) (qualifiers [][]byte, filters []*pb.Filter, some bool) {
	if p.column {
		return [][]byte{orEmpty(p.from)}, nil, inQualifiers(s.Qualifiers, p.from)
	}
	if s.Qualifiers != nil {
		if len(s.Qualifiers) == 0 {
			return nil, nil, false
		}
		if named, ok := kv.SingleQualifiers(s.Qualifiers); ok {
			for _, q := range named {
				qualifiers = append(qualifiers, orEmpty(q))
			}
		} else {
			filters = append(filters, columnRanges(s.Qualifiers, s.Reverse))
		}
	}
	if p.one && p.exact != nil && (len(p.from) > 0 || p.to != nil) {
		filters = append(filters, columnRange(p.from, p.to, true))
	}
	return qualifiers, filters, true
}

func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (q *query) scan() *pb.Scan {
	return &pb.Scan{Column: q.columns, TimeRange: q.times, MaxVersions: &q.maxVersions, StoreLimit: q.storeLimit,
		Filter: q.filter, MaxResultSize: proto.Uint64(scanBytes)}
}

func (q *query) get(row []byte) *pb.Get {
	return &pb.Get{Row: row, Column: q.columns, TimeRange: q.times, MaxVersions: &q.maxVersions, StoreLimit: q.storeLimit, Filter: q.filter}
}

// scanBytes is about how many bytes a server sends at once.
const scanBytes = 2 << 20

// filter makes a filter from its class and its message.
func filter(class string, m proto.Message) *pb.Filter {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err) // all messages here are complete
	}
	return &pb.Filter{Name: proto.String(filters + class), SerializedFilter: b}
}

func keyOnly() *pb.Filter {
	return filter("KeyOnlyFilter", &pb.KeyOnlyFilter{LenAsVal: proto.Bool(false)})
}

// columnRange returns a filter that passes qualifiers from the first to the last; a
// nil last is open.
func columnRange(first, last []byte, included bool) *pb.Filter {
	return filter("ColumnRangeFilter", &pb.ColumnRangeFilter{MinColumn: first, MinColumnInclusive: proto.Bool(true),
		MaxColumn: last, MaxColumnInclusive: proto.Bool(included)})
}

// mostFilters is the most ranges of qualifiers that are sent one by one.
const mostFilters = 100

// columnRanges returns a filter that passes qualifiers in ranges. With many ranges,
// and in reverse, where HBase's FilterList uses the last of its filters' hints and
// so skips cells, it also passes what is between them, which the reader leaves out.
func columnRanges(ranges []kv.QualifierRange, reverse bool) *pb.Filter {
	if len(ranges) > mostFilters || reverse {
		return columnRange(ranges[0].Start, ranges[len(ranges)-1].End, false)
	}
	var any []*pb.Filter
	for _, r := range ranges {
		any = append(any, columnRange(r.Start, r.End, false))
	}
	return list(any, pb.FilterList_MUST_PASS_ONE)
}

// rowRanges returns a filter that passes rows in ranges.
func rowRanges(ranges []partition.RowRange) *pb.Filter {
	m := &pb.MultiRowRangeFilter{}
	for _, r := range ranges {
		m.RowRangeList = append(m.RowRangeList, &pb.RowRange{StartRow: orEmpty(r.Start), StartRowInclusive: proto.Bool(true),
			StopRow: orEmpty(r.End), StopRowInclusive: proto.Bool(false)})
	}
	return filter("MultiRowRangeFilter", m)
}

// both returns a filter that passes what both pass; a nil one passes all.
func both(a, b *pb.Filter) *pb.Filter {
	if b == nil {
		return a
	}
	return passAll([]*pb.Filter{a, b})
}

func passAll(of []*pb.Filter) *pb.Filter { return list(of, pb.FilterList_MUST_PASS_ALL) }

func list(of []*pb.Filter, how pb.FilterList_Operator) *pb.Filter {
	if len(of) == 1 {
		return of[0]
	}
	return filter("FilterList", &pb.FilterList{Operator: how.Enum(), Filters: of})
}
